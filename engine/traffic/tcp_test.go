package traffic

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

func TestAConnectionIsJudgedByWhatComesBack(t *testing.T) {
	address := strings.TrimPrefix(talk(t, func(_ int, c net.Conn) {
		line, err := bufio.NewReader(c).ReadString('\n')
		switch strings.TrimSpace(line) {
		case "echo 7":
			io.WriteString(c, "you said ")
			time.Sleep(5 * time.Millisecond) // so that it comes in two parts
			io.WriteString(c, line)
		case "silent":
			io.Copy(io.Discard, c)
		case "half":
			io.WriteString(c, "ha")
			io.Copy(io.Discard, c)
		case "":
			_ = err // the client is gone: it wanted to connect only
		}
	}), "http://")
	for _, tt := range []struct {
		send, expect string
		outcome      Outcome
		class        Class
		text         string
	}{
		{"", "", OK, "", ""},
		{"echo {seq}\n", "^you said echo 7\n$", OK, "", ""},
		{"echo {seq}\n", "^I", Unknown, Unexpected, `"you said echo 7\n" came, which does not match`},
		{"silent\n", "x", Unknown, Timeout, "no answer within 100ms"},
		{"half\n", "half", Unknown, Timeout, "no answer within 100ms"},
		{"close\n", "x", Unknown, Reset, "EOF"},
	} {
		spec := TCPSpec{Target: address, Rate: 1, Send: tt.send, Expect: tt.expect, Timeout: 100 * time.Millisecond, MaxInFlight: 1}
		if tt.outcome == OK || tt.class == Unexpected {
			spec.Timeout = 10 * time.Second
		}
		sender, err := newTCPSender(spec, (&net.Dialer{}).DialContext)
		if err != nil {
			t.Fatal(err)
		}
		s := &Sample{Seq: 7}
		sender.send(s)
		if s.Outcome != tt.outcome || s.Class != tt.class || !strings.Contains(s.Error, tt.text) {
			t.Errorf("%q: %+v, want %s %s %q", tt.send, s, tt.outcome, tt.class, tt.text)
		}
	}
	gone := TCPSpec{Target: strings.TrimPrefix(nobody(t), "http://"), Rate: 1, Send: "x", Timeout: time.Second, MaxInFlight: 1}
	sender, err := newTCPSender(gone, (&net.Dialer{}).DialContext)
	if err != nil {
		t.Fatal(err)
	}
	s := &Sample{}
	if sender.send(s); s.Outcome != Failed || s.Class != Refused {
		t.Errorf("nobody listens: %+v, want it failed: nothing was sent", s)
	}
}

func TestATCPJobThatMakesNoSenseIsRefused(t *testing.T) {
	for _, s := range []TCPSpec{
		{Target: "x:1", Timeout: 1, MaxInFlight: 1}, {Target: "x:1", Rate: 1, MaxInFlight: 1}, {Target: "x:1", Rate: 1, Timeout: 1},
		{Target: "x:1", Rate: 1, Timeout: 1, MaxInFlight: 1, Expect: "("},
	} {
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if err := TCPJob(t.Context(), text, func([]byte) error { return nil }); err == nil || !strings.HasPrefix(err.Error(), "tcp job: ") {
			t.Errorf("%s: %v", fmt.Sprint(s), err)
		}
	}
}

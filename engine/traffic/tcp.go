package traffic

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// TCPSpec is what a TCP workload does. {seq} in Send is replaced by the
// connection's number.
type TCPSpec struct {
	Target      string        `json:"target"` // host:port
	Rate        float64       `json:"rate"`   // per second
	Send        string        `json:"send,omitempty"`
	Expect      string        `json:"expect,omitempty"` // regular expression
	Timeout     time.Duration `json:"timeout_ns"`       // of connecting and the answer
	MaxInFlight int           `json:"max_in_flight"`
}

// TCPJob makes connections until ctx ends, as HTTPJob sends requests.
func TCPJob(ctx context.Context, spec []byte, out func(line []byte) error) error {
	var s TCPSpec
	if err := json.Unmarshal(spec, &s); err != nil {
		return fmt.Errorf("tcp job: %w", err)
	}
	t, err := newTCPSender(s, (&net.Dialer{KeepAlive: -1}).DialContext)
	if err != nil {
		return fmt.Errorf("tcp job: %w", err)
	}
	return generate(ctx, s.Rate, s.MaxInFlight, t.send, out)
}

// tcpSender makes one workload's connections.
type tcpSender struct {
	spec   TCPSpec
	expect *regexp.Regexp // nil: nothing is expected
	dial   dialer
}

func newTCPSender(s TCPSpec, dial dialer) (*tcpSender, error) {
	if err := checkLoop(s.Rate, s.Timeout, s.MaxInFlight); err != nil {
		return nil, err
	}
	t := &tcpSender{spec: s, dial: dial}
	if s.Expect == "" {
		return t, nil
	}
	re, err := regexp.Compile(s.Expect)
	if err != nil {
		return nil, err
	}
	t.expect = re
	return t, nil
}

// send makes connection seq and fills in what became of it.
func (t *tcpSender) send(s *Sample) {
	began := time.Now()
	sent, err := t.try(s)
	if err == nil {
		s.Outcome = OK
		return
	}
	s.Outcome, s.Class, s.Error = Failed, Classify(err), err.Error()
	if sent {
		s.Outcome = Unknown
	}
	if s.Class == Timeout {
		s.Error = noAnswer(t.spec.Timeout, time.Since(began))
	}
}

func (t *tcpSender) try(s *Sample) (sent bool, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), t.spec.Timeout)
	defer cancel()
	conn, err := t.dial(ctx, "tcp", t.spec.Target)
	if err != nil {
		return false, err
	}
	defer conn.Close() // what was expected has come, or will not
	deadline, _ := ctx.Deadline()
	if err := conn.SetDeadline(deadline); err != nil {
		return false, err
	}
	if t.spec.Send != "" {
		sent = true
		if _, err := conn.Write([]byte(strings.ReplaceAll(t.spec.Send, "{seq}", strconv.FormatInt(s.Seq, 10)))); err != nil {
			return sent, err
		}
	}
	if t.expect == nil {
		return sent, nil
	}
	return sent, t.answer(conn, s)
}

// answer reads until what is expected has come.
func (t *tcpSender) answer(conn net.Conn, s *Sample) error {
	var got []byte
	for chunk := make([]byte, 4096); ; {
		n, err := conn.Read(chunk)
		got = append(got, chunk[:n]...)
		s.Bytes = int64(len(got))
		switch {
		case n > 0 && t.expect.Match(got):
			return nil
		case len(got) > maxBody:
			return unexpectedf("%d bytes came, and %q does not match", len(got), t.expect)
		case err != nil && len(got) > 0 && Classify(err) != Timeout:
			return unexpectedf("%s came, which does not match %q", excerpt(got), t.expect)
		case err != nil && len(got) > 0:
			return &failure{Timeout, fmt.Sprintf("within the time limit only %s came", excerpt(got))}
		case err != nil:
			return err
		}
	}
}

// checkLoop says what is wrong with the numbers of an open loop.
func checkLoop(rate float64, timeout time.Duration, maxInFlight int) error {
	switch {
	case rate < 0.001 || rate > 100_000: // so that due times fit
		return errors.New("rate must be between 0.001 and 100000")
	case timeout <= 0:
		return errors.New("timeout must be above 0")
	case maxInFlight <= 0:
		return errors.New("max_in_flight must be above 0")
	}
	return nil
}

//go:build linux

package lookups

import (
	"context"
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/net/dns/dnsmessage"

	"github.com/scenario-run/scenario/engine/agent/nft"
	"github.com/scenario-run/scenario/engine/lookup"
)

const insideVariable = "SCENARIO_TEST_INSIDE"

// inside runs the test that calls it once more in a network namespace of its own,
// and says whether that is where it is. All of a process is in one, as an agent
// is. The outer test passes if the inner one does.
func inside(t *testing.T) bool {
	t.Helper()
	if os.Getenv(insideVariable) == t.Name() {
		lo, err := netlink.LinkByName("lo")
		if err == nil {
			err = netlink.LinkSetUp(lo)
		}
		if err != nil {
			t.Fatal(err)
		}
		return true
	}
	if os.Geteuid() != 0 {
		if os.Getenv("CI") != "" {
			t.Fatal("needs root, to make network namespaces")
		}
		t.Skip("needs root, to make network namespaces")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), insideVariable+"="+t.Name())
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET}
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Errorf("inside: %v\n%s", err, out)
	}
	return false
}

// resolver answers every question at an address, over UDP and TCP, as answer
// does with the text.
func resolver(t *testing.T, ip string, answer func(network string, text []byte) []byte) {
	t.Helper()
	at := net.JoinHostPort(ip, "53")
	udp, err := net.ListenPacket("udp", at)
	if err != nil {
		t.Fatal(err)
	}
	tcp, err := net.Listen("tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { udp.Close(); tcp.Close() })
	go func() {
		for buf := make([]byte, largest); ; {
			n, from, err := udp.ReadFrom(buf)
			if err != nil {
				return
			}
			text := append([]byte(nil), buf[:n]...)
			go func() { udp.WriteTo(answer("udp", text), from) }()
		}
	}()
	go func() {
		for {
			conn, err := tcp.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				if text, err := readMessage(conn); err == nil {
					writeMessage(conn, answer("tcp", text))
				}
			}()
		}
	}()
}

// with answers with a code.
func with(t *testing.T, code dnsmessage.RCode) func(string, []byte) []byte {
	return func(_ string, text []byte) []byte {
		var m dnsmessage.Message
		if err := m.Unpack(text); err != nil {
			t.Error(err)
		}
		m.Response, m.RCode = true, code
		answer, err := m.Pack()
		if err != nil {
			t.Error(err)
		}
		return answer
	}
}

// packed is the question for a name.
func packed(t *testing.T, name string) []byte {
	t.Helper()
	q := dnsmessage.Message{Header: dnsmessage.Header{ID: 3}, Questions: []dnsmessage.Question{{
		Name: dnsmessage.MustNewName(name), Type: dnsmessage.TypeA, Class: dnsmessage.ClassINET,
	}}}
	text, err := q.Pack()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// codeOf asks a resolver for a name.
func codeOf(t *testing.T, network, ip, name string) dnsmessage.RCode {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	answer, err := ask(ctx, network, net.JoinHostPort(ip, "53"), packed(t, name), nil)
	var m dnsmessage.Message
	if err == nil {
		err = m.Unpack(answer)
	}
	if err != nil {
		t.Fatalf("ask %s for %s over %s: %v", ip, name, network, err)
	}
	return m.RCode
}

func TestAQuestionThatIsPassedOnGoesWhereItWasSent(t *testing.T) {
	if !inside(t) {
		return
	}
	const first, second, sixth, local = "127.0.0.53", "127.0.0.54", "::1", "127.0.0.55"
	resolver(t, first, with(t, dnsmessage.RCodeFormatError))
	resolver(t, second, with(t, dnsmessage.RCodeRefused))
	resolver(t, sixth, with(t, dnsmessage.RCodeNotImplemented))
	var asked atomic.Int32
	resolver(t, local, func(network string, text []byte) []byte { // one in the node, that asks another
		asked.Add(1)
		answer, err := ask(context.Background(), network, net.JoinHostPort(second, "53"), text, nil)
		if err != nil {
			t.Error(err)
		}
		return answer
	})
	s, err := serve(net.JoinHostPort(first, "53"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	s.failures.Store(&[]lookup.Failure{{Names: []string{"redis"}, Answer: lookup.NXDomain}})
	conn, err := nft.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := redirect(conn, s.port()); err != nil {
		t.Fatal(err)
	}
	for ip, want := range map[string]dnsmessage.RCode{
		first: dnsmessage.RCodeFormatError, second: dnsmessage.RCodeRefused, sixth: dnsmessage.RCodeNotImplemented, local: dnsmessage.RCodeRefused,
	} {
		for _, network := range []string{"udp", "tcp"} {
			if got := codeOf(t, network, ip, "redis."); got != dnsmessage.RCodeNameError {
				t.Errorf("the name that fails, asked of %s over %s: %v", ip, network, got)
			}
			if got := codeOf(t, network, ip, "web."); got != want {
				t.Errorf("another name, asked of %s over %s: %v, want %v", ip, network, got, want)
			}
		}
	}
	if got := asked.Load(); got != 2 {
		t.Errorf("the resolver in the node was asked %d times, want twice", got)
	}
}

func TestALookUpThatWorksAtOneOfTheResolversIsSeen(t *testing.T) {
	if !inside(t) {
		return
	}
	const fails, works = "127.0.0.53:53", "127.0.0.54:53"
	resolver(t, "127.0.0.53", with(t, dnsmessage.RCodeNameError))
	resolver(t, "127.0.0.54", with(t, dnsmessage.RCodeSuccess))
	for _, tt := range []struct {
		resolvers []string
		want      lookup.Answer
	}{{[]string{fails}, lookup.NXDomain}, {[]string{fails, works}, lookup.Resolved}} {
		if got, err := (asking{within: lookTime}).lookAll(t.Context(), tt.resolvers, "web"); err != nil || got != tt.want {
			t.Errorf("%v: %s, %v", tt.resolvers, got, err)
		}
	}
}

func TestWhatANameTrulyComesToIsAskedPastWhatFails(t *testing.T) {
	if !inside(t) {
		return
	}
	resolver(t, "127.0.0.53", with(t, dnsmessage.RCodeSuccess))
	resolver(t, "127.0.0.54", with(t, dnsmessage.RCodeRefused))
	k := &Keeper{}
	defer k.Close()
	if err := k.Fail(t.Context(), []byte(`[{"answer": "nxdomain"}]`), nil); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		truly    bool
		resolver string
		want     lookup.Answer
	}{{false, "127.0.0.53:53", lookup.NXDomain}, {true, "127.0.0.53:53", lookup.Resolved}, {true, "127.0.0.54:53", lookup.Refused}} {
		spec, err := json.Marshal(lookup.Questions{Names: []string{"web"}, Resolvers: []string{tt.resolver}, Truly: tt.truly})
		if err != nil {
			t.Fatal(err)
		}
		var seen lookup.Seen
		err = k.Look(t.Context(), spec, func(line []byte) error { return json.Unmarshal(line, &seen) })
		if err != nil || len(seen.Answers) != 1 || seen.Answers[0] != tt.want {
			t.Errorf("%v: %+v, %v", tt, seen, err)
		}
	}
}

//go:build linux

package lookups

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"
	"golang.org/x/sys/unix"

	"github.com/scenario-run/scenario/engine/lookup"
)

// real is a resolver that finds every name, over UDP and TCP.
func real(t *testing.T) string {
	t.Helper()
	s, err := serve("127.0.0.1:1")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	s.failures.Store(&[]lookup.Failure{{Answer: lookup.ServFail}}) // which is what tells it from the other
	return s.udp[0].LocalAddr().String()
}

func askFor(t *testing.T, s *server, network, name string) dnsmessage.RCode {
	t.Helper()
	q := dnsmessage.Message{
		Header:    dnsmessage.Header{ID: 99, RecursionDesired: true},
		Questions: []dnsmessage.Question{{Name: dnsmessage.MustNewName(name), Type: dnsmessage.TypeAAAA, Class: dnsmessage.ClassINET}},
	}
	text, err := q.Pack()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	answer, err := ask(ctx, network, s.udp[0].LocalAddr().String(), text, nil)
	if err != nil {
		t.Fatalf("%s over %s: %v", name, network, err)
	}
	var m dnsmessage.Message
	if err := m.Unpack(answer); err != nil || m.ID != 99 || !m.Response || len(m.Questions) != 1 || m.Questions[0].Name.String() != name {
		t.Errorf("the answer for %s: %v %v", name, m.GoString(), err)
	}
	return m.RCode
}

func TestNamesThatAreToFailDoAndOthersArePassedOn(t *testing.T) {
	if os.Geteuid() != 0 && os.Getenv("CI") == "" {
		t.Skip("needs root, to mark what it sends")
	}
	s, err := serve(real(t))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	s.failures.Store(&[]lookup.Failure{{Names: []string{"redis"}, Answer: lookup.NXDomain}})
	for _, network := range []string{"udp", "tcp"} {
		if got := askFor(t, s, network, "Redis."); got != dnsmessage.RCodeNameError {
			t.Errorf("over %s: %v", network, got)
		}
		if got := askFor(t, s, network, "web."); got != dnsmessage.RCodeServerFailure {
			t.Errorf("what is passed on over %s: %v", network, got)
		}
	}
}

func TestADroppedQuestionHasNoAnswer(t *testing.T) {
	s, err := serve("127.0.0.1:1")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	s.failures.Store(&[]lookup.Failure{{Answer: lookup.Drop}})
	for name, want := range map[lookup.Answer]lookup.Answer{lookup.Drop: lookup.Drop, lookup.NXDomain: lookup.NXDomain, lookup.ServFail: lookup.ServFail} {
		s.failures.Store(&[]lookup.Failure{{Answer: name}})
		if got, err := (asking{within: lookTime}).look(t.Context(), s.udp[0].LocalAddr().String(), "web"); err != nil || got != want {
			t.Errorf("%s: %s %v", name, got, err)
		}
	}
}

func TestWhatIsNoQuestionIsPassedOn(t *testing.T) {
	if os.Geteuid() != 0 && os.Getenv("CI") == "" {
		t.Skip("needs root, to mark what it sends")
	}
	other, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	go func() {
		buf := make([]byte, 100)
		if n, from, err := other.ReadFrom(buf); err == nil {
			other.WriteTo(buf[:n], from)
		}
	}()
	s, err := serve(other.LocalAddr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	s.failures.Store(&[]lookup.Failure{{Answer: lookup.NXDomain}})
	if got := s.answer(question{network: "udp", protocol: unix.IPPROTO_UDP, text: []byte("?")}); string(got) != "?" {
		t.Errorf("got %q", got)
	}
}

func TestTheResolverIsTheFirstThatIsNamed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "resolv.conf")
	for text, want := range map[string]string{
		"search x\n# nameserver 1.1.1.1\nnameserver 127.0.0.11\nnameserver 8.8.8.8\noptions ndots:0\n": "127.0.0.11:53",
		"nameserver fd00::1\n": "[fd00::1]:53",
		"search x\n":           "",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := resolverOf(path); got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q %v", text, got, err)
		}
	}
}

//go:build linux

package lookups

import (
	"net"
	"testing"
	"time"

	"github.com/google/nftables/expr"
	"golang.org/x/net/dns/dnsmessage"
	"golang.org/x/sys/unix"

	"github.com/scenario-run/scenario/engine/agent/nft"
)

// tracked makes the kernel keep flows of the namespace, as it does where Docker
// leads questions to its resolver: for a rule that asks about them.
func tracked(t *testing.T) {
	t.Helper()
	conn, err := nft.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	err = conn.Replace(nft.Content{
		Table: nft.Table{Name: "others", Family: unix.NFPROTO_INET, Chains: []nft.Chain{
			{Name: "out", Type: "nat", Hook: unix.NF_INET_LOCAL_OUT, Priority: -100},
		}},
		Rules: []nft.Rule{{Chain: "out", Exprs: []expr.Any{&expr.Ct{Register: 1, Key: expr.CtKeySTATE}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestAResolverThatKeepsItsSocketIsLedAwayAndBack(t *testing.T) {
	if !inside(t) {
		return
	}
	tracked(t)
	for _, ip := range []string{"127.0.0.53", "::1"} {
		resolver(t, ip, with(t, dnsmessage.RCodeRefused))
		conn, err := net.Dial("udp", net.JoinHostPort(ip, "53"))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		k := &Keeper{}
		defer k.Close()
		for _, step := range []struct {
			when, spec string
			want       dnsmessage.RCode
		}{
			{"before", "[]", dnsmessage.RCodeRefused},
			{"while it fails", `[{"answer": "nxdomain"}]`, dnsmessage.RCodeNameError},
			{"healed", "[]", dnsmessage.RCodeRefused},
			{"while it fails again", `[{"answer": "servfail"}]`, dnsmessage.RCodeServerFailure},
			{"healed again", "[]", dnsmessage.RCodeRefused},
		} {
			if err := k.Fail(t.Context(), []byte(step.spec), nil); err != nil {
				t.Fatal(err)
			}
			if got := codeOver(t, conn); got != step.want {
				t.Errorf("%s, %s: %v, want %v", ip, step.when, got, step.want)
			}
		}
	}
}

// codeOver asks for a name by a socket that is open.
func codeOver(t *testing.T, conn net.Conn) dnsmessage.RCode {
	t.Helper()
	if err := conn.SetDeadline(time.Now().Add(5 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Write(packed(t, "web.")); err != nil {
		t.Fatal(err)
	}
	answer := make([]byte, 512)
	n, err := conn.Read(answer)
	if err != nil {
		t.Fatal(err)
	}
	var m dnsmessage.Message
	if err := m.Unpack(answer[:n]); err != nil {
		t.Fatal(err)
	}
	return m.RCode
}

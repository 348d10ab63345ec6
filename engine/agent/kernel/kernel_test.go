//go:build linux

package kernel

import (
	"os"
	"testing"

	"github.com/google/nftables"
	"github.com/vishvananda/netlink"

	"github.com/scenario-run/scenario/engine/agent/netnstest"
	"github.com/scenario-run/scenario/engine/link"
)

func TestWhatIsTriedIsTakenBack(t *testing.T) {
	netnstest.Pair(t)
	found, err := Try()
	netnstest.Must(t, err)
	for _, a := range link.Abilities() {
		why, tried := found[a]
		if !tried {
			t.Errorf("%s was not tried", a)
		}
		t.Logf("%s: %q", a, why)
	}
	// What the kernels have that this runs on.
	has := []link.Ability{link.NFTables, link.Numgen, link.HTB, link.Owner}
	if os.Getpid() == 1 {
		has = []link.Ability{link.HTB, link.Netem}
		if got := found[link.NFTables]; got != "this kernel does not have it" { // for IP
			t.Errorf("nftables: %q", got)
		}
	}
	for _, a := range has {
		if !found.Can(a) {
			t.Errorf("%s: %s", a, found[a])
		}
	}
	conn, err := nftables.New()
	netnstest.Must(t, err)
	tables, err := conn.ListTables()
	netnstest.Must(t, err)
	if len(tables) > 0 {
		t.Errorf("tables are left: %v", tables)
	}
	lo, err := netlink.LinkByName("lo")
	netnstest.Must(t, err)
	left, err := netlink.QdiscList(lo)
	netnstest.Must(t, err)
	for _, q := range left {
		if q.Type() != "noqueue" {
			t.Errorf("a qdisc is left: %v", q)
		}
	}
}

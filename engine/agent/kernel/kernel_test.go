//go:build linux

package kernel

import (
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
	// What every kernel has that these tests run on.
	for _, a := range []link.Ability{link.NFTables, link.Numgen, link.HTB} {
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

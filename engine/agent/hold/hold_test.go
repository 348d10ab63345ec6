//go:build linux

package hold

import (
	"net/netip"
	"testing"
	"time"

	"github.com/scenario-run/scenario/engine/agent/netnstest"
	"github.com/scenario-run/scenario/engine/link"
)

// keeper is one of the test's own namespace, which begins with nothing.
func keeper(t *testing.T) (*Keeper, netnstest.Far) {
	t.Helper()
	far := netnstest.Pair(t)
	k := &Keeper{}
	t.Cleanup(func() { netnstest.Must(t, k.Close()) })
	return k, far
}

func theirs() netip.Addr { return netip.MustParseAddr(netnstest.Theirs) }

// rounds are the quickest of a few connections from here and from there: what a
// busy machine adds is not meant.
func rounds(t *testing.T, far netnstest.Far) [2]time.Duration {
	t.Helper()
	best := [2]time.Duration{time.Hour, time.Hour}
	for range 5 {
		best[0] = min(best[0], netnstest.Round(t, netnstest.Theirs))
		far.Do(func() { best[1] = min(best[1], netnstest.Round(t, netnstest.Ours)) })
	}
	return best
}

func TestWhatArrivesIsHeldOnce(t *testing.T) {
	k, far := keeper(t)
	const latency = 60 * time.Millisecond
	for _, test := range []struct {
		name   string
		shapes []link.Shape
		held   bool
	}{
		{"nothing", nil, false},
		{"that peer", []link.Shape{{Peer: theirs(), Latency: latency}}, true},
		{"everyone", []link.Shape{{Latency: latency}}, true},
		{"another peer", []link.Shape{{Peer: netip.MustParseAddr("10.77.0.3"), Latency: latency}}, false},
		{"everyone but that peer", []link.Shape{{Peer: theirs()}, {Latency: latency}}, false},
	} {
		netnstest.Must(t, k.Hold(test.shapes))
		for i, took := range rounds(t, far) {
			if held := took >= latency; held != test.held || took > 2*latency {
				t.Errorf("%s: connecting, direction %d, took %s", test.name, i, took)
			}
		}
		held, err := k.Held()
		netnstest.Must(t, err)
		if len(held) != len(test.shapes) {
			t.Errorf("%s: in force: %v", test.name, held)
		}
	}
}

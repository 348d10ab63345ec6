//go:build linux

package shape

import (
	"net/netip"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/vishvananda/netlink"

	"github.com/scenario-run/scenario/engine/agent/netnstest"
	"github.com/scenario-run/scenario/engine/agent/umltest"
	"github.com/scenario-run/scenario/engine/link"
)

func TestMain(m *testing.M) { umltest.Main(m) }

func TestUnderAKernelWithNetem(t *testing.T) { umltest.Run(t, "^TestNetem") }

// byHand is a classifier that leaves it to those who send to say which class
// their packets belong to: Debian's user-mode kernel has no nftables for IP.
type byHand struct{ entries []entry }

func (b *byHand) classify(classes []class) error {
	b.entries = nil
	for _, c := range classes {
		if c.minor != sharedClass {
			b.entries = append(b.entries, entry{Minor: c.minor, Shape: c.shape})
		}
	}
	return nil
}

func (b *byHand) classified() ([]entry, error) { return b.entries, nil }
func (b *byHand) Close() error                 { return nil }

// round is how long a connection takes whose packets go the way of those to a
// peer: the least of three.
func (b *byHand) round(t *testing.T, peer netip.Addr) time.Duration {
	t.Helper()
	priority := uint32(0)
	if i := slices.IndexFunc(b.entries, func(e entry) bool { return e.Shape.Peer == peer }); i >= 0 {
		priority = netlink.MakeHandle(major, b.entries[i].Minor)
	}
	least := time.Hour
	for range 3 {
		began := time.Now()
		netnstest.Must(t, netnstest.DialAs(priority, 5*time.Second, netnstest.Theirs, netnstest.Open))
		least = min(least, time.Since(began))
	}
	return least
}

func withNetem(t *testing.T) (*Keeper, *byHand, netnstest.Far) {
	t.Helper()
	if os.Getpid() != 1 {
		t.Skip("runs under TestUnderAKernelWithNetem")
	}
	far := netnstest.Pair(t)
	lo, err := netlink.LinkByName("lo")
	netnstest.Must(t, err)
	netnstest.Must(t, TryDelay(lo))
	b := &byHand{}
	return &Keeper{table: b}, b, far
}

var (
	one   = netip.MustParseAddr("10.77.0.11")
	two   = netip.MustParseAddr("10.77.0.12")
	three = netip.MustParseAddr("10.77.0.13")
)

// wantRound checks a round trip: no shorter than the delay, and not much longer,
// as far as a busy machine allows.
func (b *byHand) wantRound(t *testing.T, when string, peer netip.Addr, least time.Duration) {
	t.Helper()
	if got := b.round(t, peer); got < least || got > least+100*time.Millisecond {
		t.Errorf("%s: the way to %s and back took %s, want %s", when, peer, got, least)
	}
}

func TestNetemDelaysWhatItShould(t *testing.T) {
	k, b, _ := withNetem(t)
	const ms = time.Millisecond
	first := link.Shape{Peer: one, Latency: 100 * ms}
	netnstest.Must(t, k.Shape([]link.Shape{first}))
	inForce(t, k, first)
	b.wantRound(t, "one delay", one, 100*ms)
	b.wantRound(t, "one delay", two, 0)

	second := link.Shape{Peer: two, Latency: 200 * ms, Jitter: 20 * ms, Correlation: 25, Rate: 1_000_000}
	netnstest.Must(t, k.Shape([]link.Shape{first, second}))
	inForce(t, k, first, second)
	b.wantRound(t, "two delays", one, 100*ms)
	if got := b.round(t, two); got < 180*ms || got > 300*ms {
		t.Errorf("200 ± 20 ms took %s", got)
	}

	// A change of the first, as when another fault's is added to it.
	first.Latency = 150 * ms
	everyone := link.Shape{Latency: 50 * ms}
	netnstest.Must(t, k.Shape([]link.Shape{first, second, everyone}))
	inForce(t, k, first, second, everyone)
	b.wantRound(t, "a longer delay", one, 150*ms)
	b.wantRound(t, "everyone's delay", netip.Addr{}, 50*ms)

	netnstest.Must(t, k.Shape([]link.Shape{second}))
	inForce(t, k, second)
	b.wantRound(t, "the first is healed", one, 0)
	netnstest.Must(t, k.Close())
	inForce(t, k)
	b.wantRound(t, "all are healed", two, 0)
	on, err := devices()
	netnstest.Must(t, err)
	if left, err := on[0].look(); err != nil || left.root {
		t.Errorf("left: %+v %v", left, err)
	}
}

// What is on its way to one peer arrives, and in its time, while the shapes of
// others come, change and go.
func TestNetemLosesNothingOfOtherLinks(t *testing.T) {
	k, b, far := withNetem(t)
	first := link.Shape{Peer: one, Latency: 600 * time.Millisecond}
	netnstest.Must(t, k.Shape([]link.Shape{first}))
	priority := netlink.MakeHandle(major, b.entries[0].Minor)
	var receive func() error
	far.Do(func() { receive = netnstest.Listen(t) })
	began := time.Now()
	netnstest.Send(t, priority, netnstest.Theirs)
	arrived := make(chan error, 1)
	go func() { arrived <- receive() }()
	for _, more := range [][]link.Shape{
		{first, {Peer: two, Latency: time.Second}},
		{first, {Peer: two, Rate: 1_000_000}, {Peer: three, Latency: time.Second}},
		{first, {Rate: 5_000_000, Shared: true}},
		{first},
	} {
		netnstest.Must(t, k.Shape(more))
	}
	if changed := time.Since(began); changed > 500*time.Millisecond {
		t.Logf("the changes took %s, so that the packet may have arrived before the last", changed)
	}
	netnstest.Must(t, <-arrived)
	if took := time.Since(began); took < first.Latency {
		t.Errorf("the packet arrived after %s", took)
	}
	netnstest.Must(t, k.Close())
}

//go:build linux

package hold

import (
	"errors"
	"math"
	"net/netip"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/scenario-run/scenario/engine/agent/netnstest"
	"github.com/scenario-run/scenario/engine/agent/rules"
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

func TestWhatArrivesByIPv6IsHeld(t *testing.T) {
	k, far := keeper(t)
	netnstest.WithIPv6(t, far)
	const latency = 60 * time.Millisecond
	six := netip.MustParseAddr(netnstest.Theirs6)
	for _, shape := range []link.Shape{{Peer: six, Latency: latency}, {Latency: latency}} {
		netnstest.Must(t, k.Hold([]link.Shape{shape}))
		if took := netnstest.Round(t, netnstest.Theirs6); took < latency {
			t.Errorf("%+v: connecting took %s", shape, took)
		}
	}
}

// arrives sends a datagram from over there and returns what waits for it here.
func arrives(t *testing.T, far netnstest.Far) (receive func() error, sent time.Time) {
	t.Helper()
	receive = netnstest.Listen(t)
	far.Do(func() { netnstest.Send(t, 0, netnstest.Ours) })
	return receive, time.Now()
}

func TestWhatIsHeldGoesOnAtOnceWhenItsShapeGoes(t *testing.T) {
	k, far := keeper(t)
	netnstest.Must(t, k.Hold([]link.Shape{{Peer: theirs(), Latency: time.Hour}}))
	receive, sent := arrives(t, far)
	netnstest.Must(t, k.Hold(nil))
	netnstest.Must(t, receive())
	t.Logf("it arrived after %s", time.Since(sent))
	if held, err := k.Held(); err != nil || len(held) > 0 {
		t.Errorf("left: %v %v", held, err)
	}
}

// Neither changes of other shapes nor those of rules, which are in tables of
// their own, may cost what is held.
func TestWhatIsHeldStaysWhileOthersChange(t *testing.T) {
	k, far := keeper(t)
	table, err := rules.Open()
	netnstest.Must(t, err)
	defer table.Close()
	other := netip.MustParseAddr("10.77.0.3")
	drop := link.Rule{Way: link.In, Peer: other, Verdict: link.Drop}
	netnstest.Must(t, table.Apply([]link.Rule{drop}))
	held := link.Shape{Peer: theirs(), Latency: 400 * time.Millisecond}
	netnstest.Must(t, k.Hold([]link.Shape{held}))
	receive, sent := arrives(t, far)
	for range 3 {
		netnstest.Must(t, k.Hold([]link.Shape{held, {Peer: other, Latency: time.Second}}))
		netnstest.Must(t, table.Apply([]link.Rule{drop, {Way: link.Out, Peer: other, Verdict: link.Drop}}))
		netnstest.Must(t, k.Hold([]link.Shape{held, {Latency: time.Second}}))
		netnstest.Must(t, table.Apply([]link.Rule{drop}))
		netnstest.Must(t, k.Hold([]link.Shape{held}))
	}
	netnstest.Must(t, receive())
	if took := time.Since(sent); took < held.Latency {
		t.Errorf("it arrived after %s", took)
	}
}

// A refusal is one, and takes as long as any answer.
func TestARefusalStaysOne(t *testing.T) {
	k, far := keeper(t)
	netnstest.Must(t, k.Hold([]link.Shape{{Peer: theirs(), Latency: 60 * time.Millisecond}}))
	far.Do(func() {
		began := time.Now()
		err := netnstest.DialWithin(2*time.Second, netnstest.Ours, 9)
		if took := time.Since(began); !errors.Is(err, unix.ECONNREFUSED) || took < 60*time.Millisecond {
			t.Errorf("%v after %s", err, took)
		}
	})
}

// The kernel gives a connection little room in its own node; what is held here
// must not count.
func TestBulkIsNotStarved(t *testing.T) {
	k, far := keeper(t)
	netnstest.Must(t, k.Hold([]link.Shape{{Peer: theirs(), Latency: 20 * time.Millisecond}}))
	const size = 16 << 20
	took := netnstest.Transfer(t, far, size)
	rate := float64(size) * 8 / took.Seconds() / 1e6
	t.Logf("%.0f Mbit/s", rate)
	// Two segments at once, which is what a connection had left, would be 12.
	if rate < 40 {
		t.Errorf("%.1f Mbit/s over 20 ms", rate)
	}
}

func TestJitterStaysWithinItsBoundsAndFollowsItself(t *testing.T) {
	for _, test := range []struct {
		correlation float64
		step        float64 // mean change from one to the next, as a share of the jitter
	}{{0, 0.67}, {90, 0.052}} {
		l := &line{pace: pace{latency: 100 * time.Millisecond, jitter: 50 * time.Millisecond, correlation: test.correlation}}
		const n = 20_000
		var sum, steps float64
		last := l.draw()
		for range n {
			d := l.draw()
			if d < 50*time.Millisecond || d > 150*time.Millisecond {
				t.Fatalf("held for %s", d)
			}
			sum += d.Seconds()
			steps += math.Abs((d - last).Seconds())
			last = d
		}
		if mean := sum / n; mean < 0.098 || mean > 0.102 {
			t.Errorf("correlation %v: %v s on average", test.correlation, mean)
		}
		if step := steps / n / 0.050; step < 0.8*test.step || step > 1.2*test.step {
			t.Errorf("correlation %v: a step of %.3f of the jitter, not %.3f", test.correlation, step, test.step)
		}
	}
}

// A line that has lost its queue holds nothing, and must not pass for one that
// does.
func TestALineThatIsGoneIsNotInForce(t *testing.T) {
	k, _ := keeper(t)
	s := link.Shape{Peer: theirs(), Latency: time.Second}
	netnstest.Must(t, k.Hold([]link.Shape{s}))
	k.lines[paceOf(s)].lost(unix.ENODEV)
	if held, err := k.Held(); err != nil || len(held) > 0 {
		t.Errorf("in force: %v %v", held, err)
	}
	netnstest.Must(t, k.Hold([]link.Shape{s}))
	if held, err := k.Held(); err != nil || len(held) != 1 {
		t.Errorf("in force: %v %v", held, err)
	}
}

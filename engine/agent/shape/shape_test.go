//go:build linux

package shape

import (
	"net/netip"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/scenario-run/scenario/engine/agent/netnstest"
	"github.com/scenario-run/scenario/engine/agent/rules"
	"github.com/scenario-run/scenario/engine/link"
)

func keeper(t *testing.T) (*Keeper, netnstest.Far) {
	t.Helper()
	far := netnstest.Pair(t)
	k := &Keeper{}
	t.Cleanup(func() { netnstest.Must(t, k.Close()) })
	return k, far
}

func theirs() netip.Addr { return netip.MustParseAddr(netnstest.Theirs) }

// inForce checks what the kernel says is in force.
func inForce(t *testing.T, k *Keeper, want ...link.Shape) []link.Shaped {
	t.Helper()
	got, err := k.Shaped()
	netnstest.Must(t, err)
	if len(got) != len(want) {
		t.Fatalf("in force: %+v, want %+v", got, want)
	}
	for i := range got {
		if got[i].Shape != want[i] {
			t.Errorf("in force: %+v, want %+v", got[i], want[i])
		}
	}
	return got
}

// send sends datagrams of 1,000 bytes to nobody over there, as fast as it can,
// for a while, and returns how many bits a second left.
func send(t *testing.T, during time.Duration, address string) float64 {
	t.Helper()
	family, to := netnstest.Address(address, 9)
	fd, err := unix.Socket(family, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	netnstest.Must(t, err)
	defer unix.Close(fd)
	sent := func() uint64 {
		on, err := devices()
		netnstest.Must(t, err)
		return on[0].Attrs().Statistics.TxBytes
	}
	datagram := make([]byte, 1000)
	began, before := time.Now(), sent()
	for time.Since(began) < during {
		err := unix.Sendto(fd, datagram, unix.MSG_DONTWAIT, to)
		switch err {
		case nil, unix.ECONNREFUSED:
		case unix.EAGAIN, unix.ENOBUFS:
			time.Sleep(time.Millisecond) // for there to be room again
		default:
			t.Fatal(err)
		}
	}
	return float64(sent()-before) * 8 / time.Since(began).Seconds()
}

func TestARateIsKept(t *testing.T) {
	k, _ := keeper(t)
	for _, test := range []struct {
		name   string
		shapes []link.Shape
		rate   float64 // what may be sent to the peer; 0: no limit
	}{
		{"to that peer", []link.Shape{{Peer: theirs(), Rate: 2_000_000}}, 2e6},
		{"to everyone together", []link.Shape{{Rate: 2_000_000, Shared: true}}, 2e6},
		{"to that peer, less than to everyone", []link.Shape{{Peer: theirs(), Rate: 1_000_000}, {Rate: 5_000_000, Shared: true}}, 1e6},
		{"to that peer, more than to everyone", []link.Shape{{Peer: theirs(), Rate: 5_000_000}, {Rate: 1_000_000, Shared: true}}, 1e6},
		{"to another peer", []link.Shape{{Peer: netip.MustParseAddr("10.77.0.3"), Rate: 1_000_000}}, 0},
	} {
		netnstest.Must(t, k.Shape(nil)) // what still waits from before would count
		netnstest.Must(t, k.Shape(test.shapes))
		inForce(t, k, test.shapes...)
		got := send(t, 500*time.Millisecond, netnstest.Theirs)
		t.Logf("%s: %.2f Mbit/s", test.name, got/1e6)
		switch {
		case test.rate == 0 && got < 50e6:
			t.Errorf("%s: %.1f Mbit/s, though there is no limit", test.name, got/1e6)
		case test.rate > 0 && (got > 1.3*test.rate || got < 0.5*test.rate):
			t.Errorf("%s: %.2f Mbit/s, not %.2f", test.name, got/1e6, test.rate/1e6)
		}
	}
	netnstest.Must(t, k.Shape(nil))
	if got := send(t, 200*time.Millisecond, netnstest.Theirs); got < 50e6 {
		t.Errorf("after it: %.1f Mbit/s", got/1e6)
	}
	on, err := devices()
	netnstest.Must(t, err)
	if left, err := on[0].look(); err != nil || left.root {
		t.Errorf("left: %+v %v", left, err)
	}
}

func TestARateIsKeptOverIPv6(t *testing.T) {
	k, far := keeper(t)
	netnstest.WithIPv6(t, far)
	six := netip.MustParseAddr(netnstest.Theirs6)
	for _, shape := range []link.Shape{{Peer: six, Rate: 2_000_000}, {Rate: 2_000_000, Shared: true}} {
		netnstest.Must(t, k.Shape(nil))
		netnstest.Must(t, k.Shape([]link.Shape{shape}))
		if got := send(t, 300*time.Millisecond, netnstest.Theirs6); got > 1.5*2e6 || got < 0.5*2e6 {
			t.Errorf("%+v: %.2f Mbit/s", shape, got/1e6)
		}
	}
}

// An agent that is killed leaves its queueing disciplines, through which nothing
// goes any more, and the next finds nothing in force and can go on with them.
func TestARateGoesWithItsMaker(t *testing.T) {
	netnstest.Pair(t)
	if err := rules.TryOwner(); err != nil {
		t.Skipf("tables of this kernel stay: %v", err)
	}
	killed, next := &Keeper{}, &Keeper{}
	slow := link.Shape{Peer: theirs(), Rate: 1_000_000}
	netnstest.Must(t, killed.Shape([]link.Shape{slow}))
	netnstest.Must(t, killed.table.Close())
	if got := send(t, 200*time.Millisecond, netnstest.Theirs); got < 50e6 {
		t.Errorf("after its end: %.1f Mbit/s", got/1e6)
	}
	inForce(t, next)
	netnstest.Must(t, next.Shape([]link.Shape{slow}))
	inForce(t, next, slow)
	netnstest.Must(t, next.Close())
}

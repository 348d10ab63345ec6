//go:build linux

package rules

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/netip"
	"os"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/google/nftables"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/scenario-run/scenario/engine/link"
)

const ours, theirs = "10.77.0.1", "10.77.0.2"

// pair gives the test two network namespaces with a link between them, of
// which the calling goroutine is in the one with the address ours, and returns
// a listener in the other. Both end with the test.
func pair(t *testing.T) net.Listener {
	t.Helper()
	if os.Geteuid() != 0 {
		if os.Getenv("CI") != "" {
			t.Fatal("needs root, to make network namespaces")
		}
		t.Skip("needs root, to make network namespaces")
	}
	listening := make(chan net.Listener, 1)
	away, named := make(chan int, 1), make(chan struct{})
	go func() {
		runtime.LockOSThread() // never unlocked: the thread and its namespace end with the goroutine
		must(t, unix.Unshare(unix.CLONE_NEWNET))
		fd, err := unix.Open("/proc/thread-self/ns/net", unix.O_RDONLY|unix.O_CLOEXEC, 0)
		must(t, err)
		away <- fd
		<-named
		up(t, "v1", theirs)
		l, err := net.Listen("tcp", theirs+":80")
		must(t, err)
		listening <- l
	}()
	fd := <-away
	defer unix.Close(fd)
	runtime.LockOSThread() // the test's goroutine ends with it
	must(t, unix.Unshare(unix.CLONE_NEWNET))
	lo, err := netlink.LinkByName("lo")
	must(t, err)
	must(t, netlink.LinkSetUp(lo))
	must(t, netlink.LinkAdd(&netlink.Veth{LinkAttrs: netlink.LinkAttrs{Name: "v0"}, PeerName: "v1", PeerNamespace: netlink.NsFd(fd)}))
	up(t, "v0", ours)
	close(named)
	l := <-listening
	t.Cleanup(func() { l.Close() })
	// Packets are lost until the kernel has noticed that the link is up.
	for range 50 {
		if err = dial("80"); err == nil {
			return l
		}
	}
	t.Fatal("the link does not come up: ", err)
	return nil
}

func up(t *testing.T, name, address string) {
	t.Helper()
	l, err := netlink.LinkByName(name)
	must(t, err)
	a, err := netlink.ParseAddr(address + "/24")
	must(t, err)
	must(t, netlink.AddrAdd(l, a))
	must(t, netlink.LinkSetUp(l))
}

// apply puts rules in force in the namespace of the goroutine.
func apply(rules []link.Rule) error {
	table, err := Open()
	if err != nil {
		return err
	}
	return errors.Join(table.Apply(rules), table.Close())
}

func read() ([]link.Count, error) {
	table, err := Open()
	if err != nil {
		return nil, err
	}
	counts, err := table.Read()
	return counts, errors.Join(err, table.Close())
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// dial connects from this namespace.
func dial(port string) error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	// A Dialer would make its socket on another thread, and so elsewhere.
	tv := unix.NsecToTimeval((200 * time.Millisecond).Nanoseconds())
	if err := unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_SNDTIMEO, &tv); err != nil {
		return err
	}
	at := netip.MustParseAddrPort(theirs + ":" + port)
	for {
		err := unix.Connect(fd, &unix.SockaddrInet4{Port: int(at.Port()), Addr: at.Addr().As4()})
		switch err {
		case unix.EINTR: // a signal of Go's scheduler, which may come at any time
			continue
		case unix.EALREADY: // of the second call, in place of the same from the first
			return unix.EINPROGRESS
		}
		return err
	}
}

func TestRulesDoWhatTheySay(t *testing.T) {
	peer := netip.MustParseAddr(theirs)
	for _, test := range []struct {
		name string
		rule link.Rule
		open error // what connecting to the open port comes to
	}{
		{"drop on the way out", link.Rule{Way: link.Out, Peer: peer, Verdict: link.Drop}, unix.EINPROGRESS},
		{"drop on the way in", link.Rule{Way: link.In, Peer: peer, Verdict: link.Drop}, unix.EINPROGRESS},
		{"drop whoever it is", link.Rule{Way: link.Out, Verdict: link.Drop}, unix.EINPROGRESS},
		{"drop another peer", link.Rule{Way: link.Out, Peer: netip.MustParseAddr("10.77.0.3"), Verdict: link.Drop}, nil},
		{"reject a port", link.Rule{Way: link.Out, Peer: peer, Protocol: link.TCP, Port: 80, Verdict: link.Reject}, unix.ECONNREFUSED},
		{"reject another port", link.Rule{Way: link.Out, Peer: peer, Protocol: link.TCP, Port: 81, Verdict: link.Reject}, nil},
		{"lose all", link.Rule{Way: link.Out, Peer: peer, Verdict: link.Lose, Percent: 100}, unix.EINPROGRESS},
		{"lose none", link.Rule{Way: link.Out, Peer: peer, Verdict: link.Lose, Percent: 0}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			pair(t)
			must(t, dial("80"))
			must(t, apply([]link.Rule{test.rule}))
			if err := dial("80"); !errors.Is(err, test.open) {
				t.Errorf("connecting: %v, not %v", err, test.open)
			}
			counts, err := read()
			must(t, err)
			if len(counts) != 1 || counts[0].Rule != test.rule {
				t.Fatalf("in force: %+v", counts)
			}
			if met := counts[0].Packets > 0; met != (test.open != nil || test.rule.Verdict == link.Lose) {
				t.Errorf("it has met %d packets", counts[0].Packets)
			}
			must(t, apply(nil))
			if err := dial("80"); err != nil {
				t.Errorf("after it: %v", err)
			}
		})
	}
}

func TestLossIsAsOftenAsItSays(t *testing.T) {
	pair(t)
	must(t, apply([]link.Rule{{Way: link.Out, Verdict: link.Lose, Percent: 30}}))
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	must(t, err)
	defer unix.Close(fd)
	lost, sent := 0, 5000
	for range sent {
		err := unix.Sendto(fd, []byte("x"), 0, &unix.SockaddrInet4{Port: 9, Addr: netip.MustParseAddr(theirs).As4()})
		switch {
		case errors.Is(err, unix.EPERM): // what the kernel says of a datagram that it drops
			lost++
		case err != nil && !errors.Is(err, unix.ECONNREFUSED):
			t.Fatal(err)
		}
	}
	// Six standard deviations.
	if share := float64(lost) / float64(sent); share < 0.26 || share > 0.34 {
		t.Errorf("%.3f of the packets were lost", share)
	}
}

func TestWhatANodeSaysToItselfIsLeftAlone(t *testing.T) {
	pair(t)
	must(t, apply([]link.Rule{{Way: link.In, Verdict: link.Drop}, {Way: link.Out, Verdict: link.Drop}}))
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	must(t, err)
	defer unix.Close(fd)
	if err := unix.Connect(fd, &unix.SockaddrInet4{Port: 80, Addr: [4]byte{127, 0, 0, 1}}); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("connecting to itself: %v", err)
	}
}

func TestOtherTablesAreLeftAlone(t *testing.T) {
	pair(t)
	conn, err := nftables.New()
	must(t, err)
	conn.AddTable(&nftables.Table{Name: "other", Family: nftables.TableFamilyIPv4})
	must(t, conn.Flush())
	must(t, apply([]link.Rule{{Way: link.In, Verdict: link.Drop}}))
	must(t, apply(nil))
	tables, err := conn.ListTables()
	must(t, err)
	if len(tables) != 1 || tables[0].Name != "other" {
		t.Errorf("%v", tables)
	}
}

func TestARuleThatCanNotBeIsAnErrorAndChangesNothing(t *testing.T) {
	pair(t)
	good := link.Rule{Way: link.Out, Verdict: link.Drop}
	must(t, apply([]link.Rule{good}))
	for _, bad := range []link.Rule{
		{Way: link.Out, Verdict: "explode"},
		{Way: "sideways", Verdict: link.Drop},
		{Way: link.Out, Port: 80, Verdict: link.Drop},
	} {
		if err := apply([]link.Rule{bad}); err == nil {
			t.Errorf("%+v was taken", bad)
		}
	}
	if counts, err := read(); err != nil || len(counts) != 1 || counts[0].Rule != good {
		t.Errorf("%v %v", counts, err)
	}
}

func TestTheJobsPutRulesInForceAndCloseEndsThem(t *testing.T) {
	pair(t)
	var k Keeper
	must(t, k.Close()) // nothing was asked of it
	var seen []link.Count
	take := func(line []byte) error { return json.Unmarshal(line, &seen) }
	rules, err := json.Marshal([]link.Rule{{Way: link.In, Verdict: link.Drop}})
	must(t, err)
	must(t, k.Apply(context.Background(), rules, nil))
	must(t, k.Knock(context.Background(), []byte("[]"), take))
	if len(seen) != 1 {
		t.Errorf("in force: %v", seen)
	}
	must(t, k.Close())
	if left, err := read(); err != nil || len(left) > 0 {
		t.Errorf("left: %v %v", left, err)
	}
}

//go:build linux

package rules

import (
	"context"
	"encoding/json"
	"errors"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/nftables"
	"golang.org/x/sys/unix"

	"github.com/scenario-run/scenario/engine/agent/netnstest"
	"github.com/scenario-run/scenario/engine/link"
)

// opened opens the table of the goroutine's namespace, for as long as the test
// runs.
func opened(t *testing.T) *Table {
	t.Helper()
	table, err := Open()
	netnstest.Must(t, err)
	t.Cleanup(func() { netnstest.Must(t, table.Close()) })
	return table
}

func TestRulesDoWhatTheySay(t *testing.T) {
	peer := netip.MustParseAddr(netnstest.Theirs)
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
			netnstest.Pair(t)
			table := opened(t)
			netnstest.Must(t, netnstest.Dial(netnstest.Theirs, netnstest.Open))
			netnstest.Must(t, table.Apply([]link.Rule{test.rule}))
			if err := netnstest.Dial(netnstest.Theirs, netnstest.Open); !errors.Is(err, test.open) {
				t.Errorf("connecting: %v, not %v", err, test.open)
			}
			counts, err := table.Read()
			netnstest.Must(t, err)
			if len(counts) != 1 || counts[0].Rule != test.rule {
				t.Fatalf("in force: %+v", counts)
			}
			if met := counts[0].Packets > 0; met != (test.open != nil || test.rule.Verdict == link.Lose) {
				t.Errorf("it has met %d packets", counts[0].Packets)
			}
			netnstest.Must(t, table.Apply(nil))
			if err := netnstest.Dial(netnstest.Theirs, netnstest.Open); err != nil {
				t.Errorf("after it: %v", err)
			}
		})
	}
}

func TestRulesAreForBothFamilies(t *testing.T) {
	six := netip.MustParseAddr(netnstest.Theirs6)
	for _, test := range []struct {
		name      string
		rule      link.Rule
		four, six error // what connecting comes to
	}{
		{"drop that peer on the way out", link.Rule{Way: link.Out, Peer: six, Verdict: link.Drop}, nil, unix.EINPROGRESS},
		{"drop that peer on the way in", link.Rule{Way: link.In, Peer: six, Verdict: link.Drop}, nil, unix.EINPROGRESS},
		{"drop whoever it is", link.Rule{Way: link.Out, Verdict: link.Drop}, unix.EINPROGRESS, unix.EINPROGRESS},
		{"reject a port of that peer", link.Rule{Way: link.Out, Peer: six, Protocol: link.TCP, Port: 80, Verdict: link.Reject}, nil, unix.ECONNREFUSED},
		{"reject a port of everyone", link.Rule{Way: link.Out, Protocol: link.TCP, Port: 80, Verdict: link.Reject}, unix.ECONNREFUSED, unix.ECONNREFUSED},
		{"lose all", link.Rule{Way: link.Out, Peer: six, Verdict: link.Lose, Percent: 100}, nil, unix.EINPROGRESS},
	} {
		t.Run(test.name, func(t *testing.T) {
			netnstest.WithIPv6(t, netnstest.Pair(t))
			var k Keeper
			t.Cleanup(func() { netnstest.Must(t, k.Close()) })
			ask(t, k.Apply, []link.Rule{test.rule}, nil)
			for address, want := range map[string]error{netnstest.Theirs: test.four, netnstest.Theirs6: test.six} {
				if err := netnstest.Dial(address, netnstest.Open); !errors.Is(err, want) {
					t.Errorf("connecting to %s: %v, not %v", address, err, want)
				}
			}
			var before, after []link.Count
			ask(t, k.Knock, []link.Knock{}, &before)
			ask(t, k.Knock, link.Knocks([]link.Rule{test.rule}, netip.AddrPortFrom(six, 9)), &after)
			if met := after[0].Packets > before[0].Packets; met != (test.rule.Way == link.Out) {
				t.Errorf("a knock: %d packets, and then %d", before[0].Packets, after[0].Packets)
			}
		})
	}
}

// ask asks for a job, whose line is read into answer.
func ask(t *testing.T, job func(context.Context, []byte, func([]byte) error) error, spec, answer any) {
	t.Helper()
	text, err := json.Marshal(spec)
	netnstest.Must(t, err)
	netnstest.Must(t, job(t.Context(), text, func(line []byte) error { return json.Unmarshal(line, answer) }))
}

// What an agent has put in force goes with it when it is killed, and it can't
// take anything back: the kernel closes what it had open.
func TestRulesGoWithTheirMaker(t *testing.T) {
	netnstest.Pair(t)
	if err := TryOwner(); err != nil {
		t.Skipf("tables of this kernel stay: %v", err)
	}
	maker, err := Open()
	netnstest.Must(t, err)
	drop := link.Rule{Way: link.Out, Verdict: link.Drop}
	netnstest.Must(t, maker.Apply([]link.Rule{drop}))
	other := opened(t)
	if err := other.Apply([]link.Rule{drop}); !errors.Is(err, unix.EPERM) || !strings.Contains(err.Error(), "another process") {
		t.Errorf("the rules of another are changed: %v", err)
	}
	if counts, err := other.Read(); err != nil || len(counts) != 1 {
		t.Errorf("in force: %v %v", counts, err)
	}
	if err := netnstest.Dial(netnstest.Theirs, netnstest.Open); !errors.Is(err, unix.EINPROGRESS) {
		t.Errorf("before its end: %v", err)
	}
	netnstest.Must(t, maker.Close())
	if counts, err := other.Read(); err != nil || len(counts) > 0 {
		t.Errorf("after its end: %v %v", counts, err)
	}
	netnstest.Must(t, netnstest.Dial(netnstest.Theirs, netnstest.Open))
	netnstest.Must(t, other.Apply([]link.Rule{drop}))
}

func TestLossIsAsOftenAsItSays(t *testing.T) {
	netnstest.Pair(t)
	netnstest.Must(t, opened(t).Apply([]link.Rule{{Way: link.Out, Verdict: link.Lose, Percent: 30}}))
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	netnstest.Must(t, err)
	defer unix.Close(fd)
	lost, sent := 0, 5000
	for range sent {
		err := unix.Sendto(fd, []byte("x"), 0, &unix.SockaddrInet4{Port: 9, Addr: netip.MustParseAddr(netnstest.Theirs).As4()})
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
	netnstest.Pair(t)
	netnstest.Must(t, opened(t).Apply([]link.Rule{{Way: link.In, Verdict: link.Drop}, {Way: link.Out, Verdict: link.Drop}}))
	if err := netnstest.Dial("127.0.0.1", netnstest.Open); err != nil {
		t.Errorf("connecting to itself: %v", err)
	}
}

func TestOtherTablesAreLeftAlone(t *testing.T) {
	netnstest.Pair(t)
	conn, err := nftables.New()
	netnstest.Must(t, err)
	conn.AddTable(&nftables.Table{Name: "other", Family: nftables.TableFamilyIPv4})
	netnstest.Must(t, conn.Flush())
	table := opened(t)
	netnstest.Must(t, table.Apply([]link.Rule{{Way: link.In, Verdict: link.Drop}}))
	netnstest.Must(t, table.Apply(nil))
	tables, err := conn.ListTables()
	netnstest.Must(t, err)
	if len(tables) != 1 || tables[0].Name != "other" {
		t.Errorf("%v", tables)
	}
}

func TestARuleThatCanNotBeIsAnErrorAndChangesNothing(t *testing.T) {
	netnstest.Pair(t)
	good := link.Rule{Way: link.Out, Verdict: link.Drop}
	table := opened(t)
	netnstest.Must(t, table.Apply([]link.Rule{good}))
	for _, bad := range []link.Rule{
		{Way: link.Out, Verdict: "explode"},
		{Way: "sideways", Verdict: link.Drop},
		{Way: link.Out, Port: 80, Verdict: link.Drop},
	} {
		if err := table.Apply([]link.Rule{bad}); err == nil {
			t.Errorf("%+v was taken", bad)
		}
	}
	if counts, err := table.Read(); err != nil || len(counts) != 1 || counts[0].Rule != good {
		t.Errorf("%v %v", counts, err)
	}
}

func TestTheJobsPutRulesInForceAndCloseEndsThem(t *testing.T) {
	netnstest.Pair(t)
	var k Keeper
	netnstest.Must(t, k.Close()) // nothing was asked of it
	var seen []link.Count
	take := func(line []byte) error { return json.Unmarshal(line, &seen) }
	rules, err := json.Marshal([]link.Rule{{Way: link.In, Verdict: link.Drop}})
	netnstest.Must(t, err)
	netnstest.Must(t, k.Apply(context.Background(), rules, nil))
	netnstest.Must(t, k.Knock(context.Background(), []byte("[]"), take))
	if len(seen) != 1 {
		t.Errorf("in force: %v", seen)
	}
	netnstest.Must(t, k.Close())
	if left, err := opened(t).Read(); err != nil || len(left) > 0 {
		t.Errorf("left: %v %v", left, err)
	}
}

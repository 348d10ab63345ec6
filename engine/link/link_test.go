package link

import (
	"net/netip"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

const clients = "network.default"

var (
	a      = netip.MustParseAddr("10.0.0.1")
	b      = netip.MustParseAddr("10.0.0.2")
	anyone netip.Addr
	places = Places{"node.a": {a}, "node.b": {b}, clients: nil}
	drop   = Effect{Verdict: Drop}
)

func same(t *testing.T, got, want []Rule) {
	t.Helper()
	if d := cmp.Diff(want, got, cmpopts.EquateComparable(netip.Addr{})); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

func TestADropIsInForceAtBothEnds(t *testing.T) {
	links := []Link{{"node.a", "node.b", drop}}
	same(t, RulesOf("node.a", links, places), []Rule{{Way: Out, Peer: b, Verdict: Drop}})
	same(t, RulesOf("node.b", links, places), []Rule{{Way: In, Peer: a, Verdict: Drop}})
	same(t, RulesOf(clients, links, places), nil)
}

func TestEveryoneMeansAllOtherEndsClientsIncluded(t *testing.T) {
	links := []Link{{Everyone, "node.a", drop}, {"node.a", Everyone, drop}}
	same(t, RulesOf("node.a", links, places), []Rule{{Way: In, Peer: anyone, Verdict: Drop}, {Way: Out, Peer: anyone, Verdict: Drop}})
	for _, end := range []string{"node.b", clients} {
		same(t, RulesOf(end, links, places), []Rule{{Way: Out, Peer: a, Verdict: Drop}, {Way: In, Peer: a, Verdict: Drop}})
	}
	if d := cmp.Diff([]string{"network.default", "node.a", "node.b"}, Ends(links, places)); d != "" {
		t.Error(d)
	}
}

func TestAPortIsBlockedForBothProtocols(t *testing.T) {
	links := []Link{{"node.a", "node.b", Effect{Verdict: Reject, Port: 80}}}
	same(t, RulesOf("node.a", links, places), []Rule{
		{Way: Out, Peer: b, Protocol: TCP, Port: 80, Verdict: Reject},
		{Way: Out, Peer: b, Protocol: UDP, Port: 80, Verdict: Reject},
	})
}

func TestPacketsAreLostByTheirSenderOnly(t *testing.T) {
	links := []Link{{"node.a", "node.b", Effect{Verdict: Lose, Percent: 30}}}
	same(t, RulesOf("node.b", links, places), nil)
	same(t, RulesOf("node.a", links, places), []Rule{{Way: Out, Peer: b, Verdict: Lose, Percent: 30}})
}

func TestEffectsAreSaidInWords(t *testing.T) {
	for want, e := range map[string]Effect{
		"100ms later":        {Verdict: Delay, Latency: 100e6},
		"100ms ± 10ms later": {Verdict: Delay, Latency: 100e6, Jitter: 10e6},
		"at most 1 Mbit/s":   {Verdict: Limit, Rate: 1e6},
		"at most 1.5 kbit/s": {Verdict: Limit, Rate: 1500},
		"at most 10 Gbit/s":  {Verdict: Limit, Rate: 1e10},
		"at most 999 bit/s":  {Verdict: Limit, Rate: 999},
		"":                   {Verdict: Drop},
	} {
		if got := e.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestFaultsThatSayTheSameMakeOneRuleButLossesAddUp(t *testing.T) {
	lose := Effect{Verdict: Lose, Percent: 30}
	links := []Link{{"node.a", "node.b", drop}, {"node.a", "node.b", drop}, {"node.a", "node.b", lose}, {"node.a", "node.b", lose}}
	if got := RulesOf("node.a", links, places); len(got) != 3 {
		t.Errorf("%v", got)
	}
}

func TestARuleHidesWhatItTakesTheWayOf(t *testing.T) {
	rule := func(change func(*Rule)) Rule {
		r := Rule{Way: Out, Verdict: Drop}
		change(&r)
		return r
	}
	toB, toA := rule(func(r *Rule) { r.Peer = b }), rule(func(r *Rule) { r.Peer = a })
	web := rule(func(r *Rule) { r.Peer, r.Protocol, r.Port, r.Verdict = b, TCP, 80, Reject })
	lost := func(percent float64) Rule {
		return rule(func(r *Rule) { r.Verdict, r.Percent = Lose, percent })
	}
	for _, test := range []struct {
		name         string
		first, later Rule
		want         bool
	}{
		{"everything", rule(func(*Rule) {}), web, true},
		{"the same peer", toB, web, true},
		{"another peer", toA, web, false},
		{"a peer for everyone", toB, lost(30), false},
		{"the same port", web, web, true},
		{"a port for everything", web, toB, false},
		{"another protocol", web, rule(func(r *Rule) { r.Peer, r.Protocol, r.Port = b, UDP, 80 }), false},
		{"all lost", lost(100), toB, true},
		{"nearly all lost", lost(99), toB, true},
		{"half lost", lost(50), toB, false},
		{"the other way", rule(func(r *Rule) { r.Way = In }), toB, false},
	} {
		if got := test.first.Hides(test.later); got != test.want {
			t.Errorf("%s: %v", test.name, got)
		}
	}
}

func TestWhatIsMissingIsCounted(t *testing.T) {
	one, lost := Rule{Way: Out, Peer: b, Verdict: Drop}, Rule{Way: Out, Verdict: Lose, Percent: 30}
	found := []Count{{Rule: one}, {Rule: lost, Packets: 7}}
	same(t, Missing([]Rule{one, lost}, found), nil)
	same(t, Missing([]Rule{lost, one, lost}, found), []Rule{lost})
	same(t, Missing([]Rule{one}, nil), []Rule{one})
}

func TestARuleIsReadAsItWasWritten(t *testing.T) {
	for want, r := range map[string]Rule{
		"out drop 0 10.0.0.2 - 0":       {Way: Out, Peer: b, Verdict: Drop},
		"in drop 0 - - 0":               {Way: In, Verdict: Drop},
		"out reject 0 fd00::7 tcp 8080": {Way: Out, Peer: netip.MustParseAddr("fd00::7"), Protocol: TCP, Port: 8080, Verdict: Reject},
		"out lose 0.001 - - 0":          {Way: Out, Verdict: Lose, Percent: 0.001},
	} {
		text, err := r.MarshalText()
		if err != nil || string(text) != want {
			t.Errorf("%q %v, want %q", text, err, want)
		}
		var read Rule
		if err := read.UnmarshalText(text); err != nil || read != r {
			t.Errorf("%q is read as %+v, %v", text, read, err)
		}
	}
	for _, bad := range []string{"", "out drop 0 - -", "out drop 0 - - 0 0", "out drop x - - 0", "out drop 0 nobody - 0", "out drop 0 - - port"} {
		kept := Rule{Way: In}
		if err := kept.UnmarshalText([]byte(bad)); err == nil || kept != (Rule{Way: In}) {
			t.Errorf("%q is read as %+v, %v", bad, kept, err)
		}
	}
}

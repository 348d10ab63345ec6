package link

import (
	"fmt"
	"math"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"
)

func slow(from, to string, ms int) Link {
	return Link{from, to, Effect{Verdict: Delay, Latency: time.Duration(ms) * time.Millisecond}}
}

func limited(from, to string, rate int64) Link {
	return Link{from, to, Effect{Verdict: Limit, Rate: rate}}
}

// told writes shapes as a line: "b +100ms, * 8bps".
func told(all []Shape) string {
	var texts []string
	for _, s := range all {
		t := map[netip.Addr]string{a: "a", b: "b", c: "c", {}: "*"}[s.Peer]
		if s.Shared {
			t = "all"
		}
		if s.Latency > 0 {
			t += fmt.Sprint(" +", s.Latency)
		}
		if s.Jitter > 0 {
			t += fmt.Sprint(" ±", s.Jitter)
		}
		if s.Rate > 0 {
			t += fmt.Sprint(" ", s.Rate, "bps")
		}
		texts = append(texts, t)
	}
	return strings.Join(texts, ", ")
}

var (
	c     = netip.MustParseAddr("10.0.0.3")
	three = Places{"node.a": {a}, "node.b": {b}, "node.c": {c}, clients: nil}
)

func TestDelaysAreAtTheSenderOrAtTheReceiver(t *testing.T) {
	for _, test := range []struct {
		name     string
		links    []Link
		leaving  [4]string // of a, b, c and clients, by the sender
		arriving [4]string // by the receiver
	}{
		{"one way", []Link{slow("node.a", "node.b", 100)}, [4]string{"b +100ms"}, [4]string{1: "a +100ms"}},
		{
			"to everyone", []Link{slow("node.a", Everyone, 100)},
			[4]string{"* +100ms"},
			// What clients are sent isn't delayed where it arrives, but what they send.
			[4]string{"b, c, * +100ms", "a +100ms", "a +100ms", ""},
		},
		{
			"from everyone", []Link{slow(Everyone, "node.a", 100)},
			[4]string{"", "a +100ms", "a +100ms", "a +100ms"},
			[4]string{"* +100ms"},
		},
		{
			"several add up", []Link{slow("node.a", Everyone, 100), slow("node.a", "node.b", 50), slow("node.a", "node.b", 7)},
			[4]string{"b +157ms, * +100ms"},
			[4]string{"b, c, * +100ms", "a +157ms", "a +100ms", ""},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			for i, end := range []string{"node.a", "node.b", "node.c", clients} {
				leaving, arriving := ShapesOf(end, test.links, three, Out)
				if got := told(leaving); got != test.leaving[i] || arriving != nil {
					t.Errorf("by the sender, %s: %q, want %q; %v", end, got, test.leaving[i], arriving)
				}
				leaving, arriving = ShapesOf(end, test.links, three, In)
				if got := told(arriving); got != test.arriving[i] || leaving != nil {
					t.Errorf("by the receiver, %s: %q, want %q; %v", end, got, test.arriving[i], leaving)
				}
			}
		})
	}
}

func TestOfRatesTheSmallestCounts(t *testing.T) {
	links := []Link{
		limited("node.a", "node.b", 500), limited("node.a", "node.b", 300), limited("node.a", Everyone, 2000), limited("node.a", Everyone, 1000),
		slow("node.a", "node.c", 5),
	}
	for _, way := range []Way{In, Out} {
		leaving, _ := ShapesOf("node.a", links, three, way)
		want := map[Way]string{Out: "b 300bps, c +5ms, all 1000bps", In: "b 300bps, all 1000bps"}[way]
		if got := told(leaving); got != want {
			t.Errorf("%s: %q, want %q", way, got, want)
		}
	}
}

func TestWhatSlowsMakesNoRule(t *testing.T) {
	same(t, RulesOf("node.a", []Link{slow("node.a", "node.b", 1), limited("node.a", Everyone, 1)}, three), nil)
}

func TestARoundTripMeetsBothWays(t *testing.T) {
	links := []Link{
		slow("node.a", Everyone, 100), slow("node.b", "node.a", 30), slow("node.b", "node.c", 7),
		{"node.a", "node.b", Effect{Verdict: Delay, Latency: 20 * time.Millisecond, Jitter: 15 * time.Millisecond}},
	}
	for to, want := range map[string]time.Duration{"node.b": 135, "node.c": 100, Everyone: 100} {
		if got := RoundTrip(links, "node.a", to); got != want*time.Millisecond {
			t.Errorf("a and %s: %s", to, got)
		}
	}
}

func TestAQuietPortIsOneThatNothingBlocks(t *testing.T) {
	links := []Link{{"node.a", "node.b", Effect{Verdict: Drop, Port: 9}}, {"node.a", "node.b", Effect{Verdict: Reject, Port: 8}}}
	if got := Quiet(nil); got != 9 {
		t.Error(got)
	}
	if got := Quiet(links); got != 7 {
		t.Error(got)
	}
}

func TestACutIsKnownFromEitherEnd(t *testing.T) {
	cut := func(e Effect) bool { return Cuts([]Link{{"node.a", "node.b", e}}, "node.b", "node.a") }
	for _, test := range []struct {
		e    Effect
		want bool
	}{
		{Effect{Verdict: Drop}, true},
		{Effect{Verdict: Reject}, true},
		{Effect{Verdict: Lose, Percent: 100}, true},
		{Effect{Verdict: Lose, Percent: 99}, false},
		{Effect{Verdict: Drop, Port: 80}, false},
		{Effect{Verdict: Delay, Latency: 1}, false},
	} {
		if cut(test.e) != test.want {
			t.Errorf("%+v: %v", test.e, !test.want)
		}
	}
	if Cuts([]Link{{"node.a", "node.b", drop}}, "node.a", "node.c") {
		t.Error("a and c are not cut")
	}
}

func TestLossesLeaveAShareOfRoundTrips(t *testing.T) {
	lose := func(from, to string, percent float64) Link {
		return Link{from, to, Effect{Verdict: Lose, Percent: percent}}
	}
	links := []Link{lose("node.a", "node.b", 90), lose("node.b", Everyone, 50), lose("node.c", "node.a", 100), {"node.a", "node.b", drop}}
	for to, want := range map[string]float64{"node.b": 0.05, "node.c": 0, Everyone: 1} {
		if got := Survive(links, "node.a", to); math.Abs(got-want) > 1e-9 {
			t.Errorf("a and %s: %v", to, got)
		}
	}
}

func TestAPortIsBlockedTheWayThatPacketsGo(t *testing.T) {
	block := func(from, to string, e Effect) Link { return Link{from, to, e} }
	links := []Link{
		block(Everyone, "node.a", Effect{Verdict: Reject, Port: 80}), block("node.b", "node.a", Effect{Verdict: Drop, Port: 81}),
		block("node.a", Everyone, Effect{Verdict: Drop, Port: 82}), block(Everyone, "node.a", Effect{Verdict: Drop, Port: 80}), block(Everyone, "node.a", Effect{Verdict: Drop}),
	}
	if got := Blocked(links, "network", "node.a"); !slices.Equal(got, []int{80}) {
		t.Errorf("from outside: %v", got)
	}
	if got := Blocked(links, "node.b", "node.a"); !slices.Equal(got, []int{80, 81}) {
		t.Errorf("from another node: %v", got)
	}
}

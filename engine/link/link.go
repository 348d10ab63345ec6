package link

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"time"
)

// Everyone is the end of a link that stands for every address other than the
// other end's own, clients included.
const Everyone = ""

// Verdict is what becomes of a packet.
type Verdict string

// The verdicts.
const (
	Drop   Verdict = "drop"   // it is lost without a word
	Reject Verdict = "reject" // its sender is told: a TCP reset, or ICMP port unreachable
	Lose   Verdict = "lose"   // dropped at random, Percent of them
	Delay  Verdict = "delay"  // it arrives by Latency later
	Limit  Verdict = "limit"  // it waits until there is room within Rate
)

// Effect is what happens to the packets of a link.
type Effect struct {
	Verdict Verdict `json:"verdict"`
	Percent float64 `json:"percent,omitempty"` // of Lose: 0 to 100
	// Port is the destination port, of TCP and UDP; 0: every packet.
	Port int `json:"port,omitempty"`
	// Latency, Jitter and Correlation are of Delay, Rate of Limit; see Shape.
	Latency     time.Duration `json:"latency,omitempty"`
	Jitter      time.Duration `json:"jitter,omitempty"`
	Correlation float64       `json:"correlation,omitempty"`
	Rate        int64         `json:"rate,omitempty"`
}

// Slows says that the effect is on when packets arrive and not on whether they
// do: it makes a Shape, and no Rule.
func (e Effect) Slows() bool { return e.Verdict == Delay || e.Verdict == Limit }

// OnSender says that the effect is on what an end sends, and not on a link as a
// whole.
func (e Effect) OnSender() bool { return e.Verdict == Lose || e.Slows() }

// String says what is done to packets that arrive all the same: "100ms later".
func (e Effect) String() string {
	switch {
	case e.Verdict == Delay && e.Jitter > 0:
		return fmt.Sprintf("%s ± %s later", e.Latency, e.Jitter)
	case e.Verdict == Delay:
		return fmt.Sprintf("%s later", e.Latency)
	case e.Verdict == Limit:
		return "at most " + RateText(e.Rate)
	}
	return ""
}

// RateText writes bits per second for people: "1.5 Mbit/s".
func RateText(rate int64) string {
	n, unit := float64(rate), ""
	for _, unit = range []string{"", "k", "M", "G"} {
		if n < 1000 || unit == "G" {
			break
		}
		n /= 1000
	}
	return fmt.Sprintf("%.4g %sbit/s", n, unit)
}

// Link is one direction between two ends, with what happens on it.
type Link struct {
	From   string `json:"from"` // address of a node, or Everyone
	To     string `json:"to"`
	Effect Effect `json:"effect"`
}

// Way is a direction as seen from one end.
type Way string

// The ways.
const (
	In  Way = "in"
	Out Way = "out"
)

// Protocol is one that has ports; empty for any.
type Protocol string

// The protocols.
const (
	TCP Protocol = "tcp"
	UDP Protocol = "udp"
)

// Rule is a link's effect at one of its ends.
type Rule struct {
	Way Way
	// Peer is the address of the other end; the zero address: every one but
	// the end's own.
	Peer     netip.Addr
	Protocol Protocol // with Port
	Port     int      // destination; 0: every packet
	Verdict  Verdict
	Percent  float64 // of Lose
}

// LossSteps is in how many steps Lose can mete out all packets: the kernel draws a
// number below it for each, so that less than a step, or less than a step short of
// all, is nothing, or all.
const LossSteps = 100_000

// nearlyAll is from which share on so many packets are lost, in per cent, that
// what comes after can't be counted on to meet any.
const nearlyAll = 90

// Hides says that a rule takes what another one further down would meet: it
// drops or rejects all of that, or loses nearly all.
func (r Rule) Hides(later Rule) bool {
	takes := r.Verdict == Drop || r.Verdict == Reject || r.Verdict == Lose && r.Percent >= nearlyAll
	return takes && r.Way == later.Way && (!r.Peer.IsValid() || r.Peer == later.Peer) &&
		(r.Port == 0 || r.Port == later.Port && r.Protocol == later.Protocol)
}

// Count is a rule that is in force, with the packets that it has met.
type Count struct {
	Rule    Rule   `json:"rule"`
	Packets uint64 `json:"packets"`
}

// The jobs of an agent that act on its end.
const (
	RulesJob = "rules" // its spec: all Rules that are to be in force
	KnockJob = "knock" // its spec: Knocks to send; it writes the Counts of what is in force
)

// Knock is a packet to send, in order to see what rules it meets.
type Knock struct {
	Protocol Protocol       `json:"protocol"`
	At       netip.AddrPort `json:"at"`
}

// discard is a port that nobody listens on (RFC 863), for packets whose port
// doesn't matter.
const discard = 9

// Knocks are packets that meet the rules for the way out, one each. Somewhere
// has the address for those rules that match any, and the port for those.
func Knocks(rules []Rule, somewhere netip.AddrPort) []Knock {
	var all []Knock
	for _, r := range rules {
		if r.Way != Out {
			continue
		}
		k := Knock{Protocol: r.Protocol, At: netip.AddrPortFrom(r.Peer, uint16(r.Port))}
		if r.Port == 0 {
			k = Knock{Protocol: UDP, At: netip.AddrPortFrom(r.Peer, somewhere.Port())}
		}
		if !r.Peer.IsValid() {
			k.At = netip.AddrPortFrom(somewhere.Addr(), k.At.Port())
		}
		all = append(all, k)
	}
	return all
}

// Places are all ends, with their addresses: nodes, and networks, which stand
// for the agents from which probes, readiness and traffic come. No link names
// those, so that their addresses aren't needed; Everyone includes them.
type Places map[string][]netip.Addr

// Missing are those of some rules that are not in force, by what was counted.
// One that is there several times, as losses may be, has to be so as often.
func Missing(want []Rule, found []Count) (missing []Rule) {
	left := map[Rule]int{}
	for _, c := range found {
		left[c.Rule]++
	}
	for _, r := range want {
		if left[r]--; left[r] < 0 {
			missing = append(missing, r)
		}
	}
	return missing
}

// Ends are the ends that have to put rules in force for links, so that no one
// end's restart opens a link: both, and for Everyone all that there are.
func Ends(links []Link, places Places) []string {
	touched := map[string]bool{}
	for _, l := range links {
		for _, e := range []string{l.From, l.To} {
			if e != Everyone {
				touched[e] = true
				continue
			}
			for other := range places {
				touched[other] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(touched))
}

// RulesOf are the rules that one end puts in force for links. Dropping and
// rejecting is done at both ends; losing at the one that sends, since two ends
// that each lose a half would lose three quarters.
func RulesOf(end string, links []Link, places Places) []Rule {
	var all []Rule
	for _, l := range links {
		if l.Effect.Slows() {
			continue
		}
		for _, peer := range peersOf(end, l.From, l.To, places) {
			all = append(all, rulesFor(Out, peer, l.Effect)...)
		}
		if l.Effect.Verdict == Lose {
			continue
		}
		for _, peer := range peersOf(end, l.To, l.From, places) {
			all = append(all, rulesFor(In, peer, l.Effect)...)
		}
	}
	return distinct(all)
}

// peersOf are the addresses of the far end, if a link's near end is this one.
func peersOf(end, near, far string, places Places) []netip.Addr {
	switch {
	case near == end && far == Everyone:
		return []netip.Addr{{}}
	case near == end, near == Everyone && far != end:
		return places[far]
	}
	return nil
}

func rulesFor(way Way, peer netip.Addr, e Effect) []Rule {
	r := Rule{Way: way, Peer: peer, Port: e.Port, Verdict: e.Verdict, Percent: e.Percent}
	if e.Port == 0 {
		return []Rule{r}
	}
	tcp, udp := r, r
	tcp.Protocol, udp.Protocol = TCP, UDP
	return []Rule{tcp, udp}
}

// distinct keeps the first of rules that say the same. Loss is an exception:
// two faults that each lose packets lose more together.
func distinct(all []Rule) []Rule {
	var kept []Rule
	for _, r := range all {
		if r.Verdict == Lose || !slices.Contains(kept, r) {
			kept = append(kept, r)
		}
	}
	return kept
}

package link

import (
	"maps"
	"net/netip"
	"slices"
	"time"
)

// Shape is how what an end sends to a peer, or receives from it, is slowed down.
// Of several shapes of an end a packet meets one, that for its peer, beside the
// one that is Shared.
type Shape struct {
	// Peer is the address of the other end; the zero address: every one that
	// has no shape of its own.
	Peer netip.Addr `json:"peer"`
	// Latency is how much later a packet arrives, give or take Jitter, drawn
	// anew for each packet; Correlation is how many per cent of it come from
	// the packet before.
	Latency     time.Duration `json:"latency,omitempty"`
	Jitter      time.Duration `json:"jitter,omitempty"`
	Correlation float64       `json:"correlation,omitempty"`
	Rate        int64         `json:"rate,omitempty"` // bits per second; 0: no limit
	// Shared says that the Rate is what all peers together get; nothing else is
	// in such a shape.
	Shared bool `json:"shared,omitempty"`
}

// Shaped is a shape that is in force, with the packets that it has met.
type Shaped struct {
	Shape
	Packets uint64 `json:"packets"`
}

// The jobs of an agent that slow down what passes its end. Each writes one
// line, the shapes that are in force, as Shaped.
const (
	ShapeJob  = "shape"  // its spec: all Shapes for what leaves
	ShapedJob = "shaped" // looks only
	HoldJob   = "hold"   // its spec: all Shapes for what arrives; rates are none of its business
	HeldJob   = "held"   // looks only
)

// ShapesOf are the shapes that one end puts in force for links, for what leaves
// it and for what arrives there. Packets are delayed by their sender or by their
// receiver, as delays says: a kernel can do the one or the other. Rates are the
// sender's business. Delays of several faults add up, of rates the smallest
// counts.
//
// Whoever is no node, clients and the host, can't be told to delay what arrives:
// for that a node delays what they send to it, which comes to the same there and
// back.
func ShapesOf(end string, links []Link, places Places, delays Way) (leaving, arriving []Shape) {
	if !slices.ContainsFunc(links, func(l Link) bool { return l.Effect.Slows() }) {
		return nil, nil
	}
	leaving = shapes(end, places, func(peer string) (s Shape) {
		for _, l := range links {
			switch {
			case !sends(l, end, peer):
			case l.Effect.Verdict == Delay && delays == Out:
				s = s.later(l.Effect)
			case l.Effect.Verdict == Limit && l.To != Everyone:
				s.Rate = slower(s.Rate, l.Effect.Rate)
			}
		}
		return s
	})
	var shared int64
	for _, l := range links {
		if l.Effect.Verdict == Limit && l.From == end && l.To == Everyone {
			shared = slower(shared, l.Effect.Rate)
		}
	}
	if shared > 0 {
		leaving = append(leaving, Shape{Rate: shared, Shared: true})
	}
	if delays == Out || len(places[end]) == 0 {
		return leaving, nil
	}
	return leaving, shapes(end, places, func(peer string) (s Shape) {
		for _, l := range links {
			if l.Effect.Verdict == Delay && receives(l, end, peer) {
				s = s.later(l.Effect)
			}
		}
		return s
	})
}

// sends says that a link is on the way from an end to a peer. The peer Everyone
// stands for all that are no nodes.
func sends(l Link, end, peer string) bool {
	return l.From == end && (l.To == Everyone || l.To == peer) || l.From == Everyone && l.To == peer && peer != Everyone
}

// receives is sends for what arrives at an end, if that is where it is delayed.
func receives(l Link, end, peer string) bool {
	if peer == Everyone {
		return l.From == Everyone && l.To == end || l.From == end && l.To == Everyone
	}
	return l.To == end && (l.From == Everyone || l.From == peer) || l.From == peer && l.To == Everyone
}

func (s Shape) later(e Effect) Shape {
	s.Latency += e.Latency
	s.Jitter += e.Jitter
	s.Correlation = max(s.Correlation, e.Correlation)
	return s
}

func slower(a, b int64) int64 {
	if a == 0 {
		return b
	}
	return min(a, b)
}

// shapes are those of all peers of an end, in a stable order: each node's that
// differs from that of all others, and at the end that one.
func shapes(end string, places Places, towards func(peer string) Shape) (all []Shape) {
	others := towards(Everyone)
	for _, peer := range slices.Sorted(maps.Keys(places)) {
		s := towards(peer)
		if peer == end || s == others {
			continue
		}
		for _, s.Peer = range places[peer] {
			all = append(all, s)
		}
	}
	if others != (Shape{}) {
		all = append(all, others)
	}
	return all
}

// RoundTrip is the least time that a packet takes from one end to another and
// back for the delays of links alone. The end Everyone stands for one that is no
// node.
func RoundTrip(links []Link, from, to string) (least time.Duration) {
	for _, l := range links {
		if l.Effect.Verdict == Delay && (onWay(l, from, to) || onWay(l, to, from)) {
			least += l.Effect.Latency - l.Effect.Jitter
		}
	}
	return least
}

// Survive is the share of round trips between two ends that the losses of links
// leave: 1 if they lose nothing.
func Survive(links []Link, from, to string) float64 {
	share := 1.0
	for _, l := range links {
		if l.Effect.Verdict == Lose && (onWay(l, from, to) || onWay(l, to, from)) {
			share *= 1 - l.Effect.Percent/100
		}
	}
	return share
}

// Cuts says that a link keeps every packet between two ends from one of them.
func Cuts(links []Link, from, to string) bool {
	return slices.ContainsFunc(links, func(l Link) bool {
		stops := l.Effect.Verdict == Drop || l.Effect.Verdict == Reject || l.Effect.Verdict == Lose && l.Effect.Percent == 100
		return stops && l.Effect.Port == 0 && (onWay(l, from, to) || onWay(l, to, from))
	})
}

// Blocked are the ports at which links stop every packet to an end from another.
func Blocked(links []Link, from, to string) (ports []int) {
	for _, l := range links {
		stops := l.Effect.Verdict == Drop || l.Effect.Verdict == Reject
		if stops && l.Effect.Port != 0 && onWay(l, from, to) && !slices.Contains(ports, l.Effect.Port) {
			ports = append(ports, l.Effect.Port)
		}
	}
	return ports
}

func onWay(l Link, from, to string) bool {
	return (l.From == from || l.From == Everyone) && (l.To == to || l.To == Everyone)
}

// RoundJob is the job of an agent that measures how long a packet takes to
// others and back. Its spec are Rounds to make; it writes one line, the Trips.
const RoundJob = "round"

// Rounds are round trips to make, side by side: to a port that nobody need
// listen on, since who refuses answers too.
type Rounds struct {
	To     []netip.Addr  `json:"to"`
	Port   int           `json:"port"`
	Within time.Duration `json:"within"`
	// Tries is how many trips are made to each address at the same time, where
	// packets are lost: the quickest of them counts. 0 is 1.
	Tries int `json:"tries,omitempty"`
}

// Quiet is a port for Rounds and Knocks: one that nobody listens on (RFC 863 and below), and
// that no link blocks.
func Quiet(links []Link) int {
	for port := discard; port > 0; port-- {
		if !slices.ContainsFunc(links, func(l Link) bool { return l.Effect.Port == port }) {
			return port
		}
	}
	return discard
}

// Trip is a round trip: how long it took, or why it came to no end.
type Trip struct {
	To    netip.Addr    `json:"to"`
	Took  time.Duration `json:"took"`
	Error string        `json:"error,omitempty"`
}

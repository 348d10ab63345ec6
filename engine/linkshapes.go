package engine

import (
	"context"
	"fmt"
	"math"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/scenario-run/scenario/engine/link"
)

// shapesInForce looks whether an end has just those shapes that it was last
// given. Its lock is held by the caller.
func (x *executor) shapesInForce(ctx context.Context, name string, end *linkEnd) error {
	return x.askedShapes(ctx, name, end, func(want []link.Shape, is []link.Shaped) error {
		if err := missingShape(name, want, is); err != nil {
			return err
		}
		return stillShaped(name, want, is)
	})
}

// askedShapes holds the shapes that an end has against those that it was last
// given, for what leaves it and for what arrives. Its lock is held by the caller.
func (x *executor) askedShapes(ctx context.Context, name string, end *linkEnd, hold func(want []link.Shape, is []link.Shaped) error) error {
	for _, side := range []struct {
		job  string
		want []link.Shape
	}{{link.ShapedJob, end.leaving}, {link.HeldJob, end.arriving}} {
		if side.want == nil {
			continue // never asked for in this start
		}
		is, err := x.askShapes(ctx, name, side.job, nil)
		if err != nil {
			return err
		}
		if err := hold(side.want, is); err != nil {
			return err
		}
	}
	return nil
}

// missingShape says which shape an end has not got.
func missingShape(name string, want []link.Shape, is []link.Shaped) error {
	for _, s := range want {
		if !slices.ContainsFunc(is, func(i link.Shaped) bool { return i.Shape == s }) {
			return fmt.Errorf("%s is not in force at %s", describeShape(s), name)
		}
	}
	return nil
}

// stillShaped says which shape an end should not have.
func stillShaped(name string, want []link.Shape, is []link.Shaped) error {
	for _, i := range is {
		if !slices.Contains(want, i.Shape) {
			return fmt.Errorf("%s is still in force at %s", describeShape(i.Shape), name)
		}
	}
	return nil
}

func describeShape(s link.Shape) string {
	peer := "everyone else"
	if s.Peer.IsValid() {
		peer = s.Peer.String()
	}
	var parts []string
	if s.Latency > 0 {
		parts = append(parts, "the delay of "+s.Latency.String())
	}
	if s.Rate > 0 {
		parts = append(parts, "the limit of "+link.RateText(s.Rate))
	}
	if len(parts) == 0 {
		parts = []string{"that nothing is slowed down"}
	}
	return strings.Join(parts, " and ") + " between it and " + peer
}

// noteOf says by which means links are slowed down, if it is not the usual one.
func (x *executor) noteOf(links []link.Link) string {
	delays := slices.ContainsFunc(links, func(l link.Link) bool { return l.Effect.Verdict == link.Delay })
	if !delays || x.delaysAt() == link.Out {
		return ""
	}
	return "held by agents where it arrives: this kernel has no netem"
}

// trip is a round trip that shows links to be slow.
type trip struct {
	to      string // the end, as it is told
	at      []netip.Addr
	least   time.Duration // what the delays of all faults come to
	limiter string        // the end at which a limit of rate is to be met on the way; empty: none
	tries   int           // how many are made at the same time, since packets are lost
}

// Of trips that losses end so many are made that one in a thousand observations
// sees none of them come back, or that many at a time at the most.
const (
	unseen    = 0.001
	mostTries = 50
	// attempts is how often trips are made within slowWithin, a third of a second
	// each.
	attempts = 25
)

// triesFor are those for a share that comes back; false: too few would.
func triesFor(survive float64) (tries int, some bool) {
	if survive >= 1 {
		return 1, true
	}
	n := math.Log(unseen) / math.Log1p(-survive) / attempts
	return max(int(math.Ceil(n)), 1), n <= mostTries
}

// trips are those that show links to be slow, by the end that makes them: from
// one end to the other, or where one is everyone, from the other to all nodes, and
// from each network's agent to it. Those that cannot be made, since all that is
// sent is cut off or nearly all of it lost, or an end doesn't run, are left out. On
// the loop.
func (x *executor) trips(links, all []link.Link) map[string][]trip {
	trips := map[string][]trip{}
	places := x.linkPlaces()
	add := func(from, asker, to string, at []netip.Addr, limiter string) {
		known := slices.ContainsFunc(trips[asker], func(t trip) bool { return t.to == to && t.limiter == limiter })
		tries, some := triesFor(link.Survive(all, from, to))
		if n := x.nodes[to]; known || len(at) == 0 || n == nil || !n.running() || !some || link.Cuts(all, from, to) {
			return
		}
		trips[asker] = append(trips[asker], trip{to, at, link.RoundTrip(all, from, to), limiter, tries})
	}
	for _, l := range links {
		limiter := ""
		if l.Effect.Verdict == link.Limit {
			limiter = l.From
		}
		switch {
		case !l.Effect.Slows():
		case l.From != link.Everyone && l.To != link.Everyone:
			add(l.From, l.From, l.To, x.reachable(l.From, l.To, places), limiter)
		default:
			node := l.From
			if node == link.Everyone {
				node = l.To
			}
			for name := range x.places.networks {
				add(link.Everyone, networkEnd(name), node, x.on(node, name, places), limiter)
			}
			for other := range places {
				if other != node {
					add(node, node, other, x.reachable(node, other, places), limiter)
				}
			}
		}
	}
	return trips
}

// on are a node's addresses on a network, if no fault has taken it off there. On
// the loop.
func (x *executor) on(address, network string, places link.Places) (all []netip.Addr) {
	if n := x.nodes[address]; n == nil || n.cut[network] != "" {
		return nil
	}
	for _, a := range places[address] {
		if x.places.networks[network].Subnet.Contains(a) {
			all = append(all, a)
		}
	}
	return all
}

// reachable are the addresses of a node on the networks that another is on too.
// On the loop.
func (x *executor) reachable(from, to string, places link.Places) (all []netip.Addr) {
	for network := range x.places.networks {
		if len(x.on(from, network, places)) > 0 {
			all = append(all, x.on(to, network, places)...)
		}
	}
	return all
}

// observeShapes sees that links are slow: what is in force by the kernel's word,
// and round trips that take as long as they should. One line for each end that
// made some.
func (x *executor) observeShapes(ctx context.Context, links, all []link.Link) (sight, error) {
	if !slices.ContainsFunc(links, func(l link.Link) bool { return l.Effect.Slows() }) {
		return sight{}, nil
	}
	held, err := x.shapesHeld(ctx, links)
	if err != nil || !held {
		return sight{}, err
	}
	var trips map[string][]trip
	x.ask(func() { trips = x.trips(links, all) })
	askers := make([]string, 0, len(trips))
	longest := time.Duration(0)
	for asker, of := range trips {
		askers = append(askers, asker)
		for _, t := range of {
			longest = max(longest, t.least)
		}
	}
	ctx, cancel := withLimit(ctx, x.Clock, &limit{what: "the wait for packets to be slow", of: slowWithin + 2*longest})
	defer cancel()
	seen := map[string]string{}
	var mu sync.Mutex
	err = x.atEnds(ctx, askers, func(ctx context.Context, asker string) error {
		var line string
		mine := trips[asker]
		err := x.pollEnd(ctx, asker, func(ctx context.Context) (err error) {
			if line, err = x.travel(ctx, asker, mine, link.Quiet(all)); err != nil {
				x.ask(func() { mine = x.trips(links, all)[asker] }) // nobody answers any more where a node has ended
			}
			return err
		})
		if err != nil || line == "" {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		seen[asker] = line
		return nil
	})
	if len(seen) == 0 {
		const idle = "in force; nothing gets through there now"
		return sight{[]string{idle}, idle}, err
	}
	return sight{lines: linesOf(seen)}, err
}

// shapesHeld looks whether all ends of links that run have the shapes that they
// were given, and says whether there are any for these links among them.
func (x *executor) shapesHeld(ctx context.Context, links []link.Link) (held bool, err error) {
	err = x.eachEnd(ctx, links, func(ctx context.Context, name string) error {
		end := x.end(name)
		end.Lock()
		defer end.Unlock()
		if err := x.shapesInForce(ctx, name, end); err != nil {
			return err
		}
		x.ask(func() {
			leaving, arriving := x.shapesOf(name, links, x.linkPlaces())
			held = held || len(leaving)+len(arriving) > 0
		})
		return nil
	})
	return held, err
}

// within is how long a trip may take that should take so long: not much more, so
// that another can be made if a packet was lost; and where that can be, less than
// the second after which TCP sends it again (RFC 6298), which would look like a
// delay.
func within(least time.Duration) time.Duration { return 3*least + 300*time.Millisecond }

// travel makes the trips of one end, if there are any, and says how long they
// took.
func (x *executor) travel(ctx context.Context, asker string, trips []trip, port int) (string, error) {
	if len(trips) == 0 {
		return "", nil
	}
	rounds := link.Rounds{Port: port}
	for _, t := range trips {
		rounds.To = append(rounds.To, t.at...)
		rounds.Within = max(rounds.Within, within(t.least))
		rounds.Tries = max(rounds.Tries, t.tries)
	}
	var made []link.Trip
	if err := x.askAgentOf(ctx, asker, link.RoundJob, rounds, &made); err != nil {
		return "", err
	}
	var lines []string
	for _, t := range trips {
		took, err := t.took(made)
		if err != nil {
			return "", fmt.Errorf("from %s %w", asker, err)
		}
		lines = append(lines, fmt.Sprintf("%s and back in %s", t.to, took.Round(time.Millisecond)))
	}
	for _, t := range trips {
		if err := x.limitMet(ctx, t); err != nil {
			return "", err
		}
	}
	return strings.Join(lines, ", "), nil
}

// slowWithin is how long it may take, beside the delays, for each trip to be
// made: packets may be lost.
const slowWithin = 10 * time.Second

// precision is how much of a delay clocks may round away.
const precision = time.Millisecond

// took is how long a trip took at one of the addresses.
func (t trip) took(made []link.Trip) (time.Duration, error) {
	err := fmt.Errorf("to %s no trip was made", t.to)
	for _, m := range made {
		switch {
		case !slices.Contains(t.at, m.To):
		case m.Error != "":
			err = fmt.Errorf("to %s (%s) nothing came back: %s", t.to, m.To, m.Error)
		case m.Took+precision < t.least:
			return 0, fmt.Errorf("to %s (%s) and back took %s, less than the %s of its delay", t.to, m.To, m.Took.Round(10*time.Microsecond), t.least)
		default:
			return m.Took, nil
		}
	}
	return 0, err
}

// limitMet says whether a trip has met the limit of rate that it was to show.
func (x *executor) limitMet(ctx context.Context, t trip) error {
	if t.limiter == link.Everyone {
		return nil
	}
	shaped, err := x.askShapes(ctx, t.limiter, link.ShapedJob, nil)
	if err != nil {
		return err
	}
	met := slices.ContainsFunc(shaped, func(s link.Shaped) bool {
		return s.Rate > 0 && s.Packets > 0 && (s.Shared || slices.Contains(t.at, s.Peer))
	})
	if !met {
		return fmt.Errorf("no packet has met the limit of rate at %s", t.limiter)
	}
	return nil
}

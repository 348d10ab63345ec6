package fake

import (
	"encoding/json"
	"net/netip"
	"slices"
	"time"

	"github.com/scenario-run/scenario/engine/link"
	"github.com/scenario-run/scenario/engine/runtime"
)

// slowness is what an end slows down.
type slowness struct{ leaving, arriving []link.Shaped }

// Slowed returns the shapes that are in force at a node, by its address in the
// file, or at the agent of a network, by that's name: for what leaves it, and
// for what arrives there.
func (r *Runtime) Slowed(end string) (leaving, arriving []link.Shape) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.slow[r.placeOf(end)]
	return shapesOf(s.leaving), shapesOf(s.arriving)
}

func shapesOf(shaped []link.Shaped) (all []link.Shape) {
	for _, s := range shaped {
		all = append(all, s.Shape)
	}
	return all
}

// shape carries out the jobs of an agent that are about shapes; false: the job is
// none of them.
func (r *Runtime) shape(place, job string, spec []byte) (answer any, known bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.slow[place]
	defer func() { r.slow[place] = s }()
	switch job {
	case link.ShapeJob:
		s.leaving, err = shapedBy(spec)
	case link.HoldJob:
		s.arriving, err = shapedBy(spec)
	case link.RoundJob:
		trips, err := r.travel(place, s, spec)
		return trips, true, err
	case link.ShapedJob, link.HeldJob:
	default:
		return nil, false, nil
	}
	if job == link.HoldJob || job == link.HeldJob {
		return slices.Clone(s.arriving), true, err
	}
	return slices.Clone(s.leaving), true, err
}

func shapedBy(spec []byte) ([]link.Shaped, error) {
	var shapes []link.Shape
	err := json.Unmarshal(spec, &shapes)
	shaped := []link.Shaped{}
	for _, s := range shapes {
		shaped = append(shaped, link.Shaped{Shape: s})
	}
	return shaped, err
}

// travel makes round trips as the shapes at both ends have it, in no time. The
// caller holds the lock.
func (r *Runtime) travel(place string, here slowness, spec []byte) ([]link.Trip, error) {
	var rounds link.Rounds
	if err := json.Unmarshal(spec, &rounds); err != nil {
		return nil, err
	}
	own := r.addressesOf(place)
	trips := make([]link.Trip, len(rounds.To))
	for i, to := range rounds.To {
		trips[i].To = to
		far := r.nodeAt(to)
		if far == nil || !far.state.Running {
			trips[i].Error = "i/o timeout"
			continue
		}
		there := r.slow[string(far.id)]
		trips[i].Took = latencyOf(here.leaving, to) + latencyOf(here.arriving, to) +
			latencyOf(there.leaving, own...) + latencyOf(there.arriving, own...)
	}
	return trips, nil
}

// latencyOf is how long a packet to or from a peer is kept, and counts it.
func latencyOf(shapes []link.Shaped, peer ...netip.Addr) (late time.Duration) {
	met := func(s link.Shaped) bool { return !s.Shared && slices.Contains(peer, s.Peer) }
	if !slices.ContainsFunc(shapes, met) {
		met = func(s link.Shaped) bool { return !s.Shared && !s.Peer.IsValid() }
	}
	for i := range shapes {
		switch s := &shapes[i]; {
		case met(*s):
			late += s.Latency
			s.Packets++
		case s.Shared:
			s.Packets++
		}
	}
	return late
}

// addressesOf are those of a node; a network's agent has none.
func (r *Runtime) addressesOf(place string) (all []netip.Addr) {
	if n := r.nodes[runtime.NodeID(place)]; n != nil {
		for _, ip := range n.ips {
			all = append(all, ip)
		}
	}
	return all
}

func (r *Runtime) nodeAt(ip netip.Addr) *node {
	for _, n := range r.nodes {
		for _, own := range n.ips {
			if own == ip {
				return n
			}
		}
	}
	return nil
}

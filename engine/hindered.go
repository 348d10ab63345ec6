package engine

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/fault"
	"github.com/scenario-run/scenario/engine/link"
	"github.com/scenario-run/scenario/engine/step"
)

// hindrances are the faults in force that keep a node from being ready, or may:
// by the steps that healing them takes, and what they do to it.
type hindrances struct{ steps, what []string }

func (h *hindrances) add(step, format string, args ...any) {
	if !slices.Contains(h.steps, step) {
		h.steps = append(h.steps, step)
		h.what = append(h.what, fmt.Sprintf(format, args...))
	}
}

// hindrancesOf are those of a node that was not ready. What certainly keeps it
// from being asked comes first; whether any other fault on it matters, only who
// knows what the node does can tell. On the loop.
func (x *executor) hindrancesOf(n *node) hindrances {
	var h hindrances
	if n.ready.fromOutside() && len(n.networks) > 0 {
		x.addCuts(&h, n, n.networks[0]) // the first is where it is asked from
	}
	for _, l := range x.faults {
		if !l.InForce() || !l.On(n.decl.Address) || l.EndsWithStart() && l.State == fault.Healing {
			continue // what its start ends is no reason
		}
		switch {
		case l.Takes(schema.Paused):
			h.add(l.Step, "%s has paused it", l.Step)
		case l.State == fault.Invalid:
			h.add(l.Step, "%s may be in effect on it", l.Step)
		default:
			h.add(l.Step, "%s was in effect on it", l.Step)
		}
	}
	return h
}

// addCuts adds the faults that let nothing get to a node from a network, or not
// to a port that it is asked at.
func (x *executor) addCuts(h *hindrances, n *node, from string) {
	for _, s := range x.links.order {
		links := x.links.wanted[s]
		if link.Cuts(links, networkEnd(from), n.decl.Address) {
			h.add(s, "nothing from outside gets to it, because of %s", s)
			continue
		}
		for _, port := range link.Blocked(links, networkEnd(from), n.decl.Address) {
			if n.ready.asksPort(port) {
				h.add(s, "%s blocks port %d on it", s, port)
			}
		}
	}
	if s := n.cut[from]; s != "" {
		h.add(s, "nothing from outside gets to it, because of %s", s)
	}
}

// asksPort says that readiness is asked at a port, or may be: which one a kind
// asks isn't known.
func (r *readiness) asksPort(port int) bool {
	isAt := func(at string) bool {
		number, _, _ := strings.Cut(strings.TrimPrefix(at, ":"), "/")
		return number == strconv.Itoa(port)
	}
	return r.ofKind != nil || r.tcp == port || isAt(r.http) || isAt(r.https)
}

// blameHindrances adds to the failure of a node that was not ready which faults
// kept it from that.
func (x *executor) blameHindrances(n *node, late *step.Error) *step.Error {
	var h hindrances
	x.ask(func() { h = x.hindrancesOf(n) })
	if len(h.steps) == 0 {
		return late
	}
	named := late.With(late.Detail, "heal "+strings.Join(h.steps, " and ")+" before it is started, or by the same heal")
	named.Err = fmt.Errorf("%w; %s", late.Err, strings.Join(h.what, "; "))
	return named
}

package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/event"
	"github.com/scenario-run/scenario/engine/fault"
	"github.com/scenario-run/scenario/engine/plan"
	"github.com/scenario-run/scenario/engine/step"
)

// tally is what became of one of a sequence's faults.
type tally struct {
	chosen, injected int
	why              string // it was left out the last time
}

// count takes in what became of an injection.
func (s *injections) count(in *step.Injection, add func(*tally)) {
	if in.Of < len(s.tally) {
		s.tally[in.Of].chosen++
		add(&s.tally[in.Of])
	}
}

// unfit says why a fault can't be injected now though it is its turn: something
// else than the sequence itself has to do with its nodes. Empty if it can.
func (x *executor) unfit(s *injections, t schema.Type, in *step.Injection) (why string) {
	x.ask(func() {
		for _, address := range in.Nodes {
			if n := x.nodes[address]; !n.running() || n.gone {
				why = x.touchOf(address, "does not run")
				return
			} else if n.state == nodePaused {
				why = x.touchOf(address, "is paused")
				return
			}
		}
		if why = fault.Conflict(t, in.Nodes, x.faults); why == "" {
			why = x.belowFloor(s, in.Nodes)
		}
	})
	return why
}

// belowFloor says that too few nodes would be left untouched if some were hit,
// and what the others are touched by. On the loop.
func (x *executor) belowFloor(s *injections, hit []string) string {
	untouched := 0
	var touched []string
	for _, address := range s.seq.Nodes {
		switch {
		case x.isUntouched(address):
			if !slices.Contains(hit, address) {
				untouched++
			}
		default:
			touched = append(touched, address)
		}
	}
	if untouched >= s.seq.Keep {
		return ""
	}
	why := fmt.Sprintf("%s would be left untouched, not %d", plural(untouched, "node"), s.seq.Keep)
	if len(touched) > 0 {
		why += ": " + x.touchesOf(touched)
	}
	return why
}

// touchesOf says what nodes are touched by, each fault once. On the loop.
func (x *executor) touchesOf(addresses []string) string {
	var order []string
	of := map[string][]string{}
	for _, address := range addresses {
		by := ""
		if f := x.faultOn(x.nodes[address]); f != nil {
			by = f.Step
		}
		if of[by] == nil {
			order = append(order, by)
		}
		of[by] = append(of[by], address)
	}
	var all []string
	for _, by := range order {
		nodes := strings.Join(of[by], " and ")
		if by == "" {
			all = append(all, "nothing runs in "+nodes)
			continue
		}
		all = append(all, by+" is on "+nodes)
	}
	return strings.Join(all, ", ")
}

// touchOf says what a node is touched by: a fault, or else how it is. On the loop.
func (x *executor) touchOf(address, otherwise string) string {
	if f := x.faultOn(x.nodes[address]); f != nil {
		return f.Step + " is on " + address
	}
	return address + " " + otherwise
}

// isUntouched says that a node runs and no fault is on it. On the loop.
func (x *executor) isUntouched(address string) bool {
	n := x.nodes[address]
	return n.running() && !n.gone && n.state != nodePaused && x.faultOn(n) == nil
}

// leaveOut takes in that a fault is not injected though it is its turn. It is
// false if none ever could be: what touches the nodes is there to stay.
func (x *executor) leaveOut(s *injections, in *step.Injection, why string) bool {
	s.count(in, func(t *tally) { t.why = why })
	x.emit(event.StepProgress{Step: s.v.ID, Text: fmt.Sprintf("%s is left out this time: %s", in.Type, why)})
	stays := false
	x.ask(func() {
		s.leftOut = why
		stays = !isClosed(s.begun) && x.leavesNothing(s) && x.nothingElseRuns(s.v)
	})
	if stays {
		s.stuck = step.Failf("none of its faults can be injected: %s, and nothing ends that meanwhile", why).
			With("", "heal what is on those nodes before it, or let it keep fewer nodes, or name more")
	}
	return !stays
}

// leavesNothing says that whatever a sequence chose could not be injected, because
// of faults that stay until they are healed. Where one node more could be hit, all
// that are touched must be down or paused: other faults combine. On the loop.
func (x *executor) leavesNothing(s *injections) bool {
	untouched := 0
	for _, address := range s.seq.Nodes {
		if x.isUntouched(address) {
			untouched++
			continue
		}
		if !x.isTouchedToStay(address) {
			return false
		}
	}
	return untouched <= s.seq.Keep
}

// isTouchedToStay says that faults take a node down or freeze it until they are
// healed. On the loop.
func (x *executor) isTouchedToStay(address string) bool {
	stays := false
	for _, l := range x.faults {
		if !l.InForce() || !l.On(address) {
			continue
		}
		if l.State != fault.Active || x.lives[l].lasts > 0 {
			return false
		}
		stays = stays || l.Takes(schema.Down) || l.Takes(schema.Paused)
	}
	return stays
}

// nothingElseRuns says that no step but one runs, so that nothing changes before
// that has ended. On the loop.
func (x *executor) nothingElseRuns(but *vertex) bool {
	return !slices.ContainsFunc(x.vertices, func(v *vertex) bool {
		return v != but && v.Kind == plan.StepVertex && v.busy && v.injector != but
	})
}

// withheld is why a sequence has not begun when the wait for that ends: the last
// reason for which one of its faults was left out.
func (x *executor) withheld(s *injections, cause error) error {
	why := ""
	x.ask(func() { why = s.leftOut })
	if why == "" {
		return cause
	}
	return &step.Timeout{Last: fmt.Errorf("none of its faults could be injected: %s", why), Cause: cause}
}

// sayNeverInjected says which faults of a sequence that has ended were never injected: what
// was asserted meanwhile says nothing of them.
func (x *executor) sayNeverInjected(s *injections) {
	if !isClosed(s.begun) {
		return
	}
	total := 0
	for _, t := range s.tally {
		total += t.injected
	}
	for i, t := range s.tally {
		switch {
		case t.injected > 0:
		case t.chosen == 0:
			x.emit(event.Warning{Text: fmt.Sprintf("%s: %s was never injected: it was not chosen for any of its %s", s.v.ID, s.seq.Faults[i], plural(total, "injection"))})
		default:
			x.emit(event.Warning{Text: fmt.Sprintf("%s: %s was never injected: it was left out each time that it was chosen, at last because %s", s.v.ID, s.seq.Faults[i], t.why)})
		}
	}
}

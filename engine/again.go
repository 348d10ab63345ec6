package engine

import (
	"context"
	"fmt"

	"github.com/scenario-run/scenario/engine/event"
	"github.com/scenario-run/scenario/engine/plan"
)

// answers says that a failure inside is weighed where the group ends: it is
// expected, or all of it may be tried again.
func (g *group) answers() bool {
	m := &g.end.Step.Meta
	return m.ExpectError != nil || m.Attempts > 1
}

// isAnsweredFor says that a group around a vertex weighs what fails in it.
func (v *vertex) isAnsweredFor() bool {
	for g := v.group; g != nil; g = g.outer {
		if g.answers() {
			return true
		}
	}
	return false
}

// weighed is what an attempt of a group counts as, given that it was to fail.
func (g *group) weighed(out outcome) outcome {
	want := g.end.Step.Meta.ExpectError
	switch {
	case want == nil:
		return out
	case out.state == event.Passed:
		c := &event.Cause{State: event.Failed, Message: fmt.Sprintf("it passed, but was to fail with an error that matches /%s/", want)}
		return outcome{state: c.State, cause: c}
	case out.state != event.Failed && out.state != event.Inconclusive:
		return out
	case want.MatchString(out.cause.Message):
		g.end.record.err = out.cause.Message
		return outcome{state: event.Passed, summary: "failed as expected: " + out.cause.Message}
	}
	c := *out.cause
	c.Message = fmt.Sprintf("it failed with another error than expected (/%s/): %s", want, c.Message)
	return outcome{state: c.State, cause: &c}
}

// mayTryAgain says that a group that failed has attempts left, and is let.
func (x *executor) mayTryAgain(g *group, out outcome) bool {
	return (out.state == event.Failed || out.state == event.Inconclusive) && g.end.record.attempts < g.end.Step.Meta.Attempts &&
		x.halted == "" && !g.end.isStopped() && x.contextOf(g.end).Err() == nil
}

// tryAgain runs all of a group anew, once what it has left behind is undone.
// On the loop.
func (x *executor) tryAgain(g *group, out outcome) {
	v := g.end
	m := &v.Step.Meta
	x.emit(event.StepProgress{Step: v.ID, Text: fmt.Sprintf("attempt %d of %d: %s", v.record.attempts, m.Attempts, out.cause.Message)})
	ctx := x.contextOf(v)
	inside := g.all()
	go func() {
		over := x.shield(ctx, v, func() outcome {
			if !x.undoAll(ctx, inside) || x.Clock.Sleep(ctx, m.Backoff) != nil {
				return out
			}
			return outcome{}
		})
		x.do(func() {
			if over.state != "" || x.halted != "" || ctx.Err() != nil || v.isStopped() {
				x.closeGroup(g, out)
				return
			}
			x.rerun(g)
		})
	}()
}

// undoAll heals the faults and ends the traffic of an attempt.
func (x *executor) undoAll(ctx context.Context, inside []*vertex) bool {
	for _, v := range inside {
		if v.Kind != plan.StepVertex {
			continue
		}
		if isFault(v) && !x.undo(ctx, v) {
			return false
		}
		if w := x.workload(v.Step.Address); w != nil {
			if err := w.end(ctx, drainHalted); err != nil {
				x.say(v, oneLine(err))
			}
		}
	}
	return true
}

// all are the vertices in a group, in groups inside too.
func (g *group) all() []*vertex {
	var all []*vertex
	for _, v := range g.members {
		all = append(all, v)
		if v.starts != nil {
			all = append(all, v.starts.all()...)
		}
	}
	return all
}

// rerun puts all that is in a group back to where it was when the group began,
// and starts it. Nothing outside waits for it, but for the group's end. On the
// loop.
func (x *executor) rerun(g *group) {
	inside := g.all()
	fresh := map[*vertex]bool{}
	for _, v := range inside {
		fresh[v] = true
		v.reset()
		if v.ends != nil && v.ends.lasts() {
			v.unmet++
		}
	}
	v := g.end
	v.at, v.unmet = waiting, 0
	v.busy = false
	x.busy--
	x.left += len(inside)
	for _, w := range append(inside, v) {
		for _, e := range w.Waits {
			if on := x.byID[e.On]; fresh[on] {
				on.waiters = append(on.waiters, waiter{w, e.Need})
				w.unmet++
			}
		}
	}
	v.record.attempts++
	x.arm(g)
	x.emit(event.StepStarted{Step: v.ID, Attempt: v.record.attempts})
	for _, w := range inside {
		x.consider(w)
	}
}

// reset forgets what became of a vertex.
func (v *vertex) reset() {
	v.at, v.unmet, v.waiters, v.last = waiting, 0, nil, ""
	v.record = record{}
	if v.Step != nil {
		v.record.state = event.Pending
	}
	v.done, v.over, v.isOver = make(chan struct{}), make(chan struct{}), false
	v.holds, v.throughout = nil, nil
	if g := v.starts; g != nil {
		g.forget()
	}
}

// forget makes a group one that has not begun.
func (g *group) forget() {
	g.begun, g.ctx, g.stopped, g.limit = false, nil, "", nil
	g.worst, g.blamed, g.cause = "", "", nil
	g.rounds, g.broke = rounds{}, nil
}

// arm begins an attempt of a group, with its time limit. On the loop.
func (x *executor) arm(g *group) {
	g.forget()
	g.begun, g.rounds.until = true, x.now().Add(g.start.For)
	m := &g.end.Step.Meta
	g.ctx, g.cancel = context.WithCancelCause(x.contextOf(g.start))
	if m.Timeout > 0 {
		g.limit = &limit{what: "the time limit of " + g.end.ID, of: m.Timeout, where: at(m.TimeoutAt)}
		g.ctx, _ = withLimit(g.ctx, x.Clock, g.limit) // it ends with the group's, at the latest
		l := g.limit
		context.AfterFunc(g.ctx, func() {
			x.do(func() {
				if g.limit == l {
					x.groupTimedOut(g)
				}
			})
		})
	}
}

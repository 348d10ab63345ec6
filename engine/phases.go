package engine

import (
	"context"

	"github.com/scenario-run/scenario/engine/event"
	"github.com/scenario-run/scenario/engine/plan"
)

// phase is a part of a variant's life in which vertices run.
type phase int

const (
	mainPhase phase = iota
	cleanupPhase
)

// enter runs a phase: what is ready in it starts. It returns when all of it
// has finished, but for what lasts as long as the effects of its steps do; then
// the phase must be left.
func (x *executor) enter(ctx context.Context, p phase) {
	idle := make(chan struct{})
	x.ask(func() {
		x.phase, x.halted, x.left, x.idle, x.isIdle = p, "", 0, idle, false
		x.busy, x.lasting, x.joined = 0, 0, make(chan struct{})
		x.ctx, x.cancel = context.WithCancelCause(ctx)
		for _, v := range x.vertices {
			if x.in(v) {
				x.left++
			}
		}
		if x.left == 0 {
			x.rest()
			close(x.joined)
			return
		}
		// The phase's own context, not its parent: halt ends it as well.
		phaseCtx := x.ctx
		context.AfterFunc(phaseCtx, func() { x.do(func() { x.ended(p, context.Cause(phaseCtx)) }) })
		for _, v := range x.vertices {
			x.consider(v)
		}
	})
	select {
	case <-idle:
	case <-x.over:
	}
}

// leave waits for the rest of a phase, and ends it.
func (x *executor) leave() {
	var joined chan struct{}
	x.ask(func() { joined = x.joined })
	select {
	case <-joined:
	case <-x.over:
	}
	x.ask(func() {
		x.noteLimit(context.Cause(x.ctx))
		x.cancel(context.Canceled)
	})
}

func (x *executor) in(v *vertex) bool { return v.Cleanup == (x.phase == cleanupPhase) }

// halt starts nothing more: what waits is skipped, what runs is told to end.
// Cleanup goes on whatever happens.
func (x *executor) halt(why string) {
	if x.halted != "" || x.phase != mainPhase || x.left == 0 {
		return
	}
	x.halted = why
	x.cancel(&stopped{"cancelled: " + why})
	x.skipWaiting(event.Skipped, "not started: "+why)
}

// ended is called when the context of a phase has ended, whatever the reason.
func (x *executor) ended(p phase, cause error) {
	if x.phase != p {
		return
	}
	// Even if a step that the limit ended has been heard of first.
	limited := x.noteLimit(cause)
	if x.halted != "" || x.left == 0 {
		return
	}
	x.halted = cause.Error()
	state := event.Cancelled
	if limited {
		state = event.Skipped
	}
	x.skipWaiting(state, "not started: "+cause.Error())
}

// noteLimit says whether a context ended by a time limit, and keeps in mind if
// it was that of the run.
func (x *executor) noteLimit(cause error) bool {
	l, ok := cause.(*limit)
	if ok && l.run {
		x.verdict.timedOut = true
	}
	return ok
}

func (x *executor) skipWaiting(state event.State, why string) {
	for _, v := range x.vertices {
		if x.in(v) {
			x.skip(v, outcome{state: state, summary: why})
		}
	}
}

// skip finishes a vertex that has not been launched. The end of a group that
// has begun is left to come when what runs in it has ended.
func (x *executor) skip(v *vertex, out outcome) {
	if v.at != waiting || v.Kind == plan.GroupEnd && v.ends.begun {
		return
	}
	x.settle(v, out)
	x.conclude(v) // a cleanup step may refer to it
}

package engine

import (
	"github.com/scenario-run/scenario/engine/event"
	"github.com/scenario-run/scenario/engine/fault"
)

// A step and what it does may end at different times: a fault without "for" is
// in effect, and a workload sends, long after the step is done. What holds
// throughout such a step lasts as long as the effect.

// noteOver takes in that a step is over, if it is. On the loop.
func (x *executor) noteOver(v *vertex) {
	if !v.isOver && x.hasEnded(v) {
		v.isOver, v.overAt = true, x.now()
		close(v.over)
	}
}

// hasEnded says that nothing of what a step does goes on: of a fault, that its
// end has been called for (t2), of a workload, that all samples are in. On the
// loop.
func (x *executor) hasEnded(v *vertex) bool {
	if l := v.record.life; l != nil {
		called := !l.Ended.IsZero() || l.State == fault.Healed
		if v.at != finished {
			return called && v.Step.Meta.Attempts <= 1 // else it may be injected again
		}
		return called || l.Active.IsZero()
	}
	if v.at != finished || v.Step == nil {
		return v.at == finished
	}
	w := x.traffic[v.Step.Address]
	return w == nil || w.ended()
}

// accompany makes an assertion one that holds throughout another step. On the
// loop.
func (x *executor) accompany(v, target *vertex) {
	v.throughout = target
	target.holds = append(target.holds, v)
	x.noteLasting(v)
	x.restIfNothingElse()
}

// noteLasting takes in that an assertion ends only when an effect does, if so:
// its own step is done, and it holds throughout one that is. On the loop.
func (x *executor) noteLasting(v *vertex) {
	t := v.throughout
	if v.busy && !v.lasts && t.at == finished && !t.isOver {
		v.lasts = true
		x.lasting++
	}
}

// restIfNothingElse lets a phase come to its end when all that is left of it
// lasts as long as an effect does: it is the end of the phase that ends those.
// On the loop.
func (x *executor) restIfNothingElse() {
	if x.left == 0 {
		x.rest()
		return
	}
	if x.lasting == 0 || x.busy != x.lasting || x.halted != "" || x.isIdle {
		return
	}
	x.refuseStuck()
	x.rest()
}

func (x *executor) rest() {
	if !x.isIdle {
		x.isIdle = true
		close(x.idle)
	}
}

// refuseStuck fails the scenario if steps still wait: for what lasts as long as
// an effect that nothing is left to end. The plan finds that where it is
// certain. On the loop.
func (x *executor) refuseStuck() {
	for _, v := range x.vertices {
		if v.at != waiting || !x.in(v) || v.Step == nil {
			continue
		}
		why := "it waits for what lasts as long as an effect, and nothing is left that could end that"
		x.blameCause(v.ID, &event.Cause{State: event.Failed, Message: v.ID + " was never started: " + why}, event.Failed)
		x.halt(v.ID + " can't start")
		return
	}
}

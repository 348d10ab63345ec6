package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/scenario-run/scenario/engine/event"
	"github.com/scenario-run/scenario/engine/fault"
	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/step"
)

// healLimit is how long healing all faults may take at the end.
const healLimit = 30 * time.Second

// heal ends a fault and verifies that it has ended.
func (x *executor) heal(ctx context.Context, f *live) error {
	begun := false
	x.ask(func() { begun = f.InForce() && x.moveNow(f, fault.Healing, "") == nil })
	if !begun {
		return x.awaitHealed(ctx, f)
	}
	env := x.envOf(f.v)
	err := f.def.Fault.Heal(ctx, &env, f.intent)
	var ended *endedError
	if errors.As(err, &ended) { // what is down is healed otherwise
		err = f.def.Fault.Heal(ctx, &env, f.intent)
	}
	lapse := err
	if err == nil || step.IsLapse(err) {
		err = f.def.Fault.Verify(ctx, &env, f.intent)
	}
	if err != nil {
		x.ask(func() {
			if f.State == fault.Healing {
				err = errors.Join(err, x.moveNow(f, fault.Invalid, oneLine(err)))
			}
		})
		return unhealed(f, err)
	}
	x.ask(func() {
		if f.Active.IsZero() {
			lapse = nil // it was never in effect
		}
		how := ""
		if lapse != nil {
			how = oneLine(lapse)
		}
		err = x.healed(f, how)
	})
	if lapse != nil {
		return unhealed(f, lapse) // it is gone, but was so too early
	}
	return err
}

// unhealed is the error of a heal that could not be confirmed: what came after
// it says nothing, unless the lab or the system under test is plainly broken.
func unhealed(f *live, err error) error {
	var own *step.Error
	if errors.As(err, &own) || runtime.KindOf(err) != runtime.Internal {
		return fmt.Errorf("heal %s: %w", f.Step, err)
	}
	return step.Inconclusivef("the heal of %s could not be confirmed: %w", f.Step, err)
}

// healed takes in a verified end. On the loop.
func (x *executor) healed(f *live, how string) error {
	if f.State != fault.Healing {
		return nil // a start of its nodes has ended it meanwhile
	}
	if err := x.moveNow(f, fault.Healed, how); err != nil {
		return err
	}
	step := f.Step
	x.task(func() {
		if err := x.journal.Write(fault.Record{Variant: x.key, Step: step, Healed: true}); err != nil {
			x.stream.failed(err)
		}
	})
	return nil
}

// awaitHealed waits for a heal that is under way elsewhere.
func (x *executor) awaitHealed(ctx context.Context, f *live) error {
	return step.Poll(ctx, x.Clock, readyEvery, func(context.Context) error {
		var state fault.State
		x.ask(func() { state = f.State })
		switch state {
		case fault.Healed:
			return nil
		case fault.Invalid:
			return step.Inconclusivef("the heal of %s could not be confirmed", f.Step).AsFinal()
		}
		return fmt.Errorf("%s is %s", f.Step, state)
	})
}

// undo heals a fault that failed, so that it can be tried again.
func (x *executor) undo(ctx context.Context, v *vertex) bool {
	var f *live
	x.ask(func() {
		if l := v.record.life; l != nil && l.InForce() {
			f = x.lives[l]
		}
	})
	if f == nil {
		return true
	}
	if err := x.heal(ctx, f); err != nil {
		x.say(v, oneLine(err))
		return false
	}
	return true
}

// startEnds takes in that a node is being started: what had taken it down ends
// with that, once all nodes of the fault have been started. On the loop.
func (x *executor) startEnds(n *node) {
	for _, l := range x.faults {
		if !l.On(n.decl.Address) || !l.EndsWithStart() || l.State != fault.Active && l.State != fault.Invalid {
			continue
		}
		f := x.lives[l]
		f.started = append(f.started, n.decl.Address)
		if !f.allIn(f.started) {
			continue
		}
		x.warn(x.moveNow(f, fault.Healing, ""))
		if f.Type.Momentary {
			x.warn(x.healed(f, "")) // nothing lasts that a ready node would show to be over
		}
	}
}

// startEnded takes in that a node is ready again. On the loop.
func (x *executor) startEnded(n *node) {
	for _, l := range x.faults {
		if !l.On(n.decl.Address) || !l.EndsWithStart() || l.State != fault.Healing {
			continue
		}
		f := x.lives[l]
		if len(f.started) == 0 { // healed by a heal, which verifies on its own
			continue
		}
		f.ready = append(f.ready, n.decl.Address)
		if f.allIn(f.ready) {
			x.warn(x.healed(f, ""))
		}
	}
}

// what names the fault among what is left behind. Of one that was never seen to
// be active it isn't known whether there is anything to undo.
func (f *live) what() string {
	if f.Active.IsZero() {
		return "fault " + f.Step + ", which was being injected when that failed"
	}
	return "fault " + f.Step
}

func (f *live) allIn(addresses []string) bool {
	return !slices.ContainsFunc(f.Nodes, func(n string) bool { return !slices.Contains(addresses, n) })
}

// faultsOf is step.Faults for one step.
type faultsOf struct {
	x *executor
	v *vertex // nil: of no step
}

var _ step.Faults = faultsOf{}

// Heal heals the faults of those steps, those whose heal starts nodes last.
func (c faultsOf) Heal(ctx context.Context, steps ...string) error {
	if s := c.x.neverInjected(steps); s != "" {
		return step.Failf("%s was never injected, so that there is nothing to heal", s)
	}
	for _, f := range c.x.toHeal() {
		if !slices.Contains(steps, f.Step) && !slices.Contains(steps, f.v.Step.Address) {
			continue
		}
		if err := c.x.heal(ctx, f); err != nil {
			return err
		}
	}
	return nil
}

// neverInjected is the first of some steps that has no fault, and has had none;
// empty if there is none. A round that is over has been forgotten, with what it
// healed.
func (x *executor) neverInjected(steps []string) (first string) {
	x.ask(func() {
		for _, s := range steps {
			known, injected := false, false
			for _, v := range x.vertices {
				if isFault(v) && (v.ID == s || v.Step.Address == s) {
					known, injected = true, injected || v.record.life != nil
				}
			}
			if known && !injected {
				first = s
				return
			}
		}
	})
	return first
}

// inForce are the faults that may have an effect, the last injected first.
func (x *executor) inForce() (all []*live) {
	x.ask(func() {
		for _, l := range slices.Backward(x.faults) {
			if l.InForce() {
				all = append(all, x.lives[l])
			}
		}
	})
	return all
}

// healAll heals what is still broken, on a context that no cancellation
// reaches.
func (x *executor) healAll() {
	ctx, cancel := withLimit(x.base, x.Clock, &limit{what: "the time limit of healing", of: healLimit})
	defer cancel()
	x.stopInjecting(ctx)
	faults := x.toHeal()
	if len(faults) == 0 {
		return
	}
	x.emit(event.PhaseStarted{Phase: "heal"})
	for _, f := range faults {
		x.ask(func() {
			if f.State == fault.Healing { // by a start that did not succeed
				x.warn(x.moveNow(f, fault.Invalid, "its nodes did not come back"))
			}
		})
		if x.endsWithItsNodes(f) {
			x.move(f, fault.Healing, "its nodes are removed")
			x.ask(func() { x.warn(x.healed(f, "its nodes are removed")) })
			continue
		}
		if out := x.shield(ctx, f.v, func() outcome { return x.lastHeal(ctx, f) }); out.cause != nil {
			x.ask(func() {
				x.blameCause(f.Step, out.cause, out.state)
				if f.State != fault.Healed && x.keeps() { // else it goes with its nodes
					x.leaveBehind(event.LeftBehind{What: f.what(), Reason: out.cause.Message, Command: x.handHeal(f, out.cause)})
				}
			})
		}
	}
}

// endsWithItsNodes says that a fault that took its nodes down, or may have with
// their processes, needs no heal: nothing but their removal follows, and
// starting them for that would cost as long as the scenario did.
func (x *executor) endsWithItsNodes(f *live) bool {
	keeps := false
	x.ask(func() { keeps = x.keeps() })
	return f.startsNodes() && !x.hasCleanup() && !keeps
}

func (x *executor) lastHeal(ctx context.Context, f *live) outcome {
	err := x.heal(ctx, f)
	if err == nil {
		return passed
	}
	why := strings.TrimPrefix(oneLine(err), "heal "+f.Step+": ") // which is said already
	why = strings.TrimPrefix(why, "the heal of "+f.Step+" could not be confirmed: ")
	c := &event.Cause{State: event.Inconclusive, Message: f.Step + " could not be healed: " + why}
	if step.IsLapse(err) {
		c.Message = oneLine(err)
	}
	return outcome{state: c.State, cause: withDetail(c, err)}
}

// handHeal is what a person can do about a fault that was not healed.
func (x *executor) handHeal(f *live, c *event.Cause) string {
	if c.Hint != "" {
		return c.Hint
	}
	return "scenario clean " + x.RunID
}

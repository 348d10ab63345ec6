package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/event"
	"github.com/scenario-run/scenario/engine/fault"
	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/step"
)

const (
	// observeLimit is how long a fault may take to show its effect.
	observeLimit = 30 * time.Second
	// healLimit is how long healing all faults may take at the end.
	healLimit = 30 * time.Second
)

// live is a fault with what is needed to heal it.
type live struct {
	*fault.Life
	v      *vertex
	def    step.Definition
	intent step.Intent
	lasts  time.Duration // how long it stays in effect; 0: until it is healed
	// started and ready are those of its nodes that were started again since,
	// and were ready then.
	started, ready []string
}

// inject carries out a fault step: intent, injection, observation, and with
// "for" its end as well.
func (x *executor) inject(ctx context.Context, v *vertex, def step.Definition, env *step.Env, args cty.Value) (step.Result, error) {
	f, seen, err := x.activate(ctx, v, def, env, args)
	if err != nil {
		return step.Result{}, err
	}
	return seen.Result, x.outlast(ctx, ctx, f)
}

// activate takes a fault from its intent to where its effect was observed.
func (x *executor) activate(ctx context.Context, v *vertex, def step.Definition, env *step.Env, args cty.Value) (*live, step.Observed, error) {
	intent, err := def.Fault.Intent(ctx, env, args)
	if err != nil {
		return nil, step.Observed{}, err
	}
	f, err := x.plant(v, def, intent, truth(args, schema.MayExitArg))
	if err != nil {
		return nil, step.Observed{}, err
	}
	if err := x.writeIntent(f); err != nil {
		x.ask(func() { x.uproot(f) })
		return nil, step.Observed{}, fmt.Errorf("nothing was injected, since what undoes it could not be written down: %w", err)
	}
	x.move(f, fault.Injecting, "")
	starts := x.presentStarts(f.Nodes)
	if err := def.Fault.Inject(ctx, env, intent); err != nil {
		x.move(f, fault.Invalid, oneLine(err))
		return nil, step.Observed{}, err
	}
	seen, err := x.observe(ctx, f, env, starts)
	if err != nil {
		x.move(f, fault.Invalid, oneLine(err))
		return nil, step.Observed{}, err
	}
	d := duration(args, "for", 0)
	x.ask(func() { f.Hits, f.lasts = append(seen.Hits, f.Hits...), d }) // one that injects others has hit before
	x.move(f, fault.Active, seen.Summary)
	x.ask(func() { x.reach(v, active) })
	return f, seen, nil
}

// outlast waits for the end that a fault says itself, if it does, and heals it.
// The wait ends early with until.
func (x *executor) outlast(ctx, until context.Context, f *live) error {
	if f.lasts == 0 {
		return nil
	}
	if err := x.Clock.Sleep(until, f.lasts); err != nil {
		return context.Cause(until)
	}
	return x.heal(ctx, f)
}

// plant makes a fault part of the variant, unless it conflicts with another. It
// is planned then: others conflict with it, but nothing has been done. Its nodes
// may exit where it says so, or the step that injects it.
func (x *executor) plant(v *vertex, def step.Definition, intent step.Intent, mayExit bool) (f *live, err error) {
	x.ask(func() {
		if why := fault.Conflict(def.Type, intent.Nodes, x.faults); why != "" {
			err = step.Failf("%s", why)
			return
		}
		if v.injector != nil {
			mayExit = mayExit || v.injector.record.life.MayExit
		}
		f = &live{
			Life: &fault.Life{Step: v.ID, Type: def.Type, Nodes: intent.Nodes, State: fault.Planned, MayExit: mayExit},
			v:    v, def: def, intent: intent,
		}
		v.record.life = f.Life
		x.faults = append(x.faults, f.Life)
		x.lives[f.Life] = f
	})
	return f, err
}

// uproot takes out a fault that was planted and never injected. On the loop.
func (x *executor) uproot(f *live) {
	x.faults = slices.DeleteFunc(x.faults, func(l *fault.Life) bool { return l == f.Life })
	delete(x.lives, f.Life)
	f.v.record.life = nil
}

// writeIntent writes down what another process needs to know of the fault. That
// waits for the disk, unless the fault is on links: what is in force there is in
// the kernel only and goes with the machine, and a step waits.
func (x *executor) writeIntent(f *live) error {
	r := fault.Record{Variant: x.key, Step: f.Step, Type: f.Type.Name, Intent: f.intent}
	x.ask(func() {
		for _, address := range f.intent.Nodes {
			if n := x.nodes[address]; n != nil && n.id != "" {
				r.Nodes = append(r.Nodes, n.id)
			}
		}
	})
	if slices.Equal(f.Type.Takes, []schema.Resource{schema.Links}) {
		return x.journal.Write(r)
	}
	return x.journal.WriteThrough(r)
}

// observe waits until the effect of a fault is seen. If it isn't, nothing can
// be concluded, unless the fault itself says otherwise: it hit nothing, say; or
// unless a node has exited, of those starts that it was injected into.
func (x *executor) observe(ctx context.Context, f *live, env *step.Env, starts []nodeStart) (step.Observed, error) {
	inner, cancel := withLimit(ctx, x.Clock, &limit{what: "the wait for its effect", of: observeLimit})
	defer cancel()
	seen, err := f.def.Fault.Observe(inner, env, f.intent)
	if err == nil || ctx.Err() != nil {
		return seen, err
	}
	var own *step.Error
	if errors.As(err, &own) && own.Verdict != "" {
		return seen, err
	}
	var ended *endedError
	if runtime.KindOf(err) == runtime.Unreachable || errors.As(err, &ended) {
		return seen, err
	}
	why := lastSeen(err)
	if why == "" {
		why = "no effect was seen within " + observeLimit.String()
	}
	for _, s := range starts {
		if code, ended := x.endOf(s); ended {
			return seen, step.Failf("%s exited with code %d meanwhile: %s", s.address, code, why)
		}
	}
	return seen, step.Inconclusivef("the fault never became active: %s", why)
}

// move moves a fault on, from outside the loop. A step that is not possible is
// a bug, and must not hide what led to it.
func (x *executor) move(f *live, to fault.State, text string) {
	var err error
	x.ask(func() { err = x.moveNow(f, to, text) })
	if err != nil {
		x.emit(event.Warning{Text: "bug: " + err.Error()})
	}
}

// moveNow is move on the loop.
func (x *executor) moveNow(f *live, to fault.State, text string) error {
	if err := f.To(to, x.now()); err != nil {
		return err
	}
	x.noteOver(f.v)
	e := event.FaultChanged{Step: f.Step, State: string(to), Nodes: f.Nodes, Hits: f.Hits, Text: text}
	if to == fault.Active {
		e.For = f.lasts.Seconds()
	}
	x.emit(e)
	return nil
}

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

func (x *executor) warn(err error) {
	if err != nil {
		x.emit(event.Warning{Text: "bug: " + err.Error()})
	}
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

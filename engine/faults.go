package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/event"
	"github.com/scenario-run/scenario/engine/fault"
	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/step"
)

// observeLimit is how long a fault may take to show its effect.
const observeLimit = 30 * time.Second

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

func (x *executor) warn(err error) {
	if err != nil {
		x.emit(event.Warning{Text: "bug: " + err.Error()})
	}
}

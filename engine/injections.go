package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/scenario-run/scenario/dsl/lang"
	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/event"
	"github.com/scenario-run/scenario/engine/fault"
	"github.com/scenario-run/scenario/engine/plan"
	"github.com/scenario-run/scenario/engine/step"
)

// injections are the faults that a step injects one after the other. Each is a
// fault like any other, with a life, a line of the journal and events of its
// own; the step's own fault lasts as long as there may be more of them.
type injections struct {
	v       *vertex
	seq     step.Sequence
	phase   context.Context // what has begun, an injection or a heal, is cut off by its end only
	ctx     context.Context // ends with the phase, and when no more is to come
	cancel  context.CancelCauseFunc
	begun   chan struct{} // closed when the first is in effect
	done    chan struct{} // closed when nothing more is injected or waited for
	ended   map[int]chan struct{}
	lives   sync.WaitGroup // those in effect
	tally   []tally        // of its Faults; of whoever injects, until done is closed
	leftOut string         // why the last one was; on the loop
	stuck   error          // why none can come into effect; set before done is closed
}

// errEnough is why injecting ends where that is wanted.
var errEnough = errors.New("no more is to be injected")

// Begin starts to inject a sequence.
func (c faultsOf) Begin(seq step.Sequence) error {
	x := c.x
	s := &injections{v: c.v, seq: seq, begun: make(chan struct{}), done: make(chan struct{}), ended: map[int]chan struct{}{}, tally: make([]tally, len(seq.Faults))}
	var err error
	x.ask(func() {
		if x.injecting[c.v.ID] != nil {
			err = fmt.Errorf("bug: %s injects a sequence already", c.v.ID)
			return
		}
		s.phase = x.ctx
		s.ctx, s.cancel = context.WithCancelCause(s.phase)
		x.injecting[c.v.ID] = s
	})
	if err == nil {
		x.task(func() { x.injectAll(s) })
	}
	return err
}

// Begun waits until the first of a sequence is in effect.
func (c faultsOf) Begun(ctx context.Context) error {
	s := c.x.sequenceOf(c.v)
	if s == nil {
		return errors.New("nothing is being injected")
	}
	select {
	case <-s.begun:
		return nil
	default:
	}
	select {
	case <-s.begun:
		return nil
	case <-s.done:
		if s.stuck != nil {
			return s.stuck
		}
		return errors.New("none of its faults came into effect")
	case <-ctx.Done():
		return c.x.withheld(s, context.Cause(ctx))
	}
}

// End injects nothing more of a sequence, and heals what is in effect.
func (c faultsOf) End(ctx context.Context) error {
	s := c.x.sequenceOf(c.v)
	if s == nil {
		return nil
	}
	if err := s.stop(ctx); err != nil {
		return err
	}
	c.x.sayNeverInjected(s)
	var errs []error
	for _, f := range c.x.toHeal() {
		if f.v.injector == c.v {
			errs = append(errs, c.x.heal(ctx, f))
		}
	}
	c.x.ask(func() { delete(c.x.injecting, c.v.ID) })
	return errors.Join(errs...)
}

func (x *executor) sequenceOf(v *vertex) (s *injections) {
	x.ask(func() { s = x.injecting[v.ID] })
	return s
}

// stop waits until nothing more is injected.
func (s *injections) stop(ctx context.Context) error {
	s.cancel(errEnough)
	select {
	case <-s.done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("what %s was injecting goes on: %w", s.v.ID, context.Cause(ctx))
	}
}

// stopInjecting ends all sequences, so that what is in force can be healed
// without more to come.
func (x *executor) stopInjecting(ctx context.Context) {
	var all []*injections
	x.ask(func() {
		for _, s := range x.injecting {
			all = append(all, s)
		}
	})
	for _, s := range all {
		if err := s.stop(ctx); err != nil {
			x.emit(event.Warning{Text: err.Error()})
		}
	}
}

// injectAll injects until that is enough, or one fails.
func (x *executor) injectAll(s *injections) {
	defer close(s.done)
	defer s.lives.Wait()
	due := x.now()
	for n := 0; s.ctx.Err() == nil; n++ {
		if next := s.seq.Next(n); next != nil && !x.injectNext(s, n, next) {
			return
		}
		due = due.Add(s.seq.Every)
		if late := x.now(); due.Before(late) {
			due = late
		}
		if x.Clock.Sleep(s.ctx, due.Sub(x.now())) != nil {
			return
		}
	}
}

// injectNext injects one fault, once those have been healed that have to be. It
// is false if nothing more is to come.
func (x *executor) injectNext(s *injections, n int, in *step.Injection) bool {
	for _, before := range in.After {
		if ended := s.ended[before]; ended != nil {
			await(s.ctx, ended)
			delete(s.ended, before)
		}
	}
	def, ok := x.Registry.Lookup(schema.Action, in.Type)
	if !ok || def.Fault == nil {
		panic(fmt.Sprintf("%s injects the unknown fault %q", s.v.ID, in.Type))
	}
	why := x.unfit(s, def.Type, in)
	if s.ctx.Err() != nil { // which may be why those before are still there
		return false
	}
	if why != "" {
		return x.leaveOut(s, in, why)
	}
	v := x.injectionVertex(s.v, def.Type, n, in)
	env := x.envOf(v)
	f, seen, err := x.activate(s.phase, v, def, &env, in.Args)
	if err != nil {
		x.injectionEnded(s, v, "", err)
		return false
	}
	s.count(in, func(t *tally) { t.injected++ })
	x.ask(func() {
		s.v.record.life.Hits = append(s.v.record.life.Hits, in.Type+" "+seen.Summary)
		if !isClosed(s.begun) {
			close(s.begun)
		}
	})
	ended := make(chan struct{})
	s.ended[n] = ended
	s.lives.Go(func() {
		defer close(ended)
		x.injectionEnded(s, v, seen.Summary, x.outlast(s.phase, s.ctx, f))
	})
	return true
}

// injectionVertex makes the vertex of a fault that the plan doesn't have, and
// says that it has been started.
func (x *executor) injectionVertex(by *vertex, t schema.Type, n int, in *step.Injection) *vertex {
	id := fmt.Sprintf("%s/fault[%d]", by.ID, n)
	v := &vertex{
		Vertex: &plan.Vertex{
			ID: id, Kind: plan.StepVertex, Group: by.ID, Targets: in.Nodes, Cleanup: by.Cleanup,
			Step: &lang.Step{Address: id, Kind: lang.ActionStep, Name: t.Name, Type: t, Meta: lang.Meta{Attempts: 1}, Range: by.Step.Range},
		},
		group: by.group, injector: by, at: started, done: make(chan struct{}), over: make(chan struct{}),
	}
	v.record.state, v.record.attempts = event.Running, 1
	x.ask(func() {
		v.record.started = x.now()
		x.emit(event.RoundStarted{Step: by.ID, Round: n, Steps: describe([]*plan.Vertex{v.Vertex})})
		x.emit(event.StepStarted{Step: id, Attempt: 1})
	})
	return v
}

// injectionEnded takes in how a fault of a sequence ended: healed at its time,
// cut short, or failed, which fails the step that injected it as well.
func (x *executor) injectionEnded(s *injections, v *vertex, summary string, err error) {
	out := outcome{state: event.Passed, summary: summary}
	if err != nil && !errors.Is(err, errEnough) {
		c := classify(s.phase, err)
		out = outcome{state: c.State, cause: c}
	}
	x.ask(func() {
		x.settle(v, out)
		x.reach(v, finished)
		if l := v.record.life; l != nil && l.State == fault.Healed {
			x.uproot(x.lives[l]) // what happened is in the events
		}
		if !counts(out.state) {
			return
		}
		s.cancel(errEnough)
		if out.state == event.Error || !v.isAnsweredFor() {
			x.blameCause(v.ID, out.cause, out.state)
		}
		x.stopFor(s.v, out.state)
	})
}

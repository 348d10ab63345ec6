package engine

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/scenario-run/scenario/dsl/lang"
	"github.com/scenario-run/scenario/engine/event"
)

// accompany evaluates until the step that the assertion holds throughout is
// over, and what that step does with it. A "not yet" does not break it; a false
// does, at once.
//
// What is asked while the step ends, or after that, may be answered by what
// came after it, and does not count. But samples that were due before are
// waited for: they decide in the end.
func (a *assertion) accompany(ctx context.Context, target *vertex) outcome {
	if a.isOver(target) {
		return a.fail(event.Inconclusive, target.ID+" was over before this began: there was nothing to hold throughout")
	}
	began := a.x.now()
	for {
		start := a.x.now()
		refs, windows := a.needs()
		e, err := a.x.evaluate(ctx, a.v, refs, windows, polling)
		if err != nil {
			a.at.err = err
			return a.cut(ctx)
		}
		if a.isOver(target) {
			return a.last(ctx, target, began)
		}
		if a.count(a.judge(e)); a.at.result == isFalse {
			return a.neverBegan(a.fail(event.Failed, a.broke(target, start.Sub(began))))
		}
		if a.looks == 1 { // from now on the end of all other steps may end it
			a.x.ask(func() { a.x.accompany(a.v, target) })
		}
		a.sleep(ctx, target, start.Add(a.every).Sub(a.x.now()))
		if context.Cause(ctx) != nil {
			return a.cut(ctx)
		}
		if a.isOver(target) {
			return a.last(ctx, target, began)
		}
	}
}

// last concludes an assertion whose step is over.
func (a *assertion) last(ctx context.Context, target *vertex, began time.Time) outcome {
	if context.Cause(ctx) != nil {
		return a.cut(ctx)
	}
	var lasted time.Duration
	a.x.ask(func() { lasted = target.overAt.Sub(began) })
	if err := a.settle(ctx); err != nil {
		a.at.err = err
		return a.cut(ctx)
	}
	switch {
	case a.looks == 0:
		return a.fail(event.Inconclusive, fmt.Sprintf("the condition could not be evaluated once in the %s that %s lasted", round(lasted), target.ID))
	case a.at.result == isFalse:
		return a.fail(event.Failed, a.broke(target, lasted))
	case a.trues == 0:
		return a.fail(event.Inconclusive, "the condition was never once true, nor false: it "+a.why())
	}
	return a.pass(fmt.Sprintf("held throughout %s for %s, %s", target.ID, round(lasted), evaluations(a.looks)))
}

func evaluations(n int) string {
	if n == 1 {
		return "one evaluation"
	}
	return fmt.Sprintf("%d evaluations", n)
}

// settle evaluates the condition once more with the samples that were in
// flight, and otherwise as it was. Where no samples are in it there is nothing
// to settle.
func (a *assertion) settle(ctx context.Context) error {
	refs, windows := a.needs()
	refs = slices.DeleteFunc(slices.Clone(refs), func(r lang.Ref) bool { return r.Kind != lang.WorkloadRef })
	if len(refs) == 0 && len(windows) == 0 {
		return nil
	}
	samples, err := a.x.evaluate(ctx, a.v, refs, windows, final)
	if err != nil {
		return err
	}
	if before := a.at.e; before != nil {
		values := maps.Clone(before.values)
		maps.Copy(values, samples.values)
		samples.values, samples.mu, samples.probes = values, before.mu, before.probes
	}
	l := a.judge(samples)
	if a.at.e == nil && l.result == isError {
		return nil // what else is in it was never asked
	}
	a.count(l)
	return nil
}

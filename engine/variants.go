package engine

import (
	"context"
	"errors"

	"github.com/scenario-run/scenario/engine/event"
)

// ended is a variant that has ended, by its place among all.
type ended struct {
	at  int
	res VariantResult
}

// all carries out the variants in their order, so many side by side as the
// options say. After a third interrupt it waits for none.
func (r *run) all(ctx context.Context, variants []Variant) {
	r.variants = make([]*VariantResult, len(variants))
	// With room for all, nobody waits to tell of an end that is not awaited.
	ends := make(chan ended, len(variants))
	for next, running := 0, 0; next < len(variants) || running > 0; {
		if next < len(variants) && running < max(1, r.Parallel) {
			running += r.start(ctx, variants[next], next, ends)
			next++
			continue
		}
		select {
		case e := <-ends:
			running--
			r.add(e)
		case <-r.interrupts.at(3):
			r.codes[r.interrupts.code()] = true
			return
		}
	}
}

// start starts a variant, if it may still be started, and returns how many run
// by that.
func (r *run) start(ctx context.Context, v Variant, at int, ends chan<- ended) int {
	if cause, timedOut := r.mayNotStart(ctx); cause != nil {
		r.add(ended{at, r.neverStarted(v, cause, timedOut)})
		return 0
	}
	go func() { ends <- ended{at, r.runVariant(ctx, v)} }()
	return 1
}

func (r *run) add(e ended) {
	r.variants[e.at] = &e.res
	r.codes[e.res.code()] = true
}

// mayNotStart is why no further variant is started; nil if it may be.
func (r *run) mayNotStart(ctx context.Context) (cause *event.Cause, timedOut bool) {
	var l *limit
	switch {
	case errors.As(context.Cause(ctx), &l):
		return &event.Cause{State: event.Failed, Message: "never started: " + l.Error()}, true
	case r.interrupts.count() > 0 || context.Cause(ctx) != nil:
		return &event.Cause{State: event.Cancelled, Message: "never started: the run was interrupted"}, false
	case !r.StopAtFailure:
		return nil, false
	}
	for _, v := range r.variants {
		if v != nil && v.State != event.Passed {
			return &event.Cause{
				State: event.Cancelled, Message: "never started: another variant had not passed",
				Hint: "Without --fail-fast the others run all the same.",
			}, false
		}
	}
	return nil, false
}

// neverStarted records a variant that is not started.
func (r *run) neverStarted(v Variant, cause *event.Cause, timedOut bool) VariantResult {
	decl := v.Plan.Variant
	key := variantKey(decl)
	r.stream.emit(key, r.variantStarted(v, ""))
	r.stream.emit(key, event.VariantFinished{State: cause.State, Cause: cause, TimedOut: timedOut, Repeat: v.Repeat})
	return VariantResult{
		Scenario: decl.Scenario.Name, Variant: decl.Key, State: cause.State, Cause: cause, TimedOut: timedOut,
	}
}

package steptest

import (
	"context"
	"slices"

	"github.com/scenario-run/scenario/engine/lookup"
	"github.com/scenario-run/scenario/engine/step"
)

// lookups are the World's: they remember what fails for the one step that it
// has.
type lookups struct{ w *World }

var _ step.Lookups = lookups{}

func (l lookups) Found(_ context.Context, _, names []string) error {
	for _, n := range names {
		if slices.Contains(l.w.UnknownNames, n) {
			return step.Failf("there is no name %s", n)
		}
	}
	return nil
}

func (l lookups) Fail(_ context.Context, _ []string, f lookup.Failure) error {
	l.w.mu.Lock()
	defer l.w.mu.Unlock()
	l.w.failing = &f
	return nil
}

func (l lookups) Observe(context.Context) ([]string, error) {
	if l.w.Failing() == nil {
		return nil, step.Inconclusivef("nothing fails")
	}
	return []string{"a: b is answered with " + string(l.w.Failing().Answer)}, nil
}

func (l lookups) Clear(context.Context) error {
	l.w.mu.Lock()
	defer l.w.mu.Unlock()
	l.w.failing = nil
	return nil
}

func (l lookups) Cleared(context.Context, []string) error {
	if l.w.Failing() != nil {
		return step.Failf("look-ups still fail")
	}
	return nil
}

// Failing is what look-ups a fault lets fail; nil for none.
func (w *World) Failing() *lookup.Failure {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.failing
}

package plan

import (
	"fmt"
	"slices"

	"github.com/scenario-run/scenario/dsl/diag"
	"github.com/scenario-run/scenario/dsl/lang"
	"github.com/scenario-run/scenario/dsl/schema"
)

// checkJoins reports steps that wait for an assertion that holds throughout
// something that nothing ends before: they would wait until the time limit.
func (b *builder) checkJoins() {
	waiters := b.firstWaiters()
	for _, t := range b.plan.Vertices {
		waiter := waiters[t.ID]
		if waiter == nil {
			continue
		}
		for _, of := range b.named[t.Step.Assert.Throughout.Address] {
			if !b.isEndless(of) || b.endsBefore(of, t) {
				continue
			}
			b.fail(diag.New(diag.NeverReached, t.Step.Range,
				fmt.Sprintf("%s waits for %s, which lasts as long as %s", waiter.Step.Address, t.Step.Address, of.Step.Address),
				fmt.Sprintf("Nothing ends %s before. Give %s background = true, or let a step that doesn't wait for it end %s.",
					of.Step.Address, t.Step.Address, of.Step.Address),
				diag.Also(waiter.Step.Range, "waits for it"), diag.Also(of.Step.Range, "nothing ends this")))
		}
	}
}

// firstWaiters are the steps that wait, as the first, for an assertion that
// holds throughout something: by its ID.
func (b *builder) firstWaiters() map[string]*Vertex {
	waiters, seen := map[string]*Vertex{}, map[*Vertex]bool{}
	for _, v := range b.plan.Vertices {
		if v.Step == nil || v.Cleanup {
			continue
		}
		for _, e := range b.waitsThroughJoins(v, seen) {
			if e.Need == lang.NeedFinished && waiters[e.On] == nil && isThroughout(b.byID[e.On]) {
				waiters[e.On] = v
			}
		}
	}
	return waiters
}

func isThroughout(v *Vertex) bool {
	return v.Kind == StepVertex && !v.Step.Unclear && v.Step.Assert != nil && v.Step.Assert.Throughout != nil
}

// endsBefore says that a step that doesn't wait for t may end what of does.
func (b *builder) endsBefore(of, t *Vertex) bool {
	return slices.ContainsFunc(b.enders().all, func(w *Vertex) bool { return b.mayEndEffect(w, of) && !b.reaches(w, t) })
}

func (b *builder) mayEndEffect(w, of *Vertex) bool {
	if w.Step.Unclear {
		return true
	}
	if of.Step.Kind == lang.WorkloadStep {
		return w.Step.Kind == lang.ActionStep && b.namesWorkload(w, of)
	}
	return b.mayEndAny(w, of, "") || slices.ContainsFunc(of.Targets, func(n string) bool { return b.mayEndAny(w, of, n) })
}

// namesWorkload says that an action takes a workload as an argument: what it
// does with it is to stop it.
func (b *builder) namesWorkload(w, of *Vertex) bool {
	for _, a := range w.Step.Type.Args.Attrs {
		if a.Ref != schema.RefWorkload {
			continue
		}
		v := attr(b.arguments(w.Step), a.Name)
		if !v.IsWhollyKnown() {
			return true
		}
		for _, address := range texts(v) {
			if slices.Contains(b.named[address], of) {
				return true
			}
		}
	}
	return false
}

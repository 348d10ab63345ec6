package plan

import (
	"fmt"

	"github.com/scenario-run/scenario/dsl/diag"
)

// checkThroughout reports asserts that are to hold throughout a fault of which
// order alone makes certain that it has been healed before they begin.
func (b *builder) checkThroughout() {
	for _, v := range b.plan.Vertices {
		if v.Kind != StepVertex || v.Step.Assert == nil || v.Step.Assert.Throughout == nil {
			continue
		}
		ref := v.Step.Assert.Throughout
		for _, u := range b.named[ref.Address] {
			w := b.healer(u, v)
			if w == nil {
				continue
			}
			b.fail(diag.New(diag.Contradiction, ref.Range, fmt.Sprintf("%s is healed before %s begins", u.Step.Address, v.Step.Address),
				"There is nothing left for it to hold throughout. Move it up, above the step that heals.", diag.Also(w.Step.Range, "healed here")))
			break
		}
	}
}

// healer is a step that is certain to have healed a fault before another step
// begins, or nil.
func (b *builder) healer(u, before *Vertex) *Vertex {
	of := b.enders().of[u]
	for _, w := range of[:above(of, before)] {
		if w.at > u.at && !b.isConditional(w.Step) && b.sameConditions(w, before) && b.reaches(before, w) && b.reaches(w, u) {
			return w
		}
	}
	return nil
}

package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scenario-run/scenario/dsl/diag"
	"github.com/scenario-run/scenario/dsl/schema"
)

// noteUnhealed notes the faults that have no for and that no step ends.
func (b *builder) noteUnhealed() {
	for _, u := range b.plan.Vertices {
		if u.Kind != StepVertex || u.Cleanup || u.beyond || u.Step.Unclear || b.isSkipped(u) || u.Step.Type.Kind != schema.Fault || u.Step.Type.Momentary || !b.isEndless(u) {
			continue
		}
		if where, unhealed := b.unhealed(u); unhealed {
			b.fail(diag.New(diag.NeverHealed, u.Step.Range, fmt.Sprintf("nothing ends %s%s before the end", u.Step.Address, where),
				"It is healed before cleanup. Give it a for, or a step that heals it, to end it earlier.", diag.AsNote()))
		}
	}
}

// unhealed says that nothing ends a fault, and on which nodes.
func (b *builder) unhealed(u *Vertex) (where string, unhealed bool) {
	if len(u.Targets) == 0 {
		return "", b.allTargetsKnown(u.Step) && !b.isEnded(u, "")
	}
	var left []string
	for _, n := range u.Targets {
		if !b.isEnded(u, n) {
			left = append(left, n)
		}
	}
	return " on " + strings.Join(left, ", "), len(left) > 0
}

// isEnded says that a step may end a fault. Those below it are looked at first,
// since that is where it mostly is.
func (b *builder) isEnded(u *Vertex, node string) bool {
	lists := b.endersOf(u, node)
	for _, l := range lists {
		if slices.ContainsFunc(below(l, u), func(w *Vertex) bool { return b.mayEndAny(w, u, node) }) {
			return true
		}
	}
	for _, l := range lists {
		if slices.ContainsFunc(l[:above(l, u)], func(w *Vertex) bool { return b.mayEndAny(w, u, node) && !b.reaches(u, w) }) {
			return true
		}
	}
	return false
}

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
	enders := b.endersOf()
	for _, u := range b.plan.Vertices {
		if u.Kind != StepVertex || u.Cleanup || u.beyond || u.Step.Unclear || b.isSkipped(u) || u.Step.Type.Kind != schema.Fault || u.Step.Type.Momentary || !b.isEndless(u) {
			continue
		}
		if where, unhealed := b.unhealed(u, enders); unhealed {
			b.fail(diag.New(diag.NeverHealed, u.Step.Range, fmt.Sprintf("nothing ends %s%s before the end", u.Step.Address, where),
				"It is healed before cleanup. Give it a for, or a step that heals it, to end it earlier.", diag.AsNote()))
		}
	}
}

// unhealed says that nothing ends a fault, and on which nodes.
func (b *builder) unhealed(u *Vertex, enders map[string][]*Vertex) (where string, unhealed bool) {
	if len(u.Targets) == 0 {
		return "", b.allTargetsKnown(u.Step) && !b.isEnded(u, "", b.enders())
	}
	var left []string
	for _, n := range u.Targets {
		if !b.isEnded(u, n, enders[n]) {
			left = append(left, n)
		}
	}
	return " on " + strings.Join(left, ", "), len(left) > 0
}

// isEnded says that one of the steps given, in plan order, may end a fault.
// Those below it are looked at first, since that is where it mostly is.
func (b *builder) isEnded(u *Vertex, node string, enders []*Vertex) bool {
	below := above(enders, u)
	return slices.ContainsFunc(enders[below:], func(w *Vertex) bool { return b.mayEndAny(w, u, node) }) ||
		slices.ContainsFunc(enders[:below], func(w *Vertex) bool { return b.mayEndAny(w, u, node) && !b.reaches(u, w) })
}

// mayEndAny is mayEnd for whatever a fault takes.
func (b *builder) mayEndAny(w, u *Vertex, node string) bool {
	if b.mayEnd(w, u, node, "") {
		return true
	}
	return slices.ContainsFunc(u.Step.Type.Takes, func(r schema.Resource) bool { return b.mayEnd(w, u, node, r) })
}

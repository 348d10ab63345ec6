package plan

import (
	"slices"

	"github.com/scenario-run/scenario/dsl/lang"
	"github.com/scenario-run/scenario/dsl/schema"
)

// enders are the steps that may end what others have begun, each list in plan
// order. They are kept by what they end, so that looking for what ends a fault
// doesn't lead past those that end others.
type enders struct {
	all      []*Vertex
	whatever []*Vertex            // those that may end anything
	anywhere []*Vertex            // whatever, and those of which the nodes aren't known
	on       map[string][]*Vertex // those that end something on a node
	of       map[*Vertex][]*Vertex
	heals    map[*Vertex][]*Vertex // what one names to heal it; of is the other way round
}

// enders are found once, when all vertices of steps are there.
func (b *builder) enders() *enders {
	if b.ending != nil {
		return b.ending
	}
	b.ending = &enders{on: map[string][]*Vertex{}, of: map[*Vertex][]*Vertex{}, heals: map[*Vertex][]*Vertex{}}
	for _, v := range b.plan.Vertices {
		if v.Kind == StepVertex && !v.Cleanup && mayEndThings(v.Step) && !b.isSkipped(v) {
			b.addEnder(b.ending, v)
		}
	}
	return b.ending
}

func (b *builder) addEnder(all *enders, w *Vertex) {
	all.all = append(all.all, w)
	ends := len(w.Step.Type.Ends) > 0
	switch {
	case b.mayEndWhatever(w):
		all.whatever, all.anywhere = append(all.whatever, w), append(all.anywhere, w)
	case ends && !b.allTargetsKnown(w.Step):
		all.anywhere = append(all.anywhere, w)
	case ends:
		for _, n := range w.Targets {
			all.on[n] = append(all.on[n], w)
		}
	}
	if w.Step.Unclear {
		return
	}
	all.heals[w] = b.heals(w)
	for _, u := range all.heals[w] {
		if of := all.of[u]; len(of) == 0 || of[len(of)-1] != w {
			all.of[u] = append(of, w)
		}
	}
}

// endersOf are those among which all are that may end what a fault takes of a
// node.
func (b *builder) endersOf(u *Vertex, node string) [][]*Vertex {
	all := b.enders()
	return [][]*Vertex{all.anywhere, all.on[node], all.of[u]}
}

func mayEndThings(s *lang.Step) bool {
	return s.Unclear || len(s.Type.Ends) > 0 || slices.ContainsFunc(s.Type.Args.Attrs, func(a schema.Attr) bool {
		return a.Ref == schema.RefFaults || a.Ref == schema.RefWorkload
	})
}

// mayEndWhatever says that it isn't known what a step ends.
func (b *builder) mayEndWhatever(w *Vertex) bool {
	return w.Step.Unclear || takesFaults(w.Step.Type) && !b.healsKnown(w)
}

// mayEnd says that a step may end what a fault takes of a node.
func (b *builder) mayEnd(w, u *Vertex, node string, r schema.Resource) bool {
	if w.Step.Unclear || slices.Contains(b.enders().of[u], w) || b.mayEndWhatever(w) {
		return true
	}
	return slices.Contains(w.Step.Type.Ends, r) && (slices.Contains(w.Targets, node) || !b.allTargetsKnown(w.Step))
}

// mayEndAny is mayEnd for whatever a fault takes.
func (b *builder) mayEndAny(w, u *Vertex, node string) bool {
	if b.mayEnd(w, u, node, "") {
		return true
	}
	return slices.ContainsFunc(u.Step.Type.Takes, func(r schema.Resource) bool { return b.mayEnd(w, u, node, r) })
}

// above is how many of the vertices, which are in plan order, stand above one.
func above(vertices []*Vertex, v *Vertex) int {
	n, _ := slices.BinarySearchFunc(vertices, v.at, func(w *Vertex, at int) int { return w.at - at })
	return n
}

// below are those of the vertices, which are in plan order, that stand at or
// below one.
func below(vertices []*Vertex, v *Vertex) []*Vertex { return vertices[above(vertices, v):] }

// isAmong says that one of the vertices of several lists is such.
func isAmong(lists [][]*Vertex, is func(*Vertex) bool) bool {
	return slices.ContainsFunc(lists, func(l []*Vertex) bool { return slices.ContainsFunc(l, is) })
}

// endsBeside says that a step that may end anything may run before another as
// well as after it.
func (b *builder) endsBeside(v *Vertex) bool {
	beside := func(w *Vertex) bool { return w != v && !b.reaches(w, v) && !b.reaches(v, w) }
	all := b.enders().whatever
	n := above(all, v)
	for _, w := range slices.Backward(all[:n]) {
		if beside(w) {
			return true
		}
	}
	return slices.ContainsFunc(all[n:], beside)
}

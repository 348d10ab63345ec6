package plan

import (
	"maps"
	"slices"

	"github.com/hashicorp/hcl/v2"

	"github.com/scenario-run/scenario/dsl/lang"
	"github.com/scenario-run/scenario/dsl/schema"
)

// held is a fault that is certain to be on a node, and what it takes of it that
// others may need.
type held struct {
	by    *Vertex
	takes []schema.Resource // less what may have been ended since
	under []*Vertex         // see conditionsOf
}

// checkFaults reports what order alone makes certain: that a fault takes what
// another has taken already, or that a step acts inside a node that is down.
// Of a repeat's rounds, the first that shows it speaks for all.
func (b *builder) checkFaults() {
	on := map[string][]held{} // by node, at the vertex that is looked at
	reported := map[hcl.Range]bool{}
	for _, v := range b.plan.Vertices {
		if v.Kind != StepVertex || v.Cleanup || !v.Step.Unclear && !actsOnNodes(v.Step.Type) || b.isSkipped(v) {
			continue
		}
		if !b.isConditional(v.Step) && !b.failureExpected(v) && !reported[v.Step.Range] {
			a := b.arrivalOf(v)
			reported[v.Step.Range] = slices.ContainsFunc(v.Targets, func(n string) bool { return b.checkNode(a, n, on[n]) })
		}
		b.release(v, on)
		if h := b.holds(v); len(h.takes) > 0 && b.lasts(v) {
			for _, n := range v.Targets {
				on[n] = append(on[n], h)
			}
		}
	}
}

func actsOnNodes(t schema.Type) bool {
	return len(t.Takes) > 0 || len(t.Ends) > 0 || t.Refuses(schema.Down) || t.Refuses(schema.Paused) || takesFaults(t)
}

// holds is what a fault has of a node while it lasts. Any number of faults go
// together on links.
func (b *builder) holds(v *Vertex) held {
	return held{v, without(v.Step.Type.Takes, []schema.Resource{schema.Links}), b.conditionsOf(v)}
}

// release takes away what a step may end.
func (b *builder) release(w *Vertex, on map[string][]held) {
	t := w.Step.Type
	switch {
	case b.mayEndWhatever(w):
		clear(on)
		return
	case len(t.Ends) == 0 && !takesFaults(t):
		return
	}
	for _, u := range b.enders().heals[w] {
		for _, n := range u.Targets {
			on[n] = slices.DeleteFunc(on[n], func(h held) bool { return h.by == u })
		}
	}
	nodes := w.Targets
	if !b.allTargetsKnown(w.Step) {
		nodes = slices.Collect(maps.Keys(on))
	}
	for _, n := range nodes {
		left := on[n][:0]
		for _, h := range on[n] {
			h.takes = without(h.takes, t.Ends)
			if len(h.takes) > 0 {
				left = append(left, h)
			}
		}
		on[n] = left
	}
}

func without(all, some []schema.Resource) []schema.Resource {
	return slices.DeleteFunc(slices.Clone(all), func(r schema.Resource) bool { return slices.Contains(some, r) })
}

func takesFaults(t schema.Type) bool {
	return slices.ContainsFunc(t.Args.Attrs, func(a schema.Attr) bool { return a.Ref == schema.RefFaults })
}

// lasts says that a step is a fault that is certain to be there, and without
// an end of its own.
func (b *builder) lasts(v *Vertex) bool {
	return v.Step.Type.Kind == schema.Fault && !b.isConditional(v.Step) && b.isEndless(v)
}

// isEndless says that what a step does has no end of its own: a workload's
// traffic, and a fault without for.
func (b *builder) isEndless(v *Vertex) bool {
	if v.Step.Kind == lang.WorkloadStep {
		return true
	}
	duration := attr(b.arguments(v.Step), "for")
	return v.Step.Type.Kind == schema.Fault && duration.IsKnown() && duration.IsNull()
}

// lastsUntil says that nothing that stands below a step can end a fault before
// it: what may end it waits for the step.
func (b *builder) lastsUntil(u, v *Vertex, node string, r schema.Resource) bool {
	for _, l := range b.endersOf(u, node) {
		if slices.ContainsFunc(below(l, v), func(w *Vertex) bool { return w != v && b.mayEnd(w, u, node, r) && !b.reaches(w, v) }) {
			return false
		}
	}
	return true
}

// heals are the faults that a step names to heal them.
func (b *builder) heals(w *Vertex) []*Vertex {
	var all []*Vertex
	for _, a := range w.Step.Type.Args.Attrs {
		if a.Ref != schema.RefFaults {
			continue
		}
		for _, address := range texts(attr(b.arguments(w.Step), a.Name)) {
			all = append(all, b.named[address]...)
		}
	}
	return all
}

func (b *builder) healsKnown(w *Vertex) bool {
	for _, a := range w.Step.Type.Args.Attrs {
		if a.Ref == schema.RefFaults && !attr(b.arguments(w.Step), a.Name).IsWhollyKnown() {
			return false
		}
	}
	return true
}

func takes(t schema.Type, r schema.Resource) bool { return slices.Contains(t.Takes, r) }

package plan

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/scenario-run/scenario/dsl/diag"
	"github.com/scenario-run/scenario/dsl/lang"
	"github.com/scenario-run/scenario/dsl/schema"
)

// held is a fault that is certain to be on a node, and what it takes of it.
type held struct {
	by    *Vertex
	takes []schema.Resource // less what may have been ended since
}

// checkFaults reports what order alone makes certain: that a fault takes what
// another has taken already, or that a step acts inside a node that is down.
// Of a repeat's rounds, the first that shows it speaks for all.
func (b *builder) checkFaults() {
	on := map[string][]held{} // by node, at the vertex that is looked at
	reported := map[hcl.Range]bool{}
	for _, v := range b.plan.Vertices {
		if v.Kind != StepVertex || v.Cleanup || !v.Step.Unclear && !actsOnNodes(v.Step.Type) {
			continue
		}
		if !isConditional(v.Step) && !reported[v.Step.Range] {
			reported[v.Step.Range] = slices.ContainsFunc(v.Targets, func(n string) bool { return b.checkNode(v, n, on[n]) })
		}
		b.release(v, on)
		if b.lasts(v) {
			for _, n := range v.Targets {
				on[n] = append(on[n], held{v, v.Step.Type.Takes})
			}
		}
	}
}

func actsOnNodes(t schema.Type) bool {
	return t.NeedsRunning || len(t.Takes) > 0 || len(t.Ends) > 0 || takesFaults(t)
}

// release takes away what a step may end.
func (b *builder) release(w *Vertex, on map[string][]held) {
	t := w.Step.Type
	switch {
	case w.Step.Unclear || !b.healsKnown(w):
		clear(on)
		return
	case len(t.Ends) == 0 && !takesFaults(t):
		return
	}
	for _, u := range b.heals(w) {
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

// endersOf lists, for each node, the steps that may end a fault on it. Those
// whose nodes aren't known are with each.
func (b *builder) endersOf() map[string][]*Vertex {
	of := map[string][]*Vertex{}
	for _, w := range b.enders() {
		nodes := w.Targets
		if w.Step.Unclear || !b.allTargetsKnown(w.Step) || takesFaults(w.Step.Type) {
			nodes = b.allNodes()
		}
		for _, n := range nodes {
			of[n] = append(of[n], w)
		}
	}
	return of
}

// enders are the steps that may end what others have begun, in plan order.
func (b *builder) enders() []*Vertex {
	if b.endings == nil {
		b.endings = []*Vertex{}
		for _, v := range b.plan.Vertices {
			if v.Kind == StepVertex && !v.Cleanup && mayEndThings(v.Step) {
				b.endings = append(b.endings, v)
			}
		}
	}
	return b.endings
}

func mayEndThings(s *lang.Step) bool {
	return s.Unclear || len(s.Type.Ends) > 0 || slices.ContainsFunc(s.Type.Args.Attrs, func(a schema.Attr) bool {
		return a.Ref == schema.RefFaults || a.Ref == schema.RefWorkload
	})
}

func takesFaults(t schema.Type) bool {
	return slices.ContainsFunc(t.Args.Attrs, func(a schema.Attr) bool { return a.Ref == schema.RefFaults })
}

func (b *builder) allNodes() []string {
	var all []string
	for _, n := range b.variant.Nodes {
		all = append(all, n.Address)
	}
	return all
}

// isConditional says that a step may not do what it says: nothing is certain
// about it. Nor is it about one that isn't clear.
func isConditional(s *lang.Step) bool {
	return s.Unclear || s.Meta.When != nil || s.Meta.ExpectError != nil
}

// sameConditions says that two steps stand in the same groups of those that
// may be skipped: where one of them runs, so does the other.
func (b *builder) sameConditions(u, v *Vertex) bool {
	return slices.Equal(b.conditions(u), b.conditions(v))
}

// conditions are the groups around a vertex that may be skipped, innermost
// first.
func (b *builder) conditions(v *Vertex) []string {
	var all []string
	for v = b.byID[v.Group]; v != nil; v = b.byID[v.Group] {
		if v.Kind == GroupEnd && v.Step.Meta.When != nil {
			all = append(all, v.ID)
		}
	}
	return all
}

// checkNode reports that a step collides with one of the faults on a node: the
// last one first.
func (b *builder) checkNode(v *Vertex, node string, on []held) bool {
	for _, h := range slices.Backward(on) {
		r, collides := collision(h, v.Step.Type)
		if collides && b.sameConditions(h.by, v) && b.reaches(v, h.by) && b.lastsUntil(h.by, v, node, r) {
			b.reportCollision(h.by, v, node, r)
			return true
		}
	}
	return false
}

// lasts says that a step is a fault that is certain to be there, and without
// an end of its own.
func (b *builder) lasts(v *Vertex) bool {
	return v.Step.Type.Kind == schema.Fault && !isConditional(v.Step) && b.isEndless(v)
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
	below := b.enders()[above(b.enders(), v):]
	return !slices.ContainsFunc(below, func(w *Vertex) bool { return w != v && b.mayEnd(w, u, node, r) && !b.reaches(w, v) })
}

// above is how many of the vertices, which are in plan order, stand above one.
func above(vertices []*Vertex, v *Vertex) int {
	n, _ := slices.BinarySearchFunc(vertices, v.at, func(w *Vertex, at int) int { return w.at - at })
	return n
}

// mayEnd says that a step may end what a fault takes of a node.
func (b *builder) mayEnd(w, u *Vertex, node string, r schema.Resource) bool {
	if w.Step.Unclear || slices.Contains(b.heals(w), u) || takesFaults(w.Step.Type) && !b.healsKnown(w) {
		return true
	}
	return slices.Contains(w.Step.Type.Ends, r) && (slices.Contains(w.Targets, node) || !b.allTargetsKnown(w.Step))
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

// collision says what of a node an earlier fault has that a later step needs.
// A fault that acts inside the node, such as one on a process, may or may not
// take the node down with it, so that nothing is certain after it.
func collision(earlier held, later schema.Type) (schema.Resource, bool) {
	inside := earlier.by.Step.Type.NeedsRunning
	for _, r := range earlier.takes {
		switch r {
		case schema.Down:
			if !inside && (later.NeedsRunning || takesAny(later, schema.Down, schema.Paused, schema.CPU, schema.Memory)) {
				return r, true
			}
		case schema.Paused:
			if !inside && (later.NeedsRunning || takes(later, schema.Paused)) {
				return r, true
			}
		case schema.CPU, schema.Memory, schema.Disk:
			if takes(later, r) {
				return r, true
			}
		}
	}
	return "", false
}

func takes(t schema.Type, r schema.Resource) bool { return slices.Contains(t.Takes, r) }

func takesAny(t schema.Type, any ...schema.Resource) bool {
	return slices.ContainsFunc(any, func(r schema.Resource) bool { return takes(t, r) })
}

func (b *builder) reportCollision(u, v *Vertex, node string, r schema.Resource) {
	code, summary := diag.NodeIsDown, fmt.Sprintf("%s acts inside %s, which is %s at that time", v.Step.Address, node, r)
	since := string(r) + " since here"
	switch {
	case r == schema.Disk:
		code, summary = diag.Conflict, fmt.Sprintf("%s fills the disk of %s, which %s has filled already", v.Step.Address, node, u.Step.Address)
		since = "full since here"
	case r != schema.Down && r != schema.Paused:
		code, summary = diag.Conflict, fmt.Sprintf("%s limits the %s of %s, which %s limits already", v.Step.Address, r, node, u.Step.Address)
		since = "limited since here"
	case takes(v.Step.Type, schema.Down) || takes(v.Step.Type, schema.Paused):
		code, summary = diag.Conflict, fmt.Sprintf("%s is %s already when %s comes to %s it", node, r, v.Step.Address, v.Step.Type.Name)
	}
	b.fail(diag.New(code, v.Step.Range, summary, fmt.Sprintf("Nothing between the two ends %s.", u.Step.Address), diag.Also(u.Step.Range, since)))
}

// noteUnhealed notes the faults that have no for and that no step ends.
func (b *builder) noteUnhealed() {
	enders := b.endersOf()
	for _, u := range b.plan.Vertices {
		if u.Kind != StepVertex || u.Cleanup || u.beyond || u.Step.Unclear || u.Step.Type.Kind != schema.Fault || u.Step.Type.Momentary || !b.isEndless(u) {
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

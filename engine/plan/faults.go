package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/scenario-run/scenario/dsl/diag"
	"github.com/scenario-run/scenario/dsl/lang"
	"github.com/scenario-run/scenario/dsl/schema"
)

// history lists, for each node, the steps that change what is taken of it, in
// plan order.
type history map[string][]*Vertex

// checkFaults reports what order alone makes certain: that a fault takes what
// another has taken already, or that a step acts inside a node that is down.
// Of a repeat's rounds, the first that shows it speaks for all.
func (b *builder) checkFaults(h history) {
	reported := map[hcl.Range]bool{}
	for _, v := range b.plan.Vertices {
		if v.Kind != StepVertex || v.Cleanup || isConditional(v.Step) || reported[v.Step.Range] {
			continue
		}
		reported[v.Step.Range] = slices.ContainsFunc(v.Targets, func(n string) bool { return b.checkNode(v, n, h[n]) })
	}
}

// history makes the history of every node. Steps whose nodes aren't known are
// in each.
func (b *builder) history() history {
	h := history{}
	for _, v := range b.plan.Vertices {
		if v.Kind != StepVertex || v.Cleanup || !v.Step.Unclear && !changesNodes(v.Step.Type) {
			continue
		}
		nodes := v.Targets
		if v.Step.Unclear || !b.allTargetsKnown(v.Step) || len(b.heals(v)) > 0 {
			nodes = b.allNodes()
		}
		for _, n := range nodes {
			h[n] = append(h[n], v)
		}
	}
	return h
}

func changesNodes(t schema.Type) bool {
	return len(t.Takes) > 0 || len(t.Ends) > 0 || takesFaults(t)
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

// checkNode reports that a step collides with an earlier fault on a node.
func (b *builder) checkNode(v *Vertex, node string, history []*Vertex) bool {
	for i := len(history) - 1; i >= 0; i-- {
		u := history[i]
		if b.index[u] >= b.index[v] {
			continue
		}
		resource, collides := collision(u.Step.Type, v.Step.Type)
		if collides && b.lasts(u, node) && b.sameConditions(u, v) && b.reaches(v, u, anyEdge) && b.lastsUntil(u, v, node, resource, history[i+1:]) {
			b.reportCollision(u, v, node, resource)
			return true
		}
	}
	return false
}

func anyEdge(Edge) bool { return true }

// lasts says that a fault is certain to be on a node, without an end of its
// own.
func (b *builder) lasts(u *Vertex, node string) bool {
	return u.Step.Type.Kind == schema.Fault && b.isEndless(u) && !isConditional(u.Step) && slices.Contains(u.Targets, node)
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

// lastsUntil says that nothing can end a fault before a step that comes after
// it: what may end it waits for that step.
func (b *builder) lastsUntil(u, v *Vertex, node string, r schema.Resource, later []*Vertex) bool {
	for _, w := range later {
		if w != v && b.mayEnd(w, u, node, r) && !b.reaches(w, v, anyEdge) {
			return false
		}
	}
	return true
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
func collision(earlier, later schema.Type) (schema.Resource, bool) {
	for _, r := range earlier.Takes {
		switch r {
		case schema.Down:
			if !earlier.NeedsRunning && (later.NeedsRunning || takes(later, schema.Down) || takes(later, schema.Paused)) {
				return r, true
			}
		case schema.Paused:
			if !earlier.NeedsRunning && (later.NeedsRunning || takes(later, schema.Paused)) {
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

func (b *builder) reportCollision(u, v *Vertex, node string, r schema.Resource) {
	code, summary := diag.NodeIsDown, fmt.Sprintf("%s acts inside %s, which is %s at that time", v.Step.Address, node, r)
	since := string(r) + " since here"
	switch {
	case r != schema.Down && r != schema.Paused:
		code, summary = diag.Conflict, fmt.Sprintf("%s limits the %s of %s, which %s limits already", v.Step.Address, r, node, u.Step.Address)
		since = "limited since here"
	case takes(v.Step.Type, schema.Down) || takes(v.Step.Type, schema.Paused):
		code, summary = diag.Conflict, fmt.Sprintf("%s is %s already when %s comes to %s it", node, r, v.Step.Address, v.Step.Type.Name)
	}
	b.fail(diag.New(code, v.Step.Range, summary, fmt.Sprintf("Nothing between the two ends %s.", u.Step.Address), diag.Also(u.Step.Range, since)))
}

// noteUnhealed notes the faults that have no for and that no step ends.
func (b *builder) noteUnhealed(h history) {
	for _, u := range b.plan.Vertices {
		if u.Kind != StepVertex || u.Cleanup || u.Step.Unclear || u.Step.Type.Kind != schema.Fault || !b.isEndless(u) {
			continue
		}
		if where, unhealed := b.unhealed(u, h); unhealed {
			b.fail(diag.New(diag.NeverHealed, u.Step.Range, fmt.Sprintf("nothing ends %s%s before the end", u.Step.Address, where),
				"It is healed before cleanup. Give it a for, or a step that heals it, to end it earlier.", diag.AsNote()))
		}
	}
}

// unhealed says that nothing ends a fault, and on which nodes.
func (b *builder) unhealed(u *Vertex, h history) (where string, unhealed bool) {
	if len(u.Targets) == 0 {
		return "", b.allTargetsKnown(u.Step) && !b.isEnded(u, "", b.plan.Vertices)
	}
	var left []string
	for _, n := range u.Targets {
		if !b.isEnded(u, n, h[n]) {
			left = append(left, n)
		}
	}
	return " on " + strings.Join(left, ", "), len(left) > 0
}

// isEnded says that one of the steps given, in plan order, may end a fault.
// Those below it are looked at first, since that is where it mostly is.
func (b *builder) isEnded(u *Vertex, node string, candidates []*Vertex) bool {
	below, _ := slices.BinarySearchFunc(candidates, b.index[u]+1, func(w *Vertex, at int) int { return b.index[w] - at })
	ends := func(w *Vertex) bool {
		return w.Kind == StepVertex && !w.Cleanup && b.mayEndAny(w, u, node)
	}
	if slices.ContainsFunc(candidates[below:], ends) {
		return true
	}
	return slices.ContainsFunc(candidates[:below], func(w *Vertex) bool { return ends(w) && !b.reaches(u, w, anyEdge) })
}

// mayEndAny is mayEnd for whatever a fault takes.
func (b *builder) mayEndAny(w, u *Vertex, node string) bool {
	if b.mayEnd(w, u, node, "") {
		return true
	}
	return slices.ContainsFunc(u.Step.Type.Takes, func(r schema.Resource) bool { return b.mayEnd(w, u, node, r) })
}

package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/diag"
	"github.com/scenario-run/scenario/dsl/lang"
	"github.com/scenario-run/scenario/dsl/schema"
)

// warnOfIdle warns of steps that are certain to find done what they are to do.
func (b *builder) warnOfIdle() {
	reported := map[hcl.Range]bool{}
	faults := b.faultsByNode()
	last := map[string]*Vertex{} // that acts on a node
	for _, v := range b.plan.Vertices {
		if v.Kind != StepVertex || v.Cleanup || b.isSkipped(v) {
			continue
		}
		if d := b.idle(v, faults, last); d != nil && !reported[v.Step.Range] {
			reported[v.Step.Range] = true
			b.fail(d)
		}
		for _, n := range v.Targets {
			last[n] = v
		}
	}
}

// idle is the warning that a step finds done what it is to do, or nil.
func (b *builder) idle(v *Vertex, faults map[string][]*Vertex, last map[string]*Vertex) *hcl.Diagnostic {
	t := v.Step.Type
	switch {
	case v.Step.Unclear || v.Step.Meta.ExpectError != nil:
		return nil
	case v.Step.Kind == lang.ActionStep && t.Name == startType:
		return b.startsNothing(v, faults)
	case t.Kind == schema.Fault && len(t.Takes) == 0 && !t.Momentary && len(v.Targets) == 1:
		return b.hitsAgain(last[v.Targets[0]], v)
	default:
		return nil
	}
}

// anyNode stands for the nodes of steps of which they aren't known, or that act on
// no certain ones.
const anyNode = ""

// faultsByNode lists, for each node, the faults on it in plan order.
func (b *builder) faultsByNode() map[string][]*Vertex {
	of := map[string][]*Vertex{}
	for _, v := range b.plan.Vertices {
		if v.Kind != StepVertex || !v.Step.Unclear && v.Step.Type.Kind != schema.Fault || b.isSkipped(v) {
			continue
		}
		nodes := v.Targets
		if v.Step.Unclear || len(nodes) == 0 || !b.allTargetsKnown(v.Step) {
			nodes = []string{anyNode}
		}
		for _, n := range nodes {
			of[n] = append(of[n], v)
		}
	}
	return of
}

// startsNothing is the warning that all nodes that a step starts run already: it
// is not the one that starts them first, and nothing can have ended them since.
func (b *builder) startsNothing(v *Vertex, faults map[string][]*Vertex) *hcl.Diagnostic {
	mayBeDown := func(n string) bool { return b.mayBeDown(n, v, faults) }
	if len(v.Targets) == 0 || !b.allTargetsKnown(v.Step) || slices.ContainsFunc(v.Targets, mayBeDown) {
		return nil
	}
	verb := "runs"
	if len(v.Targets) > 1 {
		verb = "run"
	}
	return diag.New(diag.NothingDone, v.Step.Range, fmt.Sprintf("%s starts nothing: %s %s already", v.Step.Address, strings.Join(v.Targets, ", "), verb),
		"Nodes are started before the first step, and no fault takes these down before this one.", diag.AsWarning())
}

// mayBeDown says that a node may be down when a step comes to it.
func (b *builder) mayBeDown(node string, v *Vertex, faults map[string][]*Vertex) bool {
	if first := b.starter[node]; first != nil && (first.Step.Range == v.Step.Range || !b.reaches(v, first) || b.isConditional(first.Step)) {
		return true
	}
	if !is(b.saysOf(node, schema.MayExitArg), false) {
		return true
	}
	before := func(w *Vertex) bool { return !b.reaches(w, v) }
	return slices.ContainsFunc(faults[anyNode], before) || slices.ContainsFunc(faults[node], before)
}

// hitsAgain is the warning that a fault does to a node what the step before it on
// that node, the same fault, has done and nothing has ended.
func (b *builder) hitsAgain(u, v *Vertex) *hcl.Diagnostic {
	if u == nil || u.Step.Type.Name != v.Step.Type.Name || !b.lasts(u) || !b.reaches(v, u) || !b.sameConditions(u, v) || !b.sameArguments(u, v) {
		return nil
	}
	ends := func(w *Vertex) bool { return w.at > u.at && b.mayEndAny(w, u, v.Targets[0]) && !b.reaches(w, v) }
	if isAmong(b.endersOf(u, v.Targets[0]), ends) {
		return nil
	}
	return diag.New(diag.Conflict, v.Step.Range, fmt.Sprintf("%s does to %s what %s has done already", v.Step.Address, v.Targets[0], u.Step.Address),
		fmt.Sprintf("Nothing between the two ends %s.", u.Step.Address), diag.Also(u.Step.Range, "in effect since here"), diag.AsWarning())
}

// sameArguments says that two steps are given the same, but for how long.
func (b *builder) sameArguments(u, v *Vertex) bool {
	without := func(v *Vertex) cty.Value {
		args := b.arguments(v.Step)
		if !args.IsWhollyKnown() || !args.Type().IsObjectType() {
			return cty.DynamicVal
		}
		all := args.AsValueMap()
		delete(all, "for")
		return cty.ObjectVal(all)
	}
	x, y := without(u), without(v)
	return len(v.Targets) > 0 && x.IsKnown() && x.RawEquals(y)
}

package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/scenario-run/scenario/dsl/diag"
	"github.com/scenario-run/scenario/dsl/schema"
)

// checkNode reports that a step collides with one of the faults on a node: the
// last one first.
func (b *builder) checkNode(v *Vertex, node string, on []held) bool {
	for _, h := range slices.Backward(on) {
		r, collides := b.collision(h, v, node)
		if !collides || !b.sameConditions(h.by, v) {
			continue
		}
		switch {
		case b.reaches(v, h.by):
			if b.lastsUntil(h.by, v, node, r) {
				b.reportCollision(h.by, v, node, r)
				return true
			}
		case b.excludeEachOther(h.by, v, node, r):
			b.reportSideBySide(h.by, v, node)
			return true
		}
	}
	return false
}

// collision says what of a node an earlier fault has that a later step needs.
// A fault that acts inside the node, such as one on a process, may or may not
// take the node down with it, so that nothing is certain after it.
func (b *builder) collision(earlier held, later *Vertex, node string) (schema.Resource, bool) {
	inside := earlier.by.Step.Type.NeedsRunning
	for _, r := range earlier.takes {
		collides := false
		switch r {
		case schema.Down, schema.Paused:
			collides = !inside && later.Step.Type.Refuses(r)
		case schema.CPU, schema.Memory, schema.Disk:
			collides = takes(later.Step.Type, r)
		case schema.Attached:
			network := b.networkOf(earlier.by, node)
			collides = network != "" && network == b.networkOf(later, node)
		}
		if collides {
			return r, true
		}
	}
	return "", false
}

// networkOf is the network that a step puts a node on, or takes it off; empty if
// it does neither, or that isn't known.
func (b *builder) networkOf(v *Vertex, node string) string {
	for _, a := range v.Step.Type.Args.Attrs {
		if a.Format != schema.NetworkName {
			continue
		}
		named := attr(b.arguments(v.Step), a.Name)
		if !named.IsKnown() || !named.IsNull() {
			return strings.TrimPrefix(strings.Join(texts(named), ""), "network.")
		}
		return b.onlyNetworkOf(node)
	}
	return ""
}

// onlyNetworkOf is the network that a node is on, if it is one from the beginning
// to the end.
func (b *builder) onlyNetworkOf(node string) string {
	for _, v := range b.plan.Vertices {
		connects := v.Kind == StepVertex && v.Step.Type.Kind == schema.Action && len(b.thingsOf(v.Step, schema.NetworkName)) > 0
		if connects && (slices.Contains(v.Targets, node) || !b.allTargetsKnown(v.Step)) {
			return ""
		}
	}
	networks := b.saysOf(node, "networks")
	switch names := texts(networks); {
	case !networks.IsWhollyKnown() || len(names) > 1:
		return ""
	case len(names) == 0:
		return strings.TrimPrefix(defaultNetwork, "network.")
	default:
		return strings.TrimPrefix(names[0], "network.")
	}
}

// excludeEachOther says that two faults that nothing orders can't both come
// into effect, whichever is the first.
func (b *builder) excludeEachOther(u, v *Vertex, node string, r schema.Resource) bool {
	if !b.lasts(v) || !b.sameConditions(v, u) {
		return false
	}
	s, both := b.collision(held{v, v.Step.Type.Takes}, u, node)
	return both && !slices.ContainsFunc(b.enders(), func(w *Vertex) bool {
		return w != u && w != v && (b.mayEnd(w, u, node, r) || b.mayEnd(w, v, node, s)) && b.mayComeBetween(w, u, v)
	})
}

// mayComeBetween says that a step may run after one of two and before the other.
func (b *builder) mayComeBetween(w, u, v *Vertex) bool {
	after := b.reaches(w, u) && b.reaches(w, v)
	before := b.reaches(u, w) && b.reaches(v, w)
	return !after && !before
}

func (b *builder) reportCollision(u, v *Vertex, node string, r schema.Resource) {
	t := v.Step.Type
	code, since := diag.Conflict, string(r)+" since here"
	var summary string
	switch {
	case r == schema.Disk:
		summary, since = fmt.Sprintf("%s fills the disk of %s, which %s has filled already", v.Step.Address, node, u.Step.Address), "full since here"
	case r == schema.CPU, r == schema.Memory:
		summary = fmt.Sprintf("%s limits the %s of %s, which %s limits already", v.Step.Address, r, node, u.Step.Address)
		since = "limited since here"
	case r == schema.Attached:
		summary = fmt.Sprintf("%s can't %s %s: %s has taken it off that network", v.Step.Address, t.Name, node, u.Step.Address)
		since = "taken off it here"
	case t.NeedsRunning:
		code, summary = diag.NodeIsDown, fmt.Sprintf("%s acts inside %s, which is %s at that time", v.Step.Address, node, r)
	case takes(t, r), r == schema.Down && takes(t, schema.Paused):
		summary = fmt.Sprintf("%s is %s already when %s comes to %s it", node, r, v.Step.Address, t.Name)
	case takes(t, schema.Down) || takes(t, schema.Paused):
		summary = fmt.Sprintf("%s is %s when %s comes to %s it", node, r, v.Step.Address, t.Name)
	default:
		code, summary = diag.NodeIsDown, fmt.Sprintf("%s acts on %s, which is %s at that time", v.Step.Address, node, r)
	}
	b.fail(diag.New(code, v.Step.Range, summary, fmt.Sprintf("Nothing between the two ends %s.", u.Step.Address), diag.Also(u.Step.Range, since)))
}

func (b *builder) reportSideBySide(u, v *Vertex, node string) {
	b.fail(diag.New(diag.Conflict, v.Step.Range,
		fmt.Sprintf("%s and %s exclude each other on %s, and come in any order", u.Step.Address, v.Step.Address, node),
		"Whichever comes first, the other one fails. Let one wait for the end of the other.", diag.Also(u.Step.Range, "the other one is here")))
}

// checkNeverStarted reports steps that need a node to run that nothing starts: the
// step that would is skipped for certain.
func (b *builder) checkNeverStarted() {
	for _, v := range b.plan.Vertices {
		if v.Kind != StepVertex || v.Cleanup || b.isConditional(v.Step) || b.isSkipped(v) || !v.Step.Type.Refuses(schema.Down) {
			continue
		}
		for _, n := range v.Targets {
			start := b.starter[n]
			if start == nil || !b.isSkipped(start) || slices.ContainsFunc(b.enders(), func(w *Vertex) bool { return b.mayStart(w, n) && !b.reaches(w, v) }) {
				continue
			}
			b.fail(diag.New(diag.NodeIsDown, v.Step.Range, fmt.Sprintf("%s acts on %s, which nothing has started", v.Step.Address, n),
				fmt.Sprintf("%s would start it, but is skipped.", start.Step.Address), diag.Also(start.Step.Range, "skipped")))
			break
		}
	}
}

func (b *builder) mayStart(w *Vertex, node string) bool {
	return w.Step.Unclear || slices.Contains(w.Step.Type.Ends, schema.Down) && (slices.Contains(w.Targets, node) || !b.allTargetsKnown(w.Step))
}

// checkHealsNothing reports that a fault is to be healed that is skipped for
// certain: a heal of what was never injected fails.
func (b *builder) checkHealsNothing() {
	reported := map[hcl.Range]bool{}
	for _, w := range b.enders() {
		if b.isConditional(w.Step) || !takesFaults(w.Step.Type) || reported[w.Step.Range] || b.failureExpected(w) {
			continue
		}
		for _, u := range b.heals(w) {
			if u.Kind != StepVertex || !b.isSkipped(u) {
				continue
			}
			reported[w.Step.Range] = true
			b.fail(diag.New(diag.Contradiction, w.Step.Range, fmt.Sprintf("%s heals %s, which is never injected", w.Step.Address, u.Step.Address),
				fmt.Sprintf("%s is skipped for certain. Give the step that heals it the same when.", u.Step.Address), diag.Also(u.Step.Range, "skipped")))
			break
		}
	}
}

package plan

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/hashicorp/hcl/v2"

	"github.com/scenario-run/scenario/dsl/diag"
	"github.com/scenario-run/scenario/dsl/schema"
)

// arrival is a step that comes to nodes, with what is the same for each fault that
// it may meet there.
type arrival struct {
	*Vertex
	needs []schema.Resource // it collides with faults that have one of them
	under []*Vertex         // see conditionsOf
	lasts bool              // it is itself a fault that lasts
	// isBeside says that what may end any fault may come before it as well as
	// after it.
	isBeside func() bool
	latest   int // place of the last vertex that it waits for itself
}

func (b *builder) arrivalOf(v *Vertex) arrival {
	a := arrival{
		Vertex: v, needs: needsOf(v.Step.Type), under: b.conditionsOf(v), lasts: b.lasts(v),
		isBeside: sync.OnceValue(func() bool { return b.endsBeside(v) }),
	}
	for _, e := range v.Waits {
		a.latest = max(a.latest, b.byID[e.On].at)
	}
	return a
}

// needsOf is what a type needs of a node that faults may have taken.
func needsOf(t schema.Type) (all []schema.Resource) {
	for _, r := range []schema.Resource{schema.Down, schema.Paused} {
		if t.Refuses(r) {
			all = append(all, r)
		}
	}
	for _, r := range []schema.Resource{schema.CPU, schema.Memory, schema.Disk} {
		if takes(t, r) {
			all = append(all, r)
		}
	}
	if namesNetwork(t) {
		all = append(all, schema.Attached)
	}
	return all
}

// checkNode reports that a step collides with one of the faults on a node: the
// last one first.
func (b *builder) checkNode(a arrival, node string, on []held) bool {
	if len(a.needs) == 0 || len(on) == 0 {
		return false
	}
	if !a.lasts || a.isBeside() { // only what it is certain to find matters
		n, _ := slices.BinarySearchFunc(on, a.latest+1, func(h held, at int) int { return h.by.at - at })
		on = on[:n]
	}
	for _, h := range slices.Backward(on) {
		if !slices.Equal(h.under, a.under) {
			continue // said by sameConditions too, which takes longer
		}
		isLater := b.reaches(a.Vertex, h.by)
		if !isLater && (!a.lasts || a.isBeside()) {
			continue
		}
		r, collides := b.collision(h, a.Vertex, a.needs, node)
		if !collides || !b.sameConditions(h.by, a.Vertex) {
			continue
		}
		switch {
		case isLater:
			if b.lastsUntil(h.by, a.Vertex, node, r) {
				b.reportCollision(h.by, a.Vertex, node, r)
				return true
			}
		case b.excludeEachOther(h.by, a.Vertex, node, r):
			b.reportSideBySide(h.by, a.Vertex, node)
			return true
		}
	}
	return false
}

// collision says what of a node an earlier fault has that a later step needs.
// A fault that acts inside the node, such as one on a process, may or may not
// take the node down with it, so that nothing is certain after it.
func (b *builder) collision(earlier held, later *Vertex, needs []schema.Resource, node string) (schema.Resource, bool) {
	for _, r := range earlier.takes {
		collides := slices.Contains(needs, r)
		switch r {
		case schema.Down, schema.Paused:
			collides = collides && !earlier.by.Step.Type.NeedsRunning
		case schema.Attached:
			network := ""
			if collides {
				network = b.networkOf(earlier.by, node)
			}
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
	if names, known := b.networksOf(node); known && len(names) == 1 {
		return names[0]
	}
	return ""
}

// networksOf are the networks that a node is on from the beginning to the end,
// faults apart, and whether that is known.
func (b *builder) networksOf(node string) (names []string, known bool) {
	for _, v := range b.connects {
		if slices.Contains(v.Targets, node) || !b.allTargetsKnown(v.Step) {
			return nil, false
		}
	}
	networks := b.saysOf(node, "networks")
	if !networks.IsWhollyKnown() {
		return nil, false
	}
	names = texts(networks)
	if len(names) == 0 {
		names = []string{defaultNetwork}
	}
	for i, name := range names {
		names[i] = strings.TrimPrefix(name, "network.")
	}
	return names, true
}

// connecting are the steps that put nodes on networks.
func (b *builder) connecting() (all []*Vertex) {
	for _, v := range b.plan.Vertices {
		if v.Kind == StepVertex && v.Step.Type.Kind == schema.Action && namesNetwork(v.Step.Type) {
			all = append(all, v)
		}
	}
	return all
}

func namesNetwork(t schema.Type) bool {
	return slices.ContainsFunc(t.Args.Attrs, func(a schema.Attr) bool { return a.Format == schema.NetworkName })
}

// excludeEachOther says that two faults that last and that nothing orders can't
// both come into effect, whichever is the first.
func (b *builder) excludeEachOther(u, v *Vertex, node string, r schema.Resource) bool {
	if !b.sameConditions(v, u) {
		return false
	}
	s, both := b.collision(b.holds(v), u, needsOf(u.Step.Type), node)
	return both && !isAmong(slices.Concat(b.endersOf(u, node), b.endersOf(v, node)), func(w *Vertex) bool {
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
			if start == nil || !b.isSkipped(start) || b.mayBeStarted(n, v) {
				continue
			}
			b.fail(diag.New(diag.NodeIsDown, v.Step.Range, fmt.Sprintf("%s acts on %s, which nothing has started", v.Step.Address, n),
				fmt.Sprintf("%s would start it, but is skipped.", start.Step.Address), diag.Also(start.Step.Range, "skipped")))
			break
		}
	}
}

// mayBeStarted says that a step may start a node before another acts on it.
func (b *builder) mayBeStarted(node string, before *Vertex) bool {
	starts := func(w *Vertex) bool {
		return (w.Step.Unclear || slices.Contains(w.Step.Type.Ends, schema.Down)) && !b.reaches(w, before)
	}
	return isAmong([][]*Vertex{b.enders().anywhere, b.enders().on[node]}, starts)
}

// checkHealsNothing reports that a fault is to be healed that is skipped for
// certain: a heal of what was never injected fails.
func (b *builder) checkHealsNothing() {
	reported := map[hcl.Range]bool{}
	for _, w := range b.enders().all {
		if b.isConditional(w.Step) || !takesFaults(w.Step.Type) || reported[w.Step.Range] || b.failureExpected(w) {
			continue
		}
		for _, u := range b.enders().heals[w] {
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

package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/scenario-run/scenario/dsl/diag"
	"github.com/scenario-run/scenario/dsl/lang"
	"github.com/scenario-run/scenario/engine/dag"
)

// order gives the steps of a sequence their edges. What all of them wait for
// that wait for no other is entry: the start of a round, or nil at the top.
func (b *builder) order(seq sequence, entry *Vertex) {
	above := b.newFrontier(seq)
	for i, u := range seq {
		above.below = seq[i:]
		for _, it := range u.items {
			b.orderItem(it, above, entry)
		}
		above.pass(u)
	}
}

// orderItem gives one instance its edges, and what is in a group its own.
func (b *builder) orderItem(it item, above *frontier, entry *Vertex) {
	head, meta := it.head(), it.step.Meta
	w := &edgeSet{}
	if meta.After == nil {
		w.shared = above.waits()
	}
	for i := range meta.After {
		b.refer(w, it, &meta.After[i], lang.NeedFinished, ByAfter)
	}
	for i := range it.step.Refs {
		r := &it.step.Refs[i]
		if r.Need != lang.NeedNothing && !isAfter(meta.After, r) {
			b.refer(w, it, r, r.Need, ByReference)
		}
	}
	b.enter(w, entry, above.isEmpty() || meta.After != nil)
	b.needNodes(w, head)
	b.needImages(w, it.step)
	head.Waits = w.list()
	b.orderInside(it)
}

// orderInside gives what is in a group its edges: each round waits for all of
// the one before it, and the end of the group for all rounds.
func (b *builder) orderInside(it item) {
	if it.start == nil {
		return
	}
	above := []Edge{{On: it.start.ID, Need: lang.NeedFinished, Cause: ByOrder}}
	for _, r := range it.rounds {
		r.start.Waits = above
		b.order(r.steps, r.start)
		above = ends(r.start, r.steps)
		if !r.start.beyond || it.start.beyond {
			it.vertex.Waits = append(it.vertex.Waits, above...)
		}
	}
	if len(it.rounds) == 0 {
		b.order(it.inside, it.start)
		it.vertex.Waits = ends(it.start, it.inside)
	}
}

// isAfter says that a reference is one of those that after names.
func isAfter(after []lang.Ref, r *lang.Ref) bool {
	return slices.ContainsFunc(after, func(a lang.Ref) bool { return a.Address == r.Address && a.Range == r.Range })
}

// enter lets a step wait for the start of its round, or at the top, if it
// waits for no other step, for what the first steps wait for. Free says that
// nothing above it in its round keeps it.
func (b *builder) enter(w *edgeSet, entry *Vertex, free bool) {
	switch {
	case entry == nil && w.isEmpty():
		w.shared = b.roots
	case entry != nil && free:
		w.add(Edge{On: entry.ID, Need: lang.NeedFinished, Cause: ByOrder})
	}
}

// needNodes lets a step that starts nodes wait until they are created, and one
// that acts on nodes wait for the step that starts them, unless the order says
// so already.
func (b *builder) needNodes(w *edgeSet, v *Vertex) {
	for _, n := range v.Targets {
		s := b.starter[n]
		switch {
		case s == nil:
		case s == v:
			w.add(Edge{On: "create." + short(n), Need: lang.NeedFinished, Cause: ByNode})
		case s.at < v.at && !isOrdered(v, s):
			w.add(Edge{On: s.ID, Need: lang.NeedFinished, Cause: ByNode})
		}
	}
}

// needImages lets a step wait for the images that it names.
func (b *builder) needImages(w *edgeSet, s *lang.Step) {
	for _, id := range b.images[s] {
		w.add(Edge{On: id, Need: lang.NeedFinished, Cause: ByImage})
	}
}

// isOrdered says that a step waits for one above by source order.
func isOrdered(v, above *Vertex) bool {
	return v.Step.Meta.After == nil && !above.Step.Meta.Background && v.Group == above.Group
}

// ends are the edges of what comes after all that is inside of something: its
// start, if nothing is.
func ends(start *Vertex, steps sequence) []Edge {
	var all []Edge
	for _, u := range steps {
		for _, it := range u.items {
			all = append(all, Edge{On: it.vertex.ID, Need: lang.NeedFinished, Cause: ByOrder})
		}
	}
	if len(all) == 0 {
		all = append(all, Edge{On: start.ID, Need: lang.NeedFinished, Cause: ByOrder})
	}
	return all
}

// orderCleanup lets each step of cleanup wait for the one above. What happened
// before cleanup is over by then, so that references need no edges.
func (b *builder) orderCleanup(seq sequence) {
	var last *Vertex
	for _, u := range seq {
		for _, it := range u.items {
			if last != nil {
				it.head().Waits = []Edge{{On: last.ID, Need: lang.NeedFinished, Cause: ByOrder}}
			}
			b.orderInside(it)
			for _, r := range it.step.Refs {
				for _, t := range b.named[r.Address] {
					if r.Kind != lang.NodeRef && t.at >= it.head().at {
						b.forward = append(b.forward, forward{it.vertex, t, r})
					}
				}
			}
			last = it.vertex
		}
	}
}

// forward is a reference to a step that stands at or below the one that makes
// it.
type forward struct {
	from, to *Vertex
	ref      lang.Ref
}

// refer lets an item wait for what a reference of its step means.
func (b *builder) refer(w *edgeSet, it item, r *lang.Ref, need lang.Need, cause Cause) {
	if j := b.joinOf(it, r, need, cause); j != nil {
		w.add(Edge{On: j.ID, Need: lang.NeedFinished, Cause: cause, Ref: r})
		return
	}
	for _, t := range b.named[r.Address] {
		if t.at >= it.head().at {
			if !isOutside(t, it.head()) { // else it is what the use gives for a param, and reported there
				b.forward = append(b.forward, forward{it.vertex, t, *r})
			}
			continue
		}
		e := edgeTo(t, need, cause)
		e.Ref = r
		w.add(e)
	}
}

// isOutside says that a vertex stands outside of the use of a define that
// another is inside of.
func isOutside(v, inner *Vertex) bool {
	uses := inner.Step.Uses
	return len(uses) > 0 && !strings.HasPrefix(v.ID, uses[0].Address+"/")
}

// reportForward reports references to later steps: with the whole cycle that
// they close, if they close one.
func (b *builder) reportForward() {
	reported := map[hcl.Range]bool{}
	for _, f := range b.forward {
		if reported[f.ref.Range] {
			continue // in another round of a repeat, or another instance
		}
		reported[f.ref.Range] = true
		from, to := f.from.Step, f.to.Step
		if f.from == f.to {
			b.fail(diag.New(diag.OrderCycle, f.ref.Range, fmt.Sprintf("%s refers to itself", from.Address),
				"A step can't wait for its own end."))
			continue
		}
		path := dag.Path(f.to, f.from, b.waitsOf)
		if path == nil {
			b.fail(diag.New(diag.LaterStep, f.ref.Range, fmt.Sprintf("%s refers to %s, which stands below it", from.Address, to.Address),
				fmt.Sprintf("Move %s up, above %s.", to.Address, from.Address), diag.Also(to.Range, "declared here")))
			continue
		}
		b.fail(b.cycle(f, path))
	}
}

// cycle shows the hops by which a later step leads back to the one that refers
// to it.
func (b *builder) cycle(f forward, path []*Vertex) *hcl.Diagnostic {
	hops := []string{fmt.Sprintf("%s refers to %s", f.from.Step.Address, f.to.Step.Address)}
	options := []diag.Option{}
	for i, v := range path[:len(path)-1] {
		next := path[i+1]
		if v.Kind == JoinVertex {
			continue // it stands for what it waits for
		}
		e := v.Waits[slices.IndexFunc(v.Waits, func(e Edge) bool { return e.On == next.ID })]
		if next.Kind == JoinVertex {
			next = path[i+2]
		}
		hops = append(hops, fmt.Sprintf("%s %s %s", name(v), why(v, e), name(next)))
		if v.Step != nil {
			options = append(options, diag.Also(v.Step.Range, why(v, e)+" "+name(next)))
		}
	}
	return diag.New(diag.OrderCycle, f.ref.Range,
		fmt.Sprintf("%s waits for %s, which stands below it and waits for it", f.from.Step.Address, f.to.Step.Address),
		strings.Join(hops, ",\n")+".", options...)
}

func why(v *Vertex, e Edge) string {
	switch {
	case v.Kind == GroupEnd:
		return "ends with"
	case e.Cause == ByAfter:
		return "is after"
	case e.Cause == ByReference:
		return "refers to"
	case e.Cause == ByNode:
		return "needs a node of"
	default:
		return "stands below"
	}
}

func name(v *Vertex) string {
	if v.Step != nil && v.Kind != RoundStart {
		return v.Step.Address
	}
	return v.ID
}

func (b *builder) waitsOf(v *Vertex) []*Vertex {
	on := make([]*Vertex, 0, len(v.Waits))
	for _, e := range v.Waits {
		on = append(on, b.byID[e.On])
	}
	return on
}

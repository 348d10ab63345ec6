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
	// pending are the steps that together imply all that stand above: waiting
	// for them is waiting for everything.
	var pending []*Vertex
	for _, u := range seq {
		for _, it := range u.items {
			b.orderItem(it, pending, entry)
		}
		pending = b.after(pending, u)
	}
}

// after is what implies all that stands above, once a unit stands there too.
func (b *builder) after(pending []*Vertex, u unit) []*Vertex {
	var tails []*Vertex
	covers := false
	for _, it := range u.items {
		if it.step.Meta.Background || it.step.Unclear {
			continue
		}
		tails = append(tails, it.vertex)
		covers = covers || it.step.Meta.After == nil
	}
	if len(tails) == 0 {
		return pending
	}
	if covers {
		return tails
	}
	left := slices.DeleteFunc(slices.Clone(pending), func(p *Vertex) bool {
		return slices.ContainsFunc(tails, func(t *Vertex) bool { return b.implies(t, p) })
	})
	return append(left, tails...)
}

// orderItem gives one instance its edges, and what is in a group its own.
func (b *builder) orderItem(it item, pending []*Vertex, entry *Vertex) {
	head, meta := it.head(), it.step.Meta
	if meta.After == nil {
		for _, p := range pending {
			wait(head, Edge{On: p.ID, Need: lang.NeedFinished, Cause: ByOrder})
		}
	}
	for i := range meta.After {
		b.refer(head, it.vertex, meta.After[i], lang.NeedFinished, ByAfter)
	}
	for i := range it.step.Refs {
		r := it.step.Refs[i]
		if r.Need != lang.NeedNothing && !isAfter(meta.After, r) {
			b.refer(head, it.vertex, r, r.Need, ByReference)
		}
	}
	b.enter(head, entry, len(pending) == 0 || meta.After != nil)
	b.needNodes(head)
	b.orderInside(it)
}

// orderInside gives what is in a group its edges: each round waits for all of
// the one before it, and the end of the group for all rounds.
func (b *builder) orderInside(it item) {
	if it.start == nil {
		return
	}
	above := []*Vertex{it.start}
	for _, r := range it.rounds {
		for _, v := range above {
			wait(r.start, Edge{On: v.ID, Need: lang.NeedFinished, Cause: ByOrder})
		}
		b.order(r.steps, r.start)
		above = b.ends(r.start, r.steps)
		for _, v := range above {
			wait(it.vertex, Edge{On: v.ID, Need: lang.NeedFinished, Cause: ByOrder})
		}
	}
	if len(it.rounds) > 0 {
		return
	}
	b.order(it.inside, it.start)
	for _, v := range b.ends(it.start, it.inside) {
		wait(it.vertex, Edge{On: v.ID, Need: lang.NeedFinished, Cause: ByOrder})
	}
}

// isAfter says that a reference is one of those that after names.
func isAfter(after []lang.Ref, r lang.Ref) bool {
	return slices.ContainsFunc(after, func(a lang.Ref) bool { return a.Address == r.Address && a.Range == r.Range })
}

// enter lets a vertex wait for the start of its round, or at the top, if it
// waits for no other step, for what the first steps wait for. Free says that
// nothing above it in its round keeps it.
func (b *builder) enter(v, entry *Vertex, free bool) {
	if entry != nil {
		if free {
			wait(v, Edge{On: entry.ID, Need: lang.NeedFinished, Cause: ByOrder})
		}
		return
	}
	if len(v.Waits) == 0 {
		v.Waits = slices.Clone(b.roots)
	}
}

// needNodes lets a step that starts nodes wait until they are created, and one
// that acts on nodes wait for the step that starts them, unless the order says
// so already.
func (b *builder) needNodes(v *Vertex) {
	for _, n := range v.Targets {
		s := b.starter[n]
		switch {
		case s == nil:
		case s == v:
			wait(v, Edge{On: "create." + short(n), Need: lang.NeedFinished, Cause: ByNode})
		case b.index[s] < b.index[v] && !isOrdered(v, s):
			wait(v, Edge{On: s.ID, Need: lang.NeedFinished, Cause: ByNode})
		}
	}
}

// isOrdered says that a step waits for one above by source order.
func isOrdered(v, above *Vertex) bool {
	return v.Step.Meta.After == nil && !above.Step.Meta.Background && v.Group == above.Group
}

// ends are the vertices that end what is inside of something: its start, if
// nothing is.
func (b *builder) ends(start *Vertex, steps sequence) []*Vertex {
	if len(steps) == 0 {
		return []*Vertex{start}
	}
	var all []*Vertex
	for _, u := range steps {
		for _, it := range u.items {
			all = append(all, it.vertex)
		}
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
				wait(it.head(), Edge{On: last.ID, Need: lang.NeedFinished, Cause: ByOrder})
			}
			b.orderInside(it)
			for _, r := range it.step.Refs {
				for _, t := range b.named[r.Address] {
					if r.Kind != lang.NodeRef && b.index[t] >= b.index[it.head()] {
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

// refer lets a vertex wait for what a reference means. Self is the vertex of
// the step that makes it.
func (b *builder) refer(head, self *Vertex, r lang.Ref, need lang.Need, cause Cause) {
	for _, t := range b.named[r.Address] {
		if b.index[t] >= b.index[head] && isOutside(t, head) {
			continue // what the use gives for a param; it is reported there
		}
		if b.index[t] >= b.index[head] {
			b.forward = append(b.forward, forward{self, t, r})
			continue
		}
		e := Edge{On: t.ID, Need: need, Cause: cause, Ref: &r}
		if t.Kind == GroupEnd && need != lang.NeedFinished {
			e.On = startID(t.ID)
		}
		wait(head, e)
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
		e := v.Waits[slices.IndexFunc(v.Waits, func(e Edge) bool { return e.On == next.ID })]
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

// implies says that once a vertex has finished, another has too.
func (b *builder) implies(v, other *Vertex) bool {
	return b.reaches(v, other, func(e Edge) bool { return e.Need == lang.NeedFinished })
}

// reaches says that a vertex waits for another, directly or through others,
// along the edges that count. Edges point backwards, so that nothing above the
// other needs to be looked at.
func (b *builder) reaches(v, other *Vertex, counts func(Edge) bool) bool {
	seen := map[*Vertex]bool{}
	var visit func(*Vertex) bool
	visit = func(v *Vertex) bool {
		if v == other {
			return true
		}
		if b.index[v] < b.index[other] || seen[v] {
			return false
		}
		seen[v] = true
		return slices.ContainsFunc(v.Waits, func(e Edge) bool { return counts(e) && visit(b.byID[e.On]) })
	}
	return visit(v)
}

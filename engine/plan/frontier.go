package plan

import (
	"slices"

	"github.com/scenario-run/scenario/dsl/lang"
)

// frontier are the steps of a sequence that together imply all that stand
// above: waiting for them is waiting for everything. None of them implies
// another.
type frontier struct {
	b     *builder
	group string         // of the sequence
	below sequence       // what of it is yet to pass
	open  []*Vertex      // nil where one has come to be implied by a later one
	place map[string]int // in open, by ID
	edges []Edge         // by which one waits for the open ones; nil: not made yet
}

func (b *builder) newFrontier(seq sequence) *frontier {
	f := &frontier{b: b, place: map[string]int{}}
	if len(seq) > 0 {
		f.group = seq[0].items[0].vertex.Group
	}
	return f
}

func (f *frontier) isEmpty() bool { return len(f.place) == 0 }

// waits are edges to all of it. They are shared by those that wait, and must
// not be changed.
func (f *frontier) waits() []Edge {
	if f.edges == nil {
		f.edges = make([]Edge, 0, len(f.place))
		for _, v := range f.open {
			if v != nil {
				f.edges = append(f.edges, Edge{On: v.ID, Need: lang.NeedFinished, Cause: ByOrder})
			}
		}
		f.edges = f.b.through(f.waiters(), f.edges)
	}
	return f.edges
}

// waiters are how many items wait for it before it moves.
func (f *frontier) waiters() (n int) {
	for _, u := range f.below {
		for _, it := range u.items {
			if it.step.Meta.After == nil {
				n++
			}
		}
		if u.keeps() {
			return n
		}
	}
	return n
}

// keeps says that what stands below a unit waits for some of it.
func (u unit) keeps() bool { return slices.ContainsFunc(u.items, item.keeps) }

func (it item) keeps() bool { return !it.step.Meta.Background && !it.step.Unclear }

// pass moves it below a unit.
func (f *frontier) pass(u unit) {
	covers := false
	var tails []*Vertex
	for _, it := range u.items {
		if !it.keeps() {
			continue
		}
		tails = append(tails, it.vertex)
		covers = covers || it.step.Meta.After == nil
	}
	switch {
	case len(tails) == 0:
		return
	case covers:
		f.open = f.open[:0]
		clear(f.place)
	default:
		seen := map[string]bool{}
		for _, t := range tails {
			f.drop(t, seen)
		}
	}
	for _, t := range tails {
		f.place[t.ID] = len(f.open)
		f.open = append(f.open, t)
	}
	f.edges = nil
	f.compact()
}

// drop takes out what a vertex implies. What the open ones imply needs no
// second look: it can't lead to one of them.
func (f *frontier) drop(v *Vertex, seen map[string]bool) {
	for _, e := range v.Waits {
		if e.Need != lang.NeedFinished || seen[e.On] {
			continue
		}
		if at, ok := f.place[e.On]; ok {
			f.open[at] = nil
			delete(f.place, e.On)
			continue
		}
		on := f.b.byID[e.On]
		if on.Kind != JoinVertex && (on.Step == nil || f.hasPassed(on)) {
			continue
		}
		seen[e.On] = true
		f.drop(on, seen)
	}
}

// hasPassed says that a vertex has been part of it.
func (f *frontier) hasPassed(v *Vertex) bool {
	return v.Kind != GroupStart && v.Group == f.group && !v.Step.Meta.Background && !v.Step.Unclear
}

func (f *frontier) compact() {
	if len(f.open) < 2*len(f.place)+8 {
		return
	}
	left := f.open[:0]
	for _, v := range f.open {
		if v != nil {
			f.place[v.ID] = len(left)
			left = append(left, v)
		}
	}
	f.open = left
}

package plan

import (
	"fmt"

	"github.com/scenario-run/scenario/dsl/lang"
)

// Where n vertices wait for the same m others, they do so by a join: each waits
// for the join, and the join for the others. That is n + m edges in place of
// n × m, and says the same.

// joinSaves is how many edges a join saves at least. What a person can take in
// at a glance has none.
const joinSaves = 100

// joins are those of a plan in the making.
type joins struct {
	saves int                  // edges, each of them at least
	made  []*Vertex            // in the order in which they were made
	below map[string][]*Vertex // by the ID of the last vertex that they wait for
	all   map[allOf]*Vertex    // those of everything that an address means
	refer map[allOf]int        // how many steps wait for that
	since int                  // place in the plan from which on vertices are joined
}

// allOf is everything that an address means, and how far it must be.
type allOf struct {
	address string
	need    lang.Need
}

func newJoins() joins {
	return joins{saves: joinSaves, below: map[string][]*Vertex{}, all: map[allOf]*Vertex{}, refer: map[allOf]int{}}
}

// worth says that n vertices which wait for m others should do so by a join.
func (j *joins) worth(n, m int) bool { return n > 1 && m > 1 && n*m-n-m >= j.saves }

// through are the edges by which each of n vertices waits for others, given an
// edge to each of those.
func (b *builder) through(n int, edges []Edge) []Edge {
	if !b.joins.worth(n, len(edges)) {
		return edges
	}
	return []Edge{{On: b.join(edges).ID, Need: lang.NeedFinished, Cause: edges[0].Cause}}
}

// joinOf is the join by which an item waits for all that a reference means, nil
// if it waits for each by itself.
func (b *builder) joinOf(it item, r *lang.Ref, need lang.Need, cause Cause) *Vertex {
	targets, k := b.named[r.Address], allOf{r.Address, need}
	if !b.joins.worth(b.joins.refer[k], len(targets)) || targets[len(targets)-1].at >= it.head().at {
		return nil
	}
	if j := b.joins.all[k]; j != nil || targets[0].at < b.joins.since {
		return j
	}
	edges := make([]Edge, len(targets))
	for i, t := range targets {
		edges[i] = edgeTo(t, need, cause)
	}
	b.joins.all[k] = b.join(edges)
	return b.joins.all[k]
}

// edgeTo lets something wait for a vertex of a step. That a group has come as far
// as something less than its end, its start says.
func edgeTo(t *Vertex, need lang.Need, cause Cause) Edge {
	e := Edge{On: t.ID, Need: need, Cause: cause}
	if t.Kind == GroupEnd && need != lang.NeedFinished {
		e.On = startID(t.ID)
	}
	return e
}

// countReferences counts the steps that wait for all that an address means, in
// groups too.
func (b *builder) countReferences(seq sequence) {
	for _, u := range seq {
		for _, it := range u.items {
			meta := it.step.Meta
			for _, r := range meta.After {
				b.joins.refer[allOf{r.Address, lang.NeedFinished}]++
			}
			for i := range it.step.Refs {
				if r := &it.step.Refs[i]; r.Need != lang.NeedNothing && !isAfter(meta.After, r) {
					b.joins.refer[allOf{r.Address, r.Need}]++
				}
			}
			for _, r := range it.rounds {
				if !r.start.beyond {
					b.countReferences(r.steps)
				}
			}
			b.countReferences(it.inside)
		}
	}
}

// join is a vertex that waits for what the edges say: one that is there, or a
// new one.
func (b *builder) join(edges []Edge) *Vertex {
	last := b.byID[edges[len(edges)-1].On]
	for _, j := range b.joins.below[last.ID] {
		if sameWaits(j.Waits, edges) {
			return j
		}
	}
	j := &Vertex{
		Kind: JoinVertex, Title: b.joinTitle(edges), Group: last.Group, Cleanup: last.Cleanup, Waits: edges,
		at: last.at, beyond: last.beyond,
	}
	base := wholeOf(last) + "/join"
	j.ID = base
	for n := 1; b.byID[j.ID] != nil; n++ {
		j.ID = fmt.Sprintf("%s[%d]", base, n)
	}
	b.byID[j.ID] = j
	b.joins.below[last.ID] = append(b.joins.below[last.ID], j)
	b.joins.made = append(b.joins.made, j)
	return j
}

func sameWaits(a, b []Edge) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].On != b[i].On || a[i].Need != b[i].Need {
			return false
		}
	}
	return true
}

// wholeOf is the address of what a vertex is an instance of.
func wholeOf(v *Vertex) string {
	switch {
	case v.Step != nil:
		return declaration(v.Step)
	case v.Node != nil:
		return "node." + v.Node.Name
	}
	return v.ID
}

// joinTitle says what is waited for: all of one declaration, or of several.
func (b *builder) joinTitle(edges []Edge) string {
	of := wholeOf(b.byID[edges[0].On])
	for _, e := range edges {
		if wholeOf(b.byID[e.On]) != of {
			return fmt.Sprintf("all %d that stand above", len(edges))
		}
	}
	title := fmt.Sprintf("all %d of %s", len(edges), of)
	if need := edges[0].Need; need != lang.NeedFinished {
		title += ", " + string(need)
	}
	return title
}

// placeJoins puts the joins into the plan, each below the last that it waits
// for.
func (b *builder) placeJoins() {
	if len(b.joins.made) == 0 {
		return
	}
	all := make([]*Vertex, 0, len(b.plan.Vertices)+len(b.joins.made))
	for _, v := range b.plan.Vertices {
		all = append(append(all, v), b.joins.below[v.ID]...)
	}
	b.plan.Vertices = all
}

// waitsThroughJoins are the edges of a vertex, and in place of one to a join
// those of the join, unless it has been seen.
func (b *builder) waitsThroughJoins(v *Vertex, seen map[*Vertex]bool) []Edge {
	var all []Edge
	for i, e := range v.Waits {
		on := b.byID[e.On]
		switch {
		case on.Kind != JoinVertex:
			if all != nil {
				all = append(all, e)
			}
			continue
		case all == nil:
			all = append(make([]Edge, 0, len(v.Waits)), v.Waits[:i]...)
		}
		if !seen[on] {
			seen[on] = true
			all = append(all, on.Waits...)
		}
	}
	if all == nil {
		return v.Waits
	}
	return all
}

// startsFree counts the items of a sequence that wait for no other step.
func startsFree(seq sequence) (n int) {
	free := true // nothing above keeps what says nothing of its order
	for _, u := range seq {
		for _, it := range u.items {
			after := it.step.Meta.After
			if (after != nil || free) && len(after) == 0 && !waitsByReference(it.step) {
				n++
			}
		}
		free = free && !u.keeps()
	}
	return n
}

func waitsByReference(s *lang.Step) bool {
	for i := range s.Refs {
		if s.Refs[i].Need != lang.NeedNothing {
			return true
		}
	}
	return false
}

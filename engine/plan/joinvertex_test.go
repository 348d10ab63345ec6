package plan

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"
	"pgregory.net/rapid"

	"github.com/scenario-run/scenario/dsl/lang"
)

// planOf plans steps with joins that save so many edges.
func planOf(steps []*lang.Step, saves int) *builder {
	b := newBuilder(&lang.Variant{Steps: steps})
	b.joins.saves = saves
	seq := b.flatten(steps, "")
	b.provision(nil)
	b.addSteps(seq, false)
	b.countReferences(seq)
	b.roots = b.through(startsFree(seq), b.roots)
	b.order(seq, nil)
	b.placeJoins()
	return b
}

// TestByJoinsEachWaitsForWhatItWaitsForWithout plans the same steps with as many
// joins as there can be, and with none.
func TestByJoinsEachWaitsForWhatItWaitsForWithout(t *testing.T) {
	joined := 0
	rapid.Check(t, func(rt *rapid.T) {
		steps := drawMany(rt, "", 0, nil)
		without, with := planOf(steps, 1<<30), planOf(steps, 0)
		joined += len(with.joins.made)
		if d := cmp.Diff(without.allWaits(rt), with.allWaits(rt)); d != "" {
			rt.Fatalf("(-without +with)\n%s\n%s", d, with.plan.Text(0))
		}
		above := map[string]bool{}
		for _, v := range with.plan.Vertices {
			for _, e := range v.Waits {
				if !above[e.On] {
					rt.Fatalf("%s waits for %s, which isn't above it\n%s", v.ID, e.On, with.plan.Text(0))
				}
			}
			above[v.ID] = true
		}
		for _, v := range without.plan.Vertices {
			for _, other := range without.plan.Vertices {
				if other.Step == nil {
					continue
				}
				if a, b := without.reaches(v, other), with.reaches(with.byID[v.ID], with.byID[other.ID]); a != b {
					rt.Fatalf("%s reaches %s: %v, with joins %v\n%s", v.ID, other.ID, a, b, with.plan.Text(0))
				}
			}
		}
	})
	if joined == 0 {
		t.Error("there was no join")
	}
}

// allWaits are the edges of each vertex that isn't a join, without joins.
func (b *builder) allWaits(rt *rapid.T) map[string][]string {
	all := map[string][]string{}
	for _, v := range b.plan.Vertices {
		if v.Kind == JoinVertex {
			continue
		}
		set := map[string]bool{}
		for _, e := range v.Waits {
			edges := []Edge{e}
			if on := b.byID[e.On]; on.Kind == JoinVertex {
				if edges = on.Waits; e.Need != lang.NeedFinished || len(edges) < 2 || on.Group != b.byID[edges[0].On].Group {
					rt.Fatalf("%s waits for %s, a join of %d, to be %s", v.ID, on.ID, len(edges), e.Need)
				}
			}
			for _, x := range edges {
				set[fmt.Sprintf("%s %s (%s)", x.On, x.Need, e.Cause)] = true
			}
		}
		all[v.ID] = slices.Sorted(maps.Keys(set))
	}
	return all
}

// drawMany is drawSteps with several instances of each, and references to all of
// them.
func drawMany(rt *rapid.T, prefix string, depth int, outer []string) []*lang.Step {
	var steps []*lang.Step
	visible := outer
	for i := range rapid.IntRange(1, 4).Draw(rt, "declarations") {
		kind := lang.ActionStep
		if depth < 1 && rapid.IntRange(0, 3).Draw(rt, "repeats") == 0 {
			kind = lang.RepeatStep
		}
		whole := fmt.Sprintf("%s%s.s%d_%d", prefix, kind, depth, i)
		meta := lang.Meta{Attempts: 1, Background: rapid.IntRange(0, 3).Draw(rt, "background") == 0}
		if rapid.IntRange(0, 2).Draw(rt, "has after") == 0 {
			meta.After = drawRefs(rt, visible, lang.NeedFinished)
		}
		need := rapid.SampledFrom([]lang.Need{lang.NeedStarted, lang.NeedActive, lang.NeedFinished}).Draw(rt, "need")
		refs := append(slices.Clone(meta.After), drawRefs(rt, visible, need)...)
		for n := range rapid.IntRange(1, 3).Draw(rt, "count") {
			s := &lang.Step{Kind: kind, Name: fmt.Sprintf("s%d_%d", depth, i), Declaration: whole, Key: cty.NumberIntVal(int64(n)), Meta: meta, Refs: refs}
			s.Address = fmt.Sprintf("%s[%d]", whole, n)
			if kind == lang.RepeatStep {
				s.Times = rapid.IntRange(0, 2).Draw(rt, "times")
				for r := range s.Times {
					s.Rounds = append(s.Rounds, drawMany(rt, fmt.Sprintf("%s[%d]/", s.Address, r), depth+1, visible))
				}
			}
			steps = append(steps, s)
		}
		visible = append(visible[:len(visible):len(visible)], whole)
	}
	return steps
}

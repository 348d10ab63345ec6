package plan

import (
	"fmt"
	"testing"

	"github.com/zclconf/go-cty/cty"
	"pgregory.net/rapid"

	"github.com/scenario-run/scenario/dsl/lang"
)

// TestReachesKnowsTheWaysThereAre holds what reaches says against a search of
// all ways, and the edges of order against each other: none may be implied by
// the rest.
func TestReachesKnowsTheWaysThereAre(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		steps := drawSteps(rt, "", 0, nil)
		b := newBuilder(&lang.Variant{Steps: steps})
		seq := b.flatten(steps, "")
		b.provision(nil)
		b.addSteps(seq, false)
		b.order(seq, nil)
		for _, v := range b.plan.Vertices {
			for _, other := range b.plan.Vertices {
				if other.Step == nil {
					continue
				}
				if got, want := b.reaches(v, other), searched(b, v, other, func(Edge) bool { return true }); got != want {
					rt.Fatalf("%s reaches %s: %v, want %v\n%s", v.ID, other.ID, got, want, b.plan.Text(0))
				}
			}
			for _, e := range v.Waits {
				for _, x := range v.Waits {
					if v.Kind == StepVertex && e.Cause == ByOrder && x.Cause == ByOrder && e.On != x.On && searched(b, b.byID[e.On], b.byID[x.On], isFinished) {
						rt.Fatalf("%s waits for %s and for %s, which waits for it\n%s", v.ID, x.On, e.On, b.plan.Text(0))
					}
				}
			}
		}
	})
}

func isFinished(e Edge) bool { return e.Need == lang.NeedFinished }

// searched says that there is a way, along the edges that count.
func searched(b *builder, v, other *Vertex, counts func(Edge) bool) bool {
	if v == other {
		return true
	}
	for _, e := range v.Waits {
		if counts(e) && searched(b, b.byID[e.On], other, counts) {
			return true
		}
	}
	return false
}

// drawSteps makes steps, and repeats of steps, that refer to steps above.
// Outer are the addresses that are visible from outside.
func drawSteps(rt *rapid.T, prefix string, depth int, outer []string) []*lang.Step {
	var steps []*lang.Step
	visible := outer
	for i := range rapid.IntRange(1, 4).Draw(rt, "steps") {
		s := &lang.Step{Kind: lang.ActionStep, Name: fmt.Sprintf("s%d_%d", depth, i), Key: cty.NilVal, Meta: lang.Meta{Attempts: 1}}
		s.Address = prefix + "action." + s.Name
		s.Meta.Background = rapid.Bool().Draw(rt, "background")
		if rapid.IntRange(0, 2).Draw(rt, "has after") == 0 {
			s.Meta.After = drawRefs(rt, visible, lang.NeedFinished)
			s.Refs = append(s.Refs, s.Meta.After...)
		}
		need := rapid.SampledFrom([]lang.Need{lang.NeedStarted, lang.NeedFinished}).Draw(rt, "need")
		s.Refs = append(s.Refs, drawRefs(rt, visible, need)...)
		s.Unclear = rapid.IntRange(0, 9).Draw(rt, "unclear") == 0
		if !s.Unclear && depth < 2 && rapid.IntRange(0, 3).Draw(rt, "repeats") == 0 {
			s.Kind, s.Address = lang.RepeatStep, prefix+"repeat."+s.Name
			s.Times = rapid.IntRange(0, 2).Draw(rt, "times")
			for n := range s.Times {
				s.Rounds = append(s.Rounds, drawSteps(rt, fmt.Sprintf("%s[%d]/", s.Address, n), depth+1, visible))
			}
		}
		steps = append(steps, s)
		visible = append(visible[:len(visible):len(visible)], s.Address)
	}
	return steps
}

func drawRefs(rt *rapid.T, visible []string, need lang.Need) []lang.Ref {
	refs := []lang.Ref{}
	if len(visible) == 0 {
		return refs
	}
	for _, address := range rapid.SliceOfN(rapid.SampledFrom(visible), 0, 2).Draw(rt, "refs") {
		refs = append(refs, lang.Ref{Kind: lang.ActionRef, Address: address, Need: need})
	}
	return refs
}

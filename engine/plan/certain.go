package plan

import (
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/lang"
)

// What a step is certain to do hangs on what it says of itself, and on the groups
// around it.

// isConditional says that a step may not do what it says: nothing is certain
// about it. Nor is it about one that isn't clear.
func (b *builder) isConditional(s *lang.Step) bool {
	return s.Unclear || s.Meta.ExpectError != nil || !is(b.when(s), true)
}

// isSkipped says that it is known already that a step is skipped, itself or with
// a group that it is in.
func (b *builder) isSkipped(v *Vertex) bool {
	if is(b.when(v.Step), false) {
		return true
	}
	return slices.ContainsFunc(b.groupsOf(v), func(g *Vertex) bool { return is(b.when(g.Step), false) })
}

// when is what a step's when comes to as far as is known, evaluated once.
func (b *builder) when(s *lang.Step) cty.Value {
	if s.Meta.When == nil {
		return cty.True
	}
	v, ok := b.whens[s]
	if !ok {
		v = cty.UnknownVal(cty.Bool)
		if known, diags := s.Meta.When.Eval(b.scope); !diags.HasErrors() && known != cty.NilVal {
			v, _ = known.UnmarkDeep()
		}
		b.whens[s] = v
	}
	return v
}

// is says that a value is known to be true, or false.
func is(v cty.Value, want bool) bool {
	return v.Type() == cty.Bool && v.IsKnown() && !v.IsNull() && v.True() == want
}

// sameConditions says that where v comes to run, u has done what it says: they
// stand in the same groups of those that may be skipped, and no group ends around
// u whose failure is survived.
func (b *builder) sameConditions(u, v *Vertex) bool {
	survives := func(g *Vertex) bool { return g.Step.Meta.Continue }
	if u.Step.Meta.Continue || !slices.Equal(b.conditionsOf(u), b.conditionsOf(v)) {
		return false
	}
	around, other := b.groupsOf(u), b.groupsOf(v)
	return !slices.ContainsFunc(only(around, survives), func(g *Vertex) bool { return !slices.Contains(other, g) })
}

// conditionsOf are the groups around a vertex that may be skipped.
func (b *builder) conditionsOf(v *Vertex) []*Vertex {
	return only(b.groupsOf(v), func(g *Vertex) bool { return b.isConditional(g.Step) })
}

func only(all []*Vertex, is func(*Vertex) bool) []*Vertex {
	return slices.DeleteFunc(slices.Clone(all), func(v *Vertex) bool { return !is(v) })
}

// groupsOf are the ends of the groups around a vertex, innermost first.
func (b *builder) groupsOf(v *Vertex) (all []*Vertex) {
	for v = b.byID[v.Group]; v != nil; v = b.byID[v.Group] {
		if v.Kind == GroupEnd {
			all = append(all, v)
		}
	}
	return all
}

// failureExpected says that a group around a step is to fail.
func (b *builder) failureExpected(v *Vertex) bool {
	return slices.ContainsFunc(b.groupsOf(v), func(g *Vertex) bool { return g.Step.Meta.ExpectError != nil })
}

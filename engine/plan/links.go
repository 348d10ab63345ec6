package plan

import (
	"fmt"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/diag"
	"github.com/scenario-run/scenario/dsl/schema"
)

// checkLinks reports faults on the links between nodes of which no two are on one
// network: nothing passes there anyway.
func (b *builder) checkLinks() {
	for _, v := range b.plan.Vertices {
		if v.Kind != StepVertex || v.Step.Type.Kind != schema.Fault || !takes(v.Step.Type, schema.Links) || b.isConditional(v.Step) || b.failureExpected(v) {
			continue
		}
		sides, known := sidesOf(b.arguments(v.Step))
		if !known || len(sides) < 2 || !b.areApart(sides) {
			continue
		}
		b.fail(diag.New(diag.InvalidValue, v.Step.Range, fmt.Sprintf("%s hits no link: none of its nodes shares a network with one that it has a link to", v.Step.Address),
			fmt.Sprintf("%s and %s have no network in common. Put both on one: networks = [network.NAME].", sides[0][0], sides[1][0])))
	}
}

// sidesOf are the sets of nodes between which a fault hits links, each not empty,
// and whether they are known; none where it isn't said that way.
func sidesOf(args cty.Value) (sides [][]string, known bool) {
	given := func(name string) (cty.Value, bool) {
		v := attr(args, name)
		return v, v.IsWhollyKnown() && !v.IsNull()
	}
	if v, ok := given("sides"); ok {
		for _, side := range v.AsValueSlice() {
			sides = append(sides, texts(side))
		}
	}
	from, isFrom := given("from")
	to, isTo := given("to")
	if isFrom && isTo {
		sides = [][]string{texts(from), texts(to)}
	}
	_, isShape := given("shape")
	if v, ok := given("nodes"); ok && isShape {
		for _, n := range texts(v) {
			sides = append(sides, []string{n})
		}
	}
	isEmpty := func(side []string) bool { return len(side) == 0 }
	return sides, !slices.ContainsFunc(sides, isEmpty)
}

// areApart says that no node of a side is on a network of one of another side.
func (b *builder) areApart(sides [][]string) bool {
	sideOn := map[string]int{} // by network
	for i, side := range sides {
		for _, node := range side {
			names, known := b.networksOf(node)
			if !known {
				return false
			}
			for _, name := range names {
				if other, is := sideOn[name]; is && other != i {
					return false
				}
				sideOn[name] = i
			}
		}
	}
	return true
}

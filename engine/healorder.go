package engine

import (
	"slices"

	"github.com/scenario-run/scenario/dsl/schema"
)

// toHeal are the faults in force in the order in which they are healed together:
// the last injected first, but those whose heal starts nodes after all others.
// A node that is started is asked whether it is ready, which a cut link or a
// small limit can keep from being so.
func (x *executor) toHeal() []*live {
	var before, after []*live
	all := x.inForce()
	for _, f := range all {
		if f.startsNodes() || injectsAny(f, all) {
			after = append(after, f)
		} else {
			before = append(before, f)
		}
	}
	return append(before, after...)
}

// startsNodes says that healing the fault may start its nodes.
func (f *live) startsNodes() bool { return f.Takes(schema.Down) || f.Type.Momentary }

// injectsAny says that a fault has injected some of the others: it heals those
// that are left, and so comes after each of them.
func injectsAny(f *live, others []*live) bool {
	return slices.ContainsFunc(others, func(other *live) bool { return other.v.injector == f.v })
}

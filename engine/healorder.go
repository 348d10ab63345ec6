package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/link"
	"github.com/scenario-run/scenario/engine/step"
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

// cutOff are the steps whose faults let nothing get to a node from outside,
// where it is asked whether it is ready. On the loop.
func (x *executor) cutOff(n *node) (by []string) {
	if len(n.networks) == 0 {
		return nil
	}
	asked := n.networks[0]
	for _, s := range x.links.order {
		if link.Cuts(x.links.wanted[s], networkEnd(asked), n.decl.Address) {
			by = append(by, s)
		}
	}
	if s := n.cut[asked]; s != "" {
		by = append(by, s)
	}
	return by
}

// blameCut adds to the failure of a node that was not ready which faults kept
// it from being asked.
func (x *executor) blameCut(n *node, late *step.Error) *step.Error {
	if !n.ready.fromOutside() {
		return late
	}
	var by []string
	x.ask(func() { by = x.cutOff(n) })
	if len(by) == 0 {
		return late
	}
	names := strings.Join(by, " and ")
	cut := late.With(late.Detail, "heal "+names+" before it is started, or by the same heal")
	cut.Err = fmt.Errorf("%w; nothing from outside gets to it, because of %s", late.Err, names)
	return cut
}

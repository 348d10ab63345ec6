package engine

import (
	"context"
	"fmt"

	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/event"
	"github.com/scenario-run/scenario/engine/link"
	"github.com/scenario-run/scenario/engine/machine"
)

// machineSuffices finds out, before anything is provisioned, whether the machine
// can do what the steps of the plan need, and takes down what they can't do for
// want of. A plan without such needs asks nothing.
func (x *executor) machineSuffices(ctx context.Context) bool {
	asked := x.needed()
	if len(asked) == 0 {
		return true
	}
	memory := machine.Memory{Dir: x.Machines, Now: x.Clock.Now}
	kernel, err := memory.Kernel(ctx, x.Runtime, x.scope, asked...)
	if err != nil {
		x.ask(func() { x.blameCause("engine", classify(ctx, err), verdictOf(err)) })
		return false
	}
	x.kernel = kernel
	for _, v := range x.vertices {
		if c := x.lacking(v); c != nil {
			x.ask(func() { x.blameCause(v.ID, c, c.State) })
			return false
		}
	}
	return true
}

// needed is all that steps of the plan need of the kernel.
func (x *executor) needed() (all []link.Ability) {
	for _, v := range x.vertices {
		for _, n := range v.Needs() {
			all = append(all, abilities(n)...)
		}
	}
	return all
}

func abilities(n schema.Need) (all []link.Ability) {
	for _, name := range n {
		all = append(all, link.Ability(name))
	}
	return all
}

// lacking says what the kernel has not got that a step needs, or nil.
func (x *executor) lacking(v *vertex) *event.Cause {
	for _, n := range v.Needs() {
		all := abilities(n)
		if _, err := x.kernel.Best(all); err != nil {
			return &event.Cause{
				State:   event.Error,
				Message: fmt.Sprintf("%s needs %s of this machine's kernel, which has not got it: %s", v.ID, n, err),
				Hint:    x.kernel.Mend(all[0]),
				Excerpt: x.excerpt(v.Step.Range),
			}
		}
	}
	return nil
}

package engine

import (
	"context"
	"slices"

	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/step"
)

// Limits asks the runtime.
func (c nodesOf) Limits(ctx context.Context, address string) (l step.Limits, err error) {
	id, err := c.created(address, func(*node) {})
	if err != nil {
		return l, err
	}
	info, err := c.x.Runtime.Info(ctx)
	if err != nil {
		return l, err
	}
	l.Machine = info.Machine
	err = c.x.onNode(ctx, address, func() error {
		l.Limits, err = c.x.Runtime.Limits(ctx, id)
		return err
	})
	return l, err
}

// LimitCPUs changes a limit of a node that was created.
func (c nodesOf) LimitCPUs(ctx context.Context, address string, cpus float64) error {
	id, err := c.created(address, func(*node) {})
	if err != nil {
		return err
	}
	return c.x.onNode(ctx, address, func() error { return c.x.Runtime.LimitCPUs(ctx, id, cpus) })
}

// LimitMemory changes a limit of a node that was created.
func (c nodesOf) LimitMemory(ctx context.Context, address string, bytes int64) error {
	id, err := c.created(address, func(*node) {})
	if err != nil {
		return err
	}
	return c.x.onNode(ctx, address, func() error { return c.x.Runtime.LimitMemory(ctx, id, bytes) })
}

// prepareLimits starts the agent that will see whether limits are in force, so
// that a fault doesn't have to wait for it. Whether it came up shows there. On
// the loop, when a node runs.
func (x *executor) prepareLimits(n *node) {
	limits := func(r schema.Resource) bool { return r == schema.CPU || r == schema.Memory }
	limited := slices.ContainsFunc(x.vertices, func(v *vertex) bool {
		return v.Step != nil && slices.ContainsFunc(v.Step.Type.Takes, limits) && slices.Contains(v.Targets, n.decl.Address)
	})
	if !limited {
		return
	}
	at := runtime.Place{Node: n.id, Space: runtime.LimitSpace}
	x.task(func() { _, _ = x.Runtime.Agent(x.base, x.scope, at) })
}

package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/step"
)

// nodesOf is step.Nodes for one step.
type nodesOf struct {
	x  *executor
	by string // ID of the vertex
}

var _ step.Nodes = nodesOf{}

// with runs f on the loop with a node; an unknown address is an error.
func (c nodesOf) with(address string, f func(n *node)) error {
	found := false
	c.x.ask(func() {
		if n := c.x.nodes[address]; n != nil {
			found = true
			f(n)
		}
	})
	if !found {
		return &runtime.Error{Kind: runtime.NotFound, Err: fmt.Errorf("there is no node %s", address)}
	}
	return nil
}

// created is with for a node that has been made.
func (c nodesOf) created(address string, f func(n *node)) (id runtime.NodeID, err error) {
	err = c.with(address, func(n *node) {
		if id = n.id; id != "" {
			f(n)
		}
	})
	if err == nil && id == "" {
		err = &runtime.Error{Kind: runtime.NotFound, Err: fmt.Errorf("%s has not been created", address)}
	}
	return id, err
}

// notRunning is the failure of a step that needs a node to run. Its kind tells
// probes, to which it is an answer.
func notRunning(format string, args ...any) error {
	return step.Failf("%w", &runtime.Error{Kind: runtime.NotRunning, Err: fmt.Errorf(format, args...)})
}

// up is created for a node that must run.
func (c nodesOf) up(address string, f func(n *node)) (id runtime.NodeID, err error) {
	var down error
	id, err = c.created(address, func(n *node) {
		switch {
		case n.running():
			f(n)
		case n.state == nodeExited:
			down = notRunning("%s does not run: it exited with code %d", address, n.exitCode)
		default:
			down = notRunning("%s does not run: it has not been started", address)
		}
	})
	return id, errors.Join(err, down)
}

func (c nodesOf) All() []string { return slices.Clone(c.x.order) }

func (c nodesOf) Facts(address string) (f step.Facts) {
	_ = c.with(address, func(n *node) { f = n.facts })
	return f
}

func (c nodesOf) Kind(address string) (kind string, args cty.Value) {
	_ = c.with(address, func(n *node) { kind, args = n.decl.Kind, n.kind })
	return kind, args
}

func (c nodesOf) Value(address string) cty.Value {
	v := cty.DynamicVal
	_ = c.with(address, func(n *node) { v = n.value() })
	return v
}

func (c nodesOf) Runs(address string) (runs bool) {
	_ = c.with(address, func(n *node) { runs = n.running() && !n.gone })
	return runs
}

func (c nodesOf) State(ctx context.Context, address string) (runtime.NodeState, error) {
	id, err := c.created(address, func(*node) {})
	if err != nil {
		return runtime.NodeState{}, err
	}
	st, err := c.x.Runtime.InspectNode(ctx, id)
	if err != nil {
		return st, err
	}
	err = c.with(address, func(n *node) { st.OOMKilled = !st.Running && n.oom })
	return st, err
}

func (c nodesOf) Usage(ctx context.Context, address string) (u step.Usage, err error) {
	id, err := c.up(address, func(*node) {})
	if err != nil {
		return u, err
	}
	var now runtime.Usage
	err = c.x.onNode(ctx, address, func() error {
		now, err = c.x.Runtime.Usage(ctx, id)
		return err
	})
	if err != nil {
		return u, err
	}
	u.Memory = now.Memory
	err = c.with(address, func(n *node) {
		before := n.used
		if before.At.Before(n.startedAt) { // of an earlier start, or none
			before = runtime.Usage{At: n.startedAt}
		}
		if span := now.At.Sub(before.At); span > 0 && now.CPU >= before.CPU {
			u.CPUPercent = 100 * float64(now.CPU-before.CPU) / float64(span)
		}
		n.used = now
	})
	return u, err
}

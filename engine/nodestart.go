package engine

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/scenario-run/scenario/engine/event"
	"github.com/scenario-run/scenario/engine/plan"
	"github.com/scenario-run/scenario/engine/runtime"
)

// Start starts nodes side by side. Those that depend on others among them wait
// until these are ready.
func (c nodesOf) Start(ctx context.Context, addresses ...string) error {
	type signals struct{ launched, ready chan struct{} }
	among := map[string]signals{}
	for _, a := range addresses {
		among[a] = signals{make(chan struct{}), make(chan struct{})}
	}
	group, ctx := errgroup.WithContext(ctx)
	for a, mine := range among {
		var first, ready []string
		if err := c.with(a, func(n *node) { first, ready = n.out.StartAfter, n.decl.DependsOn }); err != nil {
			return err
		}
		group.Go(func() error {
			return safely(func() error {
				for _, other := range first {
					await(ctx, among[other].launched)
				}
				for _, other := range ready {
					await(ctx, among[other].ready)
				}
				if ctx.Err() != nil {
					return context.Cause(ctx)
				}
				if err := c.Launch(ctx, a); err != nil {
					return err
				}
				close(mine.launched)
				if err := c.WaitReady(ctx, a); err != nil {
					return err
				}
				close(mine.ready)
				return nil
			})
		})
	}
	err := group.Wait()
	if p, ok := err.(*panicked); ok {
		panic(p)
	}
	return err
}

// await waits for one of the nodes that are started together; a nil channel is
// of a node that is not among them.
func await(ctx context.Context, signal <-chan struct{}) {
	if signal == nil {
		return
	}
	select {
	case <-signal:
	case <-ctx.Done():
	}
}

func (c nodesOf) Launch(ctx context.Context, address string) error {
	x := c.x
	var n *node
	already := false
	id, err := c.created(address, func(found *node) {
		if n = found; n.running() {
			already = true
			return
		}
		x.newStart(n)
		x.startEnds(n)
	})
	if err != nil || already {
		return err
	}
	st, err := c.launch(ctx, n, id)
	if err != nil {
		x.ask(func() { x.notStarted(n) })
		return err
	}
	x.ask(func() { x.running(n, st) })
	return nil
}

// launch waits for the node's gate and starts its process.
func (c nodesOf) launch(ctx context.Context, n *node, id runtime.NodeID) (runtime.NodeState, error) {
	for _, other := range n.out.StartAfter {
		c.x.awaitFirstStart(ctx, other)
	}
	if n.out.Gate != nil {
		if err := c.x.passGate(ctx, n); err != nil {
			return runtime.NodeState{}, err
		}
	}
	// What it printed before must not be taken for what it prints now.
	c.x.followerOf(n).end(c.x.Clock)
	called := c.x.now()
	st, err := c.x.Runtime.StartNode(ctx, id)
	if err != nil {
		return st, about("start", n.decl.Address, err)
	}
	// The place's clock may be another one.
	if st.StartedAt.After(called) && st.StartedAt.Before(c.x.now()) {
		called = st.StartedAt
	}
	return st, c.x.reinstate(ctx, n, id, called)
}

// reinstate puts in force again, in a node that was started no earlier than
// since, what faults want there and a start undoes.
func (x *executor) reinstate(ctx context.Context, n *node, id runtime.NodeID, since time.Time) error {
	if err := x.recutStarted(ctx, n, id); err != nil {
		return err
	}
	if err := x.relink(ctx, n, since); err != nil {
		return err
	}
	return x.refail(ctx, n.decl.Address)
}

// awaitFirstStart waits for the process of a node that the beginning starts. It
// is no error if that does not come: then the run has another cause to fail.
func (x *executor) awaitFirstStart(ctx context.Context, address string) {
	var launched, over <-chan struct{}
	x.ask(func() {
		if v := x.byID[address]; v != nil && v.Kind == plan.NodeVertex && v.at != finished {
			launched, over = x.nodes[address].launched, v.done
		}
	})
	if launched == nil {
		return
	}
	select {
	case <-launched:
	case <-over:
	case <-ctx.Done():
	}
}

// notStarted takes back a start that did not come about. On the loop.
func (x *executor) notStarted(n *node) {
	n.launches--
	if !n.gone {
		n.gone = true
		close(n.down)
	}
	state := nodeExited
	if n.launches == 0 {
		state = nodeCreated
	}
	x.become(n, state, event.NodeChanged{})
}

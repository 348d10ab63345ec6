package engine

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/scenario-run/scenario/engine/runtime"
)

// infancy is the age before which a node that says nothing of when it is ready
// is not taken for one that runs: a process that can't do its work exits within
// its first moments, but after its start has succeeded.
const infancy = 250 * time.Millisecond

// lookAtTheEnd asks for the state of every node once the last step has
// finished: an exit up to here is in time to count, whether or not the news of
// it has come. What happens to a node later is not of the scenario any more,
// but of its cleanup and its end.
func (x *executor) lookAtTheEnd(ctx context.Context) {
	ctx, cancel := x.until(ctx, 1)
	defer cancel()
	x.outgrowInfancy(ctx)
	ctx, done := withLimit(context.WithoutCancel(ctx), x.Clock, &limit{what: "the time limit of a last look at the nodes", of: inspectLimit})
	defer done()
	var all sync.WaitGroup
	for _, n := range x.madeNodes() {
		all.Go(func() { x.lookAt(ctx, n) })
	}
	all.Wait()
}

// madeNodes are the nodes that have been created, in plan order.
func (x *executor) madeNodes() (nodes []*node) {
	x.ask(func() {
		for _, a := range x.order {
			if n := x.nodes[a]; n.id != "" {
				nodes = append(nodes, n)
			}
		}
	})
	return nodes
}

// outgrowInfancy waits until the youngest node that must live is old enough, or
// one has exited. Where the verdict stands there is nothing to wait for.
func (x *executor) outgrowInfancy(ctx context.Context) {
	ctx, exited := context.WithCancel(ctx)
	defer exited()
	var wait time.Duration
	x.ask(func() {
		if x.halted != "" || x.verdict.state != "" {
			return
		}
		for _, n := range x.nodes {
			age := x.now().Sub(n.upSince)
			if !x.mustLive(n) || n.ready.saysSomething() || age >= infancy {
				continue
			}
			wait = max(wait, infancy-age)
			down := n.down
			go func() {
				select {
				case <-down:
					exited()
				case <-ctx.Done():
				}
			}()
		}
	})
	if wait > 0 {
		_ = x.Clock.Sleep(ctx, wait) // cut short: by an exit, or because the run is to end
	}
}

// mustLive says that a node runs and that its exit would be a surprise. On the
// loop.
func (x *executor) mustLive(n *node) bool {
	return n.running() && !n.gone && !n.asked && !n.mayExit && x.explanation(n) == nil
}

// lookAt takes in an exit that nobody has told of yet. A run whose nodes can't
// be looked at can't say that they lived.
func (x *executor) lookAt(ctx context.Context, n *node) {
	st, err := x.Runtime.InspectNode(ctx, n.id)
	switch {
	case err != nil && x.interrupts.count() == 0:
		x.ask(func() { x.notSeen(ctx, n, fmt.Errorf("look at %s at the end: %w", n.decl.Address, err)) })
	case err == nil && st.Started && !st.Running:
		x.ask(func() { x.exited(n, st.ExitCode) })
	}
}

// notSeen takes in that a node could not be looked at. On the loop.
func (x *executor) notSeen(ctx context.Context, n *node, err error) {
	if runtime.KindOf(err) == runtime.Unreachable {
		x.lostRuntime("lost sight of the nodes", err)
		return
	}
	x.blameCause(n.decl.Address, classify(ctx, err), verdictOf(err))
}

// lookAfterCleanup does that again where cleanup steps have used the nodes
// since.
func (x *executor) lookAfterCleanup(ctx context.Context, n *node) {
	cleaned := false
	x.ask(func() { cleaned = x.phase == cleanupPhase })
	if cleaned {
		x.lookAt(ctx, n)
	}
}

// saysSomething says that a node is ready only when something has been seen of
// it, beyond that it runs.
func (r *readiness) saysSomething() bool {
	return r.http != "" || r.https != "" || r.tcp != 0 || r.log != nil || len(r.exec) > 0 || r.ofKind != nil
}

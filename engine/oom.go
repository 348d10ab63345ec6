package engine

import (
	"slices"
	"strings"
	"time"

	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/event"
	"github.com/scenario-run/scenario/engine/fault"
)

// oomExit is how long a node may take to exit after one of its processes was
// killed for want of memory, and still be said to have exited for it. The two
// are told in either order: with version 2 of cgroups a place may see the exit
// first.
const oomExit = 250 * time.Millisecond

// killedExit is the exit code of a node whose first process got SIGKILL.
const killedExit = 128 + 9

// ranOutOfMemory takes in that the kernel has killed a process of a node for
// using too much memory. Where nothing explains that, it fails the scenario at
// that moment, whether or not the node's first process lives on: a node that
// has lost a part of itself may go on to answer, and would pass for a whole
// one. On the loop.
func (x *executor) ranOutOfMemory(n *node) {
	if n.starts != n.launches || n.launches == 0 { // of an older start
		return
	}
	if !n.oom {
		n.oom = true
		close(n.oomTold)
	}
	if n.gone || n.starved != nil || n.mayExit || x.tearing || x.lost || x.explainsWantOfMemory(n) {
		return
	}
	address := n.decl.Address
	c := &event.Cause{
		State:   event.Failed,
		Message: "a process of " + address + " was killed for using too much memory",
		Hint:    "give it more memory, or set may_exit = true on the node if that may happen",
	}
	n.starved = c
	x.blameCause(address, c, c.State)
	x.halt(address + " ran out of memory")
	down := n.down
	x.deaths.Add(1)
	x.task(func() {
		defer x.deaths.Done()
		x.await(down, "the wait for an exit")
		x.ask(func() { x.saysStarved(n, c) })
	})
}

// await waits a moment for one of the two, an exit or its reason, after the
// other, and says whether it has come.
func (x *executor) await(told <-chan struct{}, what string) bool {
	ctx, cancel := withLimit(x.base, x.Clock, &limit{what: what, of: oomExit})
	defer cancel()
	select {
	case <-told:
		return true
	case <-ctx.Done():
		return false
	}
}

// saysStarved says what a node that lives on printed last before it lost a
// process. That of one that has exited for it is said by its exit. On the loop.
func (x *executor) saysStarved(n *node, c *event.Cause) {
	if n.starved != c {
		return
	}
	tail := n.follow.tail(tailLines)
	c.Detail, c.LogOf = strings.Join(tail, "\n"), n.decl.Address
	x.emit(event.NodeChanged{
		Node: n.decl.Address, State: n.state, IP: n.facts.IP, Ports: n.ports, OOMKilled: true, Unasked: true, Log: tail,
	})
}

// causeOfExit is the cause of a scenario that a node's own exit ended. Where a
// process of it was killed just before, it is the same cause, known better. A
// fault that was on it then is named. On the loop.
func (n *node) causeOfExit(change event.NodeChanged, during *fault.Life) *event.Cause {
	c := exitCause(n.decl.Address, *change.ExitCode, change.OOMKilled, during)
	if n.starved == nil {
		return c
	}
	known := n.starved
	n.starved = nil
	if known.LogOf == "" { // nothing has been said yet
		*known = *c
		return known
	}
	return c
}

// explainsWantOfMemory says that a fault takes a node's memory. On the loop.
func (x *executor) explainsWantOfMemory(n *node) bool {
	return slices.ContainsFunc(x.faults, func(l *fault.Life) bool {
		return l.InForce() && l.On(n.decl.Address) && l.Takes(schema.Memory)
	})
}

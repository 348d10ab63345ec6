package engine

import (
	"context"
	"slices"
	"time"

	"github.com/scenario-run/scenario/engine/event"
	"github.com/scenario-run/scenario/engine/runtime"
)

func (c nodesOf) Kill(ctx context.Context, address, signal string) error {
	id, err := c.up(address, func(n *node) { n.asked = n.asked || ends(signal) })
	if err != nil {
		return err
	}
	err = c.x.onNode(ctx, address, func() error { return c.x.Runtime.SignalNode(ctx, id, signal) })
	if err != nil {
		return err
	}
	if signal != "SIGKILL" {
		return nil
	}
	_, err = c.WaitExit(ctx, address)
	return err
}

// ends says that a process may end by a signal; others are for it to handle.
func ends(signal string) bool {
	return !slices.Contains([]string{"SIGUSR1", "SIGUSR2", "SIGHUP", "SIGWINCH", "SIGCONT", "SIGSTOP", "SIGCHLD", "SIGURG"}, signal)
}

func (c nodesOf) Stop(ctx context.Context, address string, grace time.Duration) error {
	id, err := c.up(address, func(n *node) {
		n.asked = true
		if grace < 0 {
			grace = n.grace
		}
	})
	if err != nil {
		return err
	}
	err = c.x.onNode(ctx, address, func() error { return c.x.Runtime.StopNode(ctx, id, grace) })
	if err != nil {
		return err
	}
	_, err = c.WaitExit(ctx, address)
	return err
}

func (c nodesOf) Pause(ctx context.Context, address string) error {
	id, err := c.up(address, func(*node) {})
	if err != nil {
		return err
	}
	err = c.x.onNode(ctx, address, func() error { return c.x.Runtime.PauseNode(ctx, id) })
	if err != nil {
		return err
	}
	return c.with(address, func(n *node) { c.x.become(n, nodePaused, event.NodeChanged{}) })
}

func (c nodesOf) Unpause(ctx context.Context, address string) error {
	id, err := c.created(address, func(*node) {})
	if err != nil {
		return err
	}
	err = c.x.onNode(ctx, address, func() error { return c.x.Runtime.UnpauseNode(ctx, id) })
	if err != nil {
		return err
	}
	return c.with(address, c.x.thawed)
}

func (c nodesOf) ExpectExit(address string) {
	_ = c.with(address, func(n *node) { n.asked = true })
}

func (c nodesOf) WaitExit(ctx context.Context, address string) (runtime.NodeState, error) {
	launches := 0
	var known *runtime.NodeState
	id, err := c.created(address, func(n *node) {
		if launches = n.launches; n.gone { // it was seen already, and need not be asked for again
			known = &runtime.NodeState{Started: true, ExitCode: n.exitCode, OOMKilled: n.oom, StartedAt: n.startedAt}
		}
	})
	if err != nil {
		return runtime.NodeState{}, err
	}
	if known != nil {
		return *known, nil
	}
	st, err := c.x.Runtime.WaitExit(ctx, id)
	if err != nil {
		return st, err
	}
	return st, c.with(address, func(n *node) {
		if n.launches == launches {
			c.x.exited(n, st.ExitCode)
		}
	})
}

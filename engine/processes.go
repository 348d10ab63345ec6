package engine

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/process"
	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/step"
)

// processesOf is step.Processes for one step.
type processesOf struct {
	x    *executor
	step string // ID of the vertex
}

var _ step.Processes = processesOf{}

// List asks the agent among a node's processes. The init that is put before
// them is left out: its command line is that of the node's own first process
// once more, and nobody means it.
func (c processesOf) List(ctx context.Context, node string) (all []process.Process, err error) {
	_, err = c.ask(ctx, node, process.ListJob, nil, &all, "")
	if err != nil {
		return nil, fmt.Errorf("list the processes of %s: %w", node, err)
	}
	hidden := false
	c.x.ask(func() { hidden = c.x.nodes[node].init })
	return slices.DeleteFunc(all, func(p process.Process) bool { return hidden && p.PID == process.Main }), nil
}

// Signal goes by the agent, which sees to it that what is stopped goes on, and
// for the main process by the runtime: what comes from inside doesn't reach it.
func (c processesOf) Signal(ctx context.Context, node, signal string, to []process.ID) (sent []process.ID, err error) {
	spec, err := json.Marshal(process.Signal{Signal: signal, To: to})
	if err != nil {
		return nil, err
	}
	var outcomes []process.Outcome
	keeps := ""
	if signal == "SIGSTOP" {
		keeps = c.step
	}
	id, err := c.ask(ctx, node, process.SignalJob, spec, &outcomes, keeps)
	if err == nil && len(outcomes) != len(to) {
		err = fmt.Errorf("the agent answers for %d processes of %d", len(outcomes), len(to))
	}
	for i, o := range outcomes {
		if err == nil && o == process.Shielded {
			err = c.x.onNode(ctx, node, func() error { return c.x.Runtime.SignalNode(ctx, id, signal) })
		}
		if o != process.Gone {
			sent = append(sent, to[i])
		}
	}
	if err != nil {
		return nil, fmt.Errorf("send %s to processes of %s: %w", signal, node, err)
	}
	return sent, nil
}

// ask runs a job of the agent among a node's processes that answers with one
// line. What it does is kept up by the agent for the step keeps, if that is not
// empty.
func (c processesOf) ask(ctx context.Context, address, job string, spec []byte, answer any, keeps string) (runtime.NodeID, error) {
	id, err := nodesOf{c.x, ""}.up(address, func(*node) {})
	if err != nil {
		return id, err
	}
	return id, c.x.onNode(ctx, address, func() error {
		agent, err := c.x.keeper(ctx, runtime.Place{Node: id, Space: runtime.ProcessSpace}, "the agent among the processes of "+address, keeps)
		if err != nil {
			return err
		}
		return agent.Run(ctx, job, spec, func(line []byte) error { return json.Unmarshal(line, answer) })
	})
}

// prepareProcesses starts the agent that faults on a node's processes, and
// workloads in it, will need, so that they don't have to wait for it. Whether it came up shows there. On the
// loop, when a node runs.
func (x *executor) prepareProcesses(n *node) {
	acts := slices.ContainsFunc(x.vertices, func(v *vertex) bool {
		inside := func(t schema.Type) bool { return t.NeedsRunning }
		sends := v.Step != nil && v.Step.Type.Kind == schema.Workload && inside(v.Step.Type)
		return (sends || v.mayInject(inside)) && slices.Contains(v.Targets, n.decl.Address)
	})
	if !acts {
		return
	}
	at := runtime.Place{Node: n.id, Space: runtime.ProcessSpace}
	x.task(func() { _, _ = x.Runtime.Agent(x.base, x.scope, at) })
}

// draw returns a number below n that hangs on the seed and the step alone.
func draw(seed int64, step string, n int) int {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s", seed, step))
	// 64 bits are so many more than n that the remainder favours nobody.
	return int(binary.BigEndian.Uint64(sum[:8]) % uint64(n))
}

package engine

import (
	"context"
	"fmt"
	"net"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/lang"
	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/step"
)

// startAgents starts the agents of all networks. That takes a while, and what
// needs them will ask at the same time as everything else. Whether they came up
// shows there.
func (x *executor) startAgents() {
	x.ask(func() {
		for _, name := range x.places.names {
			at := runtime.Place{Network: x.places.networks[name].ID}
			x.task(func() { _, _ = x.Runtime.Agent(x.base, x.scope, at) })
		}
	})
}

// usesAgent says that something certainly asks or sends from the network,
// beside what nodes say of when they are ready.
func (x *executor) usesAgent() bool {
	if len(x.decl.Probes) > 0 {
		return true
	}
	for _, n := range x.decl.Nodes {
		if n.Kind != "" {
			return true
		}
	}
	for _, s := range x.decl.Steps {
		if s.Kind == lang.WorkloadStep {
			return true
		}
	}
	return false
}

// isAskedFromNetwork says that a node's body has it asked over the network
// whether it is ready. What depends on something that is not known yet counts
// as said.
func isAskedFromNetwork(body cty.Value) bool {
	ready := attr(body, "ready")
	if ready == cty.NilVal || ready.IsNull() {
		return false
	}
	for _, name := range []string{"tcp", "http", "https"} {
		if a := attr(ready, name); a != cty.NilVal && !a.IsNull() {
			return true
		}
	}
	return false
}

// dial connects from inside the run, see step.Env.
func (x *executor) dial(ctx context.Context, from, network, address string) (net.Conn, error) {
	if from == "host" {
		return (&net.Dialer{}).DialContext(ctx, network, address)
	}
	var id runtime.NodeID
	var netID string
	x.ask(func() {
		netID = x.places.networkFor(address)
		if from != "" && x.nodes[from] != nil {
			id = x.nodes[from].id
		}
	})
	if from != "" && id == "" {
		return nil, fmt.Errorf("connect from %s: there is no such node", from)
	}
	agent, err := x.agentFrom(ctx, from, runtime.Place{Network: netID, Node: id})
	if err != nil && id == "" && ctx.Err() == nil {
		// Without it nothing can be asked, however often.
		return nil, (&step.Error{Verdict: step.Broken, Err: err}).AsFinal()
	}
	if err != nil {
		return nil, err
	}
	return agent.Dial(ctx, network, address)
}

// agentFrom is the agent of a network, or of the node of that address.
func (x *executor) agentFrom(ctx context.Context, from string, at runtime.Place) (agent runtime.Agent, err error) {
	err = x.onNode(ctx, from, func() error {
		agent, err = x.Runtime.Agent(ctx, x.scope, at)
		return err
	})
	return agent, err
}

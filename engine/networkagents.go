package engine

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/lang"
	"github.com/scenario-run/scenario/engine/runtime"
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

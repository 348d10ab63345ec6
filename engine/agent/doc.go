// Package agent is the engine's hand inside a network: a process that dials
// and sends from where a node would, and the client that drives it.
//
// It exists so that probes, readiness and traffic meet the same names,
// addresses and faults as a node does, from any host that the engine runs on.
// One session over the agent's standard input and output carries all of it.
// That input is its lease: when it ends, so does the agent. The package knows
// neither how an agent is started nor what its jobs do.
package agent

// Package engine carries out a plan: it provisions nodes, runs steps as soon as
// what they wait for is there, heals what was broken, cleans up, removes, and
// says how it went.
//
// One goroutine per variant owns the state of its vertices and the order of
// its events (executor.go); everything that takes time runs in goroutines of
// its own and reports back to it. Whatever happens, faults are healed, nodes
// are removed and the stream of events is complete.
//
// The package decides nothing that a plan could have decided, and knows
// neither Docker nor any action by name: it has a runtime.Runtime and a
// step.Registry.
package engine

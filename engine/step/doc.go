// Package step says what an action, fault, probe, workload and node kind is to
// the engine, and what the engine hands to it.
//
// A vocabulary (the packages below actions) is a list of Definitions. A
// definition is a schema.Type, which everything static is derived from, and
// the one function or interface that carries it out. Definitions know nothing
// of files, plans or events: they get decoded arguments and an Env.
package step

// Package conformance states what each runtime.Runtime must do, as tests that
// its implementations run.
//
// It knows no implementation. What a node's process does is given by a Program,
// which has a command for places that run commands, and a name for the fake.
package conformance

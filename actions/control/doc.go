// Package control is the vocabulary of a scenario's own course: waiting,
// keeping values, ending workloads and faults.
//
// It acts on steps and never on nodes.
package control

import "github.com/scenario-run/scenario/engine/step"

// Definitions are the types of this vocabulary.
func Definitions() []step.Definition {
	return []step.Definition{sleep(), note(), heal(), stopWorkload()}
}

// Package http is the vocabulary of HTTP: an action that sends a request,
// probes that ask for an answer or for metrics, and a workload that asks all the
// time.
//
// What a probe or a workload meets is an answer, never an error of the step:
// that is what scenarios are about. The package must not know what is being asked.
package http

import "github.com/scenario-run/scenario/engine/step"

// Definitions are the types of this vocabulary.
func Definitions() []step.Definition {
	return []step.Definition{action(), probe(), metrics(), workload()}
}

const (
	docFrom   = "Where it is asked from: a node, from inside its network namespace, or `\"host\"`. Without it, a client on the run's network."
	docExpect = "What an answer must be, all that is given: `status` (a number or a list; without it, below 400), `body` (a regular expression), " +
		"`json` (a map from path, such as `items.0.id`, to value)."
)

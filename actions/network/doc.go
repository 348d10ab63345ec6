// Package network is the vocabulary of connections: whether one can be made.
// The package must not know what is said on it.
package network

import "github.com/scenario-run/scenario/engine/step"

// Definitions are the types of this vocabulary.
func Definitions() []step.Definition {
	return []step.Definition{tcp(), partition(), blockPort(), loss(), delay(), rateLimit()}
}

// Package network is the vocabulary of connections and names: whether one can
// be made or looked up, making them all the time, and breaking them. The package must not know what is said on it.
package network

import "github.com/scenario-run/scenario/engine/step"

// Definitions are the types of this vocabulary.
func Definitions() []step.Definition {
	return []step.Definition{tcp(), dns(), workload(), partition(), blockPort(), loss(), delay(), rateLimit(), dnsFailure()}
}

// Package process is the vocabulary of processes in nodes: which there are, and
// the death and the stopping of some of them by name. What they are processes
// of, it must not know.
package process

import "github.com/scenario-run/scenario/engine/step"

// Definitions are the types of this vocabulary.
func Definitions() []step.Definition {
	return []step.Definition{killProcess(), pauseProcess(), processes()}
}

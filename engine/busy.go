package engine

import (
	"fmt"

	"github.com/scenario-run/scenario/engine/event"
)

// tooBusy is the load for each CPU from which on what takes its time may do so for
// want of a CPU.
const tooBusy = 2

// busySigns say that the machine had more to do than it could while a variant
// that did not pass was carried out: who judges it should know.
func (x *executor) busySigns(state event.State) (signs []string) {
	if !counts(state) {
		return nil
	}
	x.ask(func() { signs = append(signs, x.sentLate...) })
	if x.Load == nil {
		return signs
	}
	if load, cpus, ok := x.Load(); ok && load > tooBusy*float64(cpus) {
		signs = append(signs, fmt.Sprintf("the load of this machine was %.0f in the last minute, on %s: what is slow may be so for want of them", load, plural(cpus, "CPU")))
	}
	return signs
}

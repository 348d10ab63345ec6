package engine

import (
	"fmt"
	"time"

	"github.com/scenario-run/scenario/engine/event"
)

// shutdown is how long before the loss of the runtime a node's exit is taken
// for a part of it: a daemon that is stopped asks its nodes to stop first, and
// by default gives them 15 s.
const shutdown = 20 * time.Second

// lostRuntime takes in that the place where the nodes live can't be reached any
// more. A node that died just before went with it, so its exit says nothing of
// what is tested. On the loop.
func (x *executor) lostRuntime(what string, err error) {
	c := withDetail(&event.Cause{State: event.Error, Message: what + ": " + oneLine(err)}, err)
	if v := x.verdict; !v.diedAt.IsZero() && x.now().Sub(v.diedAt) <= shutdown {
		c.Message += fmt.Sprintf(" (%s had exited %s before)", v.from, text(x.now().Sub(v.diedAt).Round(100*time.Millisecond)))
		x.verdict = verdict{timedOut: v.timedOut, internal: v.internal}
	}
	if x.lost = true; x.tearing && counts(x.verdict.state) {
		return // what is left behind says it
	}
	x.blameCause("runtime", c, event.Error)
	x.halt("the runtime was lost")
}

package engine

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/scenario-run/scenario/engine/event"
	"github.com/scenario-run/scenario/engine/runtime"
)

// shutdown is how long before the loss of the runtime a node's exit is taken
// for a part of it: a daemon that is stopped asks its nodes to stop first, and
// by default gives them 15 s.
const shutdown = 20 * time.Second

// lostRuntime takes in that the place where the nodes live can't be reached any
// more. A node that died just before went with it, so its exit says nothing of
// what is tested. On the loop.
func (x *executor) lostRuntime(what string, err error) {
	why := err
	if r, ok := errors.AsType[*runtime.Error](err); ok {
		why = r.Err // in which call it showed says nothing more
	}
	c := withDetail(&event.Cause{State: event.Error, Message: what + ": " + oneLine(why)}, err)
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

// isOfLoss says that a call failed for the loss of the runtime, which has been
// told.
func (x *executor) isOfLoss(err error) bool {
	lost := false
	x.ask(func() { lost = x.lost })
	return lost && runtime.KindOf(err) == runtime.Unreachable
}

// saying is an error of a call about a node, which says what was called unless
// the runtime's words do already.
func saying(call, address string, err error) error {
	if r, ok := errors.AsType[*runtime.Error](err); ok && strings.Contains(r.Op, address) {
		return err
	}
	return fmt.Errorf("%s %s: %w", call, address, err)
}

package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/scenario-run/scenario/engine/event"
	"github.com/scenario-run/scenario/engine/fault"
	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/step"
)

// keepers are the agents that keep something up other than on links: processes
// stopped, room taken. The loop owns it.
type keepers struct {
	ends  map[runtime.Place]runtime.AgentEnd // of those that are watched
	steps map[runtime.Place][]string         // for which each keeps something up, or did
}

func newKeepers() keepers {
	return keepers{map[runtime.Place]runtime.AgentEnd{}, map[runtime.Place][]string{}}
}

// keeper is the agent of a place, whose end is heard of from now on. keeps is the
// step for which it is about to keep something up; empty: for none.
func (x *executor) keeper(ctx context.Context, at runtime.Place, what, keeps string) (runtime.Agent, error) {
	agent, err := x.Runtime.Agent(ctx, x.scope, at)
	if err != nil {
		return nil, err
	}
	end := agent.End()
	x.ask(func() {
		k := &x.keepers
		if keeps != "" && !slices.Contains(k.steps[at], keeps) {
			k.steps[at] = append(k.steps[at], keeps)
		}
		if k.ends[at] == end {
			return
		}
		k.ends[at] = end
		x.task(func() {
			select {
			case <-end.Done():
				x.keeperEnded(at, what, end)
			case <-x.base.Done():
			}
		})
	})
	return agent, nil
}

// keeperEnded takes in that an agent has ended. What it kept up may be so still:
// the faults look again, by the next agent, which also takes over to keep a volume
// in memory from being emptied.
func (x *executor) keeperEnded(at runtime.Place, what string, end runtime.AgentEnd) {
	since := x.now()
	var active []*live
	tearing := false
	x.ask(func() {
		tearing = x.tearing
		for _, l := range x.faults {
			if l.State == fault.Active && slices.Contains(x.keepers.steps[at], l.Step) {
				active = append(active, x.lives[l])
			}
		}
	})
	if tearing || at.Volume == "" && len(active) == 0 {
		return
	}
	how := sync.OnceValue(func() string { return what + " " + x.howEnded(end) }) // which the place may know a moment later
	if at.Volume != "" {
		if _, err := x.keeper(x.base, at, what, ""); err != nil {
			x.tellUnlooked(how(), err)
			return
		}
	}
	for _, f := range active {
		x.lookAgain(f, since, how, at)
	}
}

// lookAgain looks once more whether a fault is in effect. A node that has ended
// with its agent has nothing to be in effect.
func (x *executor) lookAgain(f *live, since time.Time, how func() string, at runtime.Place) {
	env := x.envOf(f.v)
	env.Clock = oneLook{x.Clock}
	ctx, cancel := withLimit(x.base, x.Clock, &limit{what: "the look whether it is in effect", of: observeLimit})
	defer cancel()
	_, err := f.def.Fault.Observe(ctx, &env, f.intent)
	switch {
	case err == nil:
		return
	case at.Node != "" && !x.endRuns(x.addressOf(at.Node)):
		return
	case step.LabBroke(err) || ctx.Err() != nil:
		x.tellUnlooked(how(), err)
		return
	}
	why := err
	if t := (*step.Timeout)(nil); errors.As(err, &t) {
		why = t.Last
	}
	gone := fmt.Errorf("%s: %w", how(), why)
	x.ask(func() { x.lapse(f, since, gone) })
}

// tellUnlooked tells that what an agent's end means could not be looked into.
func (x *executor) tellUnlooked(how string, err error) {
	if x.base.Err() == nil {
		x.emit(event.Warning{Text: how + ": " + oneLine(err)})
	}
}

func (x *executor) addressOf(id runtime.NodeID) (address string) {
	x.ask(func() {
		for a, n := range x.nodes {
			if n.id == id {
				address = a
			}
		}
	})
	return address
}

// oneLook is a clock by which polls look once.
type oneLook struct{ step.Clock }

var errOneLook = errors.New("one look is enough")

func (oneLook) Sleep(context.Context, time.Duration) error { return errOneLook }

// howEnded says what became of an agent, as far as the place can tell.
func (x *executor) howEnded(end runtime.AgentEnd) string {
	code, known := end.ExitCode(x.base)
	const bySignal = 128
	switch {
	case !known:
		return "has ended"
	case code == killedCode:
		return "was killed (SIGKILL)"
	case code > bySignal:
		return fmt.Sprintf("was ended by a signal (%s)", syscall.Signal(code-bySignal))
	default:
		return fmt.Sprintf("exited with code %d", code)
	}
}

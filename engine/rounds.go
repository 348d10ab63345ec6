package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/hcl/v2"

	"github.com/scenario-run/scenario/engine/event"
	"github.com/scenario-run/scenario/engine/fault"
	"github.com/scenario-run/scenario/engine/plan"
)

// roundPace is the least time between the starts of two rounds of a repeat by
// time: rounds in which nothing takes any must not fill the disk with events.
const roundPace = 10 * time.Millisecond

// rounds is how far a repeat is.
type rounds struct {
	begun, ended int
	// Of a repeat by time, whose next round is made when one has ended:
	until   time.Time // no round begins from then on
	began   time.Time // the round that runs
	current []*vertex // its vertices, those of groups inside it too
	making  bool      // the next one is being made, or found not to be
}

// text is a repeat's summary.
func (r *rounds) text() string {
	switch r.ended {
	case 0:
		return ""
	case 1:
		return "1 round"
	}
	return fmt.Sprintf("%d rounds", r.ended)
}

// lasts says that a group is a repeat by time.
func (g *group) lasts() bool { return g.start.For > 0 }

// beginRound starts a round. On the loop.
func (x *executor) beginRound(v *vertex) {
	g := v.group
	if x.halted != "" || v.isStopped() { // while traffic ended
		x.finish(v, passed)
		return
	}
	g.rounds.begun, g.rounds.ended, g.rounds.began = v.Round+1, v.Round, x.now()
	e := event.RoundStarted{Step: g.end.ID, Round: v.Round}
	for _, made := range g.rounds.current {
		e.Steps = append(e.Steps, describe([]*plan.Vertex{made.Vertex})...)
	}
	x.emit(e)
	x.reach(v, started)
	x.finish(v, passed)
}

// afterTraffic calls then when the traffic that has been started inside a group
// and that nothing stopped has ended: nothing outside of the round, or of the
// use of a define, could refer to it. On the loop.
func (x *executor) afterTraffic(g *group, then func()) {
	running := x.trafficIn(g)
	if len(running) == 0 {
		then()
		return
	}
	x.task(func() {
		x.endAll(running, drainTraffic)
		x.do(then)
	})
}

// trafficIn is the traffic inside a group that is going on. On the loop.
func (x *executor) trafficIn(g *group) (running []*workloadRun) {
	for _, w := range x.traffic {
		inRound, inUse := g.end.ID+"[", g.end.ID+"/"
		if (strings.HasPrefix(w.id, inRound) || strings.HasPrefix(w.id, inUse)) && !w.ended() {
			running = append(running, w)
		}
	}
	return running
}

// countRound takes in that a member of a group has finished. When all of a
// round by time have, the next one is made, or none. On the loop.
func (x *executor) countRound(g *group) {
	if !g.lasts() || !g.begun || g.rounds.making {
		return
	}
	for _, v := range g.members {
		if v.at != finished {
			return
		}
	}
	x.prepareRound(g)
}

// prepareRound begins to make the next round. On the loop.
func (x *executor) prepareRound(g *group) {
	g.rounds.making = true
	x.busy++ // until it is clear whether another begins
	x.task(func() { x.nextRound(g) })
}

// nextRound lets go of the round that has ended and makes the next one, if
// there is to be one.
func (x *executor) nextRound(g *group) {
	var ctx context.Context
	var n int
	var pause time.Duration
	var running []*workloadRun
	x.ask(func() {
		ctx, n, running = g.ctx, g.rounds.begun, x.trafficIn(g)
		pause = g.rounds.began.Add(roundPace).Sub(x.now())
	})
	x.endAll(running, drainTraffic)
	if pause > 0 {
		_ = x.Clock.Sleep(ctx, pause) // if it is cut short, nothing more begins
	}
	more := false
	x.ask(func() { more = x.goesOn(g) })
	var r plan.Round
	var diags hcl.Diagnostics
	if more {
		r, diags = g.start.Next(n)
	}
	x.do(func() {
		x.busy--
		g.rounds.making = false
		x.release(g)
		if diags.HasErrors() {
			g.broke = x.diagCause(diags)
			g.broke.Message = fmt.Sprintf("round %d can't be made: %s", n+1, g.broke.Message)
		}
		if !more || diags.HasErrors() || !x.goesOn(g) {
			g.end.unmet--
			x.consider(g.end)
			return
		}
		x.redact.learn(r.Secrets...)
		x.secrets.learn(r.Secrets...)
		x.graft(g, r)
	})
}

// goesOn says that another round of a group begins. On the loop.
func (x *executor) goesOn(g *group) bool {
	return g.stopped == "" && x.halted == "" && g.ctx.Err() == nil && x.now().Before(g.rounds.until)
}

// graft makes a round part of the graph, and starts it. On the loop.
func (x *executor) graft(g *group, r plan.Round) {
	if len(r.Probes) > 0 {
		x.inRounds[g] = r.Probes
	}
	for _, pv := range r.Vertices {
		v, err := x.tie(pv)
		if err != nil {
			panic(err) // the plan is a bug
		}
		g.rounds.current = append(g.rounds.current, v)
		x.left++
	}
	for _, v := range slices.Clone(g.rounds.current) {
		x.consider(v)
	}
}

// release forgets the round of a group that has ended: what happened in it is
// in the events, and nothing can refer to it. Only faults that are still in
// force are kept, to be healed. On the loop.
func (x *executor) release(g *group) {
	gone := map[*vertex]bool{}
	var forget func(members []*vertex)
	forget = func(members []*vertex) {
		for _, v := range members {
			gone[v] = true
			delete(x.byID, v.ID)
			delete(x.groups, v.ID)
			if v.starts != nil {
				delete(x.inRounds, v.starts)
				forget(v.starts.members)
			}
			if v.Step != nil {
				delete(x.traffic, v.Step.Address)
			}
		}
	}
	delete(x.inRounds, g)
	forget(g.members)
	g.members, g.rounds.current = nil, nil
	x.vertices = slices.DeleteFunc(x.vertices, func(v *vertex) bool { return gone[v] })
	x.faults = slices.DeleteFunc(x.faults, func(l *fault.Life) bool {
		f := x.lives[l]
		if l.InForce() || !gone[f.v] {
			return false
		}
		delete(x.lives, l)
		return true
	})
}

// endAll ends workloads, side by side.
func (x *executor) endAll(runs []*workloadRun, patience time.Duration) {
	var all sync.WaitGroup
	for _, w := range runs {
		all.Go(func() {
			if err := w.end(x.base, patience); err != nil && patience == drainTraffic {
				x.emit(event.Warning{Text: fmt.Sprintf("%s: %s", w.id, err)})
			}
		})
	}
	all.Wait()
}

package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/scenario-run/scenario/engine/fault"
	"github.com/scenario-run/scenario/engine/link"
	"github.com/scenario-run/scenario/engine/step"
)

// watchAgent waits for the end of an end's agent, while the variant lasts.
func (x *executor) watchAgent(end string, known endAgent) {
	x.task(func() {
		select {
		case <-known.end.Done():
			x.agentEnded(end, known)
		case <-x.base.Done():
		}
	})
}

// agentEnded takes in that the agent of an end has ended, as when it was killed
// from inside. What it kept in force may have gone with it, which depends on the
// kernel: the next agent looks.
func (x *executor) agentEnded(end string, known endAgent) {
	at := x.now()
	var active []*live
	x.ask(func() {
		if x.links.agents[end] == known {
			delete(x.links.agents, end)
		}
		if known.launches == x.launchesOf(end) { // else it was of an earlier start
			active = x.activeAt(end)
		}
	})
	if len(active) == 0 {
		return
	}
	// A node that has ended as well has nothing to be in force. If nobody can
	// look it is not known, and what keeps them from it shows where that is told.
	err := x.atEnds(x.base, []string{end}, x.lookForLapses)
	if x.base.Err() != nil {
		return
	}
	how := fmt.Sprintf("the agent of %s %s", end, x.howEnded(known.end))
	if err != nil {
		x.tellUnlooked(how, err)
		return
	}
	x.ask(func() {
		for _, f := range active {
			why := x.links.lapsed[f.Step]
			if why == nil {
				why = x.lookups.lapsed[f.Step]
			}
			if why != nil {
				x.lapse(f, at, fmt.Errorf("%s: %w", how, why))
			}
		}
	})
}

// activeAt are the faults in effect that keep something in force at an end. On
// the loop.
func (x *executor) activeAt(end string) (active []*live) {
	places := x.linkPlaces()
	for _, l := range x.faults {
		if l.State != fault.Active {
			continue
		}
		links := x.links.wanted[l.Step]
		leaving, arriving := x.shapesOf(end, links, places)
		if len(link.RulesOf(end, links, places))+len(leaving)+len(arriving) > 0 || x.lookups.failsAt(l.Step, end) {
			active = append(active, x.lives[l])
		}
	}
	return active
}

// lookForLapses looks which faults have something missing at an end.
func (x *executor) lookForLapses(ctx context.Context, name string) error {
	end := x.end(name)
	end.Lock()
	defer end.Unlock()
	was := end.state()
	var found linksFound
	asked := &linkCalls{}
	if len(was.rules) > 0 {
		asked.add(link.KnockJob, []link.Knock{}, &found.rules)
	}
	if len(was.leaving) > 0 {
		asked.add(link.ShapedJob, nil, &found.leaving)
	}
	if len(was.arriving) > 0 {
		asked.add(link.HeldJob, nil, &found.arriving)
	}
	if asked.err != nil {
		return asked.err
	}
	if len(asked.calls) > 0 {
		if err := x.askSeries(ctx, name, asked); err != nil {
			return err
		}
	}
	x.ask(func() {
		if was.launches == x.launchesOf(name) {
			x.noteLapses(name, was, found, linkChange{})
		}
	})
	return x.lockLookups(name, func() error { return x.noteLapsedLookups(ctx, name) })
}

// lapse takes in that a fault has not been in force since a time, though nothing
// has ended it: from then on nothing that is seen says anything of it. On the
// loop.
func (x *executor) lapse(f *live, since time.Time, why error) {
	if f.State != fault.Active {
		return // its heal tells it
	}
	f.Ended = since
	x.warn(x.moveNow(f, fault.Invalid, oneLine(why)))
	c := classify(x.base, step.Inconclusivef("%s was not in force to its end: %w", f.Step, why))
	if !f.v.isAnsweredFor() {
		x.blameCause(f.Step, c, c.State)
	}
	by := f.v
	if by.injector != nil {
		by = by.injector
	}
	x.stopFor(by, c.State)
}

package engine

import (
	"context"
	"fmt"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/engine/event"
	"github.com/scenario-run/scenario/engine/plan"
)

// group is a group of the plan, such as a repeat: what is in it stands and
// falls together. Its fields belong to the loop.
type group struct {
	start, end *vertex
	outer      *group
	members    []*vertex // all that is in it, but for what is in groups inside

	begun  bool            // its start let it begin
	ctx    context.Context // of its members; nil until it has begun
	cancel context.CancelCauseFunc
	// stopped is why no more of it is started; empty while it goes on.
	stopped string
	limit   *limit       // its own, or nil
	rounds  rounds       // of a repeat
	broke   *event.Cause // why its next round could not be made
	worst   event.State
	blamed  string // the member that worst came from
	cause   *event.Cause
	args    cty.Value // of the use of a define
}

// prefixOf is what the IDs of vertices begin with that are visible beside a
// step.
func prefixOf(v *plan.Vertex) string {
	if v.Kind != plan.StepVertex {
		return ""
	}
	return strings.TrimSuffix(v.ID, v.Step.Address)
}

// join makes a vertex part of the group that it is in, or that it starts or
// ends. The start of a group comes before its members, the end after them.
func (x *executor) join(v *vertex) error {
	if v.Group != "" {
		if v.group = x.groups[v.Group]; v.group == nil {
			return fmt.Errorf("the plan has %s in the group %s, which has no start above it", v.ID, v.Group)
		}
		v.group.members = append(v.group.members, v)
	}
	switch v.Kind {
	case plan.GroupStart:
		v.starts = &group{start: v, outer: v.group}
		x.groups[v.Step.Address] = v.starts
	case plan.RoundStart:
		x.groups[v.ID] = v.group
	case plan.GroupEnd:
		if v.ends = x.groups[v.ID]; v.ends == nil {
			return fmt.Errorf("the plan ends the group %s, which has no start above", v.ID)
		}
		v.ends.end = v
		if v.ends.lasts() {
			v.unmet++ // until no more rounds come
		}
	}
	return nil
}

// beginGroup starts a group, with its time limit. On the loop.
func (x *executor) beginGroup(g *group) {
	if g.end.at == finished { // everything was stopped meanwhile
		x.conclude(g.start)
		return
	}
	x.arm(g)
	r := &g.end.record
	r.state, r.started, r.attempts = event.Running, x.now(), 1
	x.emit(event.StepStarted{Step: g.end.ID, Attempt: 1})
	x.reach(g.start, started)
	x.finish(g.start, passed)
	if g.lasts() && len(g.members) == 0 {
		// What is around it is tried again: its first round is gone, and made anew.
		x.prepareRound(g)
	}
}

// skipGroup finishes a group that doesn't begin, and all in it, unevaluated:
// its when is false, or could not be told. On the loop.
func (x *executor) skipGroup(g *group, out outcome) {
	inside := outcome{state: event.Skipped, summary: out.summary}
	if counts(out.state) {
		inside.summary = "not started: " + g.end.ID + " " + verb(out.state)
	}
	g.stopped = inside.summary
	x.skipMembers(g, inside)
	if g.end.at == waiting {
		g.end.at = launched
		x.finish(g.end, out)
	}
	if g.start.at != finished {
		x.conclude(g.start)
	}
}

// skipMembers finishes what of a group has not been launched, groups inside it
// too. On the loop.
func (x *executor) skipMembers(g *group, out outcome) {
	for _, v := range g.members {
		if v.starts != nil {
			x.skipMembers(v.starts, out)
		}
		x.skip(v, out)
	}
}

// stopGroup starts nothing more of a group and tells what runs in it to end.
// On the loop.
func (x *executor) stopGroup(g *group, why string) {
	if g.stopped != "" || !g.begun {
		return
	}
	g.stopped = why
	g.cancel(&stopped{"cancelled: " + why})
	x.skipMembers(g, outcome{state: event.Skipped, summary: "not started: " + why})
}

// groupTimedOut takes in that a group's own time limit was reached. What runs
// in it has been told so. On the loop.
func (x *executor) groupTimedOut(g *group) {
	if g.end.at == finished || g.stopped != "" || !g.timedOut() {
		return
	}
	g.stopped = g.limit.Error()
	x.skipMembers(g, outcome{state: event.Skipped, summary: "not started: " + g.stopped})
}

// timedOut says that a group's own time limit has ended it.
func (g *group) timedOut() bool {
	return g.limit != nil && context.Cause(g.ctx) == error(g.limit)
}

// note keeps the worst that happened to a member.
func (g *group) note(v *vertex, out outcome) {
	if counts(out.state) && (g.worst == "" || worse(out.state, g.worst)) {
		g.worst, g.blamed, g.cause = out.state, v.ID, out.cause
	}
}

// isStopped says that nothing more is started of a group that a vertex is in.
func (v *vertex) isStopped() bool {
	for g := v.group; g != nil; g = g.outer {
		if g.stopped != "" {
			return true
		}
	}
	return false
}

// endGroup finishes a group whose members have all finished. On the loop.
func (x *executor) endGroup(v *vertex) {
	g := v.ends
	out := x.sumUp(g)
	if out.state != event.Passed || v.Step.Results == nil {
		x.closeGroup(g, out)
		return
	}
	ctx := x.contextOf(v)
	go func() {
		out := x.shield(ctx, v, func() outcome { return x.yield(ctx, v) })
		x.do(func() {
			if out.state != event.Passed {
				g.note(v, out)
			}
			x.closeGroup(g, out)
		})
	}()
}

// sumUp is what a group came to.
func (x *executor) sumUp(g *group) outcome {
	if g.stopped == "" && x.halted == "" && g.rounds.begun > 0 {
		g.rounds.ended = g.rounds.begun
	}
	switch {
	case g.broke != nil:
		return outcome{state: g.broke.State, cause: g.broke}
	case g.timedOut():
		c := &event.Cause{State: event.Failed, Message: g.limit.Error()}
		return outcome{state: c.State, cause: c}
	case g.worst != "" && g.answers():
		c := *g.cause
		c.Message = g.blamed + ": " + c.Message
		return outcome{state: g.worst, cause: &c}
	case g.worst != "":
		return outcome{state: g.worst, cause: &event.Cause{State: g.worst, Message: g.blamed + " " + verb(g.worst)}}
	case x.halted != "":
		return outcome{state: event.Cancelled, summary: "cancelled: " + x.halted}
	}
	return outcome{state: event.Passed, summary: g.rounds.text()}
}

// closeGroup ends an attempt of a group, the last or one before another. What
// failed inside has had its effect on the scenario already, unless the group
// answers for it. On the loop.
func (x *executor) closeGroup(g *group, out outcome) {
	v := g.end
	g.cancel(context.Canceled)
	out = g.weighed(out)
	if x.mayTryAgain(g, out) {
		x.tryAgain(g, out)
		return
	}
	if g.worst == "" || g.blamed == v.ID || g.answers() || g.timedOut() || g.broke != nil {
		x.finish(v, out)
		return
	}
	x.settle(v, out)
	x.conclude(v)
}

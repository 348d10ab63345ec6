package engine

import (
	"context"
	"fmt"
	"strings"

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
	limit   *limit // its own, or nil
	worst   event.State
	blamed  string // the member that worst came from
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
	}
	return nil
}

// whenGroup lets a group begin if its when says so.
func (x *executor) whenGroup(ctx context.Context, v *vertex) {
	skip := false
	out := x.shield(ctx, v, func() (out outcome) {
		out, skip = x.when(ctx, v, v.Step.Meta.When)
		return out
	})
	x.do(func() {
		if !skip && out.state == "" {
			x.beginGroup(v.starts)
			return
		}
		x.skipGroup(v.starts, out)
	})
}

// beginGroup starts a group, with its time limit. On the loop.
func (x *executor) beginGroup(g *group) {
	if g.end.at == finished { // everything was stopped meanwhile
		x.conclude(g.start)
		return
	}
	m := &g.end.Step.Meta
	ctx, cancel := context.WithCancelCause(x.contextOf(g.start))
	g.cancel = cancel
	g.ctx = ctx
	if m.Timeout > 0 {
		g.limit = &limit{what: "the time limit of " + g.end.ID, of: m.Timeout, where: at(m.TimeoutAt)}
		g.ctx, _ = withLimit(ctx, x.Clock, g.limit) // it ends with ctx, at the latest
		context.AfterFunc(g.ctx, func() { x.do(func() { x.groupTimedOut(g) }) })
	}
	g.begun = true
	r := &g.end.record
	r.state, r.started, r.attempts = event.Running, x.now(), 1
	x.emit(event.StepStarted{Step: g.end.ID, Attempt: 1})
	x.reach(g.start, started)
	x.finish(g.start, passed)
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
func (g *group) note(v *vertex, state event.State) {
	if counts(state) && (g.worst == "" || worse(state, g.worst)) {
		g.worst, g.blamed = state, v.ID
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

// endGroup finishes a group whose members have all finished. What failed in it
// has had its effect on the scenario already. On the loop.
func (x *executor) endGroup(v *vertex) {
	g := v.ends
	defer g.cancel(context.Canceled)
	switch {
	case g.timedOut():
		c := &event.Cause{State: event.Failed, Message: g.limit.Error()}
		x.finish(v, outcome{state: c.State, cause: c})
		return
	case g.worst != "":
		c := &event.Cause{State: g.worst, Message: g.blamed + " " + verb(g.worst)}
		x.settle(v, outcome{state: g.worst, cause: c})
	case x.halted != "":
		x.settle(v, outcome{state: event.Cancelled, summary: "cancelled: " + x.halted})
	default:
		x.settle(v, passed)
	}
	x.conclude(v)
}

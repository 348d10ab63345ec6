package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/scenario-run/scenario/dsl/lang"
	"github.com/scenario-run/scenario/engine/event"
	"github.com/scenario-run/scenario/engine/plan"
	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/step"
)

// progress is how far a vertex is.
type progress int

const (
	waiting  progress = iota
	launched          // its goroutine runs, but it may yet turn out to be skipped
	started
	active // a fault whose effect has been observed
	finished
)

// vertex is a vertex of the plan with its state.
type vertex struct {
	*plan.Vertex
	prefix  string // of the IDs of vertices that are visible beside it
	group   *group // that it is in, or nil
	at      progress
	unmet   int
	waiters []waiter
	starts  *group // of the start of a group
	ends    *group // of the end of a group
	record  record
	last    string        // what it said last of itself
	done    chan struct{} // closed when it has finished
	busy    bool          // launched, and not finished
	over    chan struct{} // closed when it has finished, and what it did has ended
	isOver  bool
	overAt  time.Time
	// holds are the assertions that hold throughout it; throughout is what it
	// holds throughout itself.
	holds      []*vertex
	throughout *vertex
	lasts      bool    // it ends only when an effect does
	injector   *vertex // of a fault that another step injects: that step
}

type waiter struct {
	v    *vertex
	need lang.Need
}

// outcome is what a vertex came to.
type outcome struct {
	state   event.State
	summary string
	result  step.Result
	cause   *event.Cause
	history []event.Observation
}

var passed = outcome{state: event.Passed}

// link makes the vertices of the plan and ties their edges.
func (x *executor) link() error {
	x.byID = map[string]*vertex{}
	x.groups = map[string]*group{}
	x.inRounds = map[*group][]*lang.Probe{}
	for _, pv := range x.variant.Plan.Vertices {
		if _, err := x.tie(pv); err != nil {
			return err
		}
	}
	return nil
}

// tie makes the vertex of one of the plan, with what it still waits for.
func (x *executor) tie(pv *plan.Vertex) (*vertex, error) {
	v := &vertex{Vertex: pv, done: make(chan struct{}), over: make(chan struct{})}
	if pv.Step != nil {
		v.prefix = prefixOf(pv)
		v.record.state = event.Pending
	}
	if err := x.join(v); err != nil {
		return nil, err
	}
	if x.byID[pv.ID] != nil {
		return nil, fmt.Errorf("the plan has %s twice", pv.ID)
	}
	for _, e := range pv.Waits {
		on := x.byID[e.On]
		if on == nil {
			return nil, fmt.Errorf("the plan lets %s wait for %s, which is not above it", pv.ID, e.On)
		}
		if !satisfied(on, e.Need) {
			on.waiters = append(on.waiters, waiter{v, e.Need})
			v.unmet++
		}
	}
	x.byID[pv.ID] = v
	x.vertices = append(x.vertices, v)
	return v, nil
}

// consider starts a vertex if nothing keeps it. When the phase's context has
// ended, what waits is skipped as soon as the loop hears of it.
func (x *executor) consider(v *vertex) {
	if v.at != waiting || v.unmet > 0 || !x.in(v) {
		return
	}
	if v.Kind == plan.JoinVertex {
		x.conclude(v) // whatever has been stopped: nothing is done
		return
	}
	if v.ends != nil {
		// It comes even when nothing else is started any more, but only if the
		// group has begun.
		if v.ends.begun {
			x.launch(v)
		}
		return
	}
	if x.halted == "" && !v.isStopped() && x.contextOf(v).Err() == nil {
		x.launch(v)
	}
}

// contextOf is the context that a vertex runs in.
func (x *executor) contextOf(v *vertex) context.Context {
	for g := v.group; g != nil; g = g.outer {
		if g.ctx != nil {
			return g.ctx
		}
	}
	return x.ctx
}

// reach moves a vertex on and lets go of what has waited for that.
func (x *executor) reach(v *vertex, p progress) {
	if v.at >= p {
		return
	}
	v.at = p
	if p == finished {
		close(v.done)
		x.noteOver(v)
		for _, h := range v.holds {
			x.noteLasting(h)
		}
	}
	kept := v.waiters[:0]
	for _, w := range v.waiters {
		if !satisfied(v, w.need) {
			kept = append(kept, w)
			continue
		}
		w.v.unmet--
		x.consider(w.v)
	}
	v.waiters = kept
}

func satisfied(v *vertex, need lang.Need) bool {
	switch need {
	case lang.NeedStarted:
		return v.at >= started
	case lang.NeedActive:
		if isFault(v) {
			return v.at >= active
		}
		return v.at >= started
	default:
		return v.at == finished
	}
}

// launch starts the goroutine of a vertex.
func (x *executor) launch(v *vertex) {
	v.at, v.busy = launched, true
	x.busy++
	if v.record.started.IsZero() {
		v.record.started = x.now()
	}
	ctx := x.contextOf(v)
	switch v.Kind {
	case plan.GroupStart:
		x.enterExecution()
		if v.Step.Meta.When == nil && v.Step.Define == nil {
			x.beginGroup(v.starts)
			return
		}
		go x.openGroup(ctx, v)
		return
	case plan.RoundStart:
		x.afterTraffic(v.group, func() { x.beginRound(v) })
		return
	case plan.GroupEnd:
		x.afterTraffic(v.ends, func() { x.endGroup(v) })
		return
	case plan.StepVertex:
		x.enterExecution()
		if v.Step.Meta.When == nil {
			x.begin(v)
		}
	}
	go func() {
		out := x.shield(ctx, v, func() outcome { return x.carry(ctx, v) })
		x.do(func() { x.finish(v, out) })
	}()
}

// carry does what a vertex says, outside the loop.
func (x *executor) carry(ctx context.Context, v *vertex) outcome {
	var err error
	switch v.Kind {
	case plan.StepVertex:
		return x.step(ctx, v)
	case plan.ImageVertex:
		err = x.ensureImage(ctx, v.Vertex)
	case plan.NetworkVertex:
		err = x.makeNetwork(ctx, v.Vertex)
	case plan.VolumeVertex:
		err = x.makeVolume(ctx, v.Vertex)
	case plan.CreateVertex:
		err = x.createNode(ctx, v.Node)
	case plan.NodeVertex:
		err = nodesOf{x, v.ID}.Start(ctx, v.Node.Address)
	default:
		err = fmt.Errorf("the plan has a vertex of the unknown kind %q", v.Kind)
	}
	if err != nil {
		c := classify(ctx, err)
		if n := v.Network; n != nil && n.Subnet != "" && runtime.KindOf(err) == runtime.Conflict {
			c.Excerpt = x.excerpt(n.SubnetAt)
		}
		return outcome{state: c.State, cause: c}
	}
	return passed
}

// finish takes in what a vertex came to.
func (x *executor) finish(v *vertex, out outcome) {
	if v.at == finished {
		return
	}
	if out.cause != nil && v.Step != nil && len(v.Step.Uses) > 0 {
		c := *out.cause
		c.Used = x.usedAt(v.Step.Uses)
		out.cause = &c
	}
	x.settle(v, out)
	if counts(out.state) {
		if out.state == event.Error || !v.isAnsweredFor() {
			x.blameCause(v.ID, out.cause, out.state)
		}
		x.stopFor(v, out.state)
	}
	x.conclude(v)
}

// conclude takes a vertex out of those that have not finished. On the loop.
func (x *executor) conclude(v *vertex) {
	x.reach(v, finished)
	x.left--
	if v.busy {
		v.busy = false
		x.busy--
	}
	if v.lasts {
		v.lasts = false
		x.lasting--
	}
	if v.group != nil {
		x.countRound(v.group)
	}
	if x.left == 0 {
		close(x.joined)
	}
	x.restIfNothingElse()
}

// stopFor stops what must not go on after a failure: the innermost group that
// is to be survived or answers for it, or all. A broken lab is survived by nothing.
func (x *executor) stopFor(v *vertex, state event.State) {
	why := v.ID + " " + verb(state)
	if state == event.Error {
		x.halt(why)
		return
	}
	if v.Step != nil && v.Step.Meta.Continue {
		return
	}
	for g := v.group; g != nil; g = g.outer {
		if g.end.Step.Meta.Continue || g.answers() {
			x.stopGroup(g, why)
			return
		}
	}
	x.halt(why)
}

// settle writes the end of a vertex into its record and the stream.
func (x *executor) settle(v *vertex, out outcome) {
	if v.Kind != plan.StepVertex && v.Kind != plan.GroupEnd {
		return
	}
	for g := v.group; g != nil; g = g.outer {
		g.note(v, out)
	}
	r := &v.record
	r.state, r.ended = out.state, x.now()
	if out.state == event.Skipped {
		r.started, r.ended, r.attempts = time.Time{}, time.Time{}, 0
	}
	if out.cause != nil {
		r.err = out.cause.Message
	}
	if out.state == event.Passed {
		r.result = out.result.Value
	}
	e := event.StepFinished{
		Step: v.ID, State: out.state, Summary: out.summary, Attempts: r.attempts, Cause: out.cause, History: out.history,
	}
	if !r.started.IsZero() {
		e.Seconds = r.ended.Sub(r.started).Seconds()
	}
	if out.state == event.Passed {
		e.Result = resultJSON(r.result)
	}
	x.emit(e)
}

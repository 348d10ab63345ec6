package engine

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/scenario-run/scenario/dsl/lang"
	"github.com/scenario-run/scenario/engine/event"
	"github.com/scenario-run/scenario/engine/fault"
	"github.com/scenario-run/scenario/engine/plan"
	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/step"
)

// executor carries out one variant. Its loop is the one goroutine that reads
// and writes the fields below the line; all others hand it functions with do
// and ask.
type executor struct {
	*run
	variant Variant
	decl    *lang.Variant
	key     string // of events
	dirName string // below the run's directory
	scope   runtime.Scope
	redact  *redactor
	env     step.Env // without what belongs to a step
	journal *fault.Journal
	base    context.Context // ends when everything of the variant must

	calls chan func()
	over  chan struct{}  // closed when the loop has ended
	after sync.Mutex     // taken by ask in place of the loop
	tasks sync.WaitGroup // goroutines that belong to the variant as a whole

	// ---- owned by the loop

	vertices []*vertex
	byID     map[string]*vertex
	groups   map[string]*group // by the IDs of their ends, and of their rounds
	nodes    map[string]*node
	order    []string // node addresses, in plan order
	places   provisioned
	inRounds map[*group][]*lang.Probe // probes of rounds by time that go on
	traffic  map[string]*workloadRun  // by address of the step
	faults   []*fault.Life            // in the order of their injection
	lives    map[*fault.Life]*live
	links    linkMatrix
	tearing  bool           // teardown has begun
	lost     bool           // the runtime can't be reached any more
	deaths   sync.WaitGroup // unasked exits whose last words are being read
	leftover []event.LeftBehind
	kept     []event.Kept // nodes that stay

	executing bool // the first step has started
	phase     phase
	ctx       context.Context // of the phase's vertices
	cancel    context.CancelCauseFunc
	left      int           // vertices of the phase that have not finished
	busy      int           // those that have been launched, and rounds that are being made
	lasting   int           // those of busy that end only when an effect does
	idle      chan struct{} // closed when there is nothing else left
	isIdle    bool
	joined    chan struct{} // closed when left is 0
	halted    string        // why nothing more is started; empty while going on
	verdict   verdict
}

// phase is a part of a variant's life in which vertices run.
type phase int

const (
	mainPhase phase = iota
	cleanupPhase
)

// verdict is what is known of how the variant goes.
type verdict struct {
	state    event.State
	cause    *event.Cause
	from     string // the vertex that the cause came from
	timedOut bool
	internal bool
	// diedAt is when the node exited that is the cause; zero for other causes.
	diedAt time.Time
}

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
	lasts      bool // it ends only when an effect does
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

// do hands f to the loop. After the loop's end it does nothing.
func (x *executor) do(f func()) {
	select {
	case x.calls <- f:
	case <-x.over:
	}
}

// ask hands f to the loop and waits until it has run. Once the loop has ended
// callers run f themselves, one at a time. It must not be called by the loop.
func (x *executor) ask(f func()) {
	done := make(chan struct{})
	x.do(func() { defer close(done); f() })
	select {
	case <-done:
		return
	case <-x.over:
	}
	x.after.Lock()
	defer x.after.Unlock()
	select {
	case <-done: // the last thing that the loop did
	default:
		f()
	}
}

func (x *executor) loop(stop <-chan struct{}) {
	defer close(x.over)
	for {
		select {
		case f := <-x.calls:
			f()
		case <-stop:
			return
		}
	}
}

func (x *executor) emit(body event.Body) { x.stream.emit(x.key, body) }

func (x *executor) now() time.Time { return x.Clock.Now() }

// since is a time in seconds since the run began.
func (x *executor) since(t time.Time) float64 { return t.Sub(x.began).Seconds() }

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

// enter runs a phase: what is ready in it starts. It returns when all of it
// has finished, but for what lasts as long as the effects of its steps do; then
// the phase must be left.
func (x *executor) enter(ctx context.Context, p phase) {
	idle := make(chan struct{})
	x.ask(func() {
		x.phase, x.halted, x.left, x.idle, x.isIdle = p, "", 0, idle, false
		x.busy, x.lasting, x.joined = 0, 0, make(chan struct{})
		x.ctx, x.cancel = context.WithCancelCause(ctx)
		for _, v := range x.vertices {
			if x.in(v) {
				x.left++
			}
		}
		if x.left == 0 {
			x.rest()
			close(x.joined)
			return
		}
		// The phase's own context, not its parent: halt ends it as well.
		phaseCtx := x.ctx
		context.AfterFunc(phaseCtx, func() { x.do(func() { x.ended(p, context.Cause(phaseCtx)) }) })
		for _, v := range x.vertices {
			x.consider(v)
		}
	})
	select {
	case <-idle:
	case <-x.over:
	}
}

// leave waits for the rest of a phase, and ends it.
func (x *executor) leave() {
	var joined chan struct{}
	x.ask(func() { joined = x.joined })
	select {
	case <-joined:
	case <-x.over:
	}
	x.ask(func() {
		x.noteLimit(context.Cause(x.ctx))
		x.cancel(context.Canceled)
	})
}

func (x *executor) in(v *vertex) bool { return v.Cleanup == (x.phase == cleanupPhase) }

// consider starts a vertex if nothing keeps it. When the phase's context has
// ended, what waits is skipped as soon as the loop hears of it.
func (x *executor) consider(v *vertex) {
	if v.at != waiting || v.unmet > 0 || !x.in(v) {
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

// counts says that a state decides something about the variant.
func counts(s event.State) bool {
	return s == event.Failed || s == event.Error || s == event.Inconclusive
}

// blameCause keeps the first of the worst causes. What fails while cleaning up
// counts only if nothing did before.
func (x *executor) blameCause(from string, cause *event.Cause, state event.State) {
	if x.phase == cleanupPhase && counts(x.verdict.state) {
		return
	}
	if x.verdict.state == "" || worse(state, x.verdict.state) {
		x.verdict.state, x.verdict.cause, x.verdict.from = state, cause, from
		x.verdict.diedAt = time.Time{}
	}
}

// halt starts nothing more: what waits is skipped, what runs is told to end.
// Cleanup goes on whatever happens.
func (x *executor) halt(why string) {
	if x.halted != "" || x.phase != mainPhase || x.left == 0 {
		return
	}
	x.halted = why
	x.cancel(&stopped{"cancelled: " + why})
	x.skipWaiting(event.Skipped, "not started: "+why)
}

// ended is called when the context of a phase has ended, whatever the reason.
func (x *executor) ended(p phase, cause error) {
	if x.phase != p {
		return
	}
	// Even if a step that the limit ended has been heard of first.
	limited := x.noteLimit(cause)
	if x.halted != "" || x.left == 0 {
		return
	}
	x.halted = cause.Error()
	state := event.Cancelled
	if limited {
		state = event.Skipped
	}
	x.skipWaiting(state, "not started: "+cause.Error())
}

// noteLimit says whether a context ended by a time limit, and keeps in mind if
// it was that of the run.
func (x *executor) noteLimit(cause error) bool {
	l, ok := cause.(*limit)
	if ok && l.run {
		x.verdict.timedOut = true
	}
	return ok
}

func (x *executor) skipWaiting(state event.State, why string) {
	for _, v := range x.vertices {
		if x.in(v) {
			x.skip(v, outcome{state: state, summary: why})
		}
	}
}

// skip finishes a vertex that has not been launched. The end of a group that
// has begun is left to come when what runs in it has ended.
func (x *executor) skip(v *vertex, out outcome) {
	if v.at != waiting || v.Kind == plan.GroupEnd && v.ends.begun {
		return
	}
	x.settle(v, out)
	x.conclude(v) // a cleanup step may refer to it
}

// describeSteps lists the steps of a plan for a reader of the stream.
func describeSteps(p *plan.Plan) []event.Step {
	return describe(p.Vertices)
}

func describe(vertices []*plan.Vertex) []event.Step {
	var steps []event.Step
	for _, v := range vertices {
		if v.Kind != plan.StepVertex && v.Kind != plan.GroupEnd {
			continue
		}
		s := event.Step{
			Address: v.ID, Kind: string(v.Step.Kind), Type: v.Step.Type.Name, Name: v.Step.Name, Group: v.Group,
			Background: v.Step.Meta.Background, Description: v.Step.Meta.Description, Nodes: v.Targets, Place: place(v.Step.Range),
		}
		switch {
		case v.Kind == plan.GroupEnd:
			s.Kind = "group"
		case isFault(&vertex{Vertex: v}):
			s.Kind = "fault"
		}
		if v.Cleanup && s.Group == "" {
			s.Group = "cleanup"
		}
		steps = append(steps, s)
	}
	return steps
}

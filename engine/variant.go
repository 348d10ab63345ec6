package engine

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime/debug"
	"sync"
	"time"

	"github.com/hashicorp/hcl/v2"

	"github.com/scenario-run/scenario/dsl/lang"
	"github.com/scenario-run/scenario/engine/event"
	"github.com/scenario-run/scenario/engine/fault"
	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/step"
)

// lifetime is how long after a variant's limits its things may be taken for
// abandoned by those who can't see its process.
const lifetime = time.Hour

// runVariant carries out a variant from its first event to its last. A panic
// of the engine itself still removes what was made.
func (r *run) runVariant(ctx context.Context, v Variant) VariantResult {
	x := r.newExecutor(v)
	defer x.recordFailures()
	res := x.guarded(ctx)
	res.Seconds = x.now().Sub(x.opened).Seconds()
	x.emit(event.VariantFinished{
		State: res.State, Seconds: res.Seconds, Cause: res.Cause, Step: res.Step, TimedOut: res.TimedOut,
		Left: res.Left, Repeat: v.Repeat, Kept: x.keptNodes(), Busy: x.busySigns(res.State),
	})
	return res
}

func (r *run) newExecutor(v Variant) *executor {
	decl := v.Plan.Variant
	x := &executor{
		run: r, variant: v, decl: decl, key: variantKey(decl), dirName: variantDir(decl),
		redact:  newRedactor(decl.Secrets),
		journal: fault.NewJournal(r.Dir),
		opened:  r.Clock.Now(),
		calls:   make(chan func(), 64),
		over:    make(chan struct{}),
		nodes:   map[string]*node{},
		traffic: map[string]*workloadRun{},
		lives:   map[*fault.Life]*live{},
		places:  newProvisioned(),
		scope: runtime.Scope{
			Run: r.RunID, Variant: decl.Key, Owner: r.Owner,
			Expires: r.Clock.Now().Add(decl.Scenario.Timeout + decl.Scenario.CleanupTimeout + lifetime),
		},
	}
	if decl.Key == "" {
		// Scenarios of one run must not share a scope.
		x.scope.Variant = decl.Scenario.Name
	} else {
		x.scope.Variant = decl.Scenario.Name + "," + decl.Key
	}
	x.stream.redact(x.key, x.redact)
	x.links, x.lookups, x.keepers, x.injecting = newLinkMatrix(), newLookupFailures(), newKeepers(), map[string]*injections{}
	x.env = step.Env{Started: x.startedAt, Nodes: nodesOf{x, ""}, Dial: x.dial, Workloads: workloadsOf{x}, Faults: faultsOf{x, nil}, Processes: processesOf{x, ""}, Disks: disksOf{x, ""}, Clock: r.Clock}
	return x
}

// guarded runs the variant and turns a panic of the engine into a result.
func (x *executor) guarded(ctx context.Context) (res VariantResult) {
	base, end := context.WithCancelCause(context.WithoutCancel(ctx))
	x.base = base
	stop := make(chan struct{})
	loopDied := make(chan outcome, 1) // closed when the loop is over, whatever ended it
	go func() {
		defer close(loopDied)
		defer func() {
			if p := recover(); p != nil {
				loopDied <- x.bug("the engine", p, debug.Stack())
			}
		}()
		x.loop(stop)
	}()
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if p := recover(); p != nil {
				out := x.bug("the engine", p, debug.Stack())
				x.ask(func() { x.crashed(out) })
			}
		}()
		x.live(ctx)
	}()
	select {
	case <-done:
	case <-x.over:
		x.ask(func() {
			if x.cancel != nil {
				x.cancel(&stopped{"the engine broke"})
			}
		})
		<-done // nothing is waited for once the loop is over
	}
	// That the loop is over is seen before why, and may have let live come to
	// its end first.
	select {
	case <-x.over:
		x.mournLoop(loopDied)
	default:
	}
	left := x.tearDown(context.WithoutCancel(ctx))
	end(context.Canceled)
	x.awaitTasks()
	close(stop)
	x.mournLoop(loopDied)
	return x.sum(left)
}

// mournLoop waits for the end of the loop and takes in the panic that it died
// of, if it did.
func (x *executor) mournLoop(died <-chan outcome) {
	if out, panicked := <-died; panicked {
		x.ask(func() { x.crashed(out) })
	}
}

// awaitTasks waits for what belongs to the variant as a whole, all of which has
// been told to end. What doesn't heed that is left alone.
func (x *executor) awaitTasks() {
	all := make(chan struct{})
	go func() {
		x.tasks.Wait()
		close(all)
	}()
	ctx, cancel := withLimit(context.Background(), x.Clock, &limit{what: "the wait for the runtime", of: patience})
	defer cancel()
	select {
	case <-all:
	case <-ctx.Done():
		x.emit(event.Warning{Text: "a call to the runtime has not ended; it is left alone"})
	}
}

// crashed takes in that the engine itself failed. On the loop.
func (x *executor) crashed(out outcome) {
	x.verdict.internal = true
	x.verdict.state, x.verdict.cause, x.verdict.from = event.Error, out.cause, "engine"
}

// live is the variant's life up to its teardown.
func (x *executor) live(ctx context.Context) {
	x.emit(x.variantStarted(x.variant, x.dirName))
	if len(x.variant.JSON) > 0 {
		if err := x.dir.write(filepath.Join(x.dirName, "plan.json"), x.redact.json(x.variant.JSON)); err != nil {
			x.stream.failed(err)
		}
	}
	if err := x.open(ctx); err != nil {
		x.ask(func() { x.blameCause("engine", classify(ctx, err), verdictOf(err)) })
		return
	}
	if !x.machineSuffices(ctx) {
		return
	}
	x.execute(ctx)
	x.cleanUp()
}

// endEffects ends what outlives its step, traffic and faults, once the steps
// have come to their end. The rest of the outputs is returned: those that refer
// to what lasts as long as an effect does.
func (x *executor) endEffects(ctx context.Context) (later []*lang.Output) {
	x.lookAtTheEnd(ctx)
	now, later := x.dueOutputs()
	x.outputs(ctx, now)
	var ending sync.WaitGroup
	ending.Go(x.endTraffic)
	x.healAll()
	ending.Wait()
	return later
}

// open ties the graph and begins to watch the nodes.
func (x *executor) open(ctx context.Context) error {
	if err := x.link(); err != nil {
		return fmt.Errorf("bug: %w", err)
	}
	if err := x.addNodes(); err != nil {
		return err
	}
	return x.watch(ctx)
}

// execute provisions and runs the steps, until all have finished and what they
// did has ended.
func (x *executor) execute(ctx context.Context) {
	whole := ctx
	s := x.decl.Scenario
	if s.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = withLimit(ctx, x.Clock, &limit{what: "the scenario's time limit", of: s.Timeout, where: at(s.Range)})
		defer cancel()
	}
	ctx, cancel := x.until(ctx, 1)
	defer cancel()
	x.emit(event.PhaseStarted{Phase: "provision"})
	x.enter(ctx, mainPhase)
	later := x.endEffects(whole)
	x.leave()
	x.outputs(whole, later)
	x.ask(func() {
		// Where what ran then ended well, nothing else says so.
		if l, ok := context.Cause(ctx).(*limit); ok && x.halted != "" {
			x.blameCause("scenario", &event.Cause{State: event.Failed, Message: l.Error()}, event.Failed)
		}
	})
}

// until returns a context that ends when so many signals have come.
func (r *run) until(ctx context.Context, signals int) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-r.interrupts.at(signals):
			cancel(&stopped{"the run was interrupted"})
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(context.Canceled) }
}

// cleanUp runs the cleanup steps, within their own limit, whatever happened.
func (x *executor) cleanUp() {
	if !x.hasCleanup() || x.interrupts.count() >= 2 {
		return
	}
	ctx := x.base
	if of := x.decl.Scenario.CleanupTimeout; of > 0 {
		var cancel context.CancelFunc
		ctx, cancel = withLimit(ctx, x.Clock, &limit{what: "the time limit of cleanup", of: of, where: at(x.decl.Scenario.Range)})
		defer cancel()
	}
	ctx, cancel := x.until(ctx, 2)
	defer cancel()
	x.emit(event.PhaseStarted{Phase: "cleanup"})
	x.enter(ctx, cleanupPhase)
	x.leave()
}

func (x *executor) hasCleanup() bool {
	for _, v := range x.vertices {
		if v.Cleanup {
			return true
		}
	}
	return false
}

// sum says how the variant went.
func (x *executor) sum(left int) VariantResult {
	v := x.verdict
	res := VariantResult{
		Scenario: x.decl.Scenario.Name, Variant: x.decl.Key, State: v.state, Cause: v.cause, Step: v.from,
		TimedOut: v.timedOut && v.state == event.Failed, Left: left, internal: v.internal,
	}
	switch {
	case v.state != "":
	case x.interrupts.count() > 0:
		res.State = event.Cancelled
		res.Cause = &event.Cause{State: event.Cancelled, Message: "the run was interrupted"}
	default:
		res.State = event.Passed
	}
	return res
}

// recordFailures closes what the variant has open.
func (x *executor) recordFailures() {
	if err := x.journal.Close(); err != nil {
		x.stream.failed(fmt.Errorf("close the journal of faults: %w", err))
	}
}

// at is a source position as text.
func at(r hcl.Range) string {
	if r.Filename == "" {
		return ""
	}
	return fmt.Sprintf("%s:%d", r.Filename, r.Start.Line)
}

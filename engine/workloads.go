package engine

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/lang"
	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/event"
	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/step"
	"github.com/scenario-run/scenario/engine/traffic"
	"github.com/scenario-run/scenario/engine/workload"
)

// baselineWithin is how long a baseline may take where the workload does not
// say.
const baselineWithin = 30 * time.Second

// drainTraffic is how long what is in flight is waited for when a workload ends.
const drainTraffic = 10 * time.Second

// drainHalted is the same after a failure, when nobody counts them any more.
const drainHalted = time.Second

// workloadRun is traffic that is going on, or was.
type workloadRun struct {
	x       *executor
	id      string // of the step
	traffic step.Traffic
	store   *workload.Store
	file    string             // of the samples, below the run's directory
	attempt int                // of a use of a define that it is inside of, from 1
	stop    context.CancelFunc // ends sending
	done    chan struct{}      // closed when all samples are in
	err     error              // of the job, once done is closed

	once sync.Once
}

// startTraffic carries out a workload step, which is done when the baseline
// stands.
func (x *executor) startTraffic(ctx context.Context, v *vertex) outcome {
	def, ok := x.Registry.Lookup(schema.Workload, v.Step.Type.Name)
	if !ok || def.Workload == nil {
		return broken(fmt.Sprintf("bug: no workload %q is registered", v.Step.Type.Name))
	}
	args, cause := x.arguments(ctx, v, v.Step.Body)
	if cause != nil {
		return outcome{state: cause.State, cause: cause}
	}
	traffic, err := def.Workload(args)
	if err != nil {
		return x.weigh(ctx, v, step.Result{}, err)
	}
	run, err := x.send(ctx, v, traffic)
	if err != nil {
		return x.weigh(ctx, v, step.Result{}, err)
	}
	if err := run.baseline(ctx); err != nil {
		return x.weigh(ctx, v, step.Result{}, err)
	}
	x.ask(func() {
		x.emit(event.WorkloadStarted{Workload: v.ID, Rate: traffic.Rate, Samples: run.file})
	})
	return outcome{state: event.Passed, summary: baselineText(traffic)}
}

// baselineText says what a workload that has started does.
func baselineText(t step.Traffic) string {
	text := fmt.Sprintf("%g/s", t.Rate)
	if t.Program != nil {
		text = t.Program[0] + " at its own rate"
	}
	if t.Baseline > 0 {
		text += fmt.Sprintf(", baseline %d/%d ok", t.Baseline, t.Baseline)
	}
	return text
}

// send starts the job that sends the traffic.
func (x *executor) send(ctx context.Context, v *vertex, t step.Traffic) (*workloadRun, error) {
	job, err := x.jobFor(ctx, v, t)
	if err != nil {
		return nil, err
	}
	attempt := 1
	if before := x.workload(v.Step.Address); before != nil {
		attempt = before.attempt + 1
	}
	w := &workloadRun{
		x: x, id: v.ID, traffic: t, store: workload.NewStore(t.Captures, 0), done: make(chan struct{}), attempt: attempt,
		file: filepath.Join(x.dirName, "samples", fileName(sampleName(v.Step.Address, attempt))+".ndjson"),
	}
	samples, err := newSampleFile(x, w.file)
	if err != nil {
		return nil, err
	}
	// It outlives its step, and the phase that the step belongs to.
	sending, stop := context.WithCancel(x.base)
	w.stop = stop
	x.ask(func() { x.traffic[v.Step.Address] = w })
	x.task(func() {
		defer x.do(func() { x.noteOver(v) })
		defer close(w.done)
		defer stop()
		w.err = safely(func() error {
			return job(sending, t.Spec, func(line []byte) error {
				samples.write(line)
				return w.store.Feed(line)
			})
		})
		w.store.Finish(x.now())
		samples.close()
		if w.err != nil && sending.Err() == nil {
			x.trafficDied(v, w.err)
		}
	})
	return w, nil
}

// sampleName is a workload's address as the name of a file: clients, one[0]. An
// attempt leaves the samples of the one before alone.
func sampleName(address string, attempt int) string {
	name := strings.ReplaceAll(strings.Replace(address, "workload.", "", 1), "/", ".")
	if attempt > 1 {
		name += fmt.Sprintf(".attempt%d", attempt)
	}
	return name
}

// jobFor finds where traffic is sent from.
func (x *executor) jobFor(ctx context.Context, v *vertex, t step.Traffic) (Job, error) {
	if t.Program != nil {
		return x.programJob(v, t), nil
	}
	if t.From == "host" {
		job, ok := x.Jobs[t.Job]
		if !ok {
			return nil, fmt.Errorf("bug: the engine has no job %q", t.Job)
		}
		return job, nil
	}
	var id runtime.NodeID
	var network string
	x.ask(func() {
		network = x.places.networkFor("")
		if n := x.nodes[t.From]; n != nil {
			id = n.id
		}
	})
	if t.From != "" && id == "" {
		return nil, fmt.Errorf("send from %s: there is no such node", t.From)
	}
	agent, err := x.agentFrom(ctx, t.From, runtime.Place{Network: network, Node: id})
	if err != nil {
		return nil, fmt.Errorf("send traffic: %w", err)
	}
	return func(ctx context.Context, spec []byte, line func([]byte) error) error {
		return x.onNode(ctx, t.From, func() error { return agent.Run(ctx, t.Job, spec, line) })
	}, nil
}

// trafficDied takes in that a job ended which nobody had ended.
func (x *executor) trafficDied(v *vertex, err error) {
	x.do(func() {
		c := withDetail(&event.Cause{State: verdictOf(err), Message: fmt.Sprintf("the traffic of %s broke off: %s", v.ID, oneLine(err))}, err)
		x.blameCause(v.ID, c, c.State)
		x.halt("the traffic of " + v.ID + " broke off")
	})
}

// baseline waits until the target answers as it should.
func (w *workloadRun) baseline(ctx context.Context) error {
	if w.traffic.Baseline == 0 {
		return nil
	}
	within := w.traffic.Within
	if within == 0 {
		within = baselineWithin
	}
	inner, cancel := withLimit(ctx, w.x.Clock, &limit{what: "the time limit of the baseline", of: within})
	defer cancel()
	err := w.store.Baseline(inner, w.traffic.Baseline)
	if err == nil || ctx.Err() != nil {
		return err
	}
	if inner.Err() == nil { // it has ended by itself
		<-w.done
		if w.err != nil {
			return w.err
		}
	}
	bad := step.Inconclusivef("no baseline within %s: %w", within, err)
	if first := w.store.FirstFailure(); first != nil {
		bad = bad.With("the first failure, at +"+secondsText(w.x.sinceOpened(first.At))+": "+first.Text, "")
	}
	return bad
}

func secondsText(s float64) string { return fmt.Sprintf("%.1fs", s) }

// settle waits until every sample due by now is in.
func (w *workloadRun) settle(ctx context.Context, by time.Time) error {
	err := w.store.Settle(ctx, by)
	if err != nil && ctx.Err() != nil {
		return errors.Join(context.Cause(ctx), err)
	}
	return nil // it has ended: nothing more will come
}

// value is the statistics of the whole run so far.
func (w *workloadRun) value(at time.Time) cty.Value {
	return w.store.Stats(workload.Window{}, at).Value(w.traffic.Captures)
}

// mergeInto puts the statistics into the value of the workload's step.
func (w *workloadRun) mergeInto(v cty.Value, now time.Time) cty.Value {
	attrs := v.AsValueMap()
	for name, val := range w.value(now).AsValueMap() {
		attrs[name] = val
	}
	return cty.ObjectVal(attrs)
}

// end stops a workload, waits for what is in flight, and says so once.
func (w *workloadRun) end(ctx context.Context, patience time.Duration) error {
	w.stop()
	ctx, cancel := withLimit(ctx, w.x.Clock, &limit{what: "the wait for requests in flight", of: patience})
	defer cancel()
	var late error
	select {
	case <-w.done:
	case <-ctx.Done():
		late = context.Cause(ctx)
	}
	w.once.Do(func() {
		e := event.WorkloadFinished{Workload: w.id, Statistics: resultJSON(w.value(w.x.now()))}
		if first := w.store.FirstFailure(); first != nil {
			e.FirstError, e.FirstErrorAt = first.Text, w.x.since(first.At)
		}
		w.x.emit(e)
		if l := w.store.SentLate(); l.Share() > tooLate {
			said := sentLateText(w.id, l)
			w.x.emit(event.Warning{Text: said})
			w.x.ask(func() { w.x.sentLate = append(w.x.sentLate, said) })
		}
	})
	return late
}

// tooLate is the share of requests sent late from which on a person should
// know.
const tooLate = 0.01

func sentLateText(id string, l workload.SentLate) string {
	return fmt.Sprintf("%s: %d of %d requests (%.0f %%) were sent more than %s late, up to %s: the machine that sends them is too busy, and latencies count that in",
		id, l.Requests, l.Of, 100*l.Share(), text(traffic.LateAfter), text(l.Most.Round(time.Millisecond)))
}

// endTraffic ends all workloads, side by side.
func (x *executor) endTraffic() {
	var runs []*workloadRun
	patience := drainTraffic
	x.ask(func() {
		if x.halted != "" {
			patience = drainHalted
		}
		for _, w := range x.traffic {
			runs = append(runs, w)
		}
	})
	x.endAll(runs, patience)
}

// ended says that all samples are in.
func (w *workloadRun) ended() bool {
	select {
	case <-w.done:
		return true
	default:
		return false
	}
}

func (x *executor) workload(address string) (w *workloadRun) {
	x.ask(func() { w = x.traffic[address] })
	return w
}

// workloadsOf is step.Workloads.
type workloadsOf struct{ x *executor }

var _ step.Workloads = workloadsOf{}

func (c workloadsOf) Stop(ctx context.Context, address string) (cty.Value, error) {
	w := c.x.workload(address)
	if w == nil {
		return cty.NilVal, step.Failf("%s has not been started", address)
	}
	if err := w.end(ctx, drainTraffic); err != nil {
		return cty.NilVal, err
	}
	return w.value(c.x.now()), nil
}

// span is the time of a window. It is not known until its fault was active or
// its step has started.
type span struct {
	known bool
	workload.Window
}

// span finds the bounds of a window as they are now. On the loop.
func (x *executor) span(w lang.Window, prefix string) span {
	a := x.visible(w.A, prefix)
	if a == nil {
		return span{}
	}
	switch w.Kind {
	case lang.During:
		l := a.record.life
		if l == nil || l.Active.IsZero() {
			return span{}
		}
		return span{true, workload.Window{From: l.Active, To: l.Ended, OfFault: true}}
	case lang.Between:
		b := x.visible(w.B, prefix)
		if a.at < started || b == nil {
			return span{}
		}
		return span{true, workload.Window{From: a.record.started, To: b.record.ended}}
	default:
		if a.at != finished {
			return span{}
		}
		return span{true, workload.Window{From: a.record.ended}}
	}
}

// statistics are those of a window; unknown while it has no bounds.
func (x *executor) statistics(w lang.Window, s span, now time.Time) cty.Value {
	run := x.workload(w.Workload)
	if run == nil {
		return cty.DynamicVal
	}
	if !s.known {
		return cty.UnknownVal(workload.Type(run.traffic.Captures))
	}
	return run.store.Stats(s.Window, now).Value(run.traffic.Captures)
}

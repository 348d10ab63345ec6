package engine

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/lang"
	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/event"
)

// probeLimit ends the question of a probe that has no shorter limit of its own.
const probeLimit = 30 * time.Second

// evaluation has what the references of an expression come to at one instant.
// It is a lang.Scope.
type evaluation struct {
	x      *executor
	prefix string // of the IDs of steps that are visible beside the one that asks
	settle bool   // wait for samples in flight first

	at      time.Time
	skipped []lang.Ref // those to steps that were skipped, so that their results are null
	values  map[string]cty.Value
	windows map[lang.Window]cty.Value

	mu     *sync.Mutex // of probes, which the bodies of probes share
	probes map[string]*answer
}

// answer is a probe's, asked once.
type answer struct {
	done  chan struct{} // closed when the rest is set
	value cty.Value
	err   error
}

var (
	_ lang.Scope     = (*evaluation)(nil)
	_ lang.Confidant = (*evaluation)(nil)
)

// Confide hides texts in all that is written from now on.
func (e *evaluation) Confide(texts ...string) {
	e.x.redact.learn(texts...)
	e.x.secrets.learn(texts...)
}

// evaluate gathers what refs and windows name. v is the vertex that asks.
func (x *executor) evaluate(ctx context.Context, v *vertex, refs []lang.Ref, windows []lang.Window, last finality) (*evaluation, error) {
	e := &evaluation{x: x, settle: bool(last), mu: &sync.Mutex{}, probes: map[string]*answer{}}
	if v != nil {
		e.prefix = v.prefix
	}
	if err := e.gather(ctx, refs, windows); err != nil {
		return nil, err
	}
	return e, nil
}

// finality says whether an evaluation is the one that counts, which waits for
// samples in flight, or one of several while polling.
type finality bool

const (
	polling finality = false
	final   finality = true
)

func (e *evaluation) gather(ctx context.Context, refs []lang.Ref, windows []lang.Window) error {
	e.askProbes(ctx, refs)
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if e.settle {
		if err := e.settleTraffic(ctx, refs, windows); err != nil {
			return err
		}
	}
	e.snapshot(refs, windows)
	return nil
}

// askProbes asks every probe that refs name, side by side.
func (e *evaluation) askProbes(ctx context.Context, refs []lang.Ref) {
	var all sync.WaitGroup
	for _, ref := range refs {
		if ref.Kind != lang.ProbeRef {
			continue
		}
		for _, p := range e.x.allProbes() {
			if p.Address == ref.Address || ref.Whole && p.Declaration == ref.Address {
				all.Go(func() { e.ask(ctx, p) })
			}
		}
	}
	all.Wait()
}

// allProbes are the probes that there are now: those of the variant, and those
// inside rounds that go on.
func (x *executor) allProbes() (all []*lang.Probe) {
	x.ask(func() {
		all = x.decl.Probes
		for _, probes := range x.inRounds {
			all = append(all[:len(all):len(all)], probes...)
		}
	})
	return all
}

// ask asks a probe, unless this evaluation has its answer.
func (e *evaluation) ask(ctx context.Context, p *lang.Probe) {
	e.mu.Lock()
	a, asked := e.probes[p.Address]
	if !asked {
		a = &answer{done: make(chan struct{})}
		e.probes[p.Address] = a
	}
	e.mu.Unlock()
	if asked {
		<-a.done
		return
	}
	defer close(a.done)
	defer func() {
		if r := recover(); r != nil {
			out := e.x.bug(p.Address, r, debug.Stack())
			a.err = errors.New(out.cause.Message)
		}
	}()
	a.value, a.err = e.question(ctx, p)
}

func (e *evaluation) question(ctx context.Context, p *lang.Probe) (cty.Value, error) {
	if p.Define != nil {
		return e.askParts(ctx, p)
	}
	def, ok := e.x.Registry.Lookup(schema.Probe, p.Type.Name)
	if !ok || def.Probe == nil {
		return cty.NilVal, fmt.Errorf("bug: no probe %q is registered", p.Type.Name)
	}
	ctx, cancel := withLimit(ctx, e.x.Clock, &limit{what: "the time limit of a probe", of: probeLimit})
	defer cancel()
	inner := &evaluation{x: e.x, prefix: e.prefix, mu: e.mu, probes: e.probes}
	inner.askProbes(ctx, p.Body.Refs())
	inner.snapshot(p.Body.Refs(), p.Body.Windows())
	args, diags := p.Body.Eval(inner)
	if diags.HasErrors() {
		return cty.NilVal, errors.New(diagText(diags))
	}
	args, _ = args.UnmarkDeep()
	if !args.IsWhollyKnown() {
		return cty.NilVal, errors.New("an argument has no value yet")
	}
	env := e.x.env
	env.Step = p.Address
	env.Progress = func(string) {}
	val, err := def.Probe(ctx, &env, args)
	if err != nil {
		return cty.NilVal, err
	}
	if def.Type.Result != nil {
		return typed(val, def.Type.Result(args).Type())
	}
	return val, nil
}

// settleTraffic waits for the samples that are due by now.
func (e *evaluation) settleTraffic(ctx context.Context, refs []lang.Ref, windows []lang.Window) error {
	addresses := map[string]bool{}
	for _, r := range refs {
		if r.Kind == lang.WorkloadRef {
			addresses[r.Address] = true
		}
	}
	for _, w := range windows {
		addresses[w.Workload] = true
	}
	now := e.x.now()
	for a := range addresses {
		if w := e.x.workload(a); w != nil {
			if err := w.settle(ctx, now); err != nil {
				return fmt.Errorf("%s: %w", a, err)
			}
		}
	}
	return nil
}

// snapshot takes the values of one instant.
func (e *evaluation) snapshot(refs []lang.Ref, windows []lang.Window) {
	e.values, e.skipped = map[string]cty.Value{}, nil
	e.windows = map[lang.Window]cty.Value{}
	spans := map[lang.Window]span{}
	live := map[string]*workloadRun{}
	e.x.ask(func() {
		e.at = e.x.now()
		for _, r := range refs {
			e.take(r, live)
		}
		for _, w := range windows {
			spans[w] = e.x.span(w, e.prefix)
		}
	})
	for address, w := range live {
		e.values[address] = w.mergeInto(e.values[address], e.at)
	}
	for w, s := range spans {
		e.windows[w] = e.x.statistics(w, s, e.at)
	}
}

// take takes the value of what a reference names. On the loop.
func (e *evaluation) take(r lang.Ref, live map[string]*workloadRun) {
	switch r.Kind {
	case lang.NodeRef:
		for _, n := range e.x.nodes {
			if n.decl.Address == r.Address || r.Whole && n.decl.Name == r.Name {
				e.values[n.decl.Address] = n.value()
			}
		}
	case lang.ProbeRef:
	case lang.ParamRef:
		if g := e.x.groups[useOf(r)]; g != nil {
			e.values[r.Address] = g.args
		}
		e.takeNodes()
	default:
		e.takeNodes() // a result may name some
		for _, v := range e.x.stepsOf(r, e.prefix) {
			if v.record.state == event.Skipped {
				e.skipped = append(e.skipped, r)
			}
			e.values[v.Step.Address] = v.instance()
			if w := e.x.traffic[v.Step.Address]; w != nil {
				live[v.Step.Address] = w
			}
		}
	}
}

// takeNodes takes all nodes. On the loop.
func (e *evaluation) takeNodes() {
	for address, n := range e.x.nodes {
		if _, ok := e.values[address]; !ok {
			e.values[address] = n.value()
		}
	}
}

// stepsOf are the vertices of the steps that a reference names: those that are
// visible beside the vertex that asks go first.
func (x *executor) stepsOf(r lang.Ref, prefix string) []*vertex {
	if !r.Whole {
		if v := x.visible(r.Address, prefix); v != nil {
			return []*vertex{v}
		}
		return nil
	}
	var all []*vertex
	for _, v := range x.vertices {
		if v.Step != nil && v.Step.Declaration == r.Address && x.visible(v.Step.Address, prefix) == v {
			all = append(all, v)
		}
	}
	return all
}

func (x *executor) visible(address, prefix string) *vertex {
	if v := x.byID[prefix+address]; v != nil {
		return v
	}
	return x.byID[address]
}

// Instance returns the value of what is at an address.
func (e *evaluation) Instance(address string) cty.Value {
	if v, ok := e.values[address]; ok {
		return v
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if a := e.probes[address]; a != nil && a.err == nil && a.value != cty.NilVal {
		return a.value
	}
	return cty.DynamicVal
}

// Window returns the statistics of a window.
func (e *evaluation) Window(w lang.Window) cty.Value {
	if v, ok := e.windows[w]; ok {
		return v
	}
	return cty.DynamicVal
}

// problem is why a probe could not be asked, or nil.
func (e *evaluation) problem() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	for address, a := range e.probes {
		if a.err != nil {
			return fmt.Errorf("%s: %w", address, a.err)
		}
	}
	return nil
}

// arguments evaluates a step's body. The cause says why it could not.
func (x *executor) arguments(ctx context.Context, v *vertex, body *lang.Body) (cty.Value, *event.Cause) {
	e, err := x.evaluate(ctx, v, body.Refs(), body.Windows(), final)
	if err != nil {
		return cty.NilVal, classify(ctx, err)
	}
	args, diags := body.Eval(e)
	if diags.HasErrors() {
		return cty.NilVal, e.cause(diags)
	}
	args, _ = args.UnmarkDeep()
	if args.IsWhollyKnown() {
		return args, nil
	}
	if err := e.problem(); err != nil {
		return cty.NilVal, &event.Cause{State: event.Failed, Message: "an argument can't be evaluated: " + oneLine(err), Excerpt: x.excerpt(body.Range())}
	}
	return cty.NilVal, &event.Cause{
		State: event.Inconclusive, Message: "an argument has no value: what it refers to has none yet", Excerpt: x.excerpt(body.Range()),
	}
}

// diagCause makes a cause of what an evaluation reported.
func (x *executor) diagCause(diags hcl.Diagnostics) *event.Cause {
	c := &event.Cause{State: event.Failed, Message: diagText(diags), Unevaluated: true}
	if d := firstError(diags); d != nil && d.Subject != nil {
		c.Excerpt = x.excerpt(*d.Subject)
	}
	return c
}

// cause makes a cause of what went wrong in the evaluation.
func (e *evaluation) cause(diags hcl.Diagnostics) *event.Cause {
	c := e.x.diagCause(diags)
	c.Message = e.text(diags)
	return c
}

// text is what went wrong in the evaluation. Where a skipped step is referred
// to, that is why, whatever it led to.
func (e *evaluation) text(diags hcl.Diagnostics) string {
	d := firstError(diags)
	if d == nil || d.Subject == nil {
		return diagText(diags)
	}
	for _, r := range e.skipped {
		if r.Range.Overlaps(*d.Subject) || d.Subject.Overlaps(r.Range) {
			return diagText(diags) + "; " + r.Address + " was skipped, so that its results are null"
		}
	}
	return diagText(diags)
}

func firstError(diags hcl.Diagnostics) *hcl.Diagnostic {
	for _, d := range diags {
		if d.Severity == hcl.DiagError {
			return d
		}
	}
	return nil
}

func diagText(diags hcl.Diagnostics) string {
	d := firstError(diags)
	if d == nil {
		return "can't be evaluated"
	}
	if d.Detail == "" {
		return d.Summary
	}
	return d.Summary + ": " + firstLine(d.Detail)
}

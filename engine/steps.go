package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/lang"
	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/event"
	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/step"
)

// step carries out a step: when, then its attempts.
func (x *executor) step(ctx context.Context, v *vertex) outcome {
	if when := v.Step.Meta.When; when != nil {
		if out, skip := x.when(ctx, v, when); skip {
			return out
		}
		x.ask(func() { x.begin(v) })
	}
	switch v.Step.Kind {
	case lang.AssertStep:
		return x.limited(ctx, v, func(ctx context.Context) outcome { return x.assert(ctx, v) })
	case lang.WorkloadStep:
		return x.limited(ctx, v, func(ctx context.Context) outcome { return x.startTraffic(ctx, v) })
	default:
		return x.attempts(ctx, v)
	}
}

// begin says that a step has started. On the loop.
func (x *executor) begin(v *vertex) {
	v.record.state = event.Running
	v.record.attempts = 1
	v.record.started = x.now()
	x.emit(event.StepStarted{Step: v.ID, Attempt: 1})
	x.reach(v, started)
}

// enterExecution marks the first step that starts. On the loop.
func (x *executor) enterExecution() {
	if x.executing || x.phase != mainPhase {
		return
	}
	x.executing = true
	x.emit(event.PhaseStarted{Phase: "execute"})
}

// when says whether a step is skipped, and with which outcome.
func (x *executor) when(ctx context.Context, v *vertex, when *lang.Expr) (outcome, bool) {
	e, err := x.evaluate(ctx, v, when.Refs(), when.Windows(), final)
	if err != nil {
		c := classify(ctx, err)
		return outcome{state: c.State, cause: c}, true
	}
	val, diags := when.Eval(e)
	switch res := judge(e, val, diags); res {
	case isTrue:
		return outcome{}, false
	case isFalse:
		return outcome{state: event.Skipped, summary: "skipped: " + oneLineOf(when.Explain(e), val)}, true
	default:
		c := &event.Cause{State: res.verdict(), Message: "when " + res.why(e, diags), Excerpt: x.explained(when, when.Explain(e))}
		c.Unevaluated = res == isError && diags.HasErrors()
		return outcome{state: c.State, cause: c}, true
	}
}

// limited runs f within the step's timeout.
func (x *executor) limited(ctx context.Context, v *vertex, f func(context.Context) outcome) outcome {
	m := &v.Step.Meta
	if m.Timeout == 0 {
		return f(ctx)
	}
	ctx, cancel := withLimit(ctx, x.Clock, &limit{what: "the step's time limit", of: m.Timeout, where: at(m.TimeoutAt)})
	defer cancel()
	return x.shield(ctx, v, func() outcome { return f(ctx) })
}

// attempts tries an action as often as it may be tried.
func (x *executor) attempts(ctx context.Context, v *vertex) outcome {
	m := &v.Step.Meta
	for n := 1; ; n++ {
		out := x.limited(ctx, v, func(ctx context.Context) outcome { return x.attempt(ctx, v) })
		if !counts(out.state) || n >= m.Attempts || ctx.Err() != nil {
			return out
		}
		x.say(v, fmt.Sprintf("attempt %d of %d: %s", n, m.Attempts, out.cause.Message))
		if isFault(v) && !x.undo(ctx, v) {
			return out
		}
		if x.Clock.Sleep(ctx, m.Backoff) != nil {
			return out
		}
		x.do(func() {
			v.record.attempts = n + 1
			x.emit(event.StepStarted{Step: v.ID, Attempt: n + 1})
		})
	}
}

// attempt runs an action or fault once.
func (x *executor) attempt(ctx context.Context, v *vertex) outcome {
	def, ok := x.Registry.Lookup(schema.Action, v.Step.Type.Name)
	if !ok {
		return broken(fmt.Sprintf("bug: no action %q is registered", v.Step.Type.Name))
	}
	args, cause := x.arguments(ctx, v, v.Step.Body)
	if cause != nil {
		return outcome{state: cause.State, cause: cause}
	}
	env := x.envOf(v)
	var res step.Result
	var err error
	if def.Fault != nil {
		res, err = x.inject(ctx, v, def, &env, args)
	} else {
		res, err = def.Action(ctx, &env, args)
	}
	err = x.ofItsNode(ctx, v, err)
	if err == nil {
		if res.Value, err = typed(res.Value, v.Step.Result); err != nil {
			err = fmt.Errorf("bug: action %q returned a value of the wrong type: %w", def.Name, err)
		}
	}
	return x.weigh(ctx, v, res, err)
}

// ofItsNode makes of an error that something does not run the failure of a node
// that has exited meanwhile: that is the node's, and the place's error where all
// nodes of the step run.
func (x *executor) ofItsNode(ctx context.Context, v *vertex, err error) error {
	var own *step.Error
	if runtime.KindOf(err) != runtime.NotRunning || errors.As(err, &own) {
		return err
	}
	var ended *endedError
	if errors.As(err, &ended) {
		return step.Failf("%w", ended)
	}
	var nodes []string
	x.ask(func() {
		nodes = slices.Clone(v.Targets)
		if l := v.record.life; l != nil {
			nodes = append(nodes, l.Nodes...)
		}
	})
	for _, address := range nodes {
		state, unknown := nodesOf{x, v.ID}.State(ctx, address)
		if unknown == nil && state.Started && !state.Running {
			return step.Failf("%s exited with code %d meanwhile: %w", address, state.ExitCode, err)
		}
	}
	return err
}

// weigh holds what an action returned against what was expected of it.
func (x *executor) weigh(ctx context.Context, v *vertex, res step.Result, err error) outcome {
	want := v.Step.Meta.ExpectError
	if err == nil {
		if want == nil {
			return outcome{state: event.Passed, summary: res.Summary, result: res}
		}
		c := &event.Cause{State: event.Failed, Message: fmt.Sprintf("it passed, but was to fail with an error that matches /%s/", want)}
		return outcome{state: c.State, cause: c}
	}
	var stop *stopped
	interrupted := errors.As(context.Cause(ctx), &stop)
	c := x.causeOf(ctx, v, err)
	if want == nil || interrupted || runtime.KindOf(err) == runtime.Unreachable {
		return outcome{state: c.State, cause: c}
	}
	if want.MatchString(err.Error()) || want.MatchString(c.Message) {
		x.do(func() { v.record.err = c.Message })
		return outcome{state: event.Passed, summary: "failed as expected: " + c.Message}
	}
	c.Message = fmt.Sprintf("it failed with another error than expected (/%s/): %s", want, c.Message)
	return outcome{state: c.State, cause: c}
}

// causeOf is classify, which also knows what the step said last of itself.
func (x *executor) causeOf(ctx context.Context, v *vertex, err error) *event.Cause {
	c := classify(ctx, err)
	var l *limit
	if errors.As(context.Cause(ctx), &l) && lastSeen(err) == "" {
		var last string
		x.ask(func() { last = v.last })
		if last != "" {
			c.Message += "; last seen: " + last
		}
	}
	return c
}

// envOf is what a step is handed.
func (x *executor) envOf(v *vertex) step.Env {
	env := x.env
	env.Step = v.Step.Address
	env.Nodes = nodesOf{x, v.ID}
	env.Links = linksOf{x, v.ID}
	env.Lookups = lookupsOf{x, v.ID}
	env.Processes = processesOf{x, v.ID}
	env.Disks = disksOf{x, v.ID}
	env.Faults = faultsOf{x, v}
	env.Draw = func(n int) int { return draw(x.variant.Seed, v.ID, n) }
	env.Progress = func(text string) { x.say(v, text) }
	return env
}

// say puts a line about a running step into the stream.
func (x *executor) say(v *vertex, text string) {
	x.do(func() {
		if v.at == finished {
			return
		}
		v.last = text
		x.emit(event.StepProgress{Step: v.ID, Text: text})
	})
}

func broken(message string) outcome {
	return outcome{state: event.Error, cause: &event.Cause{State: event.Error, Message: message}}
}

// outputs evaluates and reports the outputs. After a failure those that have a
// value are still worth having; a value that is missing then is no news.
func (x *executor) outputs(ctx context.Context, all []*lang.Output) {
	ctx = context.WithoutCancel(ctx)
	for _, o := range all {
		c := x.output(ctx, o)
		if c == nil {
			continue
		}
		x.ask(func() {
			if x.verdict.state == "" && x.halted == "" {
				x.blameCause("output."+o.Name, c, c.State)
			}
		})
	}
}

// dueOutputs tells the outputs that can be evaluated now from those that refer
// to a step which has not finished.
func (x *executor) dueOutputs() (now, later []*lang.Output) {
	x.ask(func() {
		for _, o := range x.decl.Outputs {
			if slices.ContainsFunc(o.Value.Refs(), x.isGoingOn) {
				later = append(later, o)
				continue
			}
			now = append(now, o)
		}
	})
	return now, later
}

// isGoingOn says that a reference is to the result of a step that has not
// finished. On the loop.
func (x *executor) isGoingOn(r lang.Ref) bool {
	return r.Need == lang.NeedFinished && slices.ContainsFunc(x.stepsOf(r, ""), func(v *vertex) bool { return v.at != finished })
}

// outputLimit is how long an output may wait for samples and probes.
const outputLimit = 10 * time.Second

func (x *executor) output(ctx context.Context, o *lang.Output) *event.Cause {
	ctx, cancel := withLimit(ctx, x.Clock, &limit{what: "the time limit of an output", of: outputLimit})
	defer cancel()
	e, err := x.evaluate(ctx, nil, o.Value.Refs(), o.Value.Windows(), final)
	if err != nil {
		return classify(ctx, err)
	}
	val, diags := o.Value.Eval(e)
	if diags.HasErrors() {
		return e.cause(diags)
	}
	if err := e.problem(); err != nil && !val.IsWhollyKnown() {
		return &event.Cause{State: event.Failed, Message: fmt.Sprintf("output %q can't be evaluated: %s", o.Name, oneLine(err))}
	}
	out := event.Output{Name: o.Name, Description: o.Description, Value: outputJSON(val)}
	if o.Sensitive {
		out.Value = marshal(hidden)
	}
	x.emit(out)
	return nil
}

func outputJSON(v cty.Value) []byte {
	if b := resultJSON(v); b != nil {
		return b
	}
	return []byte("{}")
}

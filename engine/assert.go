package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/lang"
	"github.com/scenario-run/scenario/engine/event"
)

// defaultEvery is the poll interval of an assertion that does not say one.
const defaultEvery = 200 * time.Millisecond

// holds is what one evaluation of a condition came to.
type holds int

const (
	isTrue holds = iota
	isFalse
	isUnknown // a statistic in it has no value yet
	isError   // it can't be evaluated
)

func (h holds) String() string { return [...]string{"true", "false", "unknown", "error"}[h] }

// verdict is how a condition that ends like this counts.
func (h holds) verdict() event.State {
	if h == isUnknown {
		return event.Inconclusive
	}
	return event.Failed
}

// why is the predicate of a sentence about the condition.
func (h holds) why(e *evaluation, diags hcl.Diagnostics) string {
	switch {
	case h == isFalse:
		return "is false"
	case h == isUnknown:
		return "has no value: a statistic in it has none yet"
	case diags.HasErrors():
		return "can't be evaluated: " + e.text(diags)
	default:
		if err := e.problem(); err != nil {
			return "can't be evaluated: " + oneLine(err)
		}
		return "can't be evaluated: it is neither true nor false"
	}
}

func judge(e *evaluation, val cty.Value, diags hcl.Diagnostics) holds {
	if diags.HasErrors() || val == cty.NilVal {
		return isError
	}
	val, _ = val.Unmark()
	switch {
	case !val.IsKnown() && e.problem() != nil:
		return isError
	case !val.IsKnown():
		return isUnknown
	case val.IsNull() || val.Type() != cty.Bool:
		return isError
	case val.True():
		return isTrue
	default:
		return isFalse
	}
}

// look is one evaluation of a condition.
type look struct {
	result holds
	e      *evaluation
	diags  hcl.Diagnostics
	parts  []lang.Part
	text   string
	err    error // the evaluation was cut off
}

// assertion is an assert step that is going on.
type assertion struct {
	x       *executor
	v       *vertex
	decl    *lang.Assert
	every   time.Duration
	history []event.Observation
	looks   int
	trues   int
	at      look // the last one
}

// assert carries out an assert step.
func (x *executor) assert(ctx context.Context, v *vertex) outcome {
	a := &assertion{x: x, v: v, decl: v.Step.Assert, every: v.Step.Assert.Every}
	if a.every <= 0 {
		a.every = defaultEvery
	}
	began := x.now()
	target := a.target()
	if a.decl.Within > 0 {
		if out, over := a.until(ctx, began.Add(a.decl.Within), target); over {
			return out
		}
	}
	switch {
	case target != nil:
		return a.accompany(ctx, target)
	case a.decl.Hold > 0:
		return a.hold(ctx)
	case a.decl.Within > 0:
		return a.pass("")
	}
	a.look(ctx, final)
	if a.at.err != nil {
		return a.cut(ctx)
	}
	if a.at.result != isTrue {
		return a.fail(a.at.result.verdict(), "the condition "+a.why())
	}
	return a.pass("")
}

// target is the step that an assertion accompanies; nil without throughout.
func (a *assertion) target() *vertex {
	if a.decl.Throughout == nil {
		return nil
	}
	var t *vertex
	a.x.ask(func() { t = a.x.visible(a.decl.Throughout.Address, a.v.prefix) })
	return t
}

// until polls until the condition is true. over says that out is the end of it.
func (a *assertion) until(ctx context.Context, deadline time.Time, target *vertex) (out outcome, over bool) {
	for {
		start := a.x.now()
		last := !start.Before(deadline) || target != nil && a.isOver(target)
		a.look(ctx, finality(last))
		switch {
		case a.at.err != nil:
			return a.cut(ctx), true
		case a.at.result == isTrue:
			return outcome{}, false
		case last:
			return a.fail(a.at.result.verdict(), fmt.Sprintf("not true within %s%s: the condition %s", text(a.decl.Within), paren(at(a.decl.WithinAt)), a.why())), true
		}
		next := start.Add(a.every)
		if next.After(deadline) {
			next = deadline
		}
		a.sleep(ctx, target, next.Sub(a.x.now()))
		if context.Cause(ctx) != nil {
			return a.cut(ctx), true
		}
	}
}

// hold evaluates until the time is over. A "not yet" does not break it; a false
// does, at once.
func (a *assertion) hold(ctx context.Context) outcome {
	began := a.x.now()
	for {
		start := a.x.now()
		last := start.Sub(began) >= a.decl.Hold
		a.look(ctx, finality(last))
		switch {
		case a.at.err != nil:
			return a.cut(ctx)
		case a.at.result == isFalse:
			return a.neverBegan(a.fail(event.Failed, a.broke(nil, start.Sub(began))))
		case last && a.trues == 0:
			return a.fail(event.Inconclusive, "the condition was never once true, nor false: it "+a.why())
		case last:
			return a.pass("held " + round(start.Sub(began)).String())
		}
		next := start.Add(a.every)
		if end := began.Add(a.decl.Hold); next.After(end) {
			next = end
		}
		a.sleep(ctx, nil, next.Sub(a.x.now()))
		if context.Cause(ctx) != nil {
			return a.cut(ctx)
		}
	}
}

// sleep waits for d, or until the target has finished or ctx ends.
func (a *assertion) sleep(ctx context.Context, target *vertex, d time.Duration) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if target != nil {
		go func() {
			select {
			case <-target.over:
				cancel()
			case <-ctx.Done():
			}
		}()
	}
	_ = a.x.Clock.Sleep(ctx, d) // the caller looks why it woke
}

// broke says that a condition became false d after it had begun to hold.
func (a *assertion) broke(target *vertex, d time.Duration) string {
	how := "the condition is false"
	if a.trues > 0 {
		how = "the condition became false after " + text(round(d))
	}
	if target != nil {
		return how + ", while it had to hold throughout " + target.ID
	}
	return how + fmt.Sprintf(", while it had to hold for %s", text(a.decl.Hold))
}

// neverBegan adds to a failure that the condition was false before it could
// hold, if it had no time to become true.
func (a *assertion) neverBegan(out outcome) outcome {
	if a.looks == 1 && a.decl.Within == 0 {
		out.cause.Hint = `It was false at the first look: within = "…" gives it time to become true first.`
	}
	return out
}

// isOver says that a step, and what it does, has ended.
func (a *assertion) isOver(v *vertex) (is bool) {
	a.x.ask(func() { is = v.isOver })
	return is
}

// look evaluates the condition once.
func (a *assertion) look(ctx context.Context, last finality) {
	refs, windows := a.needs()
	e, err := a.x.evaluate(ctx, a.v, refs, windows, last)
	if err != nil {
		a.at.err = err
		return
	}
	a.count(a.judge(e))
}

// needs are what the condition and the message refer to.
func (a *assertion) needs() ([]lang.Ref, []lang.Window) {
	refs, windows := a.decl.Condition.Refs(), a.decl.Condition.Windows()
	if m := a.decl.ErrorMessage; m != nil {
		refs = append(refs[:len(refs):len(refs)], m.Refs()...)
		windows = append(windows[:len(windows):len(windows)], m.Windows()...)
	}
	return refs, windows
}

// judge is what an evaluation comes to.
func (a *assertion) judge(e *evaluation) look {
	cond := a.decl.Condition
	val, diags := cond.Eval(e)
	l := look{e: e, diags: diags, result: judge(e, val, diags), parts: cond.Explain(e)}
	l.text = oneLineOf(l.parts, val)
	if l.result == isError && len(l.parts) == 0 {
		l.text = l.result.why(e, diags)
	}
	return l
}

// count takes a look for one that counts.
func (a *assertion) count(l look) {
	a.at = l
	a.looks++
	if l.result == isTrue {
		a.trues++
	}
	a.observe(l)
}

// maxHistory bounds what is kept of a condition that never stays the same.
const maxHistory = 200

// observe adds an evaluation to the history; equal neighbours are merged, and
// of too many the middle is dropped.
func (a *assertion) observe(l look) {
	n := len(a.history)
	if n > 0 && a.history[n-1].Result == l.result.String() && a.history[n-1].Text == l.text {
		a.history[n-1].Count++
		return
	}
	if n >= maxHistory {
		a.history = append(a.history[:maxHistory/2], a.history[maxHistory/2+1:]...)
	}
	a.history = append(a.history, event.Observation{At: a.x.since(l.e.at), Count: 1, Result: l.result.String(), Text: l.text})
	if l.result != isTrue && n > 0 {
		a.x.say(a.v, l.text)
	}
}

func (a *assertion) why() string { return a.at.result.why(a.at.e, a.at.diags) }

func (a *assertion) pass(how string) outcome {
	return outcome{state: event.Passed, summary: join(a.at.text, how), history: a.history}
}

// fail is the outcome with all that explains it.
func (a *assertion) fail(state event.State, message string) outcome {
	c := &event.Cause{State: state, Message: message, Excerpt: a.x.explained(a.decl.Condition, a.at.parts)}
	c.Unevaluated = a.at.result == isError && a.at.diags.HasErrors()
	if a.at.result == isUnknown {
		c.Hint = "a window without samples, or a percentile of fewer than 20, has no value; give the assert a within, so that it waits for more"
	}
	if m := a.decl.ErrorMessage; m != nil {
		val, diags := m.Eval(a.at.e)
		val, _ = val.Unmark()
		if !diags.HasErrors() && val.IsKnown() && !val.IsNull() && val.Type() == cty.String {
			c.Message, c.Detail = firstLine(val.AsString()), message
		}
	}
	return outcome{state: state, cause: c, history: a.history}
}

// cut is the outcome of an assertion whose context ended.
func (a *assertion) cut(ctx context.Context) outcome {
	err := a.at.err
	if err == nil || context.Cause(ctx) != nil {
		err = errors.Join(context.Cause(ctx))
	}
	c := classify(ctx, err)
	if len(a.history) > 0 {
		c.Message += "; last seen: " + a.history[len(a.history)-1].Text
		if a.at.parts != nil {
			c.Excerpt = a.x.explained(a.decl.Condition, a.at.parts)
		}
	}
	return outcome{state: c.State, cause: c, history: a.history}
}

func paren(s string) string {
	if s == "" {
		return ""
	}
	return " (" + s + ")"
}

func join(a, b string) string {
	switch {
	case a == "":
		return b
	case b == "":
		return a
	default:
		return a + ", " + b
	}
}

func round(d time.Duration) time.Duration { return d.Round(10 * time.Millisecond) }

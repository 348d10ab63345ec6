package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/lang"
	"github.com/scenario-run/scenario/engine/event"
)

// useOf is the address of the use whose arguments a reference from inside
// means.
func useOf(ref lang.Ref) string { return ref.Address[:len(ref.Address)-len("/param")] }

// openGroup lets a group begin if its when says so: with the arguments that
// it has at this moment, if it is the use of a define.
func (x *executor) openGroup(ctx context.Context, v *vertex) {
	skip := false
	args := cty.NilVal
	out := x.shield(ctx, v, func() (out outcome) {
		if when := v.Step.Meta.When; when != nil {
			if out, skip = x.when(ctx, v, when); skip {
				return out
			}
		}
		if v.Step.Define == nil {
			return outcome{}
		}
		var cause *event.Cause
		if args, cause = x.arguments(ctx, v, v.Step.Body); cause != nil {
			return outcome{state: cause.State, cause: cause}
		}
		return outcome{}
	})
	x.do(func() {
		if skip || out.state != "" {
			x.skipGroup(v.starts, out)
			return
		}
		v.starts.args = args
		x.beginGroup(v.starts)
	})
}

// yield evaluates what a use yields once all in it has passed.
func (x *executor) yield(ctx context.Context, v *vertex) outcome {
	body := v.Step.Results
	e, err := x.evaluate(ctx, v, body.Refs(), body.Windows(), final)
	if err != nil {
		c := classify(ctx, err)
		return outcome{state: c.State, cause: c}
	}
	val, diags := body.Eval(e)
	if diags.HasErrors() {
		c := x.diagCause(diags)
		c.Message = "its result can't be evaluated: " + c.Message
		return outcome{state: c.State, cause: c}
	}
	if err := e.problem(); err != nil && !val.IsWhollyKnown() {
		return outcome{state: event.Failed, cause: &event.Cause{
			State: event.Failed, Message: "its result can't be evaluated: " + oneLine(err), Excerpt: x.excerpt(body.Range()),
		}}
	}
	out := passed
	if out.result.Value, err = typed(val, v.Step.Result); err != nil {
		return broken(fmt.Sprintf("bug: a result of %s is of the wrong type: %s", v.ID, err))
	}
	return out
}

// askParts asks a probe whose type is defined in a file: its answer is made of
// those of the probes inside, asked at the same moment.
func (e *evaluation) askParts(ctx context.Context, p *lang.Probe) (cty.Value, error) {
	refs := append(p.Body.Refs()[:len(p.Body.Refs()):len(p.Body.Refs())], p.Results.Refs()...)
	inner := &evaluation{x: e.x, prefix: e.prefix, mu: e.mu, probes: e.probes}
	inner.askProbes(ctx, refs)
	windows := append(p.Body.Windows()[:len(p.Body.Windows()):len(p.Body.Windows())], p.Results.Windows()...)
	inner.snapshot(refs, windows)
	if _, diags := p.Body.Eval(inner); diags.HasErrors() {
		return cty.NilVal, errors.New(diagText(diags))
	}
	val, diags := p.Results.Eval(inner)
	if diags.HasErrors() {
		return cty.NilVal, errors.New(diagText(diags))
	}
	return val, nil
}

// usedAt says, of what goes wrong inside uses of defines, where they stand.
func (x *executor) usedAt(uses []lang.Use) []event.Excerpt {
	var all []event.Excerpt
	for _, u := range uses {
		if ex := x.excerpt(u.Range); ex != nil {
			all = append(all, *ex)
		}
	}
	return all
}

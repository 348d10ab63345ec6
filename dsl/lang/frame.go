package lang

import (
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/diag"
	"github.com/scenario-run/scenario/dsl/funcs"
	"github.com/scenario-run/scenario/dsl/source"
)

// frame is what an expression is evaluated in. There are two ways:
//
// To check, with a sink: references to what is known later yield unknown
// values of their types, every part of the expression is evaluated, and
// whatever is wrong goes to the sink at once, so that nothing can hide behind
// a short circuit. What has been reported is cty.DynamicVal from there on,
// which fits everywhere.
//
// To run, with a scope: references yield what the scope says, and hcl's own
// semantics decide what counts.
type frame struct {
	x    *expansion
	file *source.File
	// place and inst are where the expression stands: which names are visible,
	// and what each, count and repeat.index are.
	place *place
	inst  *instance
	// ctx holds the variables of for expressions around it.
	ctx *hcl.EvalContext

	sink *sink
	// hard takes what is wrong wherever it stands, inside try() too.
	hard *sink
	rec  *recorder
	// dead says, while checking, that the part is known not to be evaluated: only
	// types count, no values.
	dead bool
	// anyRefs says, while checking, that what is referred to may be anything of its
	// type: a value that is known all the same is the same whatever happens.
	anyRefs bool
	// loops are the fors around the expression.
	loops *loop
	// only, if set, lists the roots that may be referred to, and purpose says
	// where: "a default".
	only    []string
	purpose string

	// args, if set, are the arguments of a use that is being validated: param is
	// looked up in them.
	args cty.Value

	scope Scope
	// effort is what may still be done.
	effort *effort
	// done are the values of locals and params in an evaluation that runs: at one
	// instant they are the same wherever they are used.
	done map[any]evaluated
	// same is what is the same for all instances, of a scope that is unchanging.
	same map[sameKey]cty.Value
	// own counts how many times each or count of the block itself was asked for.
	own *int
}

// evaluated is what came of an expression.
type evaluated struct {
	value cty.Value
	diags hcl.Diagnostics
}

func (f frame) checking() bool { return f.sink != nil }

// silently returns a frame that checks into a sink of its own.
func (f frame) silently() (frame, *sink) {
	f.sink = &sink{}
	f.hard = f.sink
	return f, f.sink
}

// always reports what is wrong wherever it stands.
func (f frame) always(d *hcl.Diagnostic) (cty.Value, hcl.Diagnostics) {
	return f.alwaysAll(hcl.Diagnostics{d})
}

func (f frame) alwaysAll(diags hcl.Diagnostics) (cty.Value, hcl.Diagnostics) {
	if f.hard != nil {
		f.hard.add(diags...)
		return cty.DynamicVal, nil
	}
	return cty.DynamicVal, diags
}

func (f frame) mayBeDead(dead bool) frame {
	f.dead = f.dead || dead
	return f
}

// value evaluates an expression. While checking it never returns diagnostics.
func (f frame) value(e hclsyntax.Expression) (cty.Value, hcl.Diagnostics) {
	if f.mayBeSame(e) {
		return f.ofAny(e, "", func(f frame) (cty.Value, hcl.Diagnostics) { return f.itself(e) })
	}
	return f.itself(e)
}

// itself is value of an expression by itself.
func (f frame) itself(e hclsyntax.Expression) (cty.Value, hcl.Diagnostics) {
	if ok, d := f.spend(e, effortOf(e)); !ok {
		return cty.DynamicVal, problem(d)
	}
	v, diags := f.eval(e)
	d := tooMuch(e, v)
	if d == nil {
		d = f.made(e, v)
	}
	if d != nil {
		v, diags = cty.DynamicVal, hcl.Diagnostics{d}
	}
	if !f.checking() {
		return v, diags
	}
	f.sink.add(adopt(e.Range(), diags)...)
	if diags.HasErrors() {
		return cty.DynamicVal, nil
	}
	return v, nil
}

func problem(d *hcl.Diagnostic) hcl.Diagnostics {
	if d == nil {
		return nil
	}
	return hcl.Diagnostics{d}
}

// tooMuch reports a value that has grown without measure.
func tooMuch(e hclsyntax.Expression, v cty.Value) *hcl.Diagnostic {
	if v == cty.NilVal || v.Type() != cty.String && v.Type() != cty.Number {
		return nil
	}
	v, _ = v.Unmark()
	switch {
	case v.IsNull() || !v.IsKnown():
	case v.Type() == cty.String && len(v.AsString()) > longestText:
		return diag.New(diag.CannotEvaluate, e.Range(), "a text of more than 16 MiB", "")
	case v.Type() == cty.Number && funcs.OutOfRange(v.AsBigFloat()):
		return diag.New(diag.CannotEvaluate, e.Range(), "a number out of range", funcs.NumberRange)
	}
	return nil
}

// longestText is the longest text that an expression may make, in bytes: what
// a node prints is cut there too.
const longestText = funcs.MaxText

// child returns a node that hcl evaluates by asking the frame: it is how hcl's
// semantics of an operator are had with our meaning of its operands.
func (f frame) child(e hclsyntax.Expression) hclsyntax.Expression {
	return thunk{Expression: e, ask: func(ctx *hcl.EvalContext) (cty.Value, hcl.Diagnostics) {
		inner := f
		inner.ctx = ctx
		return inner.value(e)
	}}
}

func (f frame) children(es []hclsyntax.Expression) []hclsyntax.Expression {
	all := make([]hclsyntax.Expression, len(es))
	for i, e := range es {
		all[i] = f.child(e)
	}
	return all
}

// thunk is an expression with its place, evaluated by a function.
type thunk struct {
	hclsyntax.Expression
	ask func(*hcl.EvalContext) (cty.Value, hcl.Diagnostics)
}

func (t thunk) Value(ctx *hcl.EvalContext) (cty.Value, hcl.Diagnostics) { return t.ask(ctx) }

// known is an expression with its place and a value that is already there.
func known(e hclsyntax.Expression, v cty.Value) hclsyntax.Expression {
	return thunk{Expression: e, ask: func(*hcl.EvalContext) (cty.Value, hcl.Diagnostics) { return v, nil }}
}

// fixed is known, with what was found wrong with it.
func fixed(e hclsyntax.Expression, v cty.Value, diags hcl.Diagnostics) hclsyntax.Expression {
	return thunk{Expression: e, ask: func(*hcl.EvalContext) (cty.Value, hcl.Diagnostics) { return v, diags }}
}

// local returns the value of a variable of a for expression.
func (f frame) local(name string) (cty.Value, bool) {
	for c := f.ctx; c != nil; c = c.Parent() {
		if v, ok := c.Variables[name]; ok {
			return v, true
		}
	}
	return cty.NilVal, false
}

// with returns a frame with variables of a for expression.
func (f frame) with(vars map[string]cty.Value) frame {
	f.ctx = f.ctx.NewChild()
	f.ctx.Variables = vars
	return f
}

// onlyType forgets a value where only its type counts.
func (f frame) onlyType(v cty.Value) cty.Value {
	if !f.dead || v.Type() == cty.DynamicPseudoType {
		return v
	}
	return cty.UnknownVal(v.Type()).WithSameMarks(v)
}

// sink collects diagnostics.
type sink struct {
	diags hcl.Diagnostics
}

func (s *sink) add(diags ...*hcl.Diagnostic) { s.diags = append(s.diags, diags...) }

// recorder collects what expressions refer to, each once.
type recorder struct {
	refs    []Ref
	windows []Window
	seenRef map[refKey]bool // once there are many
	seenWin map[Window]bool
	// late says that something else is known only when the run has begun: its
	// id, or what pick chooses.
	late bool
}

// isLate notes that a value is known only when the run has begun.
func (r *recorder) isLate() {
	if r != nil {
		r.late = true
	}
}

// empty says that nothing it was told of is known late. What is unknown all
// the same comes from what has been reported.
func (r *recorder) empty() bool { return len(r.refs) == 0 && len(r.windows) == 0 && !r.late }

type refKey struct {
	address string
	whole   bool
	need    Need
}

func (r *recorder) ref(x Ref) {
	if r == nil || r.has(x) {
		return
	}
	r.refs = append(r.refs, x)
	switch {
	case r.seenRef != nil:
		r.seenRef[keyOfRef(x)] = true
	case len(r.refs) > fewRefs:
		r.seenRef = map[refKey]bool{}
		for _, x := range r.refs {
			r.seenRef[keyOfRef(x)] = true
		}
	}
}

// fewRefs are looked through one by one.
const fewRefs = 8

func keyOfRef(x Ref) refKey { return refKey{x.Address, x.Whole, x.Need} }

func (r *recorder) has(x Ref) bool {
	if r.seenRef != nil {
		return r.seenRef[keyOfRef(x)]
	}
	return slices.ContainsFunc(r.refs, func(y Ref) bool { return keyOfRef(y) == keyOfRef(x) })
}

func (r *recorder) window(w Window) {
	if r == nil || r.seenWin[w] {
		return
	}
	if r.seenWin == nil {
		r.seenWin = map[Window]bool{}
	}
	r.seenWin[w] = true
	r.windows = append(r.windows, w)
}

// through takes over what a local or a probe leans on, for the place that uses
// it.
func (r *recorder) through(other *recorder, at hcl.Range) {
	if r == nil || other == nil {
		return
	}
	r.late = r.late || other.late
	for _, x := range other.refs {
		x.Range = at
		r.ref(x)
	}
	for _, w := range other.windows {
		r.window(w)
	}
}

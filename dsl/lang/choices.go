package lang

import (
	"slices"
	"strconv"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	"github.com/zclconf/go-cty/cty/function"

	"github.com/scenario-run/scenario/dsl/diag"
	"github.com/scenario-run/scenario/dsl/schema"
)

// sameAnyway reports a comparison that comes out the same whatever happens,
// although the types fit: of two constants, and of what has one of a few values
// with none of them.
func (f frame) sameAnyway(e *hclsyntax.BinaryOpExpr, l, r cty.Value) *hcl.Diagnostic {
	if !f.checking() || f.dead {
		return nil
	}
	if isConstant(e.LHS) && isConstant(e.RHS) && l.IsWhollyKnown() && r.IsWhollyKnown() {
		are := "always equal"
		if isFalse(equal(l, r)) {
			are = "never equal"
		}
		return diag.New(diag.NeverEqual, e.SrcRange, "these two constants are "+are, "The result is the same whatever happens.")
	}
	left, right := operand{e.LHS, l}, operand{e.RHS, r}
	if d := f.never(e.SrcRange, left, right); d != nil {
		return d
	}
	return f.never(e.SrcRange, right, left)
}

// operand is a part of an expression, with its value as far as it is known.
type operand struct {
	e hclsyntax.Expression
	v cty.Value
}

// never reports a place where something is compared with a known value that it
// can't come to. What both come to may hang on variables; that is a choice, and
// no mistake.
func (f frame) never(at hcl.Range, of, with operand) *hcl.Diagnostic {
	if !with.v.IsWhollyKnown() || with.v.IsNull() || of.v.IsKnown() && !isConstant(with.e) {
		return nil
	}
	if d := f.neverReturned(at, of, with); d != nil || of.v.IsKnown() || with.v.Type() != cty.String {
		return d
	}
	choices, text := f.possible(of.e), with.v.AsString()
	if len(choices) == 0 || slices.Contains(choices, text) {
		return nil
	}
	return diag.New(diag.NeverEqual, at, f.source(of.e.Range())+" is never "+strconv.Quote(text), list("It is one of", choices), diag.DidYouMean(text, choices))
}

// settling are functions that leave alone what they have returned: they never
// return what they would change.
var settling = []string{"abs", "basename", "ceil", "chomp", "distinct", "floor", "int", "lower", "signum", "sort", "trimspace", "upper"}

// neverReturned reports a value that is compared with the result of a function
// that never returns it, as upper returns no small letters.
func (f frame) neverReturned(at hcl.Range, of, with operand) *hcl.Diagnostic {
	call, ok := of.e.(*hclsyntax.FunctionCallExpr)
	if !ok || len(call.Args) != 1 || call.ExpandFinal || !slices.Contains(settling, call.Name) {
		return nil
	}
	fn := f.x.p.funcs.in(f.file)[call.Name]
	would, ok := settled(fn, with.v)
	if !ok || !isFalse(equal(with.v, would)) {
		return nil
	}
	detail := "Nothing that " + call.Name + " returns is changed by " + call.Name + ", and this would be."
	var o []diag.Option
	if would.Type() == cty.String {
		detail = "Of " + strconv.Quote(with.v.AsString()) + ", " + call.Name + " would make " + strconv.Quote(would.AsString()) + "; what it returns, it leaves as it is."
		o = append(o, diag.Hint("did you mean "+strconv.Quote(would.AsString())+"?"))
	}
	return diag.New(diag.NeverEqual, at, f.source(of.e.Range())+" is never "+f.source(with.e.Range()), detail, o...)
}

// settled is what a function of one argument returns for a value.
func settled(fn function.Function, value cty.Value) (cty.Value, bool) {
	if len(fn.Params()) != 1 {
		return cty.NilVal, false
	}
	given, err := convert.Convert(value, fn.Params()[0].Type)
	if err != nil {
		return cty.NilVal, false
	}
	result, err := fn.Call([]cty.Value{given})
	return result, err == nil && result.IsWhollyKnown() && !result.IsNull()
}

// neverContained reports what is wrong with contains(LIST, VALUE) although it can
// be called: elements that are never the value, because of their type or since
// that is one of a few others.
func (f frame) neverContained(e *hclsyntax.FunctionCallExpr, args []hclsyntax.Expression) hcl.Diagnostics {
	if !f.checking() || f.dead || e.ExpandFinal || len(e.Args) != 2 {
		return nil
	}
	coll, _ := args[0].Value(f.ctx)
	value, _ := args[1].Value(f.ctx)
	if coll.IsNull() || coll.ContainsMarked() || value.IsNull() || value.ContainsMarked() {
		return nil
	}
	if t := coll.Type(); neverAmong(t, value.Type()) {
		return hcl.Diagnostics{diag.New(diag.NeverEqual, e.Range(), typeName(t)+" never holds "+typeName(value.Type()), "The result would be the same whatever happens.")}
	}
	list := operand{e.Args[0], coll}
	if d := f.neverElement(list, operand{e.Args[1], value}); d != nil {
		return hcl.Diagnostics{d}
	}
	return f.noneIs(e, list, operand{e.Args[1], value})
}

// neverElement reports a text that is looked for in a list of others.
func (f frame) neverElement(all, value operand) *hcl.Diagnostic {
	if all.v.IsWhollyKnown() || !value.v.IsKnown() || value.v.Type() != cty.String {
		return nil
	}
	choices, text := f.possibleElements(all.e), value.v.AsString()
	if len(choices) == 0 || slices.Contains(choices, text) {
		return nil
	}
	return diag.New(diag.NeverEqual, value.e.Range(), f.source(all.e.Range())+" never holds "+strconv.Quote(text),
		list("Each is one of", choices), diag.DidYouMean(text, choices))
}

// noneIs reports the elements of a list that the value that is looked for in it
// never is: each that is written there, and all of a list that is computed.
func (f frame) noneIs(e *hclsyntax.FunctionCallExpr, all, value operand) hcl.Diagnostics {
	if written, ok := all.e.(*hclsyntax.TupleConsExpr); ok && all.v.IsKnown() && all.v.Type().IsTupleType() {
		return f.noneWritten(written, all.v.AsValueSlice(), value)
	}
	if !all.v.IsWhollyKnown() || !all.v.CanIterateElements() {
		return nil
	}
	var first *hcl.Diagnostic
	for it := all.v.ElementIterator(); it.Next(); {
		_, v := it.Element()
		d := f.never(e.Range(), value, operand{all.e, v})
		if d == nil {
			return nil
		}
		if first == nil {
			first = d
		}
	}
	return problem(first)
}

func (f frame) noneWritten(list *hclsyntax.TupleConsExpr, elements []cty.Value, value operand) (diags hcl.Diagnostics) {
	for i, el := range list.Exprs {
		if i >= len(elements) || !isConstant(el) {
			continue
		}
		if why := incomparable(elements[i], value.v); why != "" {
			diags = append(diags, diag.New(diag.NeverEqual, el.Range(), why, "It is looked for in vain, whatever happens."))
			continue
		}
		diags = append(diags, problem(f.never(el.Range(), value, operand{el, elements[i]}))...)
	}
	return diags
}

// neverAmong says that no element of a collection is of the type of a value.
func neverAmong(coll, value cty.Type) bool {
	if !coll.IsListType() && !coll.IsSetType() && !coll.IsTupleType() {
		return false // which the function refuses
	}
	all := elementTypes(coll)
	return len(all) > 0 && !slices.ContainsFunc(all, func(t cty.Type) bool { return incomparableTypes(t, value) == "" })
}

// source is what is written in a place.
func (f frame) source(at hcl.Range) string {
	if at.Filename != f.file.Name || !at.CanSliceBytes(f.file.Src) {
		return "this"
	}
	return string(at.SliceBytes(f.file.Src))
}

// choices are the values that an attribute of a node or a step can have, if they
// are few: nil of anything else.
func (f frame) choices(e hclsyntax.Expression) []string {
	if a, ok := schema.StepAttrs.Attr(lastName(e)); !ok || len(a.Enum) == 0 {
		return nil // of a node they are those of the same name
	}
	t, ok := f.path(e)
	if !ok || len(t) < 2 {
		return nil
	}
	quiet, problems := f.unheard()
	of, _ := quiet.traverse(t[:len(t)-1], e.Range())
	if len(problems.diags) > 0 {
		return nil
	}
	return quiet.choicesOf(of, t[len(t)-1:])
}

// choicesOf is choices of what is reached from a value.
func (f frame) choicesOf(of cty.Value, t hcl.Traversal) []string {
	last, ok := t[len(t)-1].(hcl.TraverseAttr)
	if !ok {
		return nil
	}
	if len(t) > 1 {
		var diags hcl.Diagnostics
		if of, diags = f.follow(of, t[:len(t)-1], false); diags.HasErrors() {
			return nil
		}
	}
	switch ty := of.Type(); {
	case ty.Equals(schema.NodeType) && last.Name == "state":
		return schema.NodeStates
	case isStepType(ty):
		a, _ := schema.StepAttrs.Attr(last.Name)
		return a.Enum
	}
	return nil
}

// lastName is the name of the attribute that a reference ends with.
func lastName(e hclsyntax.Expression) string {
	var t hcl.Traversal
	switch e := e.(type) {
	case *hclsyntax.ParenthesesExpr:
		return lastName(e.Expression)
	case *hclsyntax.ScopeTraversalExpr:
		t = e.Traversal
	case *hclsyntax.RelativeTraversalExpr:
		t = e.Traversal
	}
	if len(t) == 0 {
		return ""
	}
	a, _ := t[len(t)-1].(hcl.TraverseAttr)
	return a.Name
}

// path is a reference, or what is taken of the variable of a for, as it is
// written.
func (f frame) path(e hclsyntax.Expression) (hcl.Traversal, bool) {
	if p, ok := e.(*hclsyntax.ParenthesesExpr); ok {
		return f.path(p.Expression)
	}
	if s, ok := e.(*hclsyntax.ScopeTraversalExpr); ok {
		return s.Traversal, true
	}
	return f.flat(e)
}

// isStepType says that a type has what every step has.
func isStepType(t cty.Type) bool {
	return t.IsObjectType() && !slices.ContainsFunc(schema.StepAttrs.Attrs, func(a schema.Attr) bool { return !t.HasAttribute(a.Name) })
}

package lang

import (
	"slices"
	"strconv"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

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
	if isLiteral(e.LHS) && isLiteral(e.RHS) {
		are := "always equal"
		if isFalse(equal(l, r)) {
			are = "never equal"
		}
		return diag.New(diag.NeverEqual, e.SrcRange, "these two constants are "+are, "The result is the same whatever happens.")
	}
	if d := f.notAmong(e, e.LHS, r); d != nil {
		return d
	}
	return f.notAmong(e, e.RHS, l)
}

// notAmong reports a comparison of what has one of a few values with another.
func (f frame) notAmong(e *hclsyntax.BinaryOpExpr, of hclsyntax.Expression, with cty.Value) *hcl.Diagnostic {
	if with.Type() != cty.String || !with.IsKnown() || with.IsNull() {
		return nil
	}
	choices := f.choices(of)
	if len(choices) == 0 || slices.Contains(choices, with.AsString()) {
		return nil
	}
	return diag.New(diag.NeverEqual, e.SrcRange, f.source(of.Range())+" is never "+strconv.Quote(with.AsString()),
		list("It is one of", choices), diag.DidYouMean(with.AsString(), choices))
}

// source is what is written in a place.
func (f frame) source(at hcl.Range) string {
	if at.Filename != f.file.Name || !at.CanSliceBytes(f.file.Src) {
		return "this"
	}
	return string(at.SliceBytes(f.file.Src))
}

// isLiteral says that an expression is written as its value.
func isLiteral(e hclsyntax.Expression) bool {
	switch e := e.(type) {
	case *hclsyntax.ParenthesesExpr:
		return isLiteral(e.Expression)
	case *hclsyntax.UnaryOpExpr:
		return isLiteral(e.Val)
	case *hclsyntax.TemplateExpr:
		return e.IsStringLiteral()
	case *hclsyntax.LiteralValueExpr:
		return true
	}
	return false
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
	last, ok := t[len(t)-1].(hcl.TraverseAttr)
	if !ok {
		return nil
	}
	quiet, problems := f.silently()
	quiet.rec = nil
	of, _ := quiet.traverse(t[:len(t)-1], e.Range())
	if len(problems.diags) > 0 {
		return nil
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

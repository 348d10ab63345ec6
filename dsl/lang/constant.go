package lang

import (
	"math/big"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/diag"
	"github.com/scenario-run/scenario/dsl/funcs"
)

// isConstant says that an expression comes to the same wherever it stands: it
// refers to nothing, and reads no file.
func isConstant(e hclsyntax.Expression) bool {
	switch e := e.(type) {
	case *hclsyntax.LiteralValueExpr:
		return true
	case *hclsyntax.ScopeTraversalExpr:
		return false
	case *hclsyntax.TemplateExpr:
		if e.IsStringLiteral() {
			return true
		}
	}
	constant := true
	hclsyntax.VisitAll(e, func(n hclsyntax.Node) hcl.Diagnostics {
		switch n := n.(type) {
		case *hclsyntax.ScopeTraversalExpr:
			constant = false
		case *hclsyntax.FunctionCallExpr:
			constant = constant && funcs.IsPure(n.Name) && !isWindow(n.Name)
		}
		return nil
	})
	return constant
}

// sameOrder reports that two constants are compared by their order.
func (f frame) sameOrder(e *hclsyntax.BinaryOpExpr, result cty.Value) *hcl.Diagnostic {
	if e.Op.Type != cty.Bool || !f.checking() || f.dead || !isConstant(e.LHS) || !isConstant(e.RHS) {
		return nil
	}
	is := "always true"
	switch {
	case isFalse(result):
		is = "never true"
	case !isTrue(result):
		return nil
	}
	return diag.New(diag.NeverEqual, e.SrcRange, f.source(e.SrcRange)+" is "+is, "It compares two constants, so that the result is the same whatever happens.")
}

// inOrder compares by order numbers of which only the bounds are known, where it
// is asked what comes out whatever happens: a length is never below 0.
func (f frame) inOrder(op *hclsyntax.Operation, l, r cty.Value) (cty.Value, bool) {
	if !f.anyRefs || l.IsKnown() && r.IsKnown() || l.Type() != cty.Number || r.Type() != cty.Number {
		return cty.NilVal, false
	}
	switch op {
	case hclsyntax.OpLessThan:
		return isBelow(l, r), true
	case hclsyntax.OpGreaterThan:
		return isBelow(r, l), true
	case hclsyntax.OpLessThanOrEqual:
		return isBelow(r, l).Not(), true
	case hclsyntax.OpGreaterThanOrEqual:
		return isBelow(l, r).Not(), true
	}
	return cty.NilVal, false
}

// isBelow compares numbers by their bounds. cty does so too, but takes all bounds
// for such as are not reached.
func isBelow(a, b cty.Value) cty.Value {
	aLeast, aMost := bounds(a)
	bLeast, bMost := bounds(b)
	switch {
	case aMost != nil && bLeast != nil && aMost.Cmp(bLeast) < 0:
		return cty.True
	case aLeast != nil && bMost != nil && aLeast.Cmp(bMost) >= 0:
		return cty.False
	}
	return cty.UnknownVal(cty.Bool)
}

// bounds are the least and the most that a number can be: nil without one.
func bounds(v cty.Value) (least, most *big.Float) {
	v, _ = v.Unmark()
	if v.IsNull() {
		return nil, nil
	}
	if low, _ := v.Range().NumberLowerBound(); low.IsKnown() {
		least = low.AsBigFloat()
	}
	if high, _ := v.Range().NumberUpperBound(); high.IsKnown() {
		most = high.AsBigFloat()
	}
	return least, most
}

// mostReckoned is what may be done to find out that a condition is constant: one
// that takes more is none that somebody mistook.
const mostReckoned = 10_000

// sameWhatever reports the condition of an assert that comes out the same
// whatever it refers to. One that is never true says where a run must not come
// to, if the assert has a when.
func (x *expansion) sameWhatever(i *instance, f frame, condition hclsyntax.Expression) {
	if f.dead || x.reckoned[i.decl] {
		return
	}
	x.reckoned[i.decl] = true
	quiet, problems := f.unheard()
	quiet.anyRefs = true
	quiet.effort = &effort{left: mostReckoned, ended: true}
	v, _ := quiet.value(condition)
	v, _ = v.Unmark()
	switch {
	case quiet.effort.isOver() || problems.diags.HasErrors(): // the latter has been reported
	case isTrue(v):
		x.sink.add(diag.New(diag.NeverEqual, condition.Range(), "the condition is always true", "It is so whatever the run brings, so that the assert tests nothing."))
	case isFalse(v) && i.decl.meta.attrs["when"] == nil:
		x.sink.add(diag.New(diag.NeverEqual, condition.Range(), "the condition is never true",
			"It isn't so whatever the run brings, so that the assert only fails. One that stands where a run must not come to says so with when."))
	}
}

// like is an unknown value where anything of its type may stand. How many there
// are of something, and what it is called, is not looked at either.
func like(v cty.Value) cty.Value {
	t := v.Type()
	if t.IsPrimitiveType() || t.IsCollectionType() && t.ElementType().IsPrimitiveType() {
		return cty.UnknownVal(t)
	}
	return cty.DynamicVal
}

// likeCall is the value of a function that refers to something, where that may
// be anything.
func (f frame) likeCall(e *hclsyntax.FunctionCallExpr) (cty.Value, bool) {
	switch {
	case !f.anyRefs:
	case e.Name == "can":
		return cty.UnknownVal(cty.Bool), true
	case e.Name == "try" || isWindow(e.Name) || !funcs.IsPure(e.Name):
		return cty.DynamicVal, true
	}
	return cty.NilVal, false
}

package lang

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/diag"
)

// bindsCloser reports a ! before something that isn't true or false and is
// compared: the comparison was to be turned round, not what is compared.
func (f frame) bindsCloser(e *hclsyntax.BinaryOpExpr) *hcl.Diagnostic {
	not, ok := e.LHS.(*hclsyntax.UnaryOpExpr)
	if !ok || not.Op != hclsyntax.OpLogicalNot || !f.checking() {
		return nil
	}
	if _, ok := not.Val.(*hclsyntax.ScopeTraversalExpr); !ok {
		return nil // what is in parentheses, say, was meant as it stands
	}
	quiet, _ := f.silently()
	v, _ := quiet.value(not.Val)
	if t := v.Type(); t != cty.String && t != cty.Number {
		return nil
	}
	operator, opposite := "==", "!="
	if e.Op == hclsyntax.OpNotEqual {
		operator, opposite = opposite, operator
	}
	l, r := f.source(not.Val.Range()), f.source(e.RHS.Range())
	return diag.New(diag.NotBool, not.SrcRange, "! binds closer than "+operator+", and this is "+typeName(v.Type()),
		"Write it as "+l+" "+opposite+" "+r+", or as !("+l+" "+operator+" "+r+").")
}

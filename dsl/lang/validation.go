package lang

import (
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/diag"
)

// validatesAnother reports a validation that never asks for the variable that it
// stands in: it refuses a value because of another one, or none at all.
func (x *expansion) validatesAnother(d *decl, b *body) {
	a := b.attrs["condition"]
	if a == nil {
		return // reported
	}
	others := false
	for _, t := range hclsyntax.Variables(a.Expr) {
		name, ok := second(t)
		if !ok || t.RootName() != rootVar || name == d.name {
			return // it does, or what it is about is reported
		}
		others = true
	}
	detail := "It comes out the same for every value."
	if others {
		detail = "It holds another variable against something, and belongs into the block of that one."
	}
	x.sink.add(diag.New(diag.Contradiction, a.Expr.Range(), "this validation says nothing about var."+d.name, detail))
}

// saysNothing reports an error message without a word in it.
func (x *expansion) saysNothing(b *body, said cty.Value) {
	said, _ = said.Unmark()
	a := b.attrs["error_message"]
	if a == nil || said.Type() != cty.String || !said.IsKnown() || said.IsNull() || strings.TrimSpace(said.AsString()) != "" {
		return
	}
	x.sink.add(diag.New(diag.InvalidValue, a.Expr.Range(), "the message is empty", "Say what a value must be: it is all that is shown of why one is refused."))
}

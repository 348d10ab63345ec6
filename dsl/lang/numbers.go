package lang

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/diag"
)

// longestNumber is how long the text of a number may be, by far more than one
// has. What it takes to read it grows with the square of its length.
const longestNumber = 1000

// tooLongForNumber reports a text that a number would be made of, in a value or
// in what it holds.
func tooLongForNumber(e hclsyntax.Expression, v cty.Value, want cty.Type) *hcl.Diagnostic {
	if want == cty.NilType || want == cty.String || !tooLongIn(v, want) {
		return nil
	}
	return diag.New(diag.WrongType, e.Range(), "a number is needed here, this is a text of more than "+indexText(longestNumber)+" characters", "")
}

func tooLongIn(v cty.Value, want cty.Type) bool {
	if want == cty.Number && v.Type() == cty.String {
		v, _ = v.Unmark()
		return v.IsKnown() && !v.IsNull() && len(v.AsString()) > longestNumber
	}
	if !want.IsCollectionType() && !want.IsObjectType() || !mayHoldNumbers(want) {
		return false
	}
	v, _ = v.Unmark()
	if !v.IsKnown() || v.IsNull() || !v.CanIterateElements() {
		return false
	}
	for it := v.ElementIterator(); it.Next(); {
		k, el := it.Element()
		if inner, ok := elementOf(want, k); ok && tooLongIn(el, inner) {
			return true
		}
	}
	return false
}

func mayHoldNumbers(t cty.Type) bool {
	switch {
	case t.IsCollectionType():
		return mayHoldNumbers(t.ElementType())
	case t.IsObjectType():
		for _, a := range t.AttributeTypes() {
			if mayHoldNumbers(a) {
				return true
			}
		}
	}
	return t == cty.Number
}

package lang

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/diag"
	"github.com/scenario-run/scenario/dsl/schema"
)

// twice reports a node that is written twice in one list: the other was meant to
// be another one.
func twice(a schema.Attr, b *body, e hclsyntax.Expression) *hcl.Diagnostic {
	list, ok := e.(*hclsyntax.TupleConsExpr)
	if !ok {
		return nil
	}
	first := map[string]hcl.Range{}
	for _, el := range list.Exprs {
		if _, diags := hcl.AbsTraversalForExpr(el); diags.HasErrors() {
			continue
		}
		name := string(el.Range().SliceBytes(b.file.Src))
		if at, again := first[name]; again {
			return diag.New(diag.DuplicateValue, el.Range(), `"`+a.Name+`" names `+name+" twice", "Each node is acted on once.", diag.Also(at, "named first here"))
		}
		first[name] = el.Range()
	}
	return nil
}

// again reports a node that a list comes to name twice, by a local, a splat or a
// loop: the step would fail at the second time.
func again(a schema.Attr, e hclsyntax.Expression, v cty.Value) *hcl.Diagnostic {
	first := map[string]hcl.Range{}
	for _, part := range partsOf(e, v) {
		list, _, _ := nodeAddresses(a, part.e, part.v, nil) // checked as a part of v
		for _, address := range list {
			name := address.AsString()
			at, twice := first[name]
			if !twice {
				first[name] = part.e.Range()
				continue
			}
			var o []diag.Option
			if at != part.e.Range() {
				o = append(o, diag.Also(at, "named first here"))
			}
			return diag.New(diag.DuplicateValue, part.e.Range(), `"`+a.Name+`" names `+name+" twice", "Each node is acted on once.", o...)
		}
	}
	return nil
}

// piece is a part of a value, and the expression that it comes from.
type piece struct {
	e hclsyntax.Expression
	v cty.Value
}

// partsOf are the elements of a list that is written as one; else it is all one
// part.
func partsOf(e hclsyntax.Expression, v cty.Value) []piece {
	list, ok := e.(*hclsyntax.TupleConsExpr)
	if !ok || !v.CanIterateElements() || v.LengthInt() != len(list.Exprs) {
		return []piece{{e, v}}
	}
	var all []piece
	for i, el := range v.AsValueSlice() {
		all = append(all, piece{list.Exprs[i], el})
	}
	return all
}

package lang

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/scenario-run/scenario/dsl/diag"
	"github.com/scenario-run/scenario/dsl/schema"
)

// twice reports a node that is written twice in one list: the other was meant to
// be another one. Lists that are computed may overlap.
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

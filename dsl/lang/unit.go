package lang

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/diag"
	"github.com/scenario-run/scenario/dsl/schema"
)

// withoutUnit reports a number where a length of time is wanted.
func withoutUnit(a schema.Attr, e hclsyntax.Expression, v cty.Value) *hcl.Diagnostic {
	if v.Type() != cty.Number || !v.IsKnown() || a.Format != schema.Duration && a.Format != schema.PositiveDuration {
		return nil
	}
	hint := ""
	if v.AsBigFloat().Sign() > 0 {
		hint = `did you mean "` + axisText(v) + `s"?`
	}
	return diag.New(diag.InvalidValue, e.Range(), a.Name+": a length of time has a unit, and stands in quotes",
		"Write it as \"500ms\", \"10s\" or \"1m30s\".", diag.Hint(hint))
}

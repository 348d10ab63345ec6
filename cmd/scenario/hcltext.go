package main

import (
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/diag"
)

// hclText writes a value as a file would say it, in one line.
func hclText(v cty.Value) string {
	if v == cty.NilVal {
		return "null"
	}
	v, _ = v.UnmarkDeep()
	if !v.IsWhollyKnown() {
		return "(known later)"
	}
	text := string(hclwrite.TokensForValue(v).Bytes())
	return strings.Join(strings.Fields(text), " ")
}

// withoutNotes leaves out what needs nobody's attention.
func withoutNotes(diags hcl.Diagnostics) hcl.Diagnostics {
	var all hcl.Diagnostics
	for _, d := range diags {
		if x, ok := d.Extra.(*diag.Extra); !ok || !x.Note {
			all = append(all, d)
		}
	}
	return all
}

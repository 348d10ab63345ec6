package lang

import (
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/scenario-run/scenario/dsl/diag"
)

// aboutParts puts what hcl says of a part of a template as operands have it.
func aboutParts(diags hcl.Diagnostics) hcl.Diagnostics {
	var all hcl.Diagnostics
	for _, d := range diags {
		if d.Summary == "Invalid template interpolation value" && d.Subject != nil {
			d = notText(d)
		}
		all = append(all, d)
	}
	return all
}

func notText(d *hcl.Diagnostic) *hcl.Diagnostic {
	if strings.Contains(d.Detail, "is null") {
		return diag.New(diag.NullValue, *d.Subject, "a text is needed here, this is null", whyNull)
	}
	_, got, _ := strings.Cut(strings.TrimSuffix(d.Detail, "."), ", but have ")
	switch {
	case got == "tuple" || strings.HasPrefix(got, "list") || strings.HasPrefix(got, "set"):
		return diag.New(diag.WrongType, *d.Subject, "a text is needed here, this is a list", `join(", ", …) makes a text of a list of strings, jsonencode(…) of any value.`)
	case got == "":
		return diag.New(diag.WrongType, *d.Subject, "a text is needed here, and this is none", "jsonencode(…) makes a text of any value.")
	}
	return diag.New(diag.WrongType, *d.Subject, "a text is needed here, this is "+article(got), "jsonencode(…) makes a text of any value.")
}

// whyNull is where null comes from, where a value is needed.
const whyNull = "What hasn't come yet, and what a skipped step would have brought, is null."

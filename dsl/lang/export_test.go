package lang

import (
	"github.com/hashicorp/hcl/v2"

	"github.com/scenario-run/scenario/dsl/source"
)

// LoadWithin is Load with less that may be done to evaluate a variant.
func LoadWithin(set *source.Set, opts Options, most int) (*Scenario, hcl.Diagnostics) {
	p, diags := decode(set, opts)
	p.mostEffort, p.effort = most, newEffort(variantsEffort*most, nil)
	return p.load(diags)
}

package lang

import (
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
)

// evaluator is an evaluation as those outside see it: without marks, and with
// codes and places on what went wrong.
func evaluator(eval func(Scope) (cty.Value, hcl.Diagnostics)) func(Scope) (cty.Value, hcl.Diagnostics) {
	return func(s Scope) (cty.Value, hcl.Diagnostics) {
		v, diags := eval(s)
		v, _ = v.UnmarkDeep()
		return v, adopt(hcl.Range{}, diags)
	}
}

// Planned is the scope in which nothing has run yet: nodes have names but no
// addresses, results have types but no values.
func (v *Variant) Planned() Scope { return planned{v.x} }

type planned struct{ x *expansion }

func (p planned) Instance(address string) cty.Value {
	if p.x == nil { // a variant that wasn't loaded
		return cty.DynamicVal
	}
	if i := p.x.instance(address); i != nil {
		return i.plan
	}
	if use, ok := strings.CutSuffix(address, "/"+rootParam); ok && p.x.instance(use) != nil {
		return p.x.instance(use).checked.args
	}
	return cty.DynamicVal
}

// Window of a plan has no values. What is asked for isn't a workload's
// instance if the variant has none of that address.
func (p planned) Window(w Window) cty.Value {
	if i := p.x.instance(w.Workload); i != nil {
		return cty.UnknownVal(p.x.statistics(i))
	}
	return cty.DynamicVal
}

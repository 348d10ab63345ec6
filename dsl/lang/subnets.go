package lang

import (
	"net/netip"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/diag"
)

// subnets reports networks whose subnets overlap. What is wrong with a subnet
// itself is reported where its network is made.
func (x *expansion) subnets(networks []*decl) {
	type taken struct {
		by     *decl
		subnet netip.Prefix
	}
	var all []taken
	for _, d := range networks {
		a := d.args.attrs["subnet"]
		if a == nil {
			continue
		}
		quiet, _ := x.checker(d.file, x.top, nil).silently()
		v, _ := quiet.value(a.Expr)
		if v, _ = v.Unmark(); v.Type() != cty.String || !v.IsKnown() || v.IsNull() {
			continue
		}
		subnet, err := netip.ParsePrefix(v.AsString())
		if err != nil {
			continue
		}
		for _, t := range all {
			if t.subnet.Overlaps(subnet) {
				x.sink.add(diag.New(diag.Contradiction, a.Expr.Range(), d.address()+" overlaps with "+t.by.address(),
					"Their subnets are "+subnet.String()+" and "+t.subnet.String()+".",
					diag.Also(t.by.args.attrs["subnet"].Expr.Range(), "this is taken")))
				break
			}
		}
		all = append(all, taken{d, subnet})
	}
}

package lang

import (
	"errors"
	"net/netip"
	"strconv"

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

// mostSubnetBits leaves room for the gateway, the nodes and what asks them.
const mostSubnetBits = 28

func checkSubnet(v cty.Value) error {
	p, err := netip.ParsePrefix(v.AsString())
	switch {
	case err != nil:
		return errors.New(strconv.Quote(v.AsString()) + " is not a subnet; write it as 10.20.0.0/24")
	case p.Masked() != p:
		return errors.New(strconv.Quote(v.AsString()) + " is an address in a subnet; the subnet is " + p.Masked().String())
	case !p.Addr().Is4():
		return errors.New("a subnet is of IPv4 addresses")
	case p.Bits() > mostSubnetBits:
		return errors.New(strconv.Quote(v.AsString()) + " has too few addresses; a subnet is /" + indexText(mostSubnetBits) + " or larger")
	}
	return nil
}

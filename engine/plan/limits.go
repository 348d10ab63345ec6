package plan

import (
	"fmt"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/diag"
	"github.com/scenario-run/scenario/dsl/schema"
)

// checkLimits reports faults that limit a node to what it has no more than from
// the beginning: nothing would be limited. What its machine has shows when it runs.
func (b *builder) checkLimits() {
	for _, v := range b.plan.Vertices {
		if v.Kind != StepVertex || v.Step.Type.Kind != schema.Fault || b.isConditional(v.Step) || b.failureExpected(v) {
			continue
		}
		arg := limitArgument(v.Step.Type)
		if arg == "" {
			continue
		}
		asked := attr(b.arguments(v.Step), arg)
		for _, address := range v.Targets {
			if has := b.saysOf(address, arg); isAsMuch(asked, has) {
				b.fail(diag.New(diag.InvalidValue, v.Step.Range, fmt.Sprintf("%s limits nothing: %s has no more than that", v.Step.Address, address),
					fmt.Sprintf("The node says %s = %s. Limit it to less.", arg, written(has)), diag.Also(b.saysWhere(address), "the node is here")))
				break
			}
		}
	}
}

// limitArgument is what a fault calls the limit that it sets, and a node its own;
// empty if it sets none.
func limitArgument(t schema.Type) string {
	switch {
	case takes(t, schema.CPU):
		return "cpus"
	case takes(t, schema.Memory):
		return "memory"
	default:
		return ""
	}
}

// saysOf is an argument of a node, unknown where there is no such node. A kind may
// say it in its place.
func (b *builder) saysOf(address, arg string) cty.Value {
	if b.says == nil {
		b.says = map[string]nodeSays{}
	}
	says, known := b.says[address]
	if !known {
		says = b.evaluateFew(address)
		b.says[address] = says
	}
	if v, ok := says.args[arg]; ok {
		return v
	}
	return cty.DynamicVal
}

func (b *builder) saysWhere(address string) hcl.Range { return b.says[address].at }

// nodeSays are the few arguments of a node that rules look at. All of them, of all
// nodes, would be too much to keep.
type nodeSays struct {
	args map[string]cty.Value
	at   hcl.Range
}

func (b *builder) evaluateFew(address string) nodeSays {
	n := b.node(address)
	if n == nil {
		return nodeSays{}
	}
	names := []string{"cpus", "memory", "networks", schema.MayExitArg}
	few, args := nodeSays{map[string]cty.Value{}, n.Range}, b.some(n.Body, names...)
	for _, name := range names {
		few.args[name] = attr(args, name)
	}
	return few
}

// isAsMuch says that an amount is known to be as much as another, or more.
func isAsMuch(a, b cty.Value) bool {
	m, known := amount(a)
	n, too := amount(b)
	return known && too && m >= n
}

func amount(v cty.Value) (float64, bool) {
	switch {
	case !v.IsKnown() || v.IsNull():
		return 0, false
	case v.Type() == cty.Number:
		n, _ := v.AsBigFloat().Float64()
		return n, true
	case v.Type() == cty.String:
		n, err := schema.ParseSize(v.AsString())
		return float64(n), err == nil
	default:
		return 0, false
	}
}

func written(v cty.Value) string {
	if v.Type() == cty.Number {
		return v.AsBigFloat().Text('g', -1)
	}
	return fmt.Sprintf("%q", v.AsString())
}

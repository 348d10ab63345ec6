package funcs

import (
	"errors"
	"maps"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

// meter counts what a template takes: loops and calls are all that makes more of
// it than is written there.
type meter struct {
	take func(n int) bool
	work WorkOf
}

var errTakesTooMuch = errors.New("it takes too much to fill in this template")

// pieceOfText counts as one, in bytes.
const pieceOfText = 64

func (m meter) spend(n int) error {
	if !m.take(n) {
		return errTakesTooMuch
	}
	return nil
}

// spendOn takes a value in, which has been made or is to be read.
func (m meter) spendOn(v cty.Value) error {
	n, bytes := 1, textSize(v)
	if plain, _ := v.Unmark(); plain.IsKnown() && !plain.IsNull() && plain.CanIterateElements() {
		n += plain.LengthInt()
	}
	if err := atMost(bytes, maxListed); err != nil {
		return err
	}
	return m.spend(n + bytes/pieceOfText)
}

// measure lets the loops in an expression be counted.
func (m meter) measure(e hclsyntax.Expression) {
	var loops []*hclsyntax.ForExpr
	_ = hclsyntax.VisitAll(e, func(n hclsyntax.Node) hcl.Diagnostics { // reports nothing
		if loop, ok := n.(*hclsyntax.ForExpr); ok {
			loops = append(loops, loop)
		}
		return nil
	})
	for _, loop := range loops {
		for _, part := range []*hclsyntax.Expression{&loop.CollExpr, &loop.KeyExpr, &loop.ValExpr, &loop.CondExpr} {
			if *part != nil {
				*part = measured{*part, m}
			}
		}
	}
}

// measured is an expression that is counted each time that it is evaluated.
type measured struct {
	hclsyntax.Expression
	meter meter
}

func (e measured) Value(ctx *hcl.EvalContext) (cty.Value, hcl.Diagnostics) {
	err := e.meter.spend(1)
	if err == nil {
		v, diags := e.Expression.Value(ctx)
		if diags.HasErrors() {
			return v, diags
		}
		if err = e.meter.spendOn(v); err == nil {
			return v, diags
		}
	}
	return cty.DynamicVal, hcl.Diagnostics{{Severity: hcl.DiagError, Summary: err.Error(), Detail: "Loops inside each other multiply.", Subject: e.Range().Ptr()}}
}

// functions are those that a template can call: all but the one that it is
// filled in by.
func (m meter) functions(all map[string]function.Function) map[string]function.Function {
	table := maps.Clone(all)
	delete(table, "templatefile")
	for name, f := range table {
		table[name] = bounded(f, func(args []cty.Value) error {
			for _, a := range args {
				if err := m.spendOn(a); err != nil {
					return err
				}
			}
			return m.spend(m.work(name, args))
		})
	}
	return table
}

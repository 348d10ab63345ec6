package main

import (
	"fmt"
	"os"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// baseline is what hcl itself needs for a file: it is parsed, and every
// attribute of every block evaluated once, in the order of the file. What an
// expression refers to is looked up among the values of the blocks above, so
// that the work for a block doesn't grow with the file.
func baseline(path string) error {
	src, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	f, diags := hclsyntax.ParseConfig(src, path, hcl.InitialPos)
	if diags.HasErrors() {
		return diags
	}
	body, ok := f.Body.(*hclsyntax.Body)
	if !ok {
		return fmt.Errorf("%s: parsed to a %T", path, f.Body)
	}
	actions := make(map[string]cty.Value, len(body.Blocks))
	for _, b := range body.Blocks {
		values := make(map[string]cty.Value, len(b.Body.Attributes))
		for name, a := range b.Body.Attributes {
			v, diags := a.Expr.Value(scopeOf(a.Expr, actions))
			if diags.HasErrors() {
				return diags
			}
			values[name] = v
		}
		if len(b.Labels) == 2 {
			actions[b.Labels[1]] = cty.ObjectVal(values)
		}
	}
	return nil
}

// scopeOf holds no more than what the expression refers to.
func scopeOf(e hclsyntax.Expression, actions map[string]cty.Value) *hcl.EvalContext {
	used := map[string]cty.Value{}
	for _, t := range e.Variables() {
		if name, ok := t[1].(hcl.TraverseAttr); ok {
			used[name.Name] = actions[name.Name]
		}
	}
	return &hcl.EvalContext{Variables: map[string]cty.Value{"action": cty.ObjectVal(used)}}
}

package funcs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
)

func TestEveryFunctionIsDescribedAndYieldsWhatItsExampleSays(t *testing.T) {
	dir := t.TempDir()
	for name, text := range ExampleFiles() {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	table := Table(Env{Resolve: func(path string) (string, error) { return filepath.Join(dir, path), nil }, Seed: seeded(1)})
	value := func(src string) cty.Value {
		t.Helper()
		expr, diags := hclsyntax.ParseExpression([]byte(src), "x.hcl", hcl.InitialPos)
		if diags.HasErrors() {
			t.Fatalf("%s: %v", src, diags)
		}
		v, diags := expr.Value(&hcl.EvalContext{Functions: table})
		if diags.HasErrors() {
			t.Fatalf("%s: %v", src, diags)
		}
		return v
	}
	seen := map[string]bool{}
	for _, i := range Infos() {
		if _, ok := table[i.Name]; !ok || seen[i.Name] {
			t.Errorf("%s: there is no such function, or it is described twice", i.Name)
		}
		seen[i.Name] = true
		if i.Summary == "" || strings.HasSuffix(i.Summary, ".") || !strings.Contains(i.Example, i.Name+"(") {
			t.Errorf("%s: summary %q, example %q", i.Name, i.Summary, i.Example)
		}
		got, want := value(i.Example), value(i.Yields)
		converted, err := convert.Convert(want, got.Type())
		if err != nil || !got.RawEquals(converted) {
			t.Errorf("%s: %s is %#v, not %s (%v)", i.Name, i.Example, got, i.Yields, err)
		}
		// What a result is called must not contradict what it is.
		if i.Result == "string" && got.Type() != cty.String || i.Result == "number" && got.Type() != cty.Number || i.Result == "bool" && got.Type() != cty.Bool {
			t.Errorf("%s: its result is called a %s and is %s", i.Name, i.Result, got.Type().FriendlyName())
		}
	}
	for name := range table {
		if !seen[name] {
			t.Errorf("%s is not described", name)
		}
	}
}

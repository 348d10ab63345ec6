package schema_test

import (
	"errors"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/schema"
)

func TestChecksAcceptWhatIsMeantAndNothingElse(t *testing.T) {
	text := func(list ...string) (values []cty.Value) {
		for _, s := range list {
			values = append(values, cty.StringVal(s))
		}
		return values
	}
	number := func(list ...float64) (values []cty.Value) {
		for _, n := range list {
			values = append(values, cty.NumberFloatVal(n))
		}
		return values
	}
	for _, tt := range []struct {
		name      string
		check     func(cty.Value) error
		good, bad []cty.Value
	}{
		{"duration", schema.CheckDuration, text("0s", "500ms", "1m30s"), text("", "5", "-1s", "1 m")},
		{"positive duration", schema.CheckPositiveDuration, text("1ms", "1h"), text("0s", "1ns", "999us", "-1s", "x")},
		{"amount", schema.CheckAmount, number(0, .5, 7), number(-1, -.001)},
		{"exit code", schema.CheckExitCode, number(0, 1, 255), number(-1, 256, 1.5)},
		{"regexp", schema.CheckRegexp, text("", "^a+$"), text("(", "a**")},
		{"size", schema.CheckSize, text("1", "512m", "512mb", "1.5g", "64MiB", "64Mi", "12b"), text("", "m", "-1", "1x", "1i", "1ib")},
		{"signal", schema.CheckSignal, text("SIGKILL", "SIGTERM", "SIGUSR1"), text("", "KILL", "sigkill", "SIG", "SIG KILL", "SIGFOO", "9")},
		{"port", schema.CheckPort, number(1, 80, 65535), number(0, -1, 65536, 1.5)},
		{"address", schema.CheckAddress, text("web:80", "10.0.0.1:6379", "[::1]:80"), text("web", "web:", ":80", "web:http", "web:0", "web:65536")},
		{"whole", schema.CheckWhole, number(0, 7), number(-1, .5)},
		{"count", schema.CheckCount, number(1, 7), number(0, -1, 1.5)},
		{"rate", schema.CheckRate, number(.001, 20, 100000), number(0, -1, .0009, 1e9)},
		{"url", schema.CheckURL, text("http://a", "https://a:1/b?c#d", "http://10.0.0.1/{seq}"), text("", "a", "/a", "ftp://a", "http://", "http:// a", ":")},
	} {
		for _, v := range tt.good {
			if err := tt.check(v); err != nil {
				t.Errorf("%s: %#v: %v", tt.name, v, err)
			}
		}
		for _, v := range tt.bad {
			if tt.check(v) == nil {
				t.Errorf("%s: %#v was accepted", tt.name, v)
			}
		}
	}
}

func TestTheExampleOfEachFormatIsWrittenInIt(t *testing.T) {
	seen := map[schema.Format]bool{}
	for _, f := range schema.Formats() {
		expr, diags := hclsyntax.ParseExpression([]byte(f.Example), "x", hcl.InitialPos)
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		v, _ := expr.Value(nil)
		if ref, ok := expr.(*hclsyntax.ScopeTraversalExpr); ok {
			v = cty.StringVal(string(ref.Range().SliceBytes([]byte(f.Example)))) // what is made is called so
		}
		if err := (schema.Attr{Format: f.Format}).Refuse(v); err != nil {
			t.Errorf("%s: %v", f.Format, err)
		}
		if f.Doc == "" || seen[f.Format] {
			t.Errorf("%s: without a doc, or twice", f.Format)
		}
		seen[f.Format] = true
	}
}

func TestAValueIsHeldAgainstItsFormatAndItsOwnCheck(t *testing.T) {
	a := schema.Attr{Format: schema.Whole, Check: func(v cty.Value) error {
		if v.RawEquals(cty.NumberIntVal(7)) {
			return errors.New("not seven")
		}
		return nil
	}}
	for n, want := range map[float64]string{3: "", 7: "not seven", 1.5: "must be a whole number that is not negative"} {
		got := ""
		if err := a.Refuse(cty.NumberFloatVal(n)); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%g: %q, want %q", n, got, want)
		}
	}
}

package lang_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/lang"
)

func TestEqualityLooksAtElements(t *testing.T) {
	for _, tc := range []struct {
		left, op, right string
		want            cty.Value
	}{
		{`[1, 2]`, `==`, `tolist([1, 2])`, cty.True},
		{`[1, 2]`, `==`, `[1, 3]`, cty.False},
		{`[1]`, `==`, `[1, 2]`, cty.False},
		{`[]`, `==`, `tolist(["a"])`, cty.False},
		{`{ a = 1 }`, `==`, `tomap({ a = 1 })`, cty.True},
		{`{ a = 1 }`, `==`, `{ b = 1 }`, cty.False},
		{`[[1]]`, `!=`, `[tolist([1])]`, cty.False},
		{`try(null)`, `==`, `null`, cty.True},
		{`try("a")`, `==`, `null`, cty.False},
		{`action.nap.error`, `==`, `null`, cty.UnknownVal(cty.Bool)},
		{`[1, action.nap.attempts]`, `==`, `[2, 2]`, cty.False},
		{`[2, action.nap.attempts]`, `==`, `[2, 2]`, cty.UnknownVal(cty.Bool)},
	} {
		v := expand(t, cluster+"locals {\n  left = "+tc.left+"\n}\noutput \"o\" {\n  value = local.left "+tc.op+" "+tc.right+"\n}\n", lang.Options{})
		got, diags := v.Outputs[0].Value.Eval(v.Planned())
		if diags.HasErrors() || got.IsKnown() != tc.want.IsKnown() || got.IsKnown() && !got.RawEquals(tc.want) {
			t.Errorf("%s %s %s = %#v, want %#v %v", tc.left, tc.op, tc.right, got, tc.want, diags)
		}
	}
}

func TestEqualityOfWhatCanNeverBeEqualFailsAtRunTimeToo(t *testing.T) {
	v := expand(t, cluster+`
assert "a" {
  condition = probe.direct[0].json.count == "3"
}
`, lang.Options{})
	s := scope{planned: v.Planned(), values: map[string]cty.Value{
		"probe.direct[0]": object("json", object("count", cty.NumberIntVal(3))),
	}}
	_, diags := v.Steps[len(v.Steps)-1].Assert.Condition.Eval(s)
	if !diags.HasErrors() || diags[0].Subject == nil || diags[0].Subject.Filename == "" {
		t.Errorf("no diagnostic with a place: %v", diags)
	}
}

func TestWindowsAreAskedForByAddress(t *testing.T) {
	v := expand(t, cluster+`
assert "a" {
  condition = length(during(workload.clients, action.outage).captured.pid) == 2
}
`, lang.Options{})
	cond := find(t, v.Steps, "assert.a").Assert.Condition
	w := lang.Window{Kind: lang.During, Workload: "workload.clients", A: "action.outage"}
	if d := cmp.Diff([]lang.Window{w}, cond.Windows()); d != "" {
		t.Fatal(d)
	}
	s := scope{planned: v.Planned(), windows: map[lang.Window]cty.Value{
		w: object("captured", object("pid", cty.ListVal([]cty.Value{cty.StringVal("1"), cty.StringVal("2")}))),
	}}
	if got, diags := cond.Eval(s); diags.HasErrors() || !got.RawEquals(cty.True) {
		t.Errorf("%#v %v", got, diags)
	}
	if got, diags := cond.Eval(v.Planned()); diags.HasErrors() || got.IsKnown() {
		t.Errorf("%#v %v", got, diags)
	}
}

func TestExplainShowsValuesAndMarksWhatDecided(t *testing.T) {
	v := expand(t, cluster+`
assert "a" {
  condition = workload.clients.failed == 0 && length(since(workload.clients, action.nap).captured.pid) < 2 && probe.log.count == 0
}

assert "b" {
  condition = local.lost == 0
}

assert "c" {
  condition = !probe.direct[0].ok && (probe.direct[1].ok || probe.log.count > 3)
}

assert "d" {
  condition = probe.direct[0].json.a.b == 1
}

assert "e" {
  condition = probe.direct[1].json.a.b == 1
}
`, lang.Options{})
	s := scope{
		planned: v.Planned(),
		values: map[string]cty.Value{
			"workload.clients": object("failed", cty.Zero),
			"probe.direct[0]":  object("ok", cty.False, "json", object("a", cty.Zero)),
			"probe.direct[1]":  object("ok", cty.False, "json", cty.NullVal(cty.DynamicPseudoType)),
			"probe.log":        object("count", cty.NumberIntVal(1)),
		},
		windows: map[lang.Window]cty.Value{
			{Kind: lang.Since, Workload: "workload.clients", A: "action.nap"}: object("captured", object("pid", cty.ListVal([]cty.Value{cty.StringVal("1"), cty.StringVal("2")}))),
		},
	}
	for name, want := range map[string][]string{
		"assert.a": {
			"workload.clients.failed = 0",
			"* length(since(workload.clients, action.nap).captured.pid) < 2 = false",
			"length(since(workload.clients, action.nap).captured.pid) = 2",
			`since(workload.clients, action.nap).captured.pid = ["1","2"]`,
			"probe.log.count = 1",
		},
		"assert.b": {"* local.lost = unknown"},
		"assert.c": {
			"probe.direct[0].ok = false",
			"* probe.direct[1].ok || probe.log.count > 3 = false",
			"probe.direct[1].ok = false",
			"probe.log.count = 1",
		},
		"assert.d": {"* probe.direct[0].json.a.b = error"},
		"assert.e": {"* probe.direct[1].json.a.b = error", "probe.direct[1].json = null"},
	} {
		var got []string
		for _, p := range find(t, v.Steps, name).Assert.Condition.Explain(s) {
			mark := ""
			if p.Decisive {
				mark = "* "
			}
			got = append(got, mark+p.Text+" = "+show(p))
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

func show(p lang.Part) string {
	switch {
	case p.Err != "":
		return "error"
	case !p.Value.IsKnown():
		return "unknown"
	case p.Value.IsNull():
		return "null"
	case p.Value.Type() == cty.Number:
		return p.Value.AsBigFloat().Text('f', -1)
	case p.Value.Type() == cty.Bool:
		return fmt.Sprint(p.Value.True())
	}
	var all []string
	for _, el := range p.Value.AsValueSlice() {
		all = append(all, fmt.Sprintf("%q", el.AsString()))
	}
	return "[" + strings.Join(all, ",") + "]"
}

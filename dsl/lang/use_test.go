package lang_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/diag"
	"github.com/scenario-run/scenario/dsl/lang"
)

const defined = cluster + `
define "probe" "answers" {
  param "node" { type = node }
  probe "http" "get" { url = "http://${param.node.ip}/" }
  result { status = probe.get.status }
}
define "action" "roll" {
  param "nodes" { type = list(node) }
  param "limit" {
    type    = number
    default = 3
  }
  probe "answers" "each" {
    for_each = param.nodes
    node     = each.value
  }
  action "restart" "one" {
    for_each = { for n in param.nodes : n.name => n... }
    nodes    = each.value
  }
  assert "up" { condition = length([for p in probe.each : p if p.status == 200]) < param.limit }
  result {
    slowest = max([for s in action.one : s.elapsed_seconds]...)
    first   = param.nodes[0]
  }
}
`

func TestWhatIsInsideAUseHasAddressesBelowIt(t *testing.T) {
	v := expand(t, defined+`
repeat "round" {
  times = 2
  action "roll" "all" {
    for_each = ["x"]
    nodes    = node.web
    limit    = repeat.index
  }
}`, lang.Options{})
	s := find(t, v.Steps, "repeat.round[1]/action.all[0]")
	if s.Define == nil || s.Define.Name != "roll" || s.Declaration != "repeat.round[1]/action.all" {
		t.Errorf("%+v", s)
	}
	var got []string
	for _, inner := range s.Inside {
		got = append(got, inner.Address)
		if len(inner.Uses) != 1 || inner.Uses[0].Address != s.Address || inner.Uses[0].Range != s.Range {
			t.Errorf("%s is used at %v", inner.Address, inner.Uses)
		}
	}
	if d := cmp.Diff([]string{`repeat.round[1]/action.all[0]/action.one["web"]`, "repeat.round[1]/action.all[0]/assert.up"}, got); d != "" {
		t.Error(d)
	}
	got = nil
	for _, p := range v.Probes {
		if strings.HasPrefix(p.Address, s.Address) {
			got = append(got, p.Address)
		}
	}
	want := []string{
		"repeat.round[1]/action.all[0]/probe.each[0]/probe.get", "repeat.round[1]/action.all[0]/probe.each[1]/probe.get",
		"repeat.round[1]/action.all[0]/probe.each[0]", "repeat.round[1]/action.all[0]/probe.each[1]",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestAParamHasTheValueOfTheStartOfItsUse(t *testing.T) {
	v := expand(t, defined+`
action "note" "n" { values = { limit = 7 } }
action "roll" "all" {
  nodes = [node.web[0]]
  limit = action.n.values.limit + length(probe.any.body)
}
probe "http" "any" { url = "x" }
`, lang.Options{})
	use := find(t, v.Steps, "action.all")
	assert := use.Inside[1]
	for _, r := range assert.Refs {
		if r.Kind == lang.ActionRef || r.Address == "probe.any" {
			t.Errorf("the inside refers to %s, which the use has waited for", r.Address)
		}
	}
	args, diags := use.Body.Eval(scope{planned: v.Planned(), values: map[string]cty.Value{
		"action.n":  object("values", object("limit", cty.NumberIntVal(7))),
		"probe.any": object("body", cty.StringVal("ab")),
	}})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	s := scope{planned: v.Planned(), values: map[string]cty.Value{
		"action.all/param":         args,
		"action.all/probe.each[0]": object("status", cty.NumberIntVal(200)),
		"node.web[0]":              object("address", cty.StringVal("node.web[0]")),
	}}
	got, diags := assert.Assert.Condition.Eval(s)
	if diags.HasErrors() || !got.IsKnown() || !got.True() {
		t.Errorf("%#v %v", got, diags)
	}
	parts := assert.Assert.Condition.Explain(s)
	if len(parts) < 2 || parts[len(parts)-1].Text != "param.limit" || !parts[len(parts)-1].Value.RawEquals(cty.NumberIntVal(9)) {
		t.Errorf("%+v", parts)
	}
}

func TestResultsOfAUseHaveTypes(t *testing.T) {
	v := expand(t, defined+`
action "roll" "all" { nodes = node.web }
action "pause" "first" { nodes = action.all.first }
output "slowest" { value = action.all.slowest }
`, lang.Options{})
	use := find(t, v.Steps, "action.all")
	if got := use.Result.AttributeType("slowest"); got != cty.Number {
		t.Errorf("slowest is %#v", got)
	}
	args, diags := find(t, v.Steps, "action.first").Body.Eval(v.Planned())
	if diags.HasErrors() || args.GetAttr("nodes").AsValueSlice()[0].AsString() != "node.web[0]" {
		t.Errorf("%#v %v", args, diags)
	}
	want := []string{"action.all finished"}
	if d := cmp.Diff(want, refs(v.Outputs[0].Value.Refs())); d != "" {
		t.Error(d)
	}
	if len(v.Scenario.Types) != 2 || v.Scenario.Types[1].Name != "roll" || len(v.Scenario.Types[1].Args.Attrs) != 2 {
		t.Errorf("%+v", v.Scenario.Types)
	}
}

func TestAProbeThatIsDefinedIsAskedThroughItsParts(t *testing.T) {
	v := expand(t, defined+`
probe "answers" "a" { node = node.web[1] }
output "status" { value = probe.a.status }
`, lang.Options{})
	want := []string{"probe.a ", "node.web[1] ", "probe.a/probe.get "}
	got := refs(v.Outputs[0].Value.Refs())
	if d := cmp.Diff(len(want), len(got)); d != "" {
		t.Error(got)
	}
	for _, p := range v.Probes {
		if p.Address != "probe.a/probe.get" {
			continue
		}
		s := scope{planned: v.Planned(), values: map[string]cty.Value{"node.web[1]": object("address", cty.StringVal("node.web[1]"), "ip", cty.StringVal("10.0.0.9"))}}
		args, diags := p.Body.Eval(s)
		if diags.HasErrors() || args.GetAttr("url").AsString() != "http://10.0.0.9/" {
			t.Errorf("%#v %v", args, diags)
		}
		return
	}
	t.Error("no probe.a/probe.get")
}

func TestUsesThatMultiplyAreStopped(t *testing.T) {
	var text strings.Builder
	text.WriteString("define \"action\" \"d0\" {\n  action \"sleep\" \"s\" { for = \"1s\" }\n}\n")
	for _, n := range []string{"1", "2", "3", "4", "5", "6", "7", "8", "9"} {
		text.WriteString("define \"action\" \"d" + n + "\" {\n")
		for _, k := range []string{"a", "b", "c", "d", "e", "f", "g"} {
			text.WriteString("  action \"d" + string(n[0]-1) + "\" \"" + k + "\" {}\n")
		}
		text.WriteString("}\n")
	}
	text.WriteString("scenario \"s\" {}\n")
	if _, diags := loadSource([]byte(text.String())); len(diags) > 0 {
		t.Errorf("what is not used comes to nothing: %v", diags)
	}
	text.WriteString("action \"d9\" \"all\" {}\n")
	_, diags := loadSource([]byte(text.String()))
	if len(diags) != 1 || diags[0].Summary != "more than 20000 steps in uses of defines" {
		t.Fatal(diags)
	}
	// The place is the use in the scenario, and the way from there is whole.
	if at := diags[0].Subject.SliceBytes([]byte(text.String())); string(at) != `action "d9" "all"` {
		t.Errorf("it is said of %s", at)
	}
	var way []string
	for _, r := range diags[0].Extra.(*diag.Extra).Related {
		way = append(way, strings.Fields(string(r.Range.SliceBytes([]byte(text.String()))))[1])
	}
	if got := strings.Join(way, " "); got != `"d8" "d7" "d6" "d5" "d4" "d3" "d2" "d1"` {
		t.Errorf("the way is %s", got)
	}
}

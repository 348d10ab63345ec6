package lang_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/lang"
)

// expand loads a text that must be right, and expands its only variant.
func expand(t *testing.T, text string, opts lang.Options) *lang.Variant {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s.hcl")
	if err := os.WriteFile(path, []byte("scenario \"s\" {}\n"+text), 0o644); err != nil {
		t.Fatal(err)
	}
	s, diags, printed := load(t, path, opts)
	if len(diags) > 0 {
		t.Fatalf("diagnostics:\n%s", printed)
	}
	v, diags := s.Expand(s.VariantKeys[0])
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	return v
}

func find(t *testing.T, steps []*lang.Step, address string) *lang.Step {
	t.Helper()
	for _, s := range steps {
		if s.Address == address {
			return s
		}
		for _, round := range s.Rounds {
			for _, inner := range round {
				if inner.Address == address {
					return inner
				}
			}
		}
	}
	t.Fatalf("no step %s", address)
	return nil
}

func refs(list []lang.Ref) []string {
	var all []string
	for _, r := range list {
		s := r.Address
		if r.Whole {
			s += "[*]"
		}
		all = append(all, strings.TrimSpace(s+" "+string(r.Need)))
	}
	slices.Sort(all)
	return all
}

// scope is a Scope made of values by address; what it lacks isn't known.
type scope struct {
	values  map[string]cty.Value
	windows map[lang.Window]cty.Value
	planned lang.Scope
}

func (s scope) Instance(address string) cty.Value {
	known, ok := s.values[address]
	if !ok {
		return s.planned.Instance(address)
	}
	m := s.planned.Instance(address).AsValueMap()
	for name, v := range known.AsValueMap() {
		m[name] = v
	}
	return cty.ObjectVal(m)
}

func (s scope) Window(w lang.Window) cty.Value {
	known, ok := s.windows[w]
	if !ok {
		return s.planned.Window(w)
	}
	m := map[string]cty.Value{}
	for name, t := range s.planned.Window(w).Type().AttributeTypes() {
		m[name] = cty.UnknownVal(t)
	}
	for name, v := range known.AsValueMap() {
		m[name] = v
	}
	return cty.ObjectVal(m)
}

func object(pairs ...any) cty.Value {
	m := map[string]cty.Value{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i].(string)] = pairs[i+1].(cty.Value)
	}
	return cty.ObjectVal(m)
}

const cluster = `
node "web" {
  count = 2
  image = "i"
}

node "lone" {
  image = "i"
}

node "none" {
  count = 0
  image = "i"
}

workload "http" "clients" {
  url     = "http://${node.lone.ip}/"
  rate    = 20
  capture = { pid = "pid" }
}

action "kill" "outage" {
  background = true
  nodes      = [node.web[0]]
}

action "sleep" "nap" {
  for = "1s"
}

probe "http" "direct" {
  for_each = node.web
  url      = "http://${each.value.ip}:8080/"
}

probe "logs" "log" {
  node  = node.lone
  since = action.nap
}

locals {
  lost = during(workload.clients, action.outage).failed
  asks = probe.log.count
}
`

func TestAReferenceSaysHowFarItsTargetMustBe(t *testing.T) {
	for _, tc := range []struct {
		name, step, address string
		want                []string
	}{
		{"a result", `assert "a" { condition = action.nap.error == null }`, "assert.a", []string{"action.nap finished"}},
		{"the state", `assert "a" { condition = action.nap.state == "passed" }`, "assert.a", []string{"action.nap started"}},
		{"when it started", `assert "a" { condition = action.nap.started_at != null }`, "assert.a", []string{"action.nap started"}},
		{"during", `assert "a" { condition = during(workload.clients, action.outage).failed == 0 }`, "assert.a", []string{"action.outage active", "workload.clients finished"}},
		{"between faults", `assert "a" { condition = between(workload.clients, action.outage, action.nap).failed == 0 }`, "assert.a", []string{"action.nap finished", "action.outage active", "workload.clients finished"}},
		{"between steps", `assert "a" { condition = between(workload.clients, action.nap, action.nap).failed == 0 }`, "assert.a", []string{"action.nap finished", "action.nap started", "workload.clients finished"}},
		{"since", `assert "a" { condition = since(workload.clients, action.outage).failed == 0 }`, "assert.a", []string{"action.outage finished", "workload.clients finished"}},
		{"throughout a fault", "assert \"a\" {\n condition = true\n throughout = action.outage\n}", "assert.a", []string{"action.outage active"}},
		{"heal", `action "heal" "h" { faults = [action.outage] }`, "action.h", []string{"action.outage active"}},
		{"stop_workload", `action "stop_workload" "h" { workload = workload.clients }`, "action.h", []string{"workload.clients finished"}},
		{"after", "action \"sleep\" \"h\" {\n after = [action.outage]\n for = \"1s\"\n}", "action.h", []string{"action.outage finished"}},
		{"when", "action \"sleep\" \"h\" {\n when = action.nap.attempts == 1\n for = \"1s\"\n}", "action.h", []string{"action.nap finished"}},
		{"a local", `assert "a" { condition = local.lost == 0 }`, "assert.a", []string{"action.outage active", "workload.clients finished"}},
		{"a probe", `assert "a" { condition = probe.log.count == 0 }`, "assert.a", []string{"action.nap finished", "node.lone", "probe.log"}},
		{"a probe through a local", `assert "a" { condition = local.asks == 0 }`, "assert.a", []string{"action.nap finished", "node.lone", "probe.log"}},
		{"one instance", `assert "a" { condition = probe.direct[1].ok }`, "assert.a", []string{"node.web[1]", "probe.direct[1]"}},
		{"all instances", `assert "a" { condition = alltrue([for p in probe.direct : p.ok]) }`, "assert.a", []string{"node.web[0]", "node.web[1]", "probe.direct[*]"}},
		{"an arm not taken", `assert "a" { condition = true ? action.nap.attempts == 1 : action.outage.attempts == 1 }`, "assert.a", []string{"action.nap finished", "action.outage finished"}},
		{"an element", "action \"pause\" \"p\" {\n for_each = node.web\n nodes = [each.value]\n}", `action.p[1]`, []string{"node.web[1]"}},
		{"an element of a list", "action \"pause\" \"p\" {\n for_each = [node.web[0], node.lone]\n nodes = [each.value]\n}", `action.p[1]`, []string{"node.lone"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			v := expand(t, cluster+multiline(tc.step), lang.Options{})
			got := refs(find(t, v.Steps, tc.address).Refs)
			if d := cmp.Diff(tc.want, got); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}
		})
	}
}

// multiline lets a table write a block of one argument in one line as hcl
// allows it, and longer ones with line breaks.
func multiline(s string) string { return s + "\n" }

func TestArgumentsArriveAsTheirTypesSay(t *testing.T) {
	v := expand(t, cluster+`
action "kill" "k" {
  nodes = [node.web, [node.lone]]
}

action "exec" "x" {
  node    = node.web[1]
  command = ["echo", 5, node.lone.ip]
}

action "heal" "h" {
  faults = [action.outage, action.k]
}

action "start" "s" {
  nodes = action.k.nodes
}
`, lang.Options{})
	s := scope{planned: v.Planned(), values: map[string]cty.Value{"node.lone": object("ip", cty.StringVal("10.0.0.3"))}}
	eval := func(step string) cty.Value {
		got, diags := find(t, v.Steps, step).Body.Eval(s)
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		return got
	}
	strs := func(all ...string) cty.Value {
		var l []cty.Value
		for _, s := range all {
			l = append(l, cty.StringVal(s))
		}
		return cty.ListVal(l)
	}
	for _, tc := range []struct {
		step, arg string
		want      cty.Value
	}{
		{"action.k", "nodes", strs("node.web[0]", "node.web[1]", "node.lone")},
		{"action.k", "signal", cty.StringVal("SIGKILL")},
		{"action.k", "for", cty.NullVal(cty.String)},
		{"action.x", "node", cty.StringVal("node.web[1]")},
		{"action.x", "command", strs("echo", "5", "10.0.0.3")},
		{"action.x", "env", cty.NullVal(cty.Map(cty.String))},
		{"action.x", "exit_code", cty.Zero},
		{"action.h", "faults", strs("action.outage", "action.k")},
		{"action.s", "nodes", strs("node.web[0]", "node.web[1]", "node.lone")},
	} {
		if got := eval(tc.step).GetAttr(tc.arg); !got.RawEquals(tc.want) {
			t.Errorf("%s.%s = %#v, want %#v", tc.step, tc.arg, got, tc.want)
		}
	}
}

func TestResultsThatNameNodesAreNodes(t *testing.T) {
	v := expand(t, cluster+`
output "ips" {
  value = [for n in action.outage.nodes : n.ip]
}
`, lang.Options{})
	s := scope{planned: v.Planned(), values: map[string]cty.Value{
		"node.web[1]":   object("ip", cty.StringVal("10.0.0.2")),
		"action.outage": object("nodes", cty.ListVal([]cty.Value{cty.StringVal("node.web[1]")})),
	}}
	got, diags := v.Outputs[0].Value.Eval(s)
	if diags.HasErrors() || !got.RawEquals(cty.TupleVal([]cty.Value{cty.StringVal("10.0.0.2")})) {
		t.Errorf("%#v %v", got, diags)
	}
}

func TestWhatIsNotTakenIsNotEvaluated(t *testing.T) {
	expand(t, cluster+`
variable "n" {
  default = "many"
}

variable "list" {
  default = [1]
}

locals {
  port    = var.n == "many" ? 0 : tonumber(var.n)
  third   = length(var.list) > 2 ? var.list[2] : 0
  guarded = node.none[0].ip
  picked  = length(node.none) == 1 ? local.guarded : ""
}

node "uses" {
  image   = "i"
  command = [one(node.none) == null ? "alone" : one(node.none).ip]
}

assert "arm" {
  condition = (length(node.none) > 0 ? node.none[0].ip : "") == ""
}

assert "and" {
  condition = !(length(node.none) > 0 && node.none[0].ip == "x")
}

action "exec" "skipped" {
  when    = length(node.none) > 0
  node    = node.none[0]
  command = ["true"]
}
`, lang.Options{})
}

func TestEqualityLooksAtElements(t *testing.T) {
	for _, tc := range []struct {
		expr string
		want cty.Value
	}{
		{`[1, 2] == tolist([1, 2])`, cty.True},
		{`[1, 2] == [1, 3]`, cty.False},
		{`[1] == [1, 2]`, cty.False},
		{`[] == tolist(["a"])`, cty.False},
		{`{ a = 1 } == tomap({ a = 1 })`, cty.True},
		{`{ a = 1 } == { b = 1 }`, cty.False},
		{`[[1]] != [tolist([1])]`, cty.False},
		{`try(null) == null`, cty.True},
		{`try("a") == null`, cty.False},
		{`action.nap.error == null`, cty.UnknownVal(cty.Bool)},
		{`[1, action.nap.attempts] == [2, 2]`, cty.False},
		{`[2, action.nap.attempts] == [2, 2]`, cty.UnknownVal(cty.Bool)},
	} {
		v := expand(t, cluster+"output \"o\" {\n  value = "+tc.expr+"\n}\n", lang.Options{})
		got, diags := v.Outputs[0].Value.Eval(v.Planned())
		if diags.HasErrors() || got.IsKnown() != tc.want.IsKnown() || got.IsKnown() && !got.RawEquals(tc.want) {
			t.Errorf("%s = %#v, want %#v %v", tc.expr, got, tc.want, diags)
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

func TestEachRoundHasStepsOfItsOwn(t *testing.T) {
	v := expand(t, cluster+`
repeat "round" {
  times = 2

  action "pause" "shot" {
    nodes = [node.web[repeat.index]]
  }

  assert "down" {
    condition = action.shot.attempts == repeat.index
  }

  repeat "inner" {
    times = 1

    action "heal" "mend" {
      faults = [action.shot]
    }
  }
}
`, lang.Options{})
	round := find(t, v.Steps, "repeat.round")
	if round.Times != 2 || len(round.Rounds) != 2 || len(round.Steps) != 3 {
		t.Fatalf("%+v", round)
	}
	got := refs(find(t, v.Steps, "repeat.round[1]/assert.down").Refs)
	if d := cmp.Diff([]string{"repeat.round[1]/action.shot finished"}, got); d != "" {
		t.Error(d)
	}
	body, diags := find(t, v.Steps, "repeat.round[1]/action.shot").Body.Eval(v.Planned())
	if diags.HasErrors() || body.GetAttr("nodes").AsValueSlice()[0].AsString() != "node.web[1]" {
		t.Errorf("%#v %v", body, diags)
	}
	inner := round.Rounds[1][2].Rounds[0][0]
	if inner.Address != "repeat.round[1]/repeat.inner[0]/action.mend" || inner.Refs[0].Address != "repeat.round[1]/action.shot" {
		t.Errorf("%s refers to %s", inner.Address, inner.Refs[0].Address)
	}
}

func TestWhatIsInAGroupThatNeverRunsIsCheckedByTypeOnly(t *testing.T) {
	expand(t, `
repeat "never" {
  times = 1
  when  = false

  repeat "inner" {
    times = 2

    action "note" "n" {
      values = { none = tolist(["a"])[7] }
    }
  }
}
`, lang.Options{})
}

func TestEachAndCountInARepeatAreThoseOfTheInnermostThatHasThem(t *testing.T) {
	v := expand(t, `
repeat "r" {
  for_each = { a = 1, b = 2 }
  times    = each.value

  action "note" "n" {
    count  = each.value
    values = [each.key, count.index, repeat.index]
  }

  action "note" "own" {
    for_each = ["x"]
    values   = [each.value]
  }
}
`, lang.Options{})
	got := map[string]string{}
	for _, s := range v.Steps {
		for _, round := range s.Rounds {
			for _, inner := range round {
				body, diags := inner.Body.Eval(v.Planned())
				if diags.HasErrors() {
					t.Fatal(diags)
				}
				var all []string
				for _, el := range body.GetAttr("values").AsValueSlice() {
					if el.Type() == cty.Number {
						all = append(all, el.AsBigFloat().String())
						continue
					}
					all = append(all, el.AsString())
				}
				got[inner.Address] = strings.Join(all, " ")
			}
		}
	}
	want := map[string]string{
		`repeat.r["a"][0]/action.n[0]`: "a 0 0", `repeat.r["a"][0]/action.own[0]`: "x",
		`repeat.r["b"][0]/action.n[0]`: "b 0 0", `repeat.r["b"][0]/action.n[1]`: "b 1 0", `repeat.r["b"][0]/action.own[0]`: "x",
		`repeat.r["b"][1]/action.n[0]`: "b 0 1", `repeat.r["b"][1]/action.n[1]`: "b 1 1", `repeat.r["b"][1]/action.own[0]`: "x",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
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
`, lang.Options{})
	s := scope{
		planned: v.Planned(),
		values: map[string]cty.Value{
			"workload.clients": object("failed", cty.Zero),
			"probe.direct[0]":  object("ok", cty.False, "json", object("a", cty.Zero)),
			"probe.direct[1]":  object("ok", cty.False),
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

func TestTheStrongestValueOfAVariableCounts(t *testing.T) {
	at := hcl.Range{Filename: "--var", Start: hcl.InitialPos, End: hcl.InitialPos}
	v := expand(t, `
variable "a" {
  default = "weak"
  type    = string
}

variable "n" {
  type = number
}

variable "cfg" {
  type = object({ host = string, port = optional(number, 80) })
}

variable "token" {
  type      = string
  sensitive = true
}

output "o" {
  value = [var.a, var.n, var.cfg.port, "Bearer ${var.token}"]
}
`, lang.Options{Values: []lang.Value{
		{Name: "a", Text: "from a file", From: "x.auto.vars.hcl", Range: at},
		{Name: "none", Text: "1", Lenient: true, From: "x.auto.vars.hcl", Range: at},
		{Name: "a", Text: "[given]", From: "--var", Range: at},
		{Name: "n", Text: "5", From: "SCENARIO_VAR_n", Range: at},
		{Name: "cfg", Text: `{ host = "h" }`, From: "--var", Range: at},
		{Name: "token", Text: "s3cret", From: "--var", Range: at},
	}})
	got, diags := v.Outputs[0].Value.Eval(v.Planned())
	want := cty.TupleVal([]cty.Value{cty.StringVal("[given]"), cty.NumberIntVal(5), cty.NumberIntVal(80), cty.StringVal("Bearer s3cret")})
	if diags.HasErrors() || !got.RawEquals(want) {
		t.Errorf("%#v %v", got, diags)
	}
	if d := cmp.Diff([]string{"Bearer s3cret", "s3cret"}, v.Secrets); d != "" {
		t.Error(d)
	}
	for _, x := range v.Scenario.Variables {
		if x.Name == "a" && x.From != "--var" || x.Name == "n" && x.From != "SCENARIO_VAR_n" {
			t.Errorf("%s is from %s", x.Name, x.From)
		}
	}
}

func TestSensitiveArgumentsAreSecrets(t *testing.T) {
	v := expand(t, cluster+`
action "login" "in" {
  password = "hunter2"
}
`, lang.Options{})
	if d := cmp.Diff([]string{"hunter2"}, v.Secrets); d != "" {
		t.Error(d)
	}
}

func TestVariantsAreTheProductOfTheAxes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.hcl")
	os.WriteFile(path, []byte(`
scenario "s" {}

variable "sizes" {
  default = [1, 3]
}

matrix {
  storage = ["rocksdb", "redis"]
  size    = var.sizes

  exclude {
    storage = "redis"
    size    = 3
  }

  include {
    storage = "memory"
    size    = 5
  }
}

node "web" {
  count = matrix.size
  image = matrix.storage
}
`), 0o644)
	s, diags, text := load(t, path, lang.Options{})
	if len(diags) > 0 {
		t.Fatal(text)
	}
	want := []string{"storage=rocksdb,size=1", "storage=rocksdb,size=3", "storage=redis,size=1", "storage=memory,size=5"}
	if d := cmp.Diff(want, s.VariantKeys); d != "" {
		t.Error(d)
	}
	v, _ := s.Expand("storage=memory,size=5")
	if len(v.Nodes) != 5 || v.Nodes[4].Address != "node.web[4]" || v.Nodes[4].Host != "web-4" {
		t.Errorf("%d nodes", len(v.Nodes))
	}
	if _, diags := s.Expand("storage=none"); !diags.HasErrors() {
		t.Error("an unknown variant was expanded")
	}
}

func TestASkippedStepsNullsAreNotAnError(t *testing.T) {
	v := expand(t, cluster+`
action "exec" "maybe" {
  when    = action.nap.attempts == 1
  node    = node.lone
  command = ["true"]
}

output "o" {
  value = action.maybe.stdout
}
`, lang.Options{})
	s := scope{planned: v.Planned(), values: map[string]cty.Value{"action.maybe": object("stdout", cty.NullVal(cty.String))}}
	if got, diags := v.Outputs[0].Value.Eval(s); diags.HasErrors() || !got.IsNull() {
		t.Errorf("%#v %v", got, diags)
	}
}

func TestTheOnlyNodeOfAKindIsTheDefault(t *testing.T) {
	v := expand(t, `
node "head" {
  image = "i"

  ray {
    role = "head"
  }
}

node "worker" {
  image = "i"

  ray {
    role = "worker"
    head = node.head
  }
}

action "kill_gcs" "outage" {}
`, lang.Options{})
	body, diags := v.Steps[0].Body.Eval(v.Planned())
	if diags.HasErrors() || body.GetAttr("head").AsString() != "node.head" {
		t.Errorf("%#v %v", body, diags)
	}
	if d := cmp.Diff([]string{"node.head"}, refs(v.Steps[0].Refs)); d != "" {
		t.Error(d)
	}
	kind, diags := v.Nodes[1].KindBody.Eval(v.Planned())
	if diags.HasErrors() || kind.GetAttr("head").AsString() != "node.head" || kind.GetAttr("storage").AsString() != "memory" {
		t.Errorf("%#v %v", kind, diags)
	}
}

// confidant is a scope that keeps what it is told.
type confidant struct {
	scope
	told *[]string
}

func (c confidant) Confide(texts ...string) { *c.told = append(*c.told, texts...) }

func TestWhatIsComputedOfSecretsWhileRunningIsConfided(t *testing.T) {
	v := expand(t, `
variable "token" {
  default   = "s3cret"
  sensitive = true
}

node "web" {
  image = "i"
}

action "exec" "a" {
  node    = node.web
  command = ["true"]
}

action "exec" "b" {
  node    = node.web
  command = ["echo", "${var.token}@${action.a.stdout}", base64encode("${var.token}:${action.a.stdout}"), action.a.stdout]
}

output "o" {
  value = { whole = urlencode("${var.token} ${action.a.stdout}"), plain = action.a.stdout }
}
`, lang.Options{})
	var told []string
	s := confidant{scope{planned: v.Planned(), values: map[string]cty.Value{"action.a": object("stdout", cty.StringVal("host"))}}, &told}
	for what, eval := range map[string]func(lang.Scope) (cty.Value, hcl.Diagnostics){
		"the action": find(t, v.Steps, "action.b").Body.Eval, "the output": v.Outputs[0].Value.Eval,
	} {
		if _, diags := eval(s); diags.HasErrors() {
			t.Fatal(what, diags)
		}
	}
	slices.Sort(told)
	if d := cmp.Diff([]string{"czNjcmV0Omhvc3Q=", "s3cret+host", "s3cret@host"}, told); d != "" {
		t.Error(d)
	}
}

func TestRoundsAreMadeWhileExpressionsAreEvaluated(t *testing.T) {
	s, diags, printed := load(t, "testdata/right/by_time.hcl", lang.Options{DrawnSeed: new(int64)})
	if len(diags) > 0 {
		t.Fatal(printed)
	}
	v, _ := s.Expand("")
	storm := find(t, v.Steps, "repeat.storm")
	if storm.For != 30*time.Minute || storm.Times != 0 || len(storm.Rounds) != 2 {
		t.Fatalf("%+v", storm)
	}
	before := refs(storm.Rounds[0][0].Refs)
	var group sync.WaitGroup
	for n := range 20 {
		group.Go(func() {
			made, diags := storm.Round(n)
			steps := made.Steps
			if diags.HasErrors() || len(steps) != 2+n%2 {
				t.Error(n, len(steps), diags)
				return
			}
			args, diags := steps[0].Body.Eval(v.Planned())
			if want := fmt.Sprintf("%ds", 1+n%3); diags.HasErrors() || args.GetAttr("for").AsString() != want {
				t.Errorf("round %d: %#v, want %s; %v", n, args, want, diags)
			}
			want := fmt.Sprintf("repeat.storm[%d]/action.shot", n)
			if got := refs(steps[1].Rounds[1][0].Refs); steps[0].Address != want || !slices.Contains(got, want+" started") {
				t.Errorf("%s refers to %v", steps[1].Rounds[1][0].Address, got)
			}
		})
		group.Go(func() {
			if diags := evaluateAll(v); len(diags) > 0 {
				t.Error(diags)
			}
		})
	}
	group.Wait()
	if d := cmp.Diff(before, refs(storm.Rounds[0][0].Refs)); d != "" {
		t.Error(d)
	}
}

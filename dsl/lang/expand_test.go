package lang_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
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
		{"throughout a fault", "assert \"a\" {\n condition = scenario.run_id != \"\"\n throughout = action.outage\n}", "assert.a", []string{"action.outage active"}},
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

package plan_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/diag"
	"github.com/scenario-run/scenario/dsl/lang"
	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/dsl/source"
	"github.com/scenario-run/scenario/engine/plan"
)

var update = flag.Bool("update", false, "write the golden files anew")

// vocabulary has what the plan looks at, and no more.
func vocabulary() schema.Vocabulary {
	nodes := schema.Attr{Name: "nodes", Ref: schema.RefNodes, Required: true}
	node := schema.Attr{Name: "node", Ref: schema.RefNode, Required: true}
	args := func(attrs ...schema.Attr) schema.Object { return schema.Object{Attrs: attrs} }
	network := schema.Attr{Name: "network", Type: cty.String, Format: schema.NetworkName}
	down, paused, cpu := []schema.Resource{schema.Down}, []schema.Resource{schema.Paused}, []schema.Resource{schema.CPU}
	action := func(name string, args schema.Object) schema.Type {
		return schema.Type{Kind: schema.Action, Name: name, Args: args, Result: func(cty.Value) schema.Object {
			return schema.Object{Attrs: []schema.Attr{{Name: "nodes", Ref: schema.RefNodes}}}
		}}
	}
	with := func(t schema.Type, change func(*schema.Type)) schema.Type { change(&t); return t }
	fault := func(name string, takes []schema.Resource, args schema.Object) schema.Type {
		return schema.Type{Kind: schema.Fault, Name: name, Args: args, Takes: takes}
	}
	return schema.NewVocabulary(
		with(action("start", args(nodes)), func(t *schema.Type) { t.Ends, t.Unless = down, paused }),
		action("sleep", args(schema.Attr{Name: "for", Type: cty.String})),
		with(action("exec", args(node)), func(t *schema.Type) { t.NeedsRunning = true }),
		action("recreate", args(nodes, schema.Attr{Name: "image", Type: cty.String, Format: schema.ImageName})),
		with(action("connect", args(node, network)), func(t *schema.Type) { t.Unless = down }),
		action("stop_workload", args(schema.Attr{Name: "workload", Ref: schema.RefWorkload, Required: true})),
		action("heal", args(schema.Attr{Name: "faults", Ref: schema.RefFaults, Required: true})),
		fault("kill", down, args(nodes)),
		fault("pause", paused, args(nodes)),
		fault("limit_cpu", cpu, args(nodes, schema.Attr{Name: "cpus", Type: cty.Number})),
		fault("disconnect", []schema.Resource{schema.Attached}, args(node, network)),
		fault("pause_process", nil, args(node, schema.Attr{Name: "name", Type: cty.String})),
		fault("partition", []schema.Resource{schema.Links}, args(
			schema.Attr{Name: "isolate", Ref: schema.RefNodes}, schema.Attr{Name: "sides", Ref: schema.RefNodeSets},
			schema.Attr{Name: "from", Ref: schema.RefNodes}, schema.Attr{Name: "to", Ref: schema.RefNodes},
			schema.Attr{Name: "shape", Type: cty.String}, schema.Attr{Name: "nodes", Ref: schema.RefNodes},
		)),
		with(fault("kill_process", down, args(node)), func(t *schema.Type) { t.NeedsRunning = true }),
		schema.Type{Kind: schema.Probe, Name: "node", Args: args(node), Result: func(cty.Value) schema.Object {
			return args(schema.Attr{Name: "running", Type: cty.Bool})
		}},
		schema.Type{Kind: schema.Workload, Name: "http", Args: args(schema.Attr{Name: "url", Type: cty.String}), Result: func(cty.Value) schema.Object {
			return schema.Statistics(cty.Map(cty.List(cty.String)))
		}},
	)
}

// load returns the only variant of a scenario with the steps given.
func load(t testing.TB, text string) (*lang.Variant, map[string][]byte) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.hcl")
	if err := os.WriteFile(path, []byte("scenario \"x\" {}\n"+text), 0o644); err != nil {
		t.Fatal(err)
	}
	set, diags := source.Load(path, source.Options{})
	var v *lang.Variant
	if !diags.HasErrors() {
		var s *lang.Scenario
		s, diags = lang.Load(set, lang.Options{Vocabulary: vocabulary()})
		if !diags.HasErrors() {
			v, diags = s.Expand(s.VariantKeys[0])
		}
	}
	if diags.HasErrors() {
		t.Fatalf("the test's own scenario is wrong:\n%s", show(t, set.Sources(), diags))
	}
	return v, set.Sources()
}

func show(t testing.TB, files map[string][]byte, diags hcl.Diagnostics) string {
	t.Helper()
	var b bytes.Buffer
	if err := diag.Print(&b, files, diags, diag.Style{}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func build(t testing.TB, text string) *plan.Plan {
	t.Helper()
	v, files := load(t, text)
	p, diags := plan.Build(v)
	if diags.HasErrors() {
		t.Fatal(show(t, files, diags))
	}
	return p
}

// edges writes what the steps of a plan wait for, a line each.
func edges(p *plan.Plan) string {
	var b strings.Builder
	for _, v := range p.Vertices {
		if v.Step == nil {
			continue
		}
		fmt.Fprintf(&b, "%s:", v.ID)
		for _, e := range v.Waits {
			fmt.Fprintf(&b, " %s", e.On)
			if e.Need != lang.NeedFinished {
				fmt.Fprintf(&b, " %s", e.Need)
			}
			fmt.Fprintf(&b, " (%s)", e.Cause)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// sleep is a step; body is more of it.
func sleep(name, body string) string {
	return fmt.Sprintf("action \"sleep\" %q {\n  for = \"1s\"\n  %s\n}\n", name, body)
}

func TestStepsWaitForWhatTheLanguageSays(t *testing.T) {
	for name, tc := range map[string]struct{ text, want string }{
		"source order: the one above implies the rest": {
			sleep("a", "") + sleep("b", "") + sleep("c", ""), `
action.a: network.default (node)
action.b: action.a (order)
action.c: action.b (order)
`},
		"background isn't waited for": {
			sleep("a", "") + sleep("b", "background = true") + sleep("c", ""), `
action.a: network.default (node)
action.b: action.a (order)
action.c: action.a (order)
`},
		"after replaces the order": {
			sleep("a", "") + sleep("b", "background = true") + sleep("c", "after = [action.b]") + sleep("d", "after = [action.b]") + sleep("e", ""), `
action.a: network.default (node)
action.b: action.a (order)
action.c: action.b (after)
action.d: action.b (after)
action.e: action.c (order) action.d (order)
`},
		"after nothing waits for the nodes only": {
			node("n") + sleep("a", "") + sleep("b", "after = []") + sleep("c", ""), `
action.a: node.n (node)
action.b: node.n (node)
action.c: action.a (order) action.b (order)
`},
		"a result joins a background step": {
			sleep("a", "background = true") + "assert \"b\" {\n  condition = action.a.elapsed_seconds < 3\n}\n", `
action.a: network.default (node)
assert.b: action.a (reference)
`},
		"a state needs it started": {
			sleep("a", "background = true") + "assert \"b\" {\n  condition = action.a.state == \"running\"\n}\n", `
action.a: network.default (node)
assert.b: action.a started (reference)
`},
		"a window needs its fault active and its workload": {
			node("n") + "workload \"http\" \"w\" {\n  url = \"u\"\n}\naction \"kill\" \"k\" {\n  nodes = [node.n]\n  for = \"5s\"\n  background = true\n}\n" +
				"assert \"b\" {\n  condition = during(workload.w, action.k).failed == 0\n}\n", `
workload.w: node.n (node)
action.k: workload.w (order)
assert.b: workload.w (order) workload.w (reference) action.k active (reference)
`},
		"instances don't wait for each other": {
			sleep("a", "count = 2") + sleep("b", "count = 2") + sleep("c", ""), `
action.a[0]: network.default (node)
action.a[1]: network.default (node)
action.b[0]: action.a[0] (order) action.a[1] (order)
action.b[1]: action.a[0] (order) action.a[1] (order)
action.c: action.b[0] (order) action.b[1] (order)
`},
		"after a declaration is after all its instances": {
			sleep("a", "count = 2") + sleep("b", "") + sleep("c", "after = [action.a]"), `
action.a[0]: network.default (node)
action.a[1]: network.default (node)
action.b: action.a[0] (order) action.a[1] (order)
action.c: action.a[0] (after) action.a[1] (after)
`},
		"rounds follow each other": {
			sleep("a", "") + "repeat \"r\" {\n  times = 2\n" + sleep("s", "") + sleep("t", "background = true") + "}\n" + sleep("z", ""), `
action.a: network.default (node)
repeat.r/start: action.a (order)
repeat.r[0]: repeat.r/start (order)
repeat.r[0]/action.s: repeat.r[0] (order)
repeat.r[0]/action.t: repeat.r[0]/action.s (order)
repeat.r[1]: repeat.r[0]/action.s (order) repeat.r[0]/action.t (order)
repeat.r[1]/action.s: repeat.r[1] (order)
repeat.r[1]/action.t: repeat.r[1]/action.s (order)
repeat.r: repeat.r[0]/action.s (order) repeat.r[0]/action.t (order) repeat.r[1]/action.s (order) repeat.r[1]/action.t (order)
action.z: repeat.r (order)
`},
		"cleanup is one after the other": {
			sleep("a", "") + "cleanup {\n" + sleep("x", "") + sleep("y", "") + "}\n", `
action.a: network.default (node)
cleanup/action.x:
cleanup/action.y: cleanup/action.x (order)
`},
	} {
		t.Run(name, func(t *testing.T) {
			if d := cmp.Diff(strings.TrimPrefix(tc.want, "\n"), edges(build(t, tc.text))); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
}

func node(name string) string { return fmt.Sprintf("node %q {\n  image = \"i\"\n}\n", name) }

func TestTheTextShowsGroupsCleanupAndLongLists(t *testing.T) {
	p := build(t, node("a")+sleep("many", "count = 8")+
		"repeat \"r\" {\n  times = 2\n"+strings.Replace(kill, "{\n", "{\n  for = \"1s\"\n  timeout = \"5s\"\n  on_failure = \"continue\"\n", 1)+"}\n"+
		sleep("last", "retry {\n    attempts = 3\n  }")+
		"cleanup {\n"+sleep("x", "")+"}\n")
	golden(t, "testdata/groups.txt", p.Text(0))
	golden(t, "testdata/groups_60.txt", p.Text(60))
}

const uses = `
node "a" {
  count = 2
  image = "i"
}
define "action" "nap" {
  param "for" { type = string }
  action "sleep" "s" { for = param.for }
}
define "action" "roll" {
  param "nodes" { type = list(node) }
  param "traffic" { type = workload }
  repeat "r" {
    times = length(param.nodes)
    action "kill" "down" {
      nodes = param.nodes[repeat.index]
      for   = "1s"
    }
    action "nap" "pause" { for = "1s" }
  }
  assert "few" { condition = param.traffic.failed < 3 }
  action "sleep" "aside" {
    for        = "1s"
    background = true
  }
  result { last = param.nodes[length(param.nodes) - 1] }
}
workload "http" "load" {
  url        = "x"
  background = true
}
action "roll" "all" {
  nodes   = node.a
  traffic = workload.load
  timeout = "1m"
}
action "exec" "after" { node = action.all.last }
cleanup {
  action "nap" "end" { for = "2s" }
}
`

func TestAUseIsAGroupWithItsStepsInside(t *testing.T) {
	p := build(t, uses)
	golden(t, "testdata/uses.txt", p.Text(0))
}

const byTime = "repeat \"r\" {\n  for = \"2m30s\"\n  when = repeat.first.rounds > 1\n  action \"kill\" \"k\" {\n    nodes = [node.a]\n    for = \"1s\"\n  }\n" +
	"  repeat \"inner\" {\n    for = \"10s\"\n    action \"sleep\" \"s\" {\n      for = \"${repeat.index + 1}s\"\n      after = [action.bg]\n    }\n  }\n}\n"

func roundsByTime(t testing.TB) *plan.Plan {
	return build(t, node("a")+sleep("bg", "background = true")+"repeat \"first\" {\n  times = 2\n"+sleep("s", "")+"}\n"+byTime+sleep("last", ""))
}

func TestARepeatByTimeIsPlannedByItsFirstRound(t *testing.T) {
	p := roundsByTime(t)
	golden(t, "testdata/by_time.txt", p.Text(0))
	data, err := p.JSON()
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/by_time.json", strings.ReplaceAll(string(data), p.Variant.Scenario.File, "x.hcl"))
}

func TestLaterRoundsArePlannedAsTheFirstIs(t *testing.T) {
	p := roundsByTime(t)
	all := len(p.Vertices)
	r, diags := p.Vertex("repeat.r/start").Next(17)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	want := `
repeat.r[17]:
repeat.r[17]/action.k: repeat.r[17] (order)
repeat.r[17]/repeat.inner/start: repeat.r[17]/action.k (order)
repeat.r[17]/repeat.inner[0]: repeat.r[17]/repeat.inner/start (order)
repeat.r[17]/repeat.inner[0]/action.s: action.bg (after) repeat.r[17]/repeat.inner[0] (order)
repeat.r[17]/repeat.inner: repeat.r[17]/repeat.inner[0]/action.s (order)
`
	if d := cmp.Diff(strings.TrimPrefix(want, "\n"), edges(&plan.Plan{Vertices: r.Vertices})); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	inner, diags := r.Vertices[2].Next(3)
	if diags.HasErrors() || len(inner.Vertices) != 2 || inner.Vertices[1].ID != "repeat.r[17]/repeat.inner[3]/action.s" {
		t.Fatal(inner, diags)
	}
	args, more := inner.Vertices[1].Step.Body.Eval(p.Variant.Planned())
	if more.HasErrors() || args.GetAttr("for").AsString() != "4s" {
		t.Errorf("%#v %v", args, more)
	}
	if len(p.Vertices) != all {
		t.Error("the plan has changed")
	}
}

func TestSizesAreShownInTheLargestUnit(t *testing.T) {
	for size, want := range map[string]string{"64MiB": "64 MiB", "1.5g": "1536 MiB", "2g": "2 GiB", "5001": "5001 bytes"} {
		p := build(t, fmt.Sprintf(`
volume "v" {
  size = %q
}
node "a" {
  image  = "i"
  mounts = { "/d" = volume.v }
}
`, size))
		if got := p.Vertex("volume.v").Title; got != "make volume.v of "+want+" in memory" {
			t.Errorf("%s: %s", size, got)
		}
	}
}

func TestWhatOnlyAStepNamesIsMadeBeforeIt(t *testing.T) {
	p := build(t, `
image "old" { pull = "app:1" }
image "new" { pull = "app:2" }
network "front" {}
network "unused" {}
node "a" { image = image.old }
action "recreate" "upgrade" {
  nodes = [node.a]
  image = image.new
}
action "recreate" "patch" {
  nodes = [node.a]
  image = "app:3"
}
action "connect" "joins" {
  node    = node.a
  network = network.front
}
`)
	want := `action.upgrade: node.a (node) image.new (image)
action.patch: action.upgrade (order) image["app:3"] (image)
action.joins: action.patch (order)
`
	if got := edges(p); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	var made []string
	for _, v := range p.Vertices {
		if v.Kind == plan.ImageVertex || v.Kind == plan.NetworkVertex {
			made = append(made, v.ID)
		}
	}
	if got := strings.Join(made, " "); got != `image.old image.new image["app:3"] network.default network.front` {
		t.Errorf("made: %s", got)
	}
}

// TestManyWaitForManyByAJoin holds what is waited for, and by how many edges,
// against what the same steps say in a small number.
func TestManyWaitForManyByAJoin(t *testing.T) {
	many := func(name, body string) string { return sleep(name, "count = 200\n  "+body) }
	for name, tc := range map[string]struct {
		text, want string // of some that wait
	}{
		"source order": {many("a", "") + many("b", ""), `
action.a/join: 200 of action.a[0] (order)
action.b[0]: action.a/join (order)
`},
		"in the background, one after the other": {many("a", "") + sleep("b", "background = true\n") + many("c", "background = true"), `
action.a/join: 200 of action.a[0] (order)
action.b: action.a/join (order)
action.c[0]: action.a/join (order)
`},
		"after": {many("a", "background = true") + many("b", "after = [action.a]"), `
action.a/join: 200 of action.a[0] (after)
action.b[0]: action.a/join (after)
`},
		"a result, in order too": {many("a", "") + many("b", "when = length(action.a) > 1"), `
action.a/join: 200 of action.a[0] (order)
action.b[0]: action.a/join (order) action.a/join (reference)
`},
		"active faults": {node("n") + "action \"partition\" \"p\" {\n  count = 200\n  isolate = [node.n]\n}\naction \"heal\" \"h\" {\n  count = 200\n  faults = [action.p]\n}\n", `
action.p/join: 200 of action.p[0] (order)
action.p/join[1]: 200 of action.p[0] active (reference)
action.h[0]: action.p/join (order) action.p/join[1] (reference)
`},
		"in a round": {"repeat \"r\" {\n  times = 1\n" + many("a", "") + many("b", "") + "}\n", `
repeat.r[0]/action.a/join: 200 of repeat.r[0]/action.a[0] (order)
repeat.r[0]/action.b[0]: repeat.r[0]/action.a/join (order)
`},
		"repeats": {"repeat \"r\" {\n  count = 200\n  times = 1\n" + sleep("s", "") + "}\n" + many("b", ""), `
repeat.r/join: 200 of repeat.r[0] (order)
action.b[0]: repeat.r/join (order)
`},
		"uses of a define": {"define \"action\" \"d\" {\n" + sleep("s", "") + "}\naction \"d\" \"u\" {\n  count = 200\n}\n" + many("b", ""), `
action.u/join: 200 of action.u[0] (order)
action.b[0]: action.u/join (order)
`},
		"cleanup": {sleep("a", "") + "define \"action\" \"d\" {\n" + many("a", "") + many("b", "") + "}\ncleanup {\n  action \"d\" \"u\" {}\n}\n", `
cleanup/action.u/action.a/join: 200 of cleanup/action.u/action.a[0] (order)
cleanup/action.u/action.b[0]: cleanup/action.u/action.a/join (order)
`},
		"nodes": {"node \"n\" {\n  image = \"i\"\n  count = 200\n}\n" + many("b", ""), `
node.n/join: 200 of node.n[0] (node)
action.b[0]: node.n/join (node)
`},
	} {
		t.Run(name, func(t *testing.T) {
			p := build(t, tc.text)
			var got strings.Builder
			all := 0
			for _, v := range p.Vertices {
				all += len(v.Waits)
				switch {
				case v.Kind == plan.JoinVertex:
					e := v.Waits[0]
					need := ""
					if e.Need != lang.NeedFinished {
						need = " " + string(e.Need)
					}
					fmt.Fprintf(&got, "%s: %d of %s%s (%s)\n", v.ID, len(v.Waits), e.On, need, e.Cause)
				case !strings.HasSuffix(strings.TrimSuffix(v.ID, "[0]"), "]") && slices.ContainsFunc(v.Waits, func(e plan.Edge) bool { return strings.HasSuffix(e.On, "/join") }):
					got.WriteString(edges(&plan.Plan{Vertices: []*plan.Vertex{v}}))
				}
			}
			if d := cmp.Diff(strings.TrimPrefix(tc.want, "\n"), got.String()); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
			if all > 7*len(p.Vertices)/2 {
				t.Errorf("%d edges between %d vertices", all, len(p.Vertices))
			}
		})
	}
}

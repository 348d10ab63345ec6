package plan_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"
	"pgregory.net/rapid"

	"github.com/scenario-run/scenario/dsl/lang"
	"github.com/scenario-run/scenario/engine/plan"
)

func TestNodesStartFirstUnlessAStartNamesThemBeforeTheirUse(t *testing.T) {
	const started = "action \"start\" \"up\" {\n  nodes = [node.a]\n}\n"
	for name, tc := range map[string]struct{ text, want string }{
		"named by nothing":         {sleep("s", ""), "node.a node.b"},
		"named by start":           {started, "node.b"},
		"used by a fault before":   {"action \"kill\" \"k\" {\n  nodes = [node.a]\n}\n" + started, "node.a node.b"},
		"its address used before":  {"workload \"http\" \"w\" {\n  url = node.a.ip\n}\n" + started, "node.a node.b"},
		"probed before":            {"probe \"node\" \"p\" {\n  node = node.a\n}\nassert \"x\" {\n  condition = probe.p.running\n}\n" + started, "node.a node.b"},
		"used after":               {started + "action \"kill\" \"k\" {\n  nodes = [node.a]\n}\n", "node.b"},
		"named in cleanup only":    {"cleanup {\n" + started + "}\n", "node.a node.b"},
		"another start names b":    {started + "action \"start\" \"more\" {\n  nodes = [node.a, node.b]\n}\n", ""},
		"start of what is unknown": {"action \"kill\" \"k\" {\n  nodes = [node.a]\n}\naction \"start\" \"up\" {\n  nodes = action.k.nodes\n}\n", "node.a node.b"},
		"in a round":               {"repeat \"r\" {\n  times = 1\n" + started + "}\n", "node.b"},
	} {
		t.Run(name, func(t *testing.T) {
			p := build(t, node("a")+node("b")+strings.ReplaceAll(tc.text, "action.k.nodes", "[for n in [node.a] : n if action.k.elapsed_seconds > 0]"))
			var got []string
			for _, v := range p.Vertices {
				if v.Kind == plan.NodeVertex {
					got = append(got, v.ID)
				}
			}
			if strings.Join(got, " ") != tc.want {
				t.Errorf("started at the beginning: %v, want %s", got, tc.want)
			}
		})
	}
}

func TestAStepThatStartsNodesWaitsForTheirCreation(t *testing.T) {
	p := build(t, node("a")+node("b")+
		"action \"start\" \"up\" {\n  nodes = [node.a]\n  background = true\n}\n"+
		"action \"exec\" \"x\" {\n  node = node.a\n  after = []\n}\n"+
		"action \"exec\" \"y\" {\n  node = node.b\n  after = []\n}\n")
	want := `
action.up: node.b (node) create.a (node)
action.x: node.b (node) action.up (node)
action.y: node.b (node)
`
	if d := cmp.Diff(strings.TrimPrefix(want, "\n"), edges(p)); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

func TestProvisioningMakesWhatNodesUseAndNothingElse(t *testing.T) {
	p := build(t, `
image "used" {
  pull = "u:1"
}
image "unused" {
  pull = "x:1"
}
network "front" {}
network "unused" {}
volume "data" {}
volume "unused" {}
node "a" {
  image      = image.used
  networks   = [network.front]
  mounts     = { "/data" = volume.data }
  depends_on = [node.b]
}
node "b" {
  image = "u:2"
}
node "c" {
  image = "u:2"
}
`)
	var got strings.Builder
	for _, v := range p.Vertices {
		fmt.Fprintf(&got, "%s:", v.ID)
		for _, e := range v.Waits {
			fmt.Fprintf(&got, " %s", e.On)
		}
		got.WriteByte('\n')
	}
	want := `
image.used:
image["u:2"]:
network.default:
network.front:
volume.data:
create.a: image.used network.front volume.data
create.b: image["u:2"] network.default
create.c: image["u:2"] network.default
node.b: create.b
node.a: create.a node.b
node.c: create.c
`
	if d := cmp.Diff(strings.TrimPrefix(want, "\n"), got.String()); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

// kill, up, exec are steps on node a.
const (
	kill  = "action \"kill\" \"k\" {\n  nodes = [node.a]\n}\n"
	again = "action \"kill\" \"again\" {\n  nodes = [node.a, node.b]\n}\n"
	up    = "action \"start\" \"up\" {\n  nodes = [node.a]\n}\n"
	exec  = "action \"exec\" \"x\" {\n  node = node.a\n}\n"
	pause = "action \"pause\" \"p\" {\n  nodes = [node.a]\n}\n"
	cut   = "action \"partition\" \"cut\" {\n  isolate = [node.a]\n}\n"
	use   = "action \"exec\" \"use\" {\n  node = node.a\n}\n"
)

func TestOnlyConflictsThatOrderMakesCertainAreErrors(t *testing.T) {
	limit := func(name string) string {
		return "action \"limit_cpu\" \"" + name + "\" {\n  nodes = [node.a]\n}\n"
	}
	off := func(name, more string) string {
		return "action \"disconnect\" \"" + name + "\" {\n  node = node.a\n  " + more + "\n}\n"
	}
	const connect = "action \"connect\" \"c\" {\n  node    = node.a\n  network = network.back\n}\n"
	with := func(step, more string) string { return strings.Replace(step, "{\n", "{\n  "+more+"\n", 1) }
	for name, tc := range map[string]struct{ text, want string }{
		"killed twice":                    {kill + again, "SCN0506 node.a is down already when action.again comes to kill it"},
		"pause of what is down":           {kill + pause, "SCN0506 node.a is down already when action.p comes to pause it"},
		"exec in what is down":            {kill + exec, "SCN0507 action.x acts inside node.a, which is down at that time"},
		"exec in what is paused":          {pause + exec, "SCN0507 action.x acts inside node.a, which is paused at that time"},
		"paused twice":                    {pause + strings.Replace(pause, `"p"`, `"q"`, 1), "SCN0506 node.a is paused already when action.q comes to pause it"},
		"two limits":                      {limit("l") + limit("m"), "SCN0506 action.m limits the cpu of node.a, which action.l limits already"},
		"started in between":              {kill + up + again, ""},
		"healed in between":               {pause + "action \"heal\" \"h\" {\n  faults = [action.p]\n}\n" + exec, ""},
		"healed something else":           {pause + kill + "action \"heal\" \"h\" {\n  faults = [action.k]\n}\n" + exec, "SCN0507 action.x acts inside node.a, which is paused at that time"},
		"kill of what is paused":          {pause + kill, "SCN0506 node.a is paused when action.k comes to kill it"},
		"start of what is paused":         {pause + up, "SCN0507 action.up acts on node.a, which is paused at that time"},
		"a link of what is down":          {kill + cut, "SCN0507 action.cut acts on node.a, which is down at that time"},
		"a link of what is paused":        {pause + cut, ""},
		"a limit of what is down":         {kill + limit("l"), "SCN0507 action.l acts on node.a, which is down at that time"},
		"connect of what is down":         {kill + connect, "SCN0507 action.c acts on node.a, which is down at that time"},
		"taken off a network twice":       {off("d", "") + off("e", ""), "SCN0506 action.e can't disconnect node.a: action.d has taken it off that network"},
		"off one of two twice":            {connect + off("d", "network = network.back") + off("e", "network = network.back"), "SCN0506 action.e can't disconnect node.a: action.d has taken it off that network"},
		"off two networks":                {off("d", "") + connect + off("e", "network = network.back"), ""},
		"put on the one it was taken off": {off("d", "network = network.back") + connect, "SCN0506 action.c can't connect node.a: action.d has taken it off that network"},
		"another node":                    {kill + strings.ReplaceAll(exec, "node.a", "node.b"), ""},
		"one that heals itself":           {with(kill, `for = "1s"`) + exec, ""},
		"the first may be skipped":        {sleep("s", "") + with(kill, "when = action.s.elapsed_seconds > 1") + exec, ""},
		"the second may be skipped":       {sleep("s", "") + kill + with(exec, "when = action.s.elapsed_seconds > 1"), ""},
		"an error is expected":            {kill + with(exec, "expect_error {\n match = \"down\"\n}"), ""},
		"side by side":                    {sleep("s", "") + with(kill, "after = [action.s]") + with(again, "after = [action.s]"), "SCN0506 action.k and action.again exclude each other on node.a, and come in any order"},
		"kill beside pause":               {sleep("s", "") + with(kill, "background = true") + pause, "SCN0506 action.k and action.p exclude each other on node.a, and come in any order"},
		"kill beside a short pause":       {sleep("s", "") + with(kill, "background = true") + with(pause, `for = "1s"`), ""},
		"links beside kill":               {with(kill, "background = true") + cut, ""},
		"started again in between":        {sleep("s", "") + with(kill, "after = [action.s]") + with(up, "after = [action.k]") + with(pause, "after = [action.s]"), ""},
		"the first may fail":              {with(kill, `on_failure = "continue"`) + exec, ""},
		"the first in what may fail":      {"repeat \"r\" {\n  times = 1\n  on_failure = \"continue\"\n" + kill + "}\n" + exec, ""},
		"both in what may fail":           {"repeat \"r\" {\n  times = 1\n  on_failure = \"continue\"\n" + kill + exec + "}\n", "SCN0507 repeat.r[0]/action.x acts inside node.a, which is down at that time"},
		"both for certain":                {with(kill, "when = true") + with(exec, "when = true"), "SCN0507 action.x acts inside node.a, which is down at that time"},
		"the first never":                 {with(kill, "when = false") + exec, ""},
		"the start never":                 {kill + with(up, "when = false") + exec, "SCN0507 action.x acts inside node.a, which is down at that time"},
		"never started":                   {strings.ReplaceAll(with(up, "when = false")+exec, "node.a", "node.c"), "SCN0507 action.x acts on node.c, which nothing has started"},
		"started by another":              {strings.ReplaceAll(with(up, "when = false")+strings.Replace(up, `"up"`, `"more"`, 1)+exec, "node.a", "node.c"), ""},
		"heal of what never comes":        {with(kill, "when = false") + "action \"heal\" \"h\" {\n  faults = [action.k]\n}\n", "SCN0218 action.h heals action.k, which is never injected"},
		"heal that never comes either":    {with(kill, "when = false") + "action \"heal\" \"h\" {\n  faults = [action.k]\n  when = false\n}\n", ""},
		"a limit that is none":            {"action \"limit_cpu\" \"l\" {\n  nodes = [node.c]\n  cpus = 2\n}\n", "SCN0304 action.l limits nothing: node.c has no more than that"},
		"a limit":                         {"action \"limit_cpu\" \"l\" {\n  nodes = [node.c]\n  cpus = 1\n}\n", ""},
		"started at the same time":        {kill + with(up, "after = [action.k]\n background = true") + with(again, "after = [action.k]"), ""},
		"started only after both":         {kill + again + up, "SCN0506 node.a is down already when action.again comes to kill it"},
		"a process may or may not end it": {"action \"kill_process\" \"k\" {\n  node = node.a\n}\n" + exec, ""},
		"in the next round":               {"repeat \"r\" {\n  times = 2\n" + kill + "}\n", "SCN0506 node.a is down already when repeat.r[1]/action.k comes to kill it"},
		"in the same round, healed":       {"repeat \"r\" {\n  times = 3\n" + kill + up + "}\n", ""},
		"links never conflict":            {"action \"partition\" \"p\" {\n  isolate = [node.a]\n}\naction \"partition\" \"q\" {\n  isolate = [node.a]\n}\n", ""},
		"a computed start ends anything":  {kill + sleep("s", "") + "action \"start\" \"up\" {\n  nodes = [for n in [node.b] : n if action.s.elapsed_seconds > 0]\n}\n" + exec, ""},
	} {
		t.Run(name, func(t *testing.T) {
			v, files := load(t, node("a")+node("b")+strings.Replace(node("c"), "{\n", "{\n  cpus = 2\n", 1)+"network \"back\" {}\n"+use+tc.text)
			p, diags := plan.Build(v)
			text := ""
			for _, d := range diags.Errs() {
				text += d.Error()
			}
			if tc.want == "" {
				if diags.HasErrors() || p == nil {
					t.Error(show(t, files, diags))
				}
				return
			}
			code, summary, _ := strings.Cut(tc.want, " ")
			if printed := show(t, files, diags); p != nil || !strings.Contains(printed, "error["+code+"]: "+summary+"\n") {
				t.Errorf("got\n%s\nwant %s", printed, tc.want)
			}
		})
	}
}

func TestFaultsThatOnlyTheEndHealsAreNoted(t *testing.T) {
	for name, tc := range map[string]struct{ text, want string }{
		"nothing heals it":        {kill, "nothing ends action.k on node.a before the end"},
		"one of two":              {again + up, "nothing ends action.again on node.b before the end"},
		"links":                   {"action \"partition\" \"p\" {\n  isolate = [node.a]\n}\n", "nothing ends action.p on node.a before the end"},
		"started before only":     {up + kill, "nothing ends action.k on node.a before the end"},
		"in cleanup":              {kill + "cleanup {\n" + up + "}\n", "nothing ends action.k on node.a before the end"},
		"started":                 {kill + up, ""},
		"healed":                  {"action \"partition\" \"p\" {\n  isolate = [node.a]\n}\naction \"heal\" \"h\" {\n  faults = [action.p]\n}\n", ""},
		"by itself":               {strings.Replace(kill, "{\n", "{\n  for = \"1s\"\n", 1), ""},
		"what it hits is unknown": {sleep("s", "") + "action \"kill\" \"k\" {\n  nodes = [for n in [node.a] : n if action.s.elapsed_seconds > 0]\n}\n" + up, ""},
	} {
		t.Run(name, func(t *testing.T) {
			v, files := load(t, node("a")+node("b")+use+tc.text)
			p, diags := plan.Build(v)
			if p == nil || diags.HasErrors() {
				t.Fatal(show(t, files, diags))
			}
			got := ""
			for _, d := range diags {
				if strings.HasPrefix(show(t, files, hcl.Diagnostics{d}), "note[SCN0505]: ") {
					got += d.Summary
				}
			}
			if got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (-want +got)\n%s", file, d)
	}
}

func TestEdgesGrowWithTheStepsOnly(t *testing.T) {
	var text strings.Builder
	for i := range 1000 {
		body := ""
		if i%10 == 3 {
			body = "background = true"
		}
		text.WriteString(sleep(fmt.Sprintf("s%d", i), body))
	}
	n := 0
	for _, v := range build(t, text.String()).Vertices {
		n += len(v.Waits)
	}
	if n > 1000 {
		t.Errorf("%d edges for 1000 steps", n)
	}
}

func TestEdgesBetweenNodesGrowWithTheNodes(t *testing.T) {
	const n = 300
	p := build(t, fmt.Sprintf("node \"a\" {\n  count = %d\n  image = \"i\"\n}\nnode \"b\" {\n  count = %d\n  image = \"i\"\n  depends_on = node.a\n}\n", n, n))
	edges := 0
	for _, v := range p.Vertices {
		edges += len(v.Waits)
	}
	if edges > 10*n {
		t.Errorf("%d edges for %d nodes after %d", edges, n, n)
	}
}

func TestAnyStepsAreOrderedAsTheLanguageSays(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(rt, "n")
		background, after := make([]bool, n), make([][]int, n)
		var text strings.Builder
		for i := range n {
			background[i] = rapid.Bool().Draw(rt, "background")
			body := fmt.Sprintf("background = %v", background[i])
			if rapid.IntRange(0, 2).Draw(rt, "has after") == 0 {
				after[i] = []int{}
				if i > 0 {
					after[i] = rapid.SliceOfNDistinct(rapid.IntRange(0, i-1), 0, 3, rapid.ID[int]).Draw(rt, "after")
				}
				var names []string
				for _, j := range after[i] {
					names = append(names, fmt.Sprintf("action.s%d", j))
				}
				body += "\n  after = [" + strings.Join(names, ", ") + "]"
			}
			text.WriteString(sleep(fmt.Sprintf("s%d", i), body))
		}
		p := build(t, text.String())
		for i := range n {
			for j := range i {
				must := after[i] == nil && !background[j] || slices.Contains(after[i], j)
				if must && !waitsFor(p, i, j) {
					rt.Fatalf("s%d does not wait for s%d in\n%s\n%s", i, j, text.String(), edges(p))
				}
			}
			if after[i] != nil && len(after[i]) == 0 && strings.Contains(fmt.Sprint(p.Vertex(fmt.Sprintf("action.s%d", i)).Waits), "action") {
				rt.Fatalf("s%d waits for a step although it is after none", i)
			}
		}
	})
}

// waitsFor says that step i is started only when step j has finished.
func waitsFor(p *plan.Plan, i, j int) bool {
	var visit func(id string) bool
	visit = func(id string) bool {
		for _, e := range p.Vertex(id).Waits {
			if e.Need == lang.NeedFinished && (e.On == fmt.Sprintf("action.s%d", j) || visit(e.On)) {
				return true
			}
		}
		return false
	}
	return visit(fmt.Sprintf("action.s%d", i))
}

func TestEveryEdgePointsBackwards(t *testing.T) {
	p := build(t, node("a")+node("b")+use+kill+up+"repeat \"r\" {\n  times = 3\n"+strings.Replace(kill, `"k"`, `"in"`, 1)+strings.Replace(up, `"up"`, `"out"`, 1)+"}\ncleanup {\n"+sleep("z", "")+"}\n")
	seen := map[string]bool{}
	for _, v := range p.Vertices {
		for _, e := range v.Waits {
			if !seen[e.On] {
				t.Errorf("%s waits for %s, which is not above it", v.ID, e.On)
			}
		}
		if seen[v.ID] {
			t.Errorf("%s twice", v.ID)
		}
		seen[v.ID] = true
	}
}

func TestStepsThatFindTheirWorkDoneAreWarnedOf(t *testing.T) {
	const stuck = "action \"pause_process\" \"p\" {\n  node = node.a\n  name = \"x\"\n}\n"
	second := strings.Replace(stuck, `"p"`, `"q"`, 1)
	for name, tc := range map[string]struct{ text, want string }{
		"a start of what runs":            {up, "action.up starts nothing: node.a runs already"},
		"of what a fault may have ended":  {strings.Replace(kill, "{\n", "{\n  for = \"1s\"\n", 1) + up, ""},
		"of what may exit":                {strings.ReplaceAll(up, "node.a", "node.c"), ""},
		"of what runs in part":            {again + "action \"start\" \"up\" {\n  nodes = [node.a, node.c]\n}\n", ""},
		"the first start of a node":       {strings.ReplaceAll(up, "node.a", "node.b"), ""},
		"a process that is paused twice":  {stuck + second, "action.q does to node.a what action.p has done already"},
		"paused again after another step": {stuck + exec + second, ""},
		"another one paused":              {stuck + strings.Replace(second, `"x"`, `"y"`, 1), ""},
		"paused again when healed":        {stuck + "action \"heal\" \"h\" {\n  faults = [action.p]\n}\n" + second, ""},
	} {
		t.Run(name, func(t *testing.T) {
			v, files := load(t, node("a")+node("b")+strings.Replace(node("c"), "{\n", "{\n  may_exit = true\n", 1)+use+strings.NewReplacer(`"use"`, `"other"`, "node.a", "node.c").Replace(use)+tc.text)
			p, diags := plan.Build(v)
			if p == nil {
				t.Fatal(show(t, files, diags))
			}
			got := ""
			for _, d := range diags {
				if strings.HasPrefix(show(t, files, hcl.Diagnostics{d}), "warning[") {
					got += d.Summary
				}
			}
			if got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

package actions_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/actions"
	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/disk"
	"github.com/scenario-run/scenario/engine/process"
	"github.com/scenario-run/scenario/engine/step"
	"github.com/scenario-run/scenario/engine/step/steptest"
)

// control is how a fault is tried with its call replaced by nothing while what
// is observed is real: by arguments, or by a test of its vocabulary, where it
// takes more than nodes to try it.
type control struct {
	args map[string]cty.Value
	all  cty.Value // in place of args, of a type with nested blocks
	test string    // "FILE: TestName"
}

func controls() map[string]control {
	text := cty.StringVal
	both := steptest.Strings("node.a", "node.b")
	links := func(more map[string]cty.Value) control {
		args := map[string]cty.Value{"isolate": steptest.Strings("node.a")}
		for name, v := range more {
			args[name] = v
		}
		return control{args: args}
	}
	one := map[string]cty.Value{"node": text("node.a"), "name": text("worker")}
	block := cty.ObjectVal(map[string]cty.Value{"type": text("pause"), "args": cty.ObjectVal(map[string]cty.Value{"nodes": both, "for": text("1s")})})
	return map[string]control{
		"kill":                {args: map[string]cty.Value{"nodes": both}},
		"stop":                {args: map[string]cty.Value{"nodes": both}},
		"pause":               {args: map[string]cty.Value{"nodes": both}},
		"kill_process":        {args: one},
		"pause_process":       {args: one},
		"limit_cpu":           {args: map[string]cty.Value{"nodes": both, "cpus": cty.NumberFloatVal(0.1)}},
		"limit_memory":        {args: map[string]cty.Value{"nodes": both, "memory": text("64m")}},
		"fill_disk":           {args: map[string]cty.Value{"node": text("node.a"), "path": text("/data")}},
		"disconnect":          {args: map[string]cty.Value{"node": text("node.a")}},
		"partition":           links(nil),
		"block_port":          links(map[string]cty.Value{"port": cty.NumberIntVal(80)}),
		"loss":                links(map[string]cty.Value{"percent": cty.NumberIntVal(50)}),
		"delay":               links(map[string]cty.Value{"latency": text("100ms")}),
		"rate_limit":          links(map[string]cty.Value{"rate": text("1mbit")}),
		"dns_failure":         {args: map[string]cty.Value{"nodes": both, "names": steptest.Strings("b")}},
		"chaos":               {all: cty.ObjectVal(map[string]cty.Value{"every": text("1s"), "keep": cty.Zero, "fault": cty.TupleVal([]cty.Value{block})})},
		"kill_gcs":            {test: "ray/gcs_test.go: TestAGCSThatSurvivesItsSignalIsNoVerdict"},
		"kill_raylet":         {test: "ray/processes_test.go: TestSignalsWithoutEffectAreNeverActive"},
		"kill_replica":        {test: "ray/processes_test.go: TestSignalsWithoutEffectAreNeverActive"},
		"kill_worker_process": {test: "ray/processes_test.go: TestSignalsWithoutEffectAreNeverActive"},
	}
}

// A fault whose call does nothing must never be taken for active: what follows
// would be asserted of a system that nothing has happened to.
func TestNoFaultIsActiveWhenNothingWasDone(t *testing.T) {
	all := controls()
	for _, d := range actions.Definitions() {
		if d.Kind != schema.Fault {
			continue
		}
		c, ok := all[d.Name]
		if !ok {
			t.Errorf("the fault %s has no negative control: add it to the table of this test", d.Name)
			continue
		}
		if c.test != "" {
			file, name, _ := strings.Cut(c.test, ": ")
			src, err := os.ReadFile(file)
			if err != nil || !strings.Contains(string(src), "func "+name+"(t *testing.T)") {
				t.Errorf("%s: there is no test %s in %s: %v", d.Name, name, file, err)
			}
			continue
		}
		t.Run(d.Name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				worker := process.Process{ID: process.ID{PID: 7, Started: 1}, Name: "worker", State: "S", Command: []string{"worker"}}
				w := steptest.New(
					steptest.Node{Address: "node.a", Processes: []process.Process{worker}}, steptest.Node{Address: "node.b"}, steptest.Node{Address: "node.c"},
				)
				w.Volume = &steptest.Volume{
					Is: step.Volume{Name: "data", Size: 1 << 20, Nodes: []string{"node.a"}}, Space: disk.Space{Size: 1 << 20, Free: 1 << 20},
				}
				args := c.all
				if args == cty.NilVal {
					args = steptest.Args(t, d, c.args)
				}
				in, err := d.Fault.Intent(t.Context(), w.Env(), args)
				if err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
				defer cancel()
				env := w.Env()
				env.Clock = step.SystemClock{} // whose time is that of the bubble
				if seen, err := d.Fault.Observe(ctx, env, in); err == nil {
					t.Errorf("it was active: %q", seen.Summary)
				}
			})
		})
	}
}

package ray

import (
	"context"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/schema"
	named "github.com/scenario-run/scenario/engine/process"
	"github.com/scenario-run/scenario/engine/step"
)

// kills carries a fault on processes out as far as it is observed.
func (f *fakeCluster) kills(fault string, args map[string]cty.Value) (step.Intent, step.Observed, error) {
	f.t.Helper()
	d := definition(f.t, schema.Fault, fault)
	given := object(d.Args, args)
	if _, onHead := d.Args.Attr("head"); onHead {
		given = onFakeHead(d.Args, args)
	}
	in, err := d.Fault.Intent(f.t.Context(), f.Env(), given)
	if err != nil {
		return in, step.Observed{}, err
	}
	if err := d.Fault.Inject(f.t.Context(), f.Env(), in); err != nil {
		return in, step.Observed{}, err
	}
	seen, err := d.Fault.Observe(f.t.Context(), f.Env(), in)
	return in, seen, err
}

// living are the titles of a node's processes that have not ended.
func (f *fakeCluster) living(node string) string {
	var titles []string
	for _, p := range f.Processes(node) {
		if !p.Ended() {
			titles = append(titles, p.Title())
		}
	}
	return strings.Join(titles, ", ")
}

// rayProcesses are those of a worker with the replicas of serve_two.json.
func rayProcesses() []named.Process {
	var all []named.Process
	for i, p := range []named.Process{
		{ID: named.ID{PID: 20}, Name: "raylet", Command: []string{"/opt/ray/raylet/raylet"}},
		{ID: named.ID{PID: 40}, Name: "ray::DashboardA", Command: []string{"ray::DashboardAgent"}},
		{ID: named.ID{PID: 41}, Name: "ray::RuntimeEnv", Command: []string{"ray::RuntimeEnvAgent"}},
		{ID: named.ID{PID: 50}, Name: "ray::IDLE", Command: []string{"ray::IDLE"}},
		{ID: named.ID{PID: 281}, Name: "ray::ServeRepli", Command: []string{"ray::ServeReplica:pid:GetPID"}},
		{ID: named.ID{PID: 322}, Name: "ray::ServeRepli", Command: []string{"ray::ServeReplica:pid:GetPID"}},
	} {
		p.State, p.Started = "S", uint64(i+1)
		all = append(all, p)
	}
	return all
}

func onWorker() map[string]cty.Value {
	return map[string]cty.Value{"node": cty.StringVal("node.worker")}
}

func TestARayletIsKilledByItsName(t *testing.T) {
	f := newFake(t, nil)
	_, seen, err := f.kills("kill_raylet", onWorker())
	if err != nil {
		t.Fatal(err)
	}
	if got := asJSON(t, seen.Value); got != `{"pids":[20]}` || seen.Summary != "worker: raylet pid 20 ended by SIGKILL" {
		t.Errorf("result %s, %q", got, seen.Summary)
	}
	if calls := strings.Join(f.Calls(), "\n"); !strings.Contains(calls, "expect exit node.worker") {
		t.Errorf("the node's exit was not announced:\n%s", calls)
	}
}

func TestWorkerProcessesAreKilledAndTheRayletsAgentsSpared(t *testing.T) {
	f := newFake(t, nil)
	_, seen, err := f.kills("kill_worker_process", onWorker())
	if err != nil {
		t.Fatal(err)
	}
	if got, want := f.living("node.worker"), "/opt/ray/raylet/raylet, ray::DashboardAgent, ray::RuntimeEnvAgent"; got != want {
		t.Errorf("left: %s; want %s", got, want)
	}
	if got := asJSON(t, seen.Value); got != `{"pids":[50,281,322]}` {
		t.Errorf("result %s", got)
	}
}

func TestReplicasAreKilledWhereServeSaysTheyAre(t *testing.T) {
	for which, want := range map[string]string{"all": `{"pids":[322,281]}`, "first": `{"pids":[322]}`, "random": `{"pids":[281]}`} {
		f := newFake(t, nil)
		f.reply("GET /api/serve/applications/", 200, recorded(t, "serve_two.json"))
		in, seen, err := f.kills("kill_replica", map[string]cty.Value{"deployment": cty.StringVal("GetPID"), "which": cty.StringVal(which)})
		if err != nil {
			t.Fatal(err)
		}
		if got := asJSON(t, seen.Value); got != want || len(in.Nodes) != 1 || in.Nodes[0] != "node.worker" {
			t.Errorf("%s: result %s on %v; want %s", which, got, in.Nodes, want)
		}
	}
}

// Negative control: the call does nothing, and what is observed is real.
func TestSignalsWithoutEffectAreNeverActive(t *testing.T) {
	for fault, args := range map[string]map[string]cty.Value{
		"kill_raylet": onWorker(), "kill_worker_process": onWorker(), "kill_replica": {"deployment": cty.StringVal("GetPID")},
	} {
		t.Run(fault, func(t *testing.T) {
			f := newFake(t, nil)
			f.reply("GET /api/serve/applications/", 200, recorded(t, "serve_two.json"))
			f.OnProcessSignal = func(string, string, *named.Process) {}
			d := definition(t, schema.Fault, fault)
			given := object(d.Args, args)
			if _, onHead := d.Args.Attr("head"); onHead {
				given = onFakeHead(d.Args, args)
			}
			in, err := d.Fault.Intent(t.Context(), f.Env(), given)
			if err != nil {
				t.Fatal(err)
			}
			if err := d.Fault.Inject(t.Context(), f.Env(), in); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			cancel() // it is looked at once
			if seen, err := d.Fault.Observe(ctx, f.Env(), in); err == nil {
				t.Errorf("it was active: %q", seen.Summary)
			}
		})
	}
}

func TestReplicasThatAreNotThereAreAFailure(t *testing.T) {
	for want, args := range map[string]map[string]cty.Value{
		`no replica of "Nobody" is RUNNING`: {"deployment": cty.StringVal("Nobody")},
		`no replica of "GetPID" is RUNNING`: {"deployment": cty.StringVal("GetPID"), "application": cty.StringVal("other")},
	} {
		f := newFake(t, nil)
		f.reply("GET /api/serve/applications/", 200, recorded(t, "serve_two.json"))
		_, _, err := f.kills("kill_replica", args)
		if e := failed(t, err); !strings.Contains(e.Error(), want) {
			t.Errorf("%v; want %q", e, want)
		}
	}
}

func TestProcessesOfRaysAreKilledInRayNodesOnly(t *testing.T) {
	for _, fault := range []string{"kill_raylet", "kill_worker_process"} {
		_, _, err := newFake(t, nil).kills(fault, map[string]cty.Value{"node": cty.StringVal("node.redis")})
		if e := failed(t, err); !strings.Contains(e.Error(), "is not a Ray node") {
			t.Errorf("%s: %v", fault, e)
		}
	}
}

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// rayLimit is more than any Ray scenario needs, its images being built
// included.
const rayLimit = 6 * time.Minute

// TestShippedScenariosPass runs one after the other: a head's start takes all
// the CPU of a small machine.
func TestShippedScenariosPass(t *testing.T) {
	needDocker(t)
	for _, call := range [][]string{{"ha_serve"}, {"liveness"}, {"ha_serve_redis"}, {"session_name"}, {"detached_actor"}, {"jobs"}, {"soak", "--var", "rounds=2"}} {
		t.Run(call[0], func(t *testing.T) {
			r := scenarioRun(t, rayLimit, nil, append(call[1:], "../scenarios/"+call[0]+".hcl")...)
			r.wantExit(t, 0)
			wantNothingLeft(t, r.summary.RunID)
		})
	}
}

// TestHAServeFails runs the main job with what it protects taken away: the
// same file must then fail, and say where.
func TestHAServeFails(t *testing.T) {
	needDocker(t)
	const secondDeployment = `  deployment = "GetPID"
  options    = { num_replicas = 2 }`
	for _, c := range []struct {
		name  string
		edits []edit // of ha_serve.hcl
		code  int
		// steps are those of which one must have failed; none: any step, or a node.
		steps []string
		texts []string
	}{
		{
			name:  "with storage that dies with the head",
			edits: []edit{{`storage  = "rocksdb"`, `storage  = "memory"`}},
			code:  1,
		},
		{
			// The head's own proxy answers until the head is dead.
			name:  "when what is expected before the fault does not come after it",
			edits: []edit{{"http://${node.worker.ip}:8000/pid", "http://${node.head.ip}:8000/pid"}},
			code:  1, steps: []string{"assert.serves_while_down"},
			texts: []string{"during(workload.clients, action.outage).failed = "},
		},
		{
			name: "when the second deployment cannot be imported",
			edits: []edit{{secondDeployment, `  config = merge(yamldecode(file("apps/pid.yaml")), {
    applications = [{
      name         = "pid"
      route_prefix = "/pid"
      import_path  = "no_such_module:app"
    }]
  })`}},
			// The restart waits for every application: it may hear of it first.
			code: 1, steps: []string{"action.two_replicas", "action.back"},
			texts: []string{"No module named 'no_such_module'"},
		},
		{
			name:  "inconclusively when no answer can be as expected",
			edits: []edit{{`expect  = { status = 200 }`, `expect  = { status = 418 }`}},
			code:  6, steps: []string{"workload.clients"},
		},
		{
			name: "inconclusively when the only replica sits on the head",
			edits: []edit{
				{"num_cpus = 0 # replicas live on the worker only", "num_cpus = 4"},
				{"head     = node.head\n    num_cpus = 4", "head     = node.head\n    num_cpus = 0"},
			},
			code: 6, steps: []string{"workload.clients"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := edited(t, "ha_serve.hcl", c.edits...)
			r := scenarioRun(t, rayLimit, nil, file)
			r.wantExit(t, c.code)
			r.wantText(t, c.texts...)
			wantFailed(t, r, c.steps)
			wantNothingLeft(t, r.summary.RunID)
		})
	}
}

// wantFailed fails the test unless one of the steps did not pass; without
// steps, unless any did not, or the worker died.
func wantFailed(t *testing.T, r result, steps []string) {
	t.Helper()
	if len(steps) == 0 {
		wantAFailedStepOrNode(t, r)
		return
	}
	for _, s := range steps {
		if state, _ := r.step(s); state == "failed" || state == "inconclusive" {
			return
		}
	}
	t.Errorf("none of %v failed\n%s", steps, r.stderr+r.stdout)
}

// wantAFailedStepOrNode fails the test unless the verdict names what failed.
func wantAFailedStepOrNode(t *testing.T, r result) {
	t.Helper()
	for _, v := range r.summary.Variants {
		for _, s := range v.Steps {
			if s.State == "failed" && s.Error != "" {
				return
			}
		}
	}
	r.wantText(t, "node.worker exited")
}

// edit replaces a text that stands once in a file.
type edit struct{ old, new string }

// edited copies the shipped scenarios and changes one of them.
func edited(t *testing.T, name string, edits ...edit) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../scenarios")); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, name)
	for _, e := range edits {
		patch(t, path, e.old, e.new)
	}
	return path
}

// patch replaces a text that stands once in a file.
func patch(t *testing.T, path, old, new string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), old); n != 1 {
		t.Fatalf("%s has %d times %q, want 1", path, n, old)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(text), old, new, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
}

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
	for _, name := range []string{"ha_serve", "liveness", "ha_serve_redis", "session_name", "detached_actor"} {
		t.Run(name, func(t *testing.T) {
			r := scenarioRun(t, rayLimit, nil, "../scenarios/"+name+".hcl")
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
		name     string
		old, new string // in ha_serve.hcl
		code     int
		step     string // that must have failed; a node instead: node.X in the output
		texts    []string
	}{
		{
			name: "with storage that dies with the head",
			old:  `storage  = "rocksdb"`, new: `storage  = "memory"`,
			code: 1,
		},
		{
			name: "when what is expected stops being so after the fault",
			old:  `expect  = { status = 200 }`, new: `expect  = { json = { "config.version" = 1 } }`,
			code: 1, step: "assert.two_replicas_answer",
			texts: []string{`"config.version" is 2, not 1`},
		},
		{
			name: "when the second deployment cannot be imported",
			old:  secondDeployment,
			new: `  config = merge(yamldecode(file("apps/pid.yaml")), {
    applications = [{
      name         = "pid"
      route_prefix = "/pid"
      import_path  = "no_such_module:app"
    }]
  })`,
			code: 1, step: "action.two_replicas",
			texts: []string{"No module named 'no_such_module'"},
		},
		{
			name: "inconclusively when no answer can be as expected",
			old:  `expect  = { status = 200 }`, new: `expect  = { status = 418 }`,
			code: 6, step: "workload.clients",
		},
		{
			name: "inconclusively when the only replica sits on the head",
			old:  "num_cpus = 0 # replicas live on the worker only", new: "num_cpus = 4",
			code: 6, step: "workload.clients",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := patched(t, "ha_serve.hcl", c.old, c.new)
			if c.name == "when what is expected stops being so after the fault" {
				patch(t, file, `options    = { num_replicas = 2 }`, `options    = { num_replicas = 2, user_config = { version = 2 } }`)
			}
			if strings.Contains(c.name, "sits on the head") {
				patch(t, file, "head     = node.head\n    num_cpus = 4", "head     = node.head\n    num_cpus = 0")
			}
			r := scenarioRun(t, rayLimit, nil, file)
			r.wantExit(t, c.code)
			r.wantText(t, c.texts...)
			if c.step == "" {
				wantAFailedStepOrNode(t, r)
			} else if state, _ := r.step(c.step); state != "failed" && state != "inconclusive" {
				t.Errorf("%s is %q\n%s", c.step, state, r.stderr+r.stdout)
			}
			wantNothingLeft(t, r.summary.RunID)
		})
	}
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

// patched copies the shipped scenarios and changes one of them.
func patched(t *testing.T, name, old, new string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../scenarios")); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, name)
	patch(t, path, old, new)
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

package e2e

import (
	"path/filepath"
	"testing"
	"time"
)

func TestWhatNewWritesRunsAsItIs(t *testing.T) {
	needDocker(t)
	t.Parallel()
	for _, template := range []string{"http", "fault"} {
		t.Run(template, func(t *testing.T) {
			t.Parallel()
			mustRunAsItIs(t, template, dockerLimit)
		})
	}
}

// The one for Ray does not run beside others: a head's start takes all the CPU
// of a small machine.
func TestWhatNewWritesForRayRunsAsItIs(t *testing.T) {
	needDocker(t)
	mustRunAsItIs(t, "ray-ha", rayLimit)
}

// mustRunAsItIs runs what new writes, but for images that a registry would
// serve.
func mustRunAsItIs(t *testing.T, template string, limit time.Duration) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "fresh.hcl")
	program(t, limit, nil, "new", file, "--template", template).wantExit(t, 0)
	base := baseImage(t)
	r := scenarioRun(t, limit, []string{"SCENARIO_VAR_image=" + base, "SCENARIO_VAR_base_image=" + base}, file)
	r.wantExit(t, 0)
	for name, v := range r.summary.Variants[0].Outputs {
		if v == nil {
			t.Errorf("output %s has no value", name)
		}
	}
	wantNothingLeft(t, r.summary.RunID)
}

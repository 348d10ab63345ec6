package e2e

import (
	"path/filepath"
	"testing"
)

func TestWhatNewWritesRunsAsItIs(t *testing.T) {
	needDocker(t)
	t.Parallel()
	for _, template := range []string{"http", "fault"} {
		t.Run(template, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "fresh.hcl")
			program(t, dockerLimit, nil, "new", file, "--template", template).wantExit(t, 0)
			r := scenarioRun(t, dockerLimit, []string{"SCENARIO_VAR_image=" + baseImage(t)}, file)
			r.wantExit(t, 0)
			for name, v := range r.summary.Variants[0].Outputs {
				if v == nil {
					t.Errorf("output %s has no value", name)
				}
			}
			wantNothingLeft(t, r.summary.RunID)
		})
	}
}

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The shipped scenario of writes by three kinds of traffic, and the same with a
// store that breaks its word, which must not pass.
func TestAcknowledgedWritesAreThereOnceAfterACrash(t *testing.T) {
	needDocker(t)
	for _, tt := range []struct {
		ledger, failed, shows string
		code                  int
	}{
		{"", "", "", 0},
		{"loses", "assert.acknowledged_writes_are_there_exactly_once", "length(local.lost)", 1},
		{"doubles", "assert.acknowledged_writes_are_there_exactly_once", "length(local.doubled)", 1},
	} {
		t.Run("ledger="+tt.ledger, func(t *testing.T) {
			t.Parallel()
			r := scenarioRun(t, dockerLimit, nil, "--var", "image="+baseImage(t), "--var", "ledger="+tt.ledger, "../scenarios/acknowledged_writes.hcl")
			r.wantExit(t, tt.code)
			wantNothingLeft(t, r.summary.RunID)
			if tt.failed != "" {
				if state, message := r.step(tt.failed); state != "failed" || !strings.Contains(message+r.stdout, tt.shows) {
					t.Errorf("%s is %q: %s\n%s", tt.failed, state, message, r.stdout)
				}
				return
			}
			for _, name := range []string{"writes", "program", "pings"} {
				text, err := os.ReadFile(filepath.Join(r.dir, "acknowledged_writes", "default", "samples", name+".ndjson"))
				if err != nil || strings.Count(string(text), "\n") < 50 {
					t.Errorf("samples of %s: %d lines, %v", name, strings.Count(string(text), "\n"), err)
				}
			}
			if strings.Contains(r.stdout, "goes on in") {
				t.Errorf("the program was not ended:\n%s", r.stdout)
			}
		})
	}
}

// A program that prints what is no operation, and one that ends by itself: both
// fail the scenario, with what they printed.
func TestAProgramThatIsNoTrafficFailsWithWhatItPrinted(t *testing.T) {
	needDocker(t)
	for name, tt := range map[string]struct{ script, want string }{
		"prints a greeting": {"echo Starting; sleep 60", `line 1 of the program is no operation: invalid character 'S' looking for beginning of value: "Starting"`},
		"ends":              {"echo no such server >&2; exit 3", "ended by itself, with exit code 3"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := scenarioRun(t, dockerLimit, nil, write(t, "program.hcl", `scenario "program" {}

node "client" {
  image   = "`+baseImage(t)+`"
  command = ["sleep", "600"]
}

workload "exec" "ops" {
  node    = node.client
  command = ["sh", "-c", "`+tt.script+`"]
}
`))
			r.wantExit(t, 1)
			r.wantText(t, tt.want)
			if name == "ends" {
				r.wantText(t, "no such server")
			}
			if strings.Contains(r.stdout, "goes on in") {
				t.Errorf("the program was not ended:\n%s", r.stdout)
			}
			wantNothingLeft(t, r.summary.RunID)
		})
	}
}

package e2e

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/scenario-run/scenario/engine/event"
)

// TestChaosRepeatsWithItsSeed runs one file twice at once: both must choose the
// same, leave one node untouched at any time, and have nothing left in the end.
func TestChaosRepeatsWithItsSeed(t *testing.T) {
	needDocker(t)
	t.Parallel()
	file := write(t, "storm.hcl", fmt.Sprintf(`scenario "storm" {}

node "worker" {
  count   = 3
  image   = %q
  command = ["python3", "-m", "http.server", "8080"]
  ready { http = ":8080/" }
}

probe "tcp" "each" {
  count  = 3
  target = "${node.worker[count.index].ip}:8080"
}

action "chaos" "storm" {
  every = "700ms"
  keep  = 1
  for   = "4s"

  background = true

  fault "kill" {
    nodes = node.worker
    for   = "500ms"
  }

  fault "pause" {
    nodes = node.worker
    for   = "900ms"
  }

  fault "partition" {
    isolate = node.worker
    for     = "900ms"
  }
}

assert "one_goes_on" {
  condition  = anytrue([for p in probe.each : p.ok])
  throughout = action.storm
}
`, baseImage(t)))
	chosen := make([][]string, 2)
	t.Run("runs", func(t *testing.T) {
		for i := range chosen {
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				t.Parallel()
				r := scenarioRun(t, dockerLimit, nil, "--seed", "11", file)
				r.wantExit(t, 0)
				wantNothingLeft(t, r.summary.RunID)
				chosen[i] = injections(t, r.dir)
			})
		}
	})
	n := min(len(chosen[0]), len(chosen[1])) // a busy machine heals slowly, and so comes to fewer
	if n < 2 || !slices.Equal(chosen[0][:n], chosen[1][:n]) {
		t.Errorf("the same seed chose\n%s\nand\n%s", strings.Join(chosen[0], "\n"), strings.Join(chosen[1], "\n"))
	}
}

// injections are what a chaos injected into 3 workers, in order. At no time may
// more than two of them have been hit.
func injections(t *testing.T, dir string) (all []string) {
	t.Helper()
	types := map[string]string{}
	on := map[string][]string{}
	for _, e := range events(dir) {
		switch b := e.Body.(type) {
		case event.RoundStarted:
			for _, s := range b.Steps {
				types[s.Address] = s.Type
			}
		case event.FaultChanged:
			if !strings.Contains(b.Step, "/") {
				continue
			}
			switch b.State {
			case "injecting":
				all = append(all, fmt.Sprintf("%s %s %s", filepath.Base(b.Step), types[b.Step], strings.Join(b.Nodes, " ")))
				on[b.Step] = b.Nodes
			case "healed":
				delete(on, b.Step)
			}
			if len(on) > 2 {
				t.Errorf("%v are hit at once", on)
			}
		}
	}
	return all
}

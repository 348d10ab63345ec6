package e2e

import (
	"fmt"
	"testing"
)

// rounds is a scenario whose rounds each kill a node and start it again.
func rounds(t *testing.T, condition string) string {
	return write(t, "rounds.hcl", fmt.Sprintf(`scenario "rounds" {}

node "web" {
  image   = %q
  command = ["python3", "-m", "http.server", "8080"]
  ready { http = ":8080/" }
}

probe "http" "web" {
  url     = "http://${node.web.ip}:8080/"
  timeout = "300ms"
}

repeat "storm" {
  for = "6s"

  action "kill" "shot" { nodes = [node.web] }

  assert "down" {
    condition  = !probe.web.ok
    throughout = action.shot
    background = true
  }

  action "sleep" "pause" { for = "2s" }

  action "start" "again" { nodes = [node.web] }

  assert "up" {
    condition     = %s
    within        = "5s"
    error_message = "round ${repeat.index} went wrong"
  }
}

output "rounds" { value = repeat.storm.rounds }
`, baseImage(t), condition))
}

func TestRoundsGoOnForATimeAndEachBreaksAndMends(t *testing.T) {
	needDocker(t)
	t.Parallel()
	r := scenarioRun(t, dockerLimit, nil, rounds(t, "probe.web.ok"))
	r.wantExit(t, 0)
	if n, ok := r.summary.Variants[0].Outputs["rounds"].(float64); !ok || n < 2 {
		t.Errorf("%v rounds\n%s", r.summary.Variants[0].Outputs["rounds"], r.stdout)
	}
	for _, address := range []string{"repeat.storm[1]/action.shot", "repeat.storm[1]/assert.down", "repeat.storm[1]/assert.up"} {
		if state, why := r.step(address); state != "passed" {
			t.Errorf("%s is %q: %s\n%s", address, state, why, r.stdout)
		}
	}
	r.wantText(t, "held throughout repeat.storm[1]/action.shot for")
	wantNothingLeft(t, r.summary.RunID)
}

// The control of the test above: what goes wrong in a later round is seen.
func TestAFailureInALaterRoundIsSeen(t *testing.T) {
	needDocker(t)
	t.Parallel()
	r := scenarioRun(t, dockerLimit, nil, rounds(t, "probe.web.ok && repeat.index < 1"))
	r.wantExit(t, 1)
	r.wantText(t, "round 1 went wrong")
	for address, want := range map[string]string{"repeat.storm[0]/assert.up": "passed", "repeat.storm[1]/assert.up": "failed", "repeat.storm": "failed"} {
		if state, _ := r.step(address); state != want {
			t.Errorf("%s is %q, want %s\n%s", address, state, want, r.stdout)
		}
	}
	wantNothingLeft(t, r.summary.RunID)
}

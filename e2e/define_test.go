package e2e

import (
	"strings"
	"testing"
)

// The shipped scenario whose steps stand in a library's defines, and the same
// with all servers restarted at once, which must not pass.
func TestARollingRestartLosesNoRequestAndOneOfAllServersDoes(t *testing.T) {
	needDocker(t)
	t.Parallel()
	file := "../scenarios/rolling_restart.hcl"
	image := "image=" + baseImage(t)

	r := scenarioRun(t, dockerLimit, nil, "--var", image, file)
	r.wantExit(t, 0)
	for _, step := range []string{
		"action.roll", "action.roll/repeat.lot", "action.roll/repeat.lot[2]/action.it",
		"action.roll/repeat.lot[2]/action.it/action.nodes", "action.roll/repeat.lot[2]/action.it/assert.answers",
	} {
		if state, message := r.step(step); state != "passed" {
			t.Errorf("%s is %q: %s", step, state, message)
		}
	}
	if seconds, ok := r.summary.Variants[0].Outputs["seconds_a_lot"].(float64); !ok || seconds <= 2 {
		t.Errorf("a lot took %v s, the pause of 2 s included", r.summary.Variants[0].Outputs["seconds_a_lot"])
	}
	wantNothingLeft(t, r.summary.RunID)

	r = scenarioRun(t, dockerLimit, nil, "--var", image, "--var", "at_once=3", file)
	r.wantExit(t, 1)
	if state, _ := r.step("assert.no_request_lost"); state != "failed" {
		t.Errorf("no_request_lost is %q with all servers down at once\n%s", state, r.stdout)
	}
	wantNothingLeft(t, r.summary.RunID)
}

func TestAFailureInsideADefineShowsTheLibraryAndTheUse(t *testing.T) {
	needDocker(t)
	t.Parallel()
	r := scenarioRun(t, dockerLimit, nil, write(t, "use.hcl", `scenario "use" {}

define "action" "check" {
  param "node" { type = node }
  action "exec" "said" {
    node    = param.node
    command = ["echo", "no"]
  }
  assert "yes" { condition = trimspace(action.said.stdout) == "yes" }
}

node "n" {
  image   = "`+baseImage(t)+`"
  command = ["sleep", "600"]
}

action "check" "it" { node = node.n }
`))
	r.wantExit(t, 1)
	all := r.stdout + r.stderr
	inside, use := strings.Index(all, "use.hcl:9:"), strings.Index(all, "used here")
	if inside < 0 || use < inside || !strings.Contains(all[use:], `action "check" "it"`) {
		t.Errorf("the failure shows neither the assertion nor the use:\n%s", all)
	}
	wantNothingLeft(t, r.summary.RunID)
}

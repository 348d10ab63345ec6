package engine

import (
	"strings"
	"testing"

	"github.com/scenario-run/scenario/engine/event"
)

type states = map[event.State][]string

func TestAGroupWhoseWhenIsFalseIsSkippedWithAllInIt(t *testing.T) {
	p := written(`
action "note" "a" {
  text = "no"
}
repeat "r" {
  times = 2
  when  = action.a.text == "yes"
  action "note" "n" {
    text = "${action.a.text}${element(split(",", action.a.text), 3 - 4)}" # never evaluated
  }
  repeat "inner" {
    times = 1
    action "wait" "w" {
      for = "1s"
    }
  }
}
action "note" "z" {
  text = "${repeat.r.state} ${repeat.r.elapsed_seconds == null ? "null" : "a number"}"
}
`).runs(t)
	p.expect(t, 0)
	p.expectStates(t, states{
		event.Passed: {"action.a", "action.z"},
		event.Skipped: {"repeat.r", "repeat.r[0]/action.n", "repeat.r[1]/action.n", "repeat.r[0]/repeat.inner", "repeat.r[1]/repeat.inner",
			"repeat.r[0]/repeat.inner[0]/action.w", "repeat.r[1]/repeat.inner[0]/action.w"},
	})
	if got := p.step(t, "action.z").Summary; got != "skipped null" {
		t.Errorf("%q", got)
	}
	for _, id := range []string{"repeat.r", "repeat.r[1]/repeat.inner[0]/action.w"} {
		if got := p.step(t, id).Summary; got != `skipped: action.a.text = "no"` {
			t.Errorf("%s: %q", id, got)
		}
	}
	if started := of[event.StepStarted](p); len(started) != 2 {
		t.Errorf("%+v", started)
	}
}

func TestAGroupWhoseWhenIsTrueRuns(t *testing.T) {
	p := written(`
repeat "r" {
  count = 2
  times = count.index + 1
  when  = true
  action "wait" "w" {
    for = "${count.index + 1}s"
  }
}
action "note" "z" {
  text = "${repeat.r[0].elapsed_seconds} ${repeat.r[1].elapsed_seconds}"
}
`).runs(t)
	p.expect(t, 0)
	p.expectStates(t, states{event.Passed: {
		"repeat.r[0]", "repeat.r[1]", "repeat.r[0][0]/action.w", "repeat.r[1][0]/action.w", "repeat.r[1][1]/action.w", "action.z",
	}})
	if got := p.step(t, "action.z").Summary; got != "1 4" {
		t.Errorf("the two ran for %q seconds", got)
	}
}

func TestAGroupWhoseWhenCanNotBeToldFails(t *testing.T) {
	p := written(`
action "note" "a" {
  text = "x"
}
repeat "r" {
  times = 1
  when  = tonumber(action.a.text) > 1
  action "wait" "w" {
    for = "1s"
  }
}
action "wait" "z" {
  for = "1s"
}
`).runs(t)
	p.expect(t, 1)
	p.expectCause(t, "when can't be evaluated")
	p.expectStates(t, states{
		event.Passed: {"action.a"}, event.Failed: {"repeat.r"}, event.Skipped: {"repeat.r[0]/action.w", "action.z"},
	})
}

const storm = `
repeat "r" {
  times      = 3
  on_failure = ON_FAILURE
  action "wait" "before" {
    for = "1s"
  }
  action "fail" "shot" {
    until      = 1 - repeat.index
    on_failure = IN_IT
  }
  action "wait" "bg" {
    for        = "1m"
    background = true
    after      = [action.before]
  }
  action "wait" "rest" {
    for = "2s"
  }
}
action "note" "z" {
  text = repeat.r.state
}
`

func TestAFailureInAGroupThatIsToBeSurvivedStopsTheGroupOnly(t *testing.T) {
	text := replaced(storm, "ON_FAILURE", `"continue"`, "IN_IT", `"stop"`)
	p := written(text).runs(t)
	p.expect(t, 1)
	p.expectCause(t, "no")
	p.expectStates(t, states{
		event.Passed: {
			"repeat.r[0]/action.before", "repeat.r[0]/action.shot", "repeat.r[0]/action.bg", "repeat.r[0]/action.rest",
			"repeat.r[1]/action.before", "action.z",
		},
		event.Failed:    {"repeat.r", "repeat.r[1]/action.shot"},
		event.Cancelled: {"repeat.r[1]/action.bg"},
		event.Skipped: {
			"repeat.r[1]/action.rest", "repeat.r[2]/action.before", "repeat.r[2]/action.shot", "repeat.r[2]/action.bg", "repeat.r[2]/action.rest",
		},
	})
	if got := p.step(t, "repeat.r[2]/action.rest").Summary; got != "not started: repeat.r[1]/action.shot failed" {
		t.Errorf("%q", got)
	}
	if got := p.step(t, "repeat.r"); got.Cause == nil || got.Cause.Message != "repeat.r[1]/action.shot failed" {
		t.Errorf("%+v", got)
	}
	if got := p.step(t, "action.z").Summary; got != "failed" {
		t.Errorf("the next step saw the group %s", got)
	}
}

func TestAFailureThatIsToBeSurvivedStopsNeitherItsGroupNorTheScenario(t *testing.T) {
	p := written(replaced(storm, "ON_FAILURE", `"stop"`, "IN_IT", `"continue"`)).runs(t)
	p.expect(t, 1)
	if got := p.states("repeat.r[2]/action.rest", "repeat.r", "action.z"); got["repeat.r[2]/action.rest"] != event.Passed ||
		got["repeat.r"] != event.Failed || got["action.z"] != event.Passed {
		t.Errorf("%v", got)
	}
}

func TestAFailureInAGroupStopsTheScenario(t *testing.T) {
	p := written(replaced(storm, "ON_FAILURE", `"stop"`, "IN_IT", `"stop"`)).runs(t)
	p.expect(t, 1)
	p.expectCause(t, "no")
	if got := p.states("repeat.r[1]/action.bg", "repeat.r", "action.z"); got["repeat.r[1]/action.bg"] != event.Cancelled ||
		got["repeat.r"] != event.Failed || got["action.z"] != event.Skipped {
		t.Errorf("%v", got)
	}
}

func TestABrokenLabIsSurvivedByNoGroup(t *testing.T) {
	p := written(`
repeat "r" {
  times      = 2
  on_failure = "continue"
  action "fail" "shot" {
    broken = true
  }
}
action "wait" "z" {
  for = "1s"
}
`).runs(t)
	p.expect(t, 4)
	p.expectStates(t, states{
		event.Error: {"repeat.r", "repeat.r[0]/action.shot"}, event.Skipped: {"repeat.r[1]/action.shot", "action.z"},
	})
}

func TestTheTimeLimitOfAGroupEndsWhatIsInIt(t *testing.T) {
	for how, z := range map[string]event.State{`"stop"`: event.Skipped, `"continue"`: event.Passed} {
		p := written(replaced(`
repeat "r" {
  times      = 3
  timeout    = "5s"
  on_failure = ON_FAILURE
  action "wait" "w" {
    for = "2s"
  }
}
action "note" "z" {
  text = "on"
}
`, "ON_FAILURE", how)).runs(t)
		p.expect(t, 1)
		p.expectCause(t, "the time limit of repeat.r of 5s (", "s.hcl:7) was reached")
		p.expectStates(t, states{
			event.Passed: append([]string{"repeat.r[0]/action.w", "repeat.r[1]/action.w"}, only(z == event.Passed, "action.z")...),
			event.Failed: {"repeat.r", "repeat.r[2]/action.w"}, event.Skipped: only(z == event.Skipped, "action.z"),
		})
		if got := p.step(t, "repeat.r"); got.Seconds != 5 || got.Cause.Message != p.variantCause() {
			t.Errorf("%+v", got)
		}
	}
}

func TestAGroupIsCancelledWithTheScenario(t *testing.T) {
	p := written(`
repeat "r" {
  times      = 2
  background = true
  action "wait" "w" {
    for = "1m"
  }
}
action "fail" "shot" {}
action "wait" "pause" {
  for = "1s"
}
`).runs(t)
	p.expect(t, 1)
	p.expectStates(t, states{
		event.Failed: {"action.shot"}, event.Cancelled: {"repeat.r", "repeat.r[0]/action.w"},
		event.Skipped: {"repeat.r[1]/action.w", "action.pause"},
	})
}

// replaced is a text with words replaced.
func replaced(text string, pairs ...string) string {
	return strings.NewReplacer(pairs...).Replace(text)
}

// only is a list of id, or of nothing.
func only(yes bool, id string) []string {
	if !yes {
		return nil
	}
	return []string{id}
}

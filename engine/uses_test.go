package engine

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/scenario-run/scenario/engine/event"
)

const twoSteps = `
define "action" "pair" {
  param "text" { type = string }
  param "pause" {
    type    = string
    default = "1s"
  }
  action "note" "first" {
    text = "${param.text} 1"
  }
  action "wait" "pause" {
    for = param.pause
  }
  assert "up" {
    condition = action.first.text != "bad 1"
  }
  result {
    text    = "${action.first.text} 2"
    seconds = action.pause.elapsed_seconds
  }
}
`

func TestAUseRunsItsStepsAndYieldsItsResult(t *testing.T) {
	p := written(twoSteps + `
action "note" "before" {
  text = "x"
}
action "pair" "a" {
  text = "${action.before.text}y"
}
action "note" "after" {
  text = "${action.a.text}, ${action.a.seconds} s, ${action.a.elapsed_seconds} s, ${action.a.state}"
}
`).runs(t)
	p.expect(t, 0)
	p.expectStates(t, states{event.Passed: {"action.before", "action.a/action.first", "action.a/action.pause", "action.a/assert.up", "action.a", "action.after"}})
	if got := p.step(t, "action.after").Summary; got != "xy 1 2, 1 s, 1 s, passed" {
		t.Errorf("%q", got)
	}
	var order []string
	for _, f := range of[event.StepStarted](p) {
		order = append(order, f.Step)
	}
	if want := []string{"action.before", "action.a", "action.a/action.first", "action.a/action.pause", "action.a/assert.up", "action.after"}; !slices.Equal(order, want) {
		t.Errorf("started in the order %v", order)
	}
	for _, s := range of[event.VariantStarted](p)[0].Steps {
		if s.Address == "action.a" && (s.Kind != "group" || s.Type != "pair") || s.Address == "action.a/action.first" && s.Group != "action.a" {
			t.Errorf("%+v", s)
		}
	}
}

func TestAParamHasTheValueOfTheStartOfItsUse(t *testing.T) {
	p := written(`
define "action" "steady" {
  param "second" { type = number }
  action "wait" "a" {
    for = "3s"
  }
  probe "clock" "now" {}
  assert "then" {
    condition = probe.now.second == param.second + 3
  }
}
probe "clock" "now" {}
action "steady" "s" {
  second = probe.now.second
}
`).runs(t)
	p.expect(t, 0)
}

func TestUsesWithForEachRunSideBySide(t *testing.T) {
	p := written(twoSteps + `
action "pair" "each" {
  for_each = { a = "2s", b = "3s" }
  text     = each.key
  pause    = each.value
}
action "note" "after" {
  text = join(",", [for k, s in action.each : "${k} ${s.text} ${s.seconds}"])
}
assert "time" {
  condition = max([for s in action.each : s.seconds]...) == 3
}
`).runs(t)
	p.expect(t, 0)
	if got := p.step(t, "action.after").Summary; got != "a a 1 2 2,b b 1 2 3" {
		t.Errorf("%q", got)
	}
	if ended := p.step(t, `action.each["b"]`); ended.Seconds != 3 {
		t.Errorf("%+v", ended)
	}
}

func TestAFailureInsideAUseFailsItAndShowsBothPlaces(t *testing.T) {
	p := written(twoSteps + `
define "action" "outer" {
  action "pair" "inner" {
    text = "bad"
  }
  action "wait" "never" {
    for = "1s"
  }
}
action "outer" "o" {}
action "wait" "after" {
  for = "1s"
}
`).runs(t)
	p.expect(t, 1)
	p.expectStates(t, states{
		event.Passed:  {"action.o/action.inner/action.first", "action.o/action.inner/action.pause"},
		event.Failed:  {"action.o/action.inner/assert.up", "action.o/action.inner", "action.o"},
		event.Skipped: {"action.o/action.never", "action.after"},
	})
	failed := p.step(t, "action.o/action.inner/assert.up")
	var places []string
	for _, u := range failed.Cause.Used {
		places = append(places, strings.TrimSpace(strings.Split(u.Text, "\n")[0]))
	}
	if want := []string{`action "pair" "inner" {`, `action "outer" "o" {}`}; !slices.Equal(places, want) {
		t.Errorf("used at %q", places)
	}
	if failed.Cause.Excerpt == nil || !strings.Contains(failed.Cause.Excerpt.Text, `action.first.text != "bad 1"`) {
		t.Errorf("%+v", failed.Cause.Excerpt)
	}
}

func TestAUseWhoseWhenIsFalseIsSkippedWithNullResults(t *testing.T) {
	p := written(twoSteps + `
action "note" "a" {
  text = "no"
}
action "pair" "p" {
  when = action.a.text == "yes"
  text = action.a.text
}
action "note" "after" {
  text = "${action.p.state} ${action.p.text == null}"
}
`).runs(t)
	p.expect(t, 0)
	p.expectStates(t, states{
		event.Passed:  {"action.a", "action.after"},
		event.Skipped: {"action.p", "action.p/action.first", "action.p/action.pause", "action.p/assert.up"},
	})
	if got := p.step(t, "action.after").Summary; got != "skipped true" {
		t.Errorf("%q", got)
	}
}

func TestAUseWhoseArgumentIsRefusedFails(t *testing.T) {
	p := written(`
define "action" "few" {
  param "n" {
    type = number
    validation {
      condition     = param.n < 3
      error_message = "Too many."
    }
  }
  action "wait" "w" {
    for = "1s"
  }
}
action "note" "a" {
  text = "7"
}
action "few" "f" {
  n = tonumber(action.a.text)
}
`).runs(t)
	p.expect(t, 1)
	p.expectCause(t, `"n" is refused: Too many.`)
	p.expectStates(t, states{event.Passed: {"action.a"}, event.Failed: {"action.f"}, event.Skipped: {"action.f/action.w"}})
}

const tries = `
define "action" "tries" {
  param "until" { type = number }
  action "breaks" "fault" {
  }
  workload "steady" "traffic" {}
  repeat "r" {
    times = 2
    action "fail" "shot" {
      message = "not yet"
      until   = param.until
    }
  }
  result { text = "done" }
}
`

func TestEveryAttemptOfAUseRunsAllItsStepsAnew(t *testing.T) {
	p := written(tries + `
action "tries" "t" {
  until = 3
  retry {
    attempts = 6
    backoff  = "2s"
  }
}
action "note" "after" {
  text = "${action.t.text} ${action.t.attempts} ${action.t.elapsed_seconds >= 8}"
}
`).runs(t)
	p.expect(t, 0)
	if got := p.step(t, "action.after").Summary; got != "done 5 true" {
		t.Errorf("%q", got)
	}
	starts := map[string]int{}
	for _, s := range of[event.StepStarted](p) {
		starts[s.Step]++
	}
	var samples []string
	for _, w := range of[event.WorkloadStarted](p) {
		if _, err := os.Stat(filepath.Join(p.dir, w.Samples)); err != nil || slices.Contains(samples, w.Samples) {
			t.Errorf("%s: %v", w.Samples, err)
		}
		samples = append(samples, w.Samples)
	}
	if len(samples) != 5 || !strings.HasSuffix(samples[4], "action.t.traffic.attempt5.ndjson") {
		t.Errorf("the samples of 5 attempts are in %q", samples)
	}
	// The first round's step fails twice, and then the second's does.
	if starts["action.t"] != 5 || starts["action.t/repeat.r[0]/action.shot"] != 5 || starts["action.t/repeat.r[1]/action.shot"] != 3 {
		t.Errorf("%v", starts)
	}
}

func TestTrafficThatAUseStartsEndsWithIt(t *testing.T) {
	p := written(`
define "action" "loaded" {
  workload "steady" "w" {}
  action "wait" "a" {
    for = "2s"
  }
  result { total = workload.w.total }
}
action "loaded" "l" {}
action "wait" "after" {
  for = "5s"
}
output "total" {
  value = action.l.total
}
`).runs(t)
	p.expect(t, 0)
	expectOrder(t, words(p), "passed action.l/action.a", "traffic of action.l/workload.w ended", "passed action.l", "start action.after")
	if got := of[event.Output](p); len(got) != 1 || string(got[0].Value) != "20" {
		t.Errorf("%+v", got)
	}
}

func TestAUseThatHasNoAttemptsLeftFailsWithItsLastCause(t *testing.T) {
	p := written(tries + `
action "tries" "t" {
  until = 3
  retry {
    attempts = 2
  }
}
`).runs(t)
	p.expect(t, 1)
	p.expectCause(t, "action.t/repeat.r[0]/action.shot: not yet")
	if got := p.step(t, "action.t"); got.Attempts != 2 || got.State != event.Failed {
		t.Errorf("%+v", got)
	}
}

func TestAUseMayBeExpectedToFail(t *testing.T) {
	for name, tc := range map[string]struct {
		match string
		until string
		exit  int
		cause string
	}{
		"with an error that matches":     {"not .et", "9", 0, ""},
		"with another error":             {"refused", "9", 1, "another error than expected"},
		"and what passes has not failed": {"not yet", "1", 1, "it passed, but was to fail"},
	} {
		t.Run(name, func(t *testing.T) {
			p := written(tries + `
action "tries" "t" {
  until = ` + tc.until + `
  expect_error {
    match = "` + tc.match + `"
  }
}
action "wait" "after" {
  for = "1s"
}
`).runs(t)
			p.expect(t, tc.exit)
			if tc.cause != "" {
				p.expectCause(t, tc.cause)
			}
		})
	}
}

func TestATimeLimitOfAUseHoldsForAllOfIt(t *testing.T) {
	p := written(twoSteps + `
action "pair" "p" {
  text    = "x"
  pause   = "1m"
  timeout = "5s"
}
`).runs(t)
	p.expect(t, 1)
	p.expectCause(t, "5s")
	if got := p.step(t, "action.p"); got.Seconds != 5 {
		t.Errorf("%+v", got)
	}
}

func TestADefinedProbeAnswersWithItsParts(t *testing.T) {
	p := written(`
define "probe" "twice" {
  param "plus" { type = number }
  probe "clock" "a" {}
  probe "clock" "b" {}
  locals { sum = probe.a.second + probe.b.second }
  result {
    sum  = local.sum + param.plus
    same = probe.a.second == probe.b.second
  }
}
probe "twice" "t" {
  count = 2
  plus  = count.index
}
action "wait" "w" {
  for = "2s"
}
assert "both" {
  condition = probe.t[0].same && probe.t[1].sum == probe.t[0].sum + 1
}
assert "all" {
  condition = alltrue([for t in probe.t : t.same])
}
`).runs(t)
	p.expect(t, 0)
}

func TestUsesInCleanupAndInRounds(t *testing.T) {
	p := written(twoSteps + `
repeat "r" {
  times = 2
  action "pair" "p" {
    text = "round ${repeat.index}"
  }
  action "note" "n" {
    text = action.p.text
  }
}
cleanup {
  action "pair" "c" {
    text = "end"
  }
  action "note" "last" {
    text = action.c.text
  }
}
`).runs(t)
	p.expect(t, 0)
	if got := p.step(t, "repeat.r[1]/action.n").Summary; got != "round 1 1 2" {
		t.Errorf("%q", got)
	}
	if got := p.step(t, "cleanup/action.last").Summary; got != "end 1 2" {
		t.Errorf("%q", got)
	}
}

func TestAnInterruptedUseIsCancelledAndNotTriedAgain(t *testing.T) {
	p := written(twoSteps + `
action "pair" "p" {
  text  = "x"
  pause = "1m"
  retry {
    attempts = 3
  }
}
action "wait" "w" {
  for   = "3s"
  after = []
}
action "fail" "other" {
  after = [action.w]
}
`).runs(t)
	p.expect(t, 1)
	if got := p.step(t, "action.p"); got.State != event.Cancelled || got.Attempts != 1 {
		t.Errorf("%+v", got)
	}
}
func TestAUseThatIsToBeSurvivedStopsAloneAndFailsTheScenario(t *testing.T) {
	p := written(twoSteps + `
action "pair" "p" {
  text       = "bad"
  on_failure = "continue"
}
action "note" "after" {
  text = "${action.p.state} ${action.p.text == null}"
}
`).runs(t)
	p.expect(t, 1)
	if got := p.step(t, "action.after").Summary; got != "failed true" {
		t.Errorf("%q", got)
	}
}

func TestAnAssertionHoldsThroughoutAUseInTheBackground(t *testing.T) {
	p := written(twoSteps + `
action "pair" "p" {
  text       = "x"
  pause      = "20s"
  background = true
}
assert "calm" {
  condition  = action.p.state != "failed"
  throughout = action.p
}
action "wait" "w" {
  for   = "1s"
  after = [action.p]
}
`).runs(t)
	p.expect(t, 0)
	if got := p.step(t, "assert.calm"); got.Seconds != 20 {
		t.Errorf("it held for %v s", got.Seconds)
	}
}

func TestAnAttemptThatExpectsAnErrorIsTriedAgainUntilItComes(t *testing.T) {
	p := written(`
define "action" "until" {
  action "fail" "f" {
    until   = 1
    message = "passes"
  }
}
action "until" "u" {
  expect_error {
    match = "never"
  }
  retry {
    attempts = 3
  }
}
`).runs(t)
	p.expect(t, 1)
	if got := p.step(t, "action.u"); got.Attempts != 3 || got.State != event.Failed {
		t.Errorf("%+v", got)
	}
}

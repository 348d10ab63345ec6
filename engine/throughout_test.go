package engine

import (
	"context"
	"strings"
	"testing"

	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/event"
	"github.com/scenario-run/scenario/engine/step"
)

func TestThroughoutLastsUntilTheEffectEnds(t *testing.T) {
	for name, tc := range map[string]struct{ text, of, held string }{
		"a fault that nothing heals, until the end": {`
action "breaks" "f" {}
assert "holds" {
  condition  = probe.clock.second >= 0
  throughout = action.f
  background = true
}
action "wait" "w" {
  for = "3100ms"
}
`, "action.f", "held throughout action.f for 3.1s, 16 evaluations"},
		"as the last step of all": {`
action "breaks" "f" {}
action "wait" "w" {
  for        = "3100ms"
  background = true
}
assert "holds" {
  condition  = probe.clock.second >= 0
  throughout = action.f
}
`, "action.f", "held throughout action.f for 3.1s, 16 evaluations"},
		"a fault, until it is healed": {`
action "breaks" "f" {}
assert "holds" {
  condition  = probe.clock.second >= 0
  throughout = action.f
  background = true
  every      = "1s"
}
action "wait" "w" {
  for = "3500ms"
}
action "mend" "m" {
  faults = [action.f]
}
action "wait" "z" {
  for = "3100ms"
}
`, "action.f", "held throughout action.f for 3.5s, 4 evaluations"},
		"a fault with for, until it is healed": {`
action "breaks" "f" {
  for        = "2100ms"
  background = true
}
assert "holds" {
  condition  = probe.clock.second >= 0
  throughout = action.f
}
`, "action.f", "held throughout action.f for 2.1s, 11 evaluations"},
		"a workload that nothing stops, until the end": {`
workload "steady" "w" {}
assert "holds" {
  condition  = workload.w.failed == 0
  throughout = workload.w
  background = true
}
action "wait" "z" {
  for = "3100ms"
}
`, "workload.w", "held throughout workload.w for 3.1s, 17 evaluations"},
		"a workload, until it is stopped": {`
workload "steady" "w" {}
assert "holds" {
  condition  = workload.w.failed == 0
  throughout = workload.w
  background = true
}
action "wait" "z" {
  for = "3100ms"
}
action "stop" "s" {
  workload = workload.w
}
action "wait" "y" {
  for = "3100ms"
}
`, "workload.w", "held throughout workload.w for 3.1s, 17 evaluations"},
		"a repeat": {`
repeat "r" {
  for        = "3100ms"
  background = true
  action "wait" "w" {
    for = "2050ms"
  }
}
assert "holds" {
  condition  = probe.clock.second >= 0
  throughout = repeat.r
}
`, "repeat.r", "held throughout repeat.r for 4.1s, 21 evaluations"},
	} {
		t.Run(name, func(t *testing.T) {
			p := written(`probe "clock" "clock" {}` + tc.text).runs(t)
			p.expect(t, 0)
			if got := p.step(t, "assert.holds"); !strings.HasSuffix(got.Summary, tc.held) {
				t.Errorf("%s: %s", got.State, got.Summary)
			}
		})
	}
}

func TestWhatIsAskedAfterTheEffectDoesNotCountAgainstIt(t *testing.T) {
	s := written(`
probe "broken" "b" {}
action "breaks" "f" {
  for        = "1100ms"
  background = true
}
assert "holds" {
  condition  = probe.b.broken
  throughout = action.f
}
`)
	s.defs = append(s.defs, step.NewProbe(schema.Type{Name: "broken"}, func(context.Context, *step.Env, step.Nothing) (struct {
		Broken bool `scn:"broken"`
	}, error) {
		return struct {
			Broken bool `scn:"broken"`
		}{s.breaks.injected > s.breaks.healed}, nil
	}))
	p := s.runs(t)
	p.expect(t, 0)
	if got := p.step(t, "assert.holds").Summary; !strings.HasSuffix(got, "held throughout action.f for 1.1s, 6 evaluations") {
		t.Error(got)
	}
}

func TestThroughoutThatBreaksFailsAtOnceAndOneThatIsNeverTrueConcludesNothing(t *testing.T) {
	const text = `
probe "clock" "clock" {}
action "breaks" "f" {}
assert "holds" {
  condition  = CONDITION
  throughout = action.f
  background = true
}
action "wait" "w" {
  for = "5s"
}
`
	p := written(replaced(text, "CONDITION", "probe.clock.second < 2")).runs(t)
	p.expect(t, 1)
	if got := p.step(t, "assert.holds"); got.Seconds != 2 || got.Cause.Message != "the condition became false after 2s, while it had to hold throughout action.f" {
		t.Errorf("%+v", got)
	}
	p = written(replaced(text, "CONDITION", "tolist([1])[probe.clock.second + 1] == 1")).runs(t)
	p.expect(t, 6)
	p.expectCause(t, "the condition was never once true, nor false")
}

func TestThroughoutOfWhatIsOverConcludesNothing(t *testing.T) {
	p := written(`
action "breaks" "f" {}
action "mend" "m" {
  when   = action.f.state == "passed" # else the plan would say so
  faults = [action.f]
}
assert "holds" {
  condition  = action.f.state == "passed"
  throughout = action.f
}
`).runs(t)
	p.expect(t, 6)
	p.expectCause(t, "action.f was over before this began")
}

func TestSamplesThatWereDueBeforeTheEndDecideInTheEnd(t *testing.T) {
	s := written(`
workload "steady" "w" {}
action "breaks" "f" {
  for        = "2s"
  background = true
}
assert "holds" {
  condition  = during(workload.w, action.f).ok > 0
  throughout = action.f
}
`)
	p := s.runs(t)
	p.expect(t, 0)
	if got := p.step(t, "assert.holds").Summary; !strings.Contains(got, "ok = 20, held throughout action.f for 2s") {
		t.Error(got)
	}
}

func TestAnOutputOfWhatLastsIsReportedWhenThatHasEnded(t *testing.T) {
	p := written(`
action "breaks" "f" {}
assert "holds" {
  condition  = action.f.state == "passed"
  throughout = action.f
}
output "lasted" {
  value = assert.holds.elapsed_seconds
}
output "state" {
  value = action.f.state
}
`).runs(t)
	p.expect(t, 0)
	got := map[string]string{}
	for _, o := range of[event.Output](p) {
		got[o.Name] = string(o.Value)
	}
	if got["lasted"] != "0" || got["state"] != `"passed"` {
		t.Errorf("%v", got)
	}
}

func TestAStepThatWaitsForWhatNothingEndsFailsTheScenario(t *testing.T) {
	p := written(`
action "breaks" "f" {}
assert "holds" {
  condition  = action.f.state == "passed"
  throughout = action.f
  background = true
}
action "wait" "z" {
  for   = "1s"
  after = [assert.holds]
}
action "mend" "m" {
  faults = [action.f]
  when   = action.f.attempts > 1
  after  = [action.f]
}
`).runs(t)
	p.expect(t, 1)
	p.expectCause(t, "action.z was never started: it waits for what lasts as long as an effect")
	p.expectStates(t, states{
		event.Passed: {"action.f"}, event.Skipped: {"action.m", "action.z"}, event.Cancelled: {"assert.holds"},
	})
}

package engine

import (
	"testing"

	"github.com/scenario-run/scenario/engine/event"
)

// Each row is a line of the table of meta-arguments in the language's manual.
func TestWhatTheMetaArgumentsSay(t *testing.T) {
	for name, tc := range map[string]struct {
		text  string
		code  int
		cause string
		want  states
		says  map[string]string // summaries, or the messages of causes
	}{
		"after: waits for those steps only": {`
action "wait" "a" {
  for = "3s"
}
action "wait" "b" {
  for   = "1s"
  after = []
}
action "note" "c" {
  text  = action.a.state
  after = [action.b]
}
`, 0, "", states{event.Passed: {"action.a", "action.b", "action.c"}}, map[string]string{"action.c": "running"}},
		"background: the next step does not wait": {`
action "wait" "a" {
  for        = "3s"
  background = true
}
action "note" "b" {
  text = action.a.state
}
action "note" "joins" {
  text = action.a.ended_at == null ? "too early" : "in time"
}
`, 0, "", states{event.Passed: {"action.a", "action.b", "action.joins"}}, map[string]string{"action.b": "running", "action.joins": "in time"}},
		"when: skipped is finished, with null results": {`
action "note" "a" {
  text = "x"
  when = false
}
action "note" "b" {
  text = "${action.a.state} ${action.a.text == null} ${action.a.attempts == null} ${action.a.elapsed_seconds == null}"
}
`, 0, "", states{event.Passed: {"action.b"}, event.Skipped: {"action.a"}}, map[string]string{"action.b": "skipped true true true"}},
		"when: a template over a skipped step says so": {`
action "note" "z" {
  text = "x"
}
action "note" "a" {
  text = "x"
  when = action.z.state == "failed" # known when it runs
}
action "note" "b" {
  text = "it said ${action.a.text}"
}
`, 1, "action.a was skipped, so that its results are null", states{event.Passed: {"action.z"}, event.Failed: {"action.b"}, event.Skipped: {"action.a"}}, nil},
		"when: so does a condition": {`
action "note" "a" {
  text = "x"
  when = false
}
assert "b" {
  condition = action.a.elapsed_seconds > 1
}
`, 1, "action.a was skipped, so that its results are null", states{event.Failed: {"assert.b"}, event.Skipped: {"action.a"}}, nil},
		"when: and an argument": {`
action "note" "z" {
  text = "x"
}
action "note" "a" {
  text = "x"
  when = action.z.state == "failed" # known when it runs
}
action "note" "b" {
  text = action.a.text
}
`, 1, "action.a was skipped, so that its results are null", states{event.Passed: {"action.z"}, event.Failed: {"action.b"}, event.Skipped: {"action.a"}}, nil},
		"timeout: of one attempt": {`
action "wait" "a" {
  for     = "1m"
  timeout = "2s"
  retry {
    attempts = 3
    backoff  = "1s"
  }
}
`, 1, "the step's time limit of 2s (", states{event.Failed: {"action.a"}}, nil},
		"timeout: of an assertion": {`
probe "clock" "clock" {}
assert "a" {
  condition = probe.clock.second > 50
  within    = "1m"
  timeout   = "2s"
}
`, 1, "last seen: probe.clock.second = ", states{event.Failed: {"assert.a"}}, nil},
		"retry: until one passes": {`
action "fail" "a" {
  until = 3
  retry {
    attempts = 5
    backoff  = "2s"
  }
}
action "note" "b" {
  text = "${action.a.attempts} in ${action.a.elapsed_seconds}s"
}
`, 0, "", states{event.Passed: {"action.a", "action.b"}}, map[string]string{"action.b": "3 in 4s"}},
		"for_each: in parallel": {`
action "wait" "a" {
  for_each = { x = "1s", y = "3s" }
  for      = each.value
}
action "note" "b" {
  text = join(" ", [for k, a in action.a : "${k}=${a.elapsed_seconds}"])
}
action "note" "c" {
  count = 2
  text  = "${count.index}"
}
`, 0, "", states{event.Passed: {`action.a["x"]`, `action.a["y"]`, "action.b", "action.c[0]", "action.c[1]"}},
			map[string]string{"action.b": "x=1 y=3", "action.c[1]": "1"}},
		"for_each: one that fails cancels the others": {`
action "fail" "a" {
  for_each = toset(["x", "y"])
  until    = each.key == "x" ? 2 : 1
  pause    = each.key == "x" ? "1s" : "9s"
}
`, 1, "no", states{event.Failed: {`action.a["x"]`}, event.Cancelled: {`action.a["y"]`}}, nil},
		"on_failure: continue goes on, and fails in the end": {`
action "fail" "a" {
  on_failure = "continue"
}
action "note" "b" {
  text = "${action.a.state}: ${action.a.error}, ${action.a.text == null}"
}
`, 1, "no", states{event.Failed: {"action.a"}, event.Passed: {"action.b"}}, map[string]string{"action.b": "failed: no, true"}},
		"expect_error: it must fail like that": {`
action "fail" "a" {
  message = "no such key"
  expect_error {
    match = "no such"
  }
}
action "note" "b" {
  text = "${action.a.state}: ${action.a.error}, ${action.a.text == null}"
}
`, 0, "", states{event.Passed: {"action.a", "action.b"}}, map[string]string{
			"action.a": "failed as expected: no such key", "action.b": "passed: no such key, true"}},
		"expect_error: an attempt that passes is tried again": {`
action "fail" "a" {
  until = 1
  expect_error {}
  retry {
    attempts = 2
  }
}
`, 1, "it passed, but was to fail", states{event.Failed: {"action.a"}}, nil},
		"a workload takes when and for_each": {`
workload "steady" "w" {
  for_each = toset(["x", "y"])
  when     = each.key == "x"
}
action "note" "b" {
  text = "${workload.w["y"].state} ${workload.w["y"].ok == null}"
}
`, 0, "", states{event.Passed: {`workload.w["x"]`, "action.b"}, event.Skipped: {`workload.w["y"]`}}, map[string]string{"action.b": "skipped true"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := written(tc.text).runs(t)
			p.expect(t, tc.code)
			if tc.cause != "" {
				p.expectCause(t, tc.cause)
			}
			p.expectStates(t, tc.want)
			for id, want := range tc.says {
				if got := p.step(t, id).Summary; got != want {
					t.Errorf("%s says %q, want %q", id, got, want)
				}
			}
		})
	}
}

func TestCleanupTakesWhenForEachRetryAndTimeout(t *testing.T) {
	p := written(`
action "note" "a" {
  text = "x"
}
cleanup {
  action "fail" "flaky" {
    until = 2
    retry {
      attempts = 3
      backoff  = "1s"
    }
  }
  action "note" "never" {
    text = "y"
    when = action.a.state == "failed"
  }
  action "wait" "each" {
    for_each = toset(["1s", "2s"])
    for      = each.value
  }
  action "wait" "slow" {
    for     = "1m"
    timeout = "3s"
  }
  action "note" "last" {
    text = "${action.flaky.attempts} ${action.never.state} ${action.each["2s"].elapsed_seconds} ${action.slow.state}"
  }
}
`).runs(t)
	p.expect(t, 1)
	p.expectCause(t, "the step's time limit of 3s")
	p.expectStates(t, states{
		event.Passed:  {"action.a", "cleanup/action.flaky", `cleanup/action.each["1s"]`, `cleanup/action.each["2s"]`, "cleanup/action.last"},
		event.Skipped: {"cleanup/action.never"}, event.Failed: {"cleanup/action.slow"},
	})
	if got := p.step(t, "cleanup/action.last").Summary; got != "2 skipped 2 failed" {
		t.Errorf("%q", got)
	}
}

func TestOutputsOverSkippedSteps(t *testing.T) {
	p := written(`
action "note" "a" {
  text = "x"
  when = false
}
repeat "r" {
  times = 2
  when  = false
  action "note" "n" {
    text = "x"
  }
}
output "null" {
  value = [action.a.text, repeat.r.rounds, action.a.state]
}
`).runs(t)
	p.expect(t, 0)
	if got := of[event.Output](p); len(got) != 1 || string(got[0].Value) != `[null,null,"skipped"]` {
		t.Errorf("%+v", got)
	}
	p = written(`
action "note" "z" {
  text = "x"
}
action "note" "a" {
  text = "x"
  when = action.z.state == "failed" # known when it runs
}
output "text" {
  value = "it said ${action.a.text}"
}
`).runs(t)
	p.expect(t, 1)
	p.expectCause(t, "action.a was skipped")
}

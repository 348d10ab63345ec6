package engine

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/scenario-run/scenario/engine/event"
)

func TestRoundsBeginUntilTheTimeIsOverAndTheLastIsFinished(t *testing.T) {
	p := written(`
repeat "r" {
  for = "10s"
  action "wait" "w" {
    for = "4s"
  }
  action "note" "n" {
    text = "${repeat.index} ${action.w.elapsed_seconds}"
  }
}
action "note" "z" {
  text = "${repeat.r.rounds} rounds in ${repeat.r.elapsed_seconds}s"
}
`).runs(t)
	p.expect(t, 0)
	p.expectStates(t, states{event.Passed: {
		"repeat.r[0]/action.w", "repeat.r[0]/action.n", "repeat.r[1]/action.w", "repeat.r[1]/action.n", "repeat.r[2]/action.w", "repeat.r[2]/action.n",
		"repeat.r", "action.z",
	}})
	if got := p.step(t, "repeat.r[2]/action.n").Summary; got != "2 4" {
		t.Errorf("the third round says %q", got)
	}
	if got := p.step(t, "action.z").Summary; got != "3 rounds in 12s" {
		t.Errorf("%q", got)
	}
	if got := p.step(t, "repeat.r").Summary; got != "3 rounds" {
		t.Errorf("%q", got)
	}
	var told []string
	for _, r := range of[event.RoundStarted](p) {
		for _, s := range r.Steps {
			told = append(told, fmt.Sprintf("%d %s %s in %s", r.Round, s.Address, s.Type, s.Group))
		}
	}
	want := "1 repeat.r[1]/action.w wait in repeat.r[1], 1 repeat.r[1]/action.n note in repeat.r[1], " +
		"2 repeat.r[2]/action.w wait in repeat.r[2], 2 repeat.r[2]/action.n note in repeat.r[2]"
	if got := strings.Join(told, ", "); got != want {
		t.Errorf("rounds told of %s", got)
	}
}

// A group without rounds ends as it starts, which is two members of the round
// around it finishing at once.
func TestARoundThatEndsWithAnEmptyGroupIsFollowedByOne(t *testing.T) {
	p := written(`
repeat "r" {
  for = "4s"
  action "wait" "w" {
    for = "2s"
  }
  repeat "never" {
    times = 0
    action "wait" "x" {
      for = "1s"
    }
  }
}
`).runs(t)
	p.expect(t, 0)
	var rounds []int
	for _, r := range of[event.RoundStarted](p) {
		rounds = append(rounds, r.Round)
	}
	if got := fmt.Sprint(rounds); got != "[0 1]" || p.step(t, "repeat.r").Seconds != 4 {
		t.Errorf("rounds %s in %gs; want [0 1] in 4s", got, p.step(t, "repeat.r").Seconds)
	}
}

func TestWhatLaterRoundsReferToOutsideIsWaitedFor(t *testing.T) {
	p := written(`
action "wait" "bg" {
  for        = "3s"
  background = true
}
repeat "r" {
  for = "2s"
  action "wait" "w" {
    for = "1s"
  }
  action "note" "n" {
    text = "after ${action.bg.elapsed_seconds}s"
    when = repeat.index > 0
  }
}
`).runs(t)
	p.expect(t, 0)
	if got := p.step(t, "repeat.r"); got.Seconds != 3 {
		t.Errorf("%+v", got)
	}
}

func TestRoundsByTimeInRoundsByTime(t *testing.T) {
	p := written(`
repeat "outer" {
  for = "5s"
  repeat "inner" {
    for = "${repeat.index + 1}s"
    action "wait" "w" {
      for = "1s"
    }
  }
  action "wait" "tail" {
    for = "${repeat.index + 1}s"
  }
}
`).runs(t)
	p.expect(t, 0)
	// 1+1, then 2+2: at 6 s nothing more begins.
	p.expectStates(t, states{event.Passed: {
		"repeat.outer", "repeat.outer[0]/repeat.inner", "repeat.outer[0]/repeat.inner[0]/action.w", "repeat.outer[0]/action.tail",
		"repeat.outer[1]/repeat.inner", "repeat.outer[1]/repeat.inner[0]/action.w", "repeat.outer[1]/repeat.inner[1]/action.w", "repeat.outer[1]/action.tail",
	}})
}

func TestAFailureInALaterRoundStopsTheRounds(t *testing.T) {
	for how, z := range map[string]event.State{`"stop"`: event.Skipped, `"continue"`: event.Passed} {
		p := written(replaced(`
repeat "r" {
  for        = "30s"
  on_failure = HOW
  action "fail" "shot" {
    after_ = "1s"
    until  = repeat.index == 3 ? 2 : 1
  }
}
action "note" "z" {
  text = "${repeat.r.rounds}"
}
`, "HOW", how, "    after_ = \"1s\"\n", "    pause  = \"1s\"\n")).runs(t)
		p.expect(t, 1)
		p.expectStates(t, states{
			event.Passed: append(only(z == event.Passed, "action.z"), "repeat.r[0]/action.shot", "repeat.r[1]/action.shot", "repeat.r[2]/action.shot"),
			event.Failed: {"repeat.r", "repeat.r[3]/action.shot"}, event.Skipped: only(z == event.Skipped, "action.z"),
		})
		if got := p.step(t, "repeat.r"); got.Seconds != 4 || got.Cause.Message != "repeat.r[3]/action.shot failed" {
			t.Errorf("%+v", got)
		}
		if z == event.Passed && p.step(t, "action.z").Summary != "3" {
			t.Errorf("%+v", p.step(t, "action.z"))
		}
	}
}

func TestTheTimeLimitsOfAGroupAndOfTheScenarioEndRoundsByTime(t *testing.T) {
	const rounds = `
repeat "r" {
  for     = "30m"
  LIMIT
  action "wait" "w" {
    for = "2s"
  }
}
`
	p := written(replaced(rounds, "LIMIT", `timeout = "7s"`)).runs(t)
	p.expect(t, 1)
	p.expectCause(t, "the time limit of repeat.r of 7s")
	if got := p.step(t, "repeat.r[3]/action.w"); got.State != event.Failed || p.step(t, "repeat.r").Seconds != 7 {
		t.Errorf("%+v", got)
	}
	s := written(replaced(rounds, "LIMIT", `background = true`) + "action \"fail\" \"f\" {\n  pause = \"9s\"\n}\n")
	p = s.runs(t)
	p.expect(t, 1)
	if got := p.step(t, "repeat.r[4]/action.w"); got.State != event.Cancelled || p.step(t, "repeat.r").State != event.Cancelled {
		t.Errorf("%+v", got)
	}
}

func TestARoundThatCanNotBeMadeFailsTheRepeat(t *testing.T) {
	p := written(`
repeat "r" {
  for = "30s"
  action "wait" "w" {
    count = [1, 1, 1][repeat.index]
    for   = "1s"
  }
}
action "note" "z" {
  text = "on"
}
`).runs(t)
	p.expect(t, 1)
	p.expectCause(t, "round 4 can't be made: ")
	if got := p.states("repeat.r[2]/action.w[0]", "repeat.r", "action.z"); got["repeat.r[2]/action.w[0]"] != event.Passed ||
		got["repeat.r"] != event.Failed || got["action.z"] != event.Skipped {
		t.Errorf("%v", got)
	}
}

func TestTrafficThatARoundStartsEndsWithIt(t *testing.T) {
	for _, how := range []string{`for = "5s"`, `times = 3`} {
		p := written(replaced(`
repeat "r" {
  HOW
  workload "steady" "w" {}
  action "wait" "w" {
    for = "2s"
  }
}
action "wait" "z" {
  for = "3s"
}
`, "HOW", how)).runs(t)
		p.expect(t, 0)
		started, ended := of[event.WorkloadStarted](p), of[event.WorkloadFinished](p)
		if len(started) != 3 || len(ended) != 3 {
			t.Fatalf("%d started, %d ended", len(started), len(ended))
		}
		for _, e := range ended {
			if !strings.Contains(string(e.Statistics), `"ok":2`) { // 20 or so, not 50 or more
				t.Errorf("%s: %s", e.Workload, e.Statistics)
			}
		}
		expectOrder(t, words(p), "passed repeat.r[0]/action.w", "traffic of repeat.r[0]/workload.w ended", "round 1", "start repeat.r[1]/workload.w",
			"passed repeat.r[2]/action.w", "traffic of repeat.r[2]/workload.w ended", "passed repeat.r", "start action.z")
	}
}

// words are the events of rounds and traffic among the others.
func words(p played) (all []string) {
	for _, e := range p.events {
		switch b := e.Body.(type) {
		case event.RoundStarted:
			all = append(all, fmt.Sprintf("round %d", b.Round))
		case event.WorkloadFinished:
			all = append(all, fmt.Sprintf("traffic of %s ended", b.Workload))
		case event.StepStarted:
			all = append(all, "start "+b.Step)
		case event.StepFinished:
			all = append(all, fmt.Sprintf("%s %s", b.State, b.Step))
		}
	}
	return all
}

func TestAFaultOfARoundThatNothingHealsIsHealedAtTheEnd(t *testing.T) {
	s := written(`
repeat "r" {
  for = "3s"
  action "breaks" "b" {}
  action "wait" "w" {
    for = "1s"
  }
}
`)
	p := s.runs(t)
	p.expect(t, 0)
	if s.breaks.injected != 3 || s.breaks.healed != 3 {
		t.Errorf("injected %d times, healed %d times", s.breaks.injected, s.breaks.healed)
	}
}

func TestRoundsByTimeLeaveNothingInMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 2000 rounds")
	}
	heap := func(rounds int) uint64 {
		s := written(fmt.Sprintf(`
repeat "r" {
  for = "%ds"
  action "breaks" "b" {
    for = "500ms"
  }
  action "note" "n" {
    text = "${repeat.index} ${action.b.state}"
  }
  action "wait" "w" {
    for = "500ms"
  }
}
action "note" "z" {
  text = "${repeat.r.rounds}"
}
`, rounds))
		s.text = strings.Replace(s.text, `"1h"`, `"100h"`, 1)
		s.forget = true
		var used uint64
		s.defs = append(s.defs, measure(func() {
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			used = m.HeapAlloc
		}))
		s.text += "action \"measure\" \"heap\" {}\n"
		p := s.runs(t)
		p.expect(t, 0)
		return used
	}
	few, many := heap(200), heap(2000)
	if many > few+few/4 {
		t.Errorf("%d bytes after 200 rounds, %d after 2000", few, many)
	}
}

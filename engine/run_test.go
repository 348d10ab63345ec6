package engine

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/lang"
	"github.com/scenario-run/scenario/engine/event"
	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/step"
)

func TestAScenarioThatPassesIsProvisionedRunCleanedUpAndRemoved(t *testing.T) {
	s := newScene()
	s.node("a", nil)
	s.then(s.action("one", says("did it")))
	s.inCleanup(s.action("tidy", nothing))
	p := s.play(t, t.TempDir())
	p.expect(t, 0)
	expectOrder(t, p.order(),
		"phase provision", "node.a created", "node.a starting", "node.a ready", "phase execute",
		"start action.one", "passed action.one", "phase cleanup", "start cleanup/action.tidy", "passed cleanup/action.tidy",
		"phase teardown", "node.a removed")
	if got := p.step(t, "action.one").Summary; got != "did it" {
		t.Errorf("summary %q", got)
	}
	for _, name := range []string{"run.json", "s/default/plan.json", "s/default/nodes/a.log", "s/default/nodes/a.inspect.json"} {
		if _, err := os.Stat(filepath.Join(p.dir, name)); err != nil {
			t.Error(err)
		}
	}
	var inLog []event.Event
	f, err := os.Open(filepath.Join(p.dir, "events.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := event.Read(f, func(e event.Event) error { inLog = append(inLog, e); return nil }); err != nil {
		t.Fatal(err)
	}
	if len(inLog) != len(p.events) {
		t.Errorf("the log has %d events, the sink got %d", len(inLog), len(p.events))
	}
	for i, e := range inLog {
		if e.Seq != int64(i+1) {
			t.Errorf("event %d has number %d", i+1, e.Seq)
		}
	}
}

func TestStepsEndAScenarioByTheirVerdict(t *testing.T) {
	tests := []struct {
		name  string
		run   action
		tweak func(*lang.Meta)
		code  int
		cause []string
	}{
		{"a product that refuses fails", fails(step.Failf("no")), nil, 1, []string{"no"}},
		{"what can't be concluded is inconclusive", fails(step.Inconclusivef("dunno")), nil, 6, []string{"dunno"}},
		{"an error without a verdict is the lab's", fails(errors.New("oops")), nil, 4, []string{"oops"}},
		{"a node's own fault fails", fails(&runtime.Error{Kind: runtime.NodeFault, Err: errors.New("no such command")}), nil, 1, []string{"no such command"}},
		{"a panic is a bug, and an error", func(context.Context, *step.Env) (step.Result, error) { panic("ouch") }, nil, 4, []string{"bug", "ouch"}},
		{"a step's time limit fails it", hangs, func(m *lang.Meta) { m.Timeout = 3 * time.Second }, 1, []string{"time limit of 3s"}},
		{
			"a time limit names what was seen last",
			func(ctx context.Context, env *step.Env) (step.Result, error) {
				return step.Result{}, step.Poll(ctx, env.Clock, time.Second, func(context.Context) error { return errors.New("503 from it") })
			},
			func(m *lang.Meta) { m.Timeout = 3 * time.Second }, 1, []string{"time limit of 3s", "last seen: 503 from it"},
		},
		{
			"an action that ignores its end is left alone",
			func(ctx context.Context, env *step.Env) (step.Result, error) {
				return step.Result{}, env.Clock.Sleep(context.WithoutCancel(ctx), 20*time.Second)
			},
			func(m *lang.Meta) { m.Timeout = time.Second }, 4, []string{"action.it went on for 10s after it had been told to end"},
		},
		{"on_failure = continue still fails the scenario", fails(step.Failf("no")), func(m *lang.Meta) { m.Continue = true }, 1, []string{"no"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newScene()
			s.node("a", nil)
			st := s.then(s.action("it", tt.run))
			if tt.tweak != nil {
				tt.tweak(&st.Meta)
			}
			s.then(s.action("next", nothing))
			s.inCleanup(s.action("tidy", nothing))
			s.linger = time.Minute
			p := s.play(t, t.TempDir())
			p.expect(t, tt.code)
			p.expectCause(t, tt.cause...)
			if got := p.step(t, "cleanup/action.tidy").State; got != event.Passed {
				t.Errorf("cleanup %s", got)
			}
			want := event.Skipped
			if st.Meta.Continue {
				want = event.Passed
			}
			if got := p.step(t, "action.next").State; got != want {
				t.Errorf("the next step is %s, want %s", got, want)
			}
		})
	}
}

func TestAPanicLeavesItsStackInTheRunsDirectory(t *testing.T) {
	s := newScene()
	s.then(s.action("it", func(context.Context, *step.Env) (step.Result, error) { panic("ouch") }))
	p := s.play(t, t.TempDir())
	b, err := os.ReadFile(filepath.Join(p.dir, "s/default/panic-action.it.txt"))
	if err != nil || !strings.Contains(string(b), "run_test.go") {
		t.Errorf("%s %v", b, err)
	}
}

func TestAFailureCancelsWhatRunsInTheBackground(t *testing.T) {
	s := newScene()
	s.background(s.action("bg", hangs))
	s.then(s.action("it", func(ctx context.Context, env *step.Env) (step.Result, error) {
		return step.Result{}, errors.Join(env.Clock.Sleep(ctx, time.Second), step.Failf("no"))
	}))
	p := s.play(t, t.TempDir())
	p.expect(t, 1)
	if got := p.step(t, "action.bg"); got.State != event.Cancelled || !strings.Contains(got.Cause.Message, "action.it failed") {
		t.Errorf("%+v", got)
	}
}

func TestABackgroundStepIsJoinedAtTheEnd(t *testing.T) {
	s := newScene()
	s.background(s.action("bg", sleeps(5*time.Second)))
	s.then(s.action("it", nothing))
	p := s.play(t, t.TempDir())
	p.expect(t, 0)
	if got := p.step(t, "action.bg"); got.State != event.Passed || got.Seconds != 5 {
		t.Errorf("%+v", got)
	}
}

func TestRetryTriesAnActionAgainAndRecordsEachAttempt(t *testing.T) {
	s := newScene()
	n := 0
	st := s.then(s.action("it", func(context.Context, *step.Env) (step.Result, error) {
		if n++; n < 3 {
			return step.Result{}, step.Failf("not yet")
		}
		return step.Result{}, nil
	}))
	st.Meta.Attempts, st.Meta.Backoff = 5, time.Second
	p := s.play(t, t.TempDir())
	p.expect(t, 0)
	if got := p.step(t, "action.it"); got.Attempts != 3 || got.Seconds != 2 {
		t.Errorf("%+v", got)
	}
	if got := of[event.StepStarted](p); len(got) != 3 || got[2].Attempt != 3 {
		t.Errorf("%+v", got)
	}
}

func TestExpectError(t *testing.T) {
	tests := []struct {
		name string
		run  action
		code int
		text string
	}{
		{"the expected error passes", fails(step.Failf("it is read-only")), 0, "failed as expected: it is read-only"},
		{"no error fails", nothing, 1, "it passed, but was to fail"},
		{"another error fails", fails(step.Failf("disk full")), 1, "another error than expected"},
		{"a lab that is gone is not what was expected", fails(&runtime.Error{Kind: runtime.Unreachable, Err: errors.New("read-only")}), 4, "read-only"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newScene()
			st := s.then(s.action("it", tt.run))
			st.Meta.ExpectError = regexpOf("read-only")
			p := s.play(t, t.TempDir())
			p.expect(t, tt.code)
			got := p.step(t, "action.it")
			if text := got.Summary + p.variantCause(); !strings.Contains(text, tt.text) {
				t.Errorf("%q", text)
			}
		})
	}
}

func TestAStepWhoseWhenIsFalseIsSkippedAndItsResultsAreNull(t *testing.T) {
	s := newScene()
	st := s.then(s.action("it", fails(errors.New("must not run"))))
	st.Meta.When = exprOf(cty.False)
	var seen cty.Value
	s.then(s.assertion("x", lang.Assert{}, func(sc lang.Scope) (cty.Value, diagnostics) {
		seen = sc.Instance("action.it")
		return cty.True, nil
	}, []lang.Ref{{Kind: lang.ActionRef, Name: "it", Address: "action.it"}}))
	p := s.play(t, t.TempDir())
	p.expect(t, 0)
	if got := p.step(t, "action.it").State; got != event.Skipped {
		t.Errorf("%s", got)
	}
	if got := seen.GetAttr("state").AsString(); got != "skipped" {
		t.Errorf("state %q", got)
	}
	if !seen.GetAttr("elapsed_seconds").IsNull() || !seen.GetAttr("error").IsNull() {
		t.Errorf("%#v", seen)
	}
}

func TestKeep(t *testing.T) {
	tests := []struct {
		keep Keep
		run  action
		kept bool
	}{
		{KeepNever, fails(step.Failf("no")), false},
		{KeepFailed, fails(step.Failf("no")), true},
		{KeepFailed, nothing, false},
		{KeepAlways, nothing, true},
	}
	for _, tt := range tests {
		s := newScene()
		s.opts.Keep = tt.keep
		s.node("a", nil)
		s.then(s.action("it", tt.run))
		p := s.play(t, t.TempDir())
		nodes, _, _ := p.place.Present()
		if kept := len(nodes) == 1; kept != tt.kept {
			t.Errorf("%s: kept %v\n%s", tt.keep, nodes, p.text())
		}
		said := of[event.VariantFinished](p)[0].Kept
		if got := len(said) == 1; got != tt.kept {
			t.Errorf("%s: the event says kept: %v", tt.keep, got)
		}
		if tt.kept && (said[0].Node != "node.a" || said[0].Shell == "" || said[0].Logs == "") {
			t.Errorf("%s: how to look into it: %+v", tt.keep, said)
		}
	}
}

func TestRunIDsSortByTimeAndAreUnique(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	a, err := NewRunID(at, strings.NewReader("abcd"))
	if err != nil {
		t.Fatal(err)
	}
	b, _ := NewRunID(at, strings.NewReader("abce"))
	c, _ := NewRunID(at.Add(time.Second), strings.NewReader("aaaa"))
	if !(a < b && b < c) || !strings.HasPrefix(a, "260102-030405-") {
		t.Errorf("%s %s %s", a, b, c)
	}
	if _, err := NewRunID(at, strings.NewReader("ab")); err == nil {
		t.Error("too little randomness is accepted")
	}
}

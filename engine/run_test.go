package engine

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/lang"
	"github.com/scenario-run/scenario/engine/event"
	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/runtime/fake"
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

func TestTheScenariosOwnTimeLimitIsAFailureOfIt(t *testing.T) {
	s := newScene()
	s.timeout = 7 * time.Second
	s.node("a", nil)
	s.then(s.action("it", hangs))
	s.inCleanup(s.action("tidy", nothing))
	p := s.play(t, t.TempDir())
	p.expect(t, 1)
	p.expectCause(t, "scenario's time limit of 7s")
	if p.Variants[0].Step != "action.it" || p.Variants[0].TimedOut {
		t.Errorf("%+v", p.Variants[0])
	}
	p.step(t, "cleanup/action.tidy")
}

func TestTheRunsTimeLimitEndsItWithExitCode8(t *testing.T) {
	s := newScene()
	s.opts.Timeout = 7 * time.Second
	s.then(s.action("it", hangs))
	p := s.play(t, t.TempDir())
	p.expect(t, 8)
	p.expectCause(t, "run's time limit of 7s (--timeout)")
}

func TestCleanupHasALimitAndEachStepOfItRuns(t *testing.T) {
	s := newScene()
	s.cleanup = 5 * time.Second
	s.then(s.action("it", nothing))
	s.inCleanup(s.action("bad", fails(step.Failf("no"))))
	s.inCleanup(s.action("slow", hangs))
	s.inCleanup(s.action("late", nothing))
	p := s.play(t, t.TempDir())
	p.expect(t, 1)
	p.expectCause(t, "no")
	if got := p.step(t, "cleanup/action.slow"); got.State != event.Failed || !strings.Contains(got.Cause.Message, "time limit of cleanup of 5s") {
		t.Errorf("%+v", got.Cause)
	}
	if got := p.step(t, "cleanup/action.late").State; got != event.Skipped {
		t.Errorf("%s", got)
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

func TestInterrupts(t *testing.T) {
	tests := []struct {
		name    string
		signals []os.Signal
		want    string // of cleanup
		counts  int    // as how many they count
	}{
		{"the first heals, cleans up and removes", []os.Signal{syscall.SIGINT}, "passed cleanup/action.tidy", 1},
		{"the second skips cleanup, and still removes", []os.Signal{syscall.SIGINT, syscall.SIGHUP}, "", 2},
		{"the third returns at once", []os.Signal{syscall.SIGINT, syscall.SIGINT, syscall.SIGINT}, "", 3},
		{"SIGQUIT is like the second", []os.Signal{syscall.SIGQUIT}, "", 2},
		{"SIGQUIT after the first is the second", []os.Signal{syscall.SIGINT, syscall.SIGQUIT}, "", 2},
		{"one after SIGQUIT returns at once", []os.Signal{syscall.SIGQUIT, syscall.SIGQUIT}, "", 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newScene()
			dir := t.TempDir()
			var signals chan os.Signal
			var release chan struct{}
			s.node("a", nil)
			f := &testFault{}
			s.then(s.fault("f", f, cty.EmptyObjectVal))
			s.then(s.action("it", func(ctx context.Context, env *step.Env) (step.Result, error) {
				for _, sig := range tt.signals {
					signals <- sig
				}
				<-ctx.Done()
				if tt.counts > 1 {
					// Until all signals have been taken in.
					<-release
				}
				return step.Result{}, context.Cause(ctx)
			}))
			s.then(s.action("next", nothing))
			s.inCleanup(s.action("tidy", nothing))
			var p played
			s.within(t, func() {
				signals, release = make(chan os.Signal, 3), make(chan struct{})
				s.opts.Interrupts = signals
				time.AfterFunc(time.Second, func() { close(release) })
				began := time.Now()
				p = s.run(dir)
				if tt.counts == 3 && time.Since(began) > 0 {
					t.Errorf("it took %s", time.Since(began))
				}
				time.Sleep(time.Minute) // for what was left alone
			})
			if p.ExitCode != 130 || p.State != event.Cancelled {
				t.Errorf("exit code %d, %s\n%s", p.ExitCode, p.State, p.text())
			}
			if tt.want != "" {
				expectOrder(t, p.order(), tt.want)
			}
			told := of[event.Interrupted](p)
			if got := len(told); got != len(tt.signals) || told[got-1].Count != tt.counts {
				t.Errorf("%d signals recorded: %+v", got, told)
			}
			stacks, err := os.ReadFile(filepath.Join(dir, "goroutines.txt"))
			if slices.Contains(tt.signals, os.Signal(syscall.SIGQUIT)) != strings.Contains(string(stacks), "goroutine ") {
				t.Errorf("goroutines.txt: %.40q, %v", stacks, err)
			}
			if tt.counts == 3 {
				return
			}
			p.expectEmpty(t)
			if f.healed != 1 {
				t.Errorf("healed %d times", f.healed)
			}
			if got := p.step(t, "action.next").State; got != event.Cancelled {
				t.Errorf("next is %s", got)
			}
			if got := p.step(t, "action.it").State; got != event.Cancelled {
				t.Errorf("it is %s", got)
			}
		})
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

func TestWhatCannotBeRemovedIsExitCode7UnlessSomethingIsWorse(t *testing.T) {
	for _, tt := range []struct {
		run  action
		code int
	}{{nothing, 7}, {fails(step.Failf("no")), 1}} {
		s := newScene()
		s.node("a", nil)
		s.then(s.action("it", tt.run))
		s.fake.Fail = func(_ context.Context, op, address string) error {
			if op == "Remove" && address == "network default" {
				return errors.New("it has active endpoints")
			}
			return nil
		}
		p := s.play(t, t.TempDir())
		if p.ExitCode != tt.code {
			t.Errorf("exit code %d, want %d", p.ExitCode, tt.code)
		}
		if left := of[event.LeftBehind](p); len(left) != 1 || left[0].Command == "" {
			t.Errorf("%+v", left)
		}
	}
}

func TestARuntimeThatIsLostIsAnError(t *testing.T) {
	s := newScene()
	s.node("a", nil)
	var lose chan struct{}
	s.then(s.action("it", func(ctx context.Context, env *step.Env) (step.Result, error) {
		close(lose)
		return hangs(ctx, env)
	}))
	var p played
	s.within(t, func() {
		lose = make(chan struct{})
		go func() { <-lose; s.placed.Lose("connection refused") }()
		p = s.run(t.TempDir())
	})
	if p.ExitCode != 4 {
		t.Errorf("exit code %d\n%s", p.ExitCode, p.text())
	}
	p.expectCause(t, "lost sight of the nodes", "connection refused")
}

func TestSecretsAreHiddenInAllThatIsWritten(t *testing.T) {
	const secret = `s3cr"et-token`
	s := newScene()
	s.secrets = []string{secret}
	s.opts.About.Args = []string{"run", "--var", "token=" + secret}
	s.node("a", map[string]cty.Value{"env": cty.MapVal(map[string]cty.Value{"TOKEN": cty.StringVal(secret)})})
	s.fake.Script = func(runtime.NodeSpec) fake.Script { return fake.Script{Prints: []string{"token is " + secret}} }
	st := s.action("it", func(_ context.Context, env *step.Env) (step.Result, error) {
		env.Progress("sending " + secret)
		return step.Result{Summary: "sent " + secret, Value: cty.ObjectVal(map[string]cty.Value{"out": cty.StringVal(secret)})}, nil
	})
	s.then(st)
	s.then(s.action("bad", fails(step.Failf("refused %s", secret))))
	p := s.play(t, t.TempDir())
	p.expect(t, 1)
	err := filepath.WalkDir(p.dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if strings.Contains(string(b), secret) || strings.Contains(string(b), `s3cr\"et-token`) {
			t.Errorf("%s has the secret:\n%s", path, b)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	if !strings.Contains(p.text(), "sent (sensitive)") {
		t.Errorf("nothing is hidden:\n%s", p.text())
	}
}

func TestWhatIsConfidedWhileRunningIsHiddenFromThenOn(t *testing.T) {
	const computed = "computed: s3cret of 10.90.0.129"
	s := newScene()
	s.node("a", nil)
	st := s.action("it", func(ctx context.Context, env *step.Env) (step.Result, error) {
		s.placed.Print("node.a", "got "+computed)
		env.Progress("sending " + computed)
		return step.Result{}, env.Clock.Sleep(ctx, time.Second)
	})
	st.Body = lang.NewBody(hcl.Range{}, nil, nil, func(scope lang.Scope) (cty.Value, diagnostics) {
		scope.(lang.Confidant).Confide(computed)
		return cty.EmptyObjectVal, nil
	})
	s.then(st)
	p := s.play(t, t.TempDir())
	p.expect(t, 0)
	log, err := os.ReadFile(filepath.Join(p.dir, "s", "default", "nodes", "a.log"))
	if err != nil {
		t.Fatal(err)
	}
	for what, text := range map[string]string{"the log": string(log), "the events": p.text()} {
		if strings.Contains(text, "s3cret") || !strings.Contains(text, "(sensitive)") {
			t.Errorf("%s:\n%s", what, text)
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

func TestTheWorstExitCodeCounts(t *testing.T) {
	for i, code := range precedence {
		codes := map[int]bool{0: true, code: true}
		for _, lesser := range precedence[i:] {
			codes[lesser] = true
		}
		if got := worst(codes); got != code {
			t.Errorf("%v: %d", codes, got)
		}
	}
	if got := worst(map[int]bool{0: true}); got != 0 {
		t.Errorf("%d", got)
	}
}

func TestExitCodesOfVariants(t *testing.T) {
	tests := []struct {
		v    VariantResult
		code int
	}{
		{VariantResult{State: event.Passed}, 0},
		{VariantResult{State: event.Failed, Left: 1}, 1},
		{VariantResult{State: event.Failed, TimedOut: true}, 8},
		{VariantResult{State: event.Error}, 4},
		{VariantResult{State: event.Error, internal: true}, 70},
		{VariantResult{State: event.Inconclusive, Left: 1}, 6},
		{VariantResult{State: event.Passed, Left: 1}, 7},
		{VariantResult{State: event.Cancelled}, 0},
	}
	for _, tt := range tests {
		if got := tt.v.code(); got != tt.code {
			t.Errorf("%+v: %d, want %d", tt.v, got, tt.code)
		}
	}
}

func TestAPanicOfTheEngineItselfIsExitCode70AndEverythingIsRemoved(t *testing.T) {
	t.Run("outside of its loop", func(t *testing.T) {
		s := newScene()
		s.node("a", nil)
		s.outputs = []*lang.Output{{Name: "n", Value: lang.NewExpr(hcl.Range{}, nil, nil, func(lang.Scope) (cty.Value, diagnostics) { panic("ouch") })}}
		p := s.play(t, t.TempDir())
		p.expect(t, 70)
		p.expectCause(t, "the engine panicked: ouch")
	})
	t.Run("in its loop", func(t *testing.T) {
		s := newScene()
		s.node("a", nil)
		s.background(s.action("bg", hangs))
		// A result that is no object is a bug of what made the plan.
		s.then(s.action("it", nothing)).Result = cty.String
		s.then(s.assertion("x", lang.Assert{}, func(lang.Scope) (cty.Value, diagnostics) { return cty.True, nil },
			[]lang.Ref{{Kind: lang.ActionRef, Name: "it", Address: "action.it"}}))
		s.linger = time.Minute
		p := s.play(t, t.TempDir())
		p.expect(t, 70)
		p.expectCause(t, "the engine panicked")
	})
}

func TestAFailedCleanupStepDoesNotHideWhyTheRunIsInconclusive(t *testing.T) {
	s := newScene()
	s.node("a", nil)
	s.then(s.action("it", func(context.Context, *step.Env) (step.Result, error) {
		return step.Result{}, step.Inconclusivef("too little was seen")
	}))
	s.inCleanup(s.action("tidy", func(context.Context, *step.Env) (step.Result, error) {
		return step.Result{}, step.Failf("nothing to tidy")
	}))
	p := s.play(t, t.TempDir())
	p.expect(t, 6)
	p.expectCause(t, "too little was seen")
}

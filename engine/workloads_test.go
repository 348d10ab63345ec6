package engine

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/lang"
	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/event"
	"github.com/scenario-run/scenario/engine/step"
	"github.com/scenario-run/scenario/engine/traffic"
	"github.com/scenario-run/scenario/engine/workload"
)

// steady sends ten samples a second until its context ends; the outcome of
// each is what outcome says of the time since the first.
func steady(outcome func(since time.Duration) traffic.Outcome) Job {
	const every = 100 * time.Millisecond
	return func(ctx context.Context, _ []byte, line func([]byte) error) error {
		began := time.Now()
		for seq := int64(0); ; seq++ {
			due := began.Add(time.Duration(seq) * every)
			s := traffic.Sample{Seq: seq, Due: due.UnixNano(), Start: due.UnixNano(), End: due.UnixNano() + 1e6, Outcome: outcome(due.Sub(began)), Code: 200}
			if s.Outcome != traffic.OK {
				s.Class, s.Error, s.Code = "refused", "connection refused", 0
			}
			b, err := json.Marshal(traffic.Line{Sample: &s, Settled: due.Add(every).UnixNano()})
			if err != nil {
				return err
			}
			if err := line(b); err != nil {
				return err
			}
			if (step.SystemClock{}).Sleep(ctx, every) != nil {
				b, err := json.Marshal(traffic.Line{Stopped: time.Now().UnixNano(), Settled: time.Now().UnixNano()})
				return errors.Join(err, line(b))
			}
		}
	}
}

func allOK(time.Duration) traffic.Outcome { return traffic.OK }

// workload declares a workload step that is sent by job from the host.
func (s *scene) workload(name string, baseline int, job Job) *lang.Step {
	t := schema.Type{Kind: schema.Workload, Name: "send_" + name}
	if s.opts.Jobs == nil {
		s.opts.Jobs = map[string]Job{}
	}
	s.opts.Jobs[name] = job
	s.defs = append(s.defs, step.Definition{Type: t, Workload: func(cty.Value) (step.Traffic, error) {
		return step.Traffic{Job: name, From: "host", Rate: 10, Baseline: baseline, Within: 30 * time.Second}, nil
	}})
	return &lang.Step{
		Address: "workload." + name, Kind: lang.WorkloadStep, Name: name, Type: t, Body: emptyBody(),
		Result: schema.StepAttrs.And(schema.Statistics(workload.CapturedType(nil))).Type(),
	}
}

func TestAWorkloadIsStartedWhenItsBaselineStandsAndRunsUntilTheEnd(t *testing.T) {
	s := newScene()
	s.then(s.workload("w", 20, steady(allOK)))
	s.then(s.action("wait", sleeps(2950*time.Millisecond)))
	p := s.play(t, t.TempDir())
	p.expect(t, 0)
	if got := p.step(t, "workload.w"); got.Seconds != 1.9 || got.Summary != "10/s, baseline 20/20 ok" {
		t.Errorf("%+v", got)
	}
	started, finished := of[event.WorkloadStarted](p), of[event.WorkloadFinished](p)
	if len(started) != 1 || len(finished) != 1 || !strings.Contains(string(finished[0].Statistics), `"ok":49`) {
		t.Errorf("%+v %+v", started, finished)
	}
	b, err := os.ReadFile(filepath.Join(p.dir, started[0].Samples))
	if err != nil || strings.Count(string(b), "\n") != 50 {
		t.Errorf("%d lines, %v", strings.Count(string(b), "\n"), err)
	}
}

func TestAMachineThatIsTooBusyToSendOnTimeIsNamed(t *testing.T) {
	s := newScene()
	s.then(s.workload("w", 0, sentLate))
	s.then(s.action("wait", sleeps(time.Second)))
	p := s.play(t, t.TempDir())
	p.expect(t, 0)
	if got := of[event.Warning](p); len(got) != 1 || got[0].Text != sentLateSaid {
		t.Errorf("got %+v", got)
	}
	if got := of[event.VariantFinished](p)[0].Busy; len(got) > 0 {
		t.Errorf("of one that passed: %q", got)
	}
}

// Whoever judges a failure must know that the machine was too busy.
func TestAFailureSaysThatTheMachineWasBusy(t *testing.T) {
	for name, test := range map[string]struct {
		load func() (float64, int, bool)
		want []string
	}{
		"its load is not known": {nil, []string{sentLateSaid}},
		"its load is large":     {func() (float64, int, bool) { return 17.4, 2, true }, []string{sentLateSaid, "the load of this machine was 17 in the last minute, on 2 CPUs: what is slow may be so for want of them"}},
		"its load is small":     {func() (float64, int, bool) { return 4, 2, true }, []string{sentLateSaid}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene()
			s.opts.Load = test.load
			s.then(s.workload("w", 0, sentLate))
			s.then(s.action("wait", sleeps(time.Second)))
			s.then(s.action("fail", func(context.Context, *step.Env) (step.Result, error) { return step.Result{}, step.Failf("no") }))
			p := s.play(t, t.TempDir())
			p.expect(t, 1)
			if got := of[event.VariantFinished](p)[0].Busy; !slices.Equal(got, test.want) {
				t.Errorf("got %q", got)
			}
		})
	}
}

const sentLateSaid = "workload.w: 1 of 50 requests (2 %) were sent more than 10ms late, up to 120ms: the machine that sends them is too busy, and latencies count that in"

// sentLate sends 50 requests, one of them late.
func sentLate(ctx context.Context, _ []byte, line func([]byte) error) error {
	begin := time.Now().UnixNano()
	for seq := range int64(50) {
		due := begin + seq*1e6
		x := traffic.Sample{Seq: seq, Due: due, Start: due + 1e6, End: due + 2e6, Outcome: traffic.OK, Code: 200}
		if seq == 7 {
			x.Start, x.End = due+120e6, due+121e6
		}
		if err := line(traffic.Line{Sample: &x, Settled: due + 1e6}.Append(nil)); err != nil {
			return err
		}
	}
	<-ctx.Done()
	return nil
}

func TestWithoutABaselineNothingIsInjectedAndNothingCanBeConcluded(t *testing.T) {
	s := newScene()
	s.also = []string{"later"}
	f := &testFault{}
	s.then(s.workload("w", 20, steady(func(d time.Duration) traffic.Outcome {
		if d%time.Second == 0 {
			return traffic.Failed
		}
		return traffic.OK
	})))
	s.then(s.fault("f", f, cty.EmptyObjectVal))
	p := s.play(t, t.TempDir())
	p.expect(t, 6)
	p.expectCause(t, "no baseline within 30s")
	for _, v := range p.Variants { // each in its own time, as in the timeline
		if !strings.Contains(v.Cause.Detail, "the first failure, at +0.0s: refused: connection refused") {
			t.Errorf("%+v", v.Cause)
		}
	}
	if f.injected != 0 {
		t.Error("the fault was injected")
	}
}

func TestTrafficThatBreaksOffEndsTheScenario(t *testing.T) {
	s := newScene()
	s.then(s.workload("w", 0, func(ctx context.Context, _ []byte, _ func([]byte) error) error {
		return errors.Join(step.SystemClock{}.Sleep(ctx, 2*time.Second), errors.New("the agent died"))
	}))
	s.then(s.action("wait", hangs))
	p := s.play(t, t.TempDir())
	p.expect(t, 4)
	p.expectCause(t, "the traffic of workload.w broke off: the agent died")
}

func TestAPanicOfAJobIsAnError(t *testing.T) {
	s := newScene()
	s.then(s.workload("w", 20, func(context.Context, []byte, func([]byte) error) error { panic("ouch") }))
	p := s.play(t, t.TempDir())
	p.expect(t, 4)
	p.expectCause(t, "ouch")
}

// seconds of failures around a fault: what each window counts.
func TestWindowsCountTheSamplesThatAreDueInThem(t *testing.T) {
	s := newScene()
	s.then(s.workload("w", 20, steady(func(d time.Duration) traffic.Outcome { // 1.9 s of baseline, then
		if d >= 5*time.Second && d < 7*time.Second {
			return traffic.Failed
		}
		return traffic.OK
	})))
	s.then(s.action("before", sleeps(3100*time.Millisecond))) // until 5 s
	f := &testFault{}
	s.then(s.fault("f", f, cty.EmptyObjectVal))
	s.then(s.action("hurt", sleeps(4*time.Second))) // until 9 s
	s.then(s.action("heal", func(ctx context.Context, env *step.Env) (step.Result, error) {
		return step.Result{}, env.Faults.Heal(ctx, "action.f")
	}))
	s.then(s.action("after", sleeps(1*time.Second))) // until 10 s
	windows := []lang.Window{
		{Kind: lang.During, Workload: "workload.w", A: "action.f"},
		{Kind: lang.Between, Workload: "workload.w", A: "action.hurt", B: "action.after"},
		{Kind: lang.Since, Workload: "workload.w", A: "action.heal"},
	}
	got := map[lang.WindowKind][2]string{}
	var whole cty.Value
	s.then(s.assertion("x", lang.Assert{}, func(sc lang.Scope) (cty.Value, hcl.Diagnostics) {
		for _, w := range windows {
			v := sc.Window(w)
			got[w.Kind] = [2]string{show(v.GetAttr("total")), show(v.GetAttr("failed"))}
		}
		whole = sc.Instance("workload.w")
		return cty.True, nil
	}, []lang.Ref{{Kind: lang.WorkloadRef, Name: "w", Address: "workload.w"}}, windows...))
	p := s.play(t, t.TempDir())
	p.expect(t, 0)
	want := map[lang.WindowKind][2]string{
		lang.During:  {"40", "20"}, // 5 s to 9 s
		lang.Between: {"50", "20"}, // 5 s to 10 s
		lang.Since:   {"10", "0"},  // 9 s to 10 s
	}
	for k, w := range want {
		if got[k] != w {
			t.Errorf("%s: total and failed %v, want %v", k, got[k], w)
		}
	}
	if show(whole.GetAttr("failed")) != "20" || whole.GetAttr("state").AsString() != "passed" {
		t.Errorf("%#v", whole)
	}
}

func TestAWindowThatHasNotBegunHasNoValue(t *testing.T) {
	s := newScene()
	s.then(s.workload("w", 0, steady(allOK)))
	w := lang.Window{Kind: lang.During, Workload: "workload.w", A: "action.f"}
	s.then(s.assertion("x", lang.Assert{Within: time.Second}, func(sc lang.Scope) (cty.Value, hcl.Diagnostics) {
		return sc.Window(w).GetAttr("failed").Equals(cty.Zero), nil
	}, nil, w))
	s.then(s.fault("f", &testFault{}, cty.EmptyObjectVal))
	p := s.play(t, t.TempDir())
	p.expect(t, 6)
	p.expectCause(t, "no value")
}

func TestStopWorkloadReturnsTheStatisticsAndMoreIsNotSent(t *testing.T) {
	s := newScene()
	s.then(s.workload("w", 0, steady(allOK)))
	s.then(s.action("wait", sleeps(950*time.Millisecond)))
	var stats cty.Value
	s.then(s.action("stop", func(ctx context.Context, env *step.Env) (_ step.Result, err error) {
		stats, err = env.Workloads.Stop(ctx, "workload.w")
		return step.Result{}, err
	}))
	s.then(s.action("more", sleeps(3*time.Second)))
	p := s.play(t, t.TempDir())
	p.expect(t, 0)
	if got := show(stats.GetAttr("total")); got != "10" {
		t.Errorf("total %s", got)
	}
	if got := of[event.WorkloadFinished](p); len(got) != 1 || !strings.Contains(string(got[0].Statistics), `"total":10`) {
		t.Errorf("%+v", got)
	}
}

func TestOutputsAreReported(t *testing.T) {
	s := newScene()
	s.then(s.action("it", nothing))
	value := func(name string, v cty.Value, sensitive bool) {
		s.outputs = append(s.outputs, &lang.Output{Name: name, Value: exprOf(v), Sensitive: sensitive})
	}
	value("n", cty.NumberFloatVal(4.25), false)
	value("secret", cty.StringVal("x"), true)
	p := s.play(t, t.TempDir())
	p.expect(t, 0)
	got := of[event.Output](p)
	if len(got) != 2 || string(got[0].Value) != "4.25" || string(got[1].Value) != `"(sensitive)"` {
		t.Errorf("%s", got)
	}
}

func TestAnOutputThatCanNotBeEvaluatedFails(t *testing.T) {
	s := newScene()
	s.then(s.action("it", nothing))
	s.outputs = []*lang.Output{{Name: "n", Value: lang.NewExpr(hcl.Range{}, nil, nil, func(lang.Scope) (cty.Value, hcl.Diagnostics) {
		return cty.DynamicVal, hcl.Diagnostics{{Severity: hcl.DiagError, Summary: "Invalid index"}}
	})}}
	p := s.play(t, t.TempDir())
	p.expect(t, 1)
	p.expectCause(t, "Invalid index")
	if !p.Variants[0].Cause.Unevaluated {
		t.Error("it isn't said that an expression has no value")
	}
}

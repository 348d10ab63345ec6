package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/lang"
	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/event"
	"github.com/scenario-run/scenario/engine/fault"
	"github.com/scenario-run/scenario/engine/step"
)

// series is a fault that injects others.
type series struct{ step.Sequence }

func (s series) Intent(context.Context, *step.Env, cty.Value) (step.Intent, error) {
	return step.Intent{Data: []byte("{}")}, nil
}

func (s series) Inject(_ context.Context, env *step.Env, _ step.Intent) error {
	return env.Faults.Begin(s.Sequence)
}

func (s series) Observe(ctx context.Context, env *step.Env, _ step.Intent) (step.Observed, error) {
	return step.Observed{}, env.Faults.Begun(ctx)
}

func (s series) Heal(ctx context.Context, env *step.Env, _ step.Intent) error {
	return env.Faults.End(ctx)
}

func (s series) Verify(context.Context, *step.Env, step.Intent) error { return nil }

// onOne is a testFault on the node that its arguments name.
type onOne struct{ *testFault }

func (f onOne) Intent(_ context.Context, _ *step.Env, args cty.Value) (step.Intent, error) {
	return step.Intent{Nodes: []string{args.GetAttr("node").AsString()}, Data: []byte("{}")}, nil
}

// squalls is a scene of two nodes, and a step that hits them in turn, each second
// one, for 1.5 s each.
func squalls(hit *testFault) (s *scene, st *lang.Step, seq *step.Sequence) {
	s = newScene()
	s.node("a", nil)
	s.node("b", nil)
	last := s.vertices[len(s.vertices)-1] // which the first step waits for
	last.Waits = append(last.Waits, edge("node.a", lang.NeedFinished))
	s.defs = append(s.defs, step.Definition{
		Type: schema.Type{Kind: schema.Fault, Name: "hit", Takes: []schema.Resource{schema.Paused}}, Fault: onOne{hit},
	})
	f := &series{step.Sequence{
		Every: time.Second, Nodes: []string{"node.a", "node.b"},
		Next: func(n int) *step.Injection {
			node := []string{"node.a", "node.b"}[n%2]
			in := &step.Injection{Type: "hit", Nodes: []string{node}, Args: cty.ObjectVal(map[string]cty.Value{
				"node": cty.StringVal(node), "for": cty.StringVal("1500ms"),
			})}
			if n >= 2 {
				in.After = []int{n - 2}
			}
			return in
		},
	}}
	return s, s.fault("storm", f, cty.EmptyObjectVal), &f.Sequence
}

func TestEachFaultOfASequenceHasALifeOfItsOwn(t *testing.T) {
	hit := &testFault{}
	s, st, _ := squalls(hit)
	dir := t.TempDir()
	var during []fault.Record
	s.then(st)
	s.then(s.action("meanwhile", func(ctx context.Context, env *step.Env) (_ step.Result, err error) {
		if err := env.Clock.Sleep(ctx, 2200*time.Millisecond); err != nil {
			return step.Result{}, err
		}
		during, err = fault.Outstanding(dir)
		return step.Result{}, err
	}))
	s.then(s.action("over", func(ctx context.Context, env *step.Env) (step.Result, error) {
		return step.Result{}, env.Faults.Heal(ctx, "action.storm")
	}))
	p := s.play(t, dir)
	p.expect(t, 0)
	expectOrder(t, p.order(), "start action.storm", "fault action.storm injecting",
		"start action.storm/fault[0]", "fault action.storm/fault[0] injecting", "fault action.storm/fault[0] active", "fault action.storm active", "passed action.storm",
		"fault action.storm/fault[1] active", "fault action.storm/fault[0] healed", "passed action.storm/fault[0]",
		"fault action.storm/fault[2] active", "fault action.storm healing", "fault action.storm/fault[2] healed", "fault action.storm healed", "passed action.over")
	var steps []string
	for _, r := range during {
		steps = append(steps, r.Step)
	}
	if got := strings.Join(steps, " "); got != "action.storm/fault[2] action.storm/fault[1] action.storm" {
		t.Errorf("outstanding in the journal: %s", got)
	}
	if left, err := fault.Outstanding(dir); err != nil || len(left) > 0 {
		t.Errorf("outstanding at the end: %v %v", left, err)
	}
	if hit.injected != 3 || hit.healed != 3 {
		t.Errorf("injected %d, healed %d", hit.injected, hit.healed)
	}
}

func TestTheNextFaultOfASequenceWaitsForTheEndOfThoseBefore(t *testing.T) {
	var slowed atomic.Bool
	hit := &testFault{onHeal: func(ctx context.Context, env *step.Env) error {
		if slowed.Swap(true) {
			return nil
		}
		return env.Clock.Sleep(ctx, 5*time.Second)
	}}
	s, st, _ := squalls(hit)
	s.then(st)
	s.then(s.action("on", sleeps(8*time.Second)))
	p := s.play(t, t.TempDir())
	p.expect(t, 0)
	expectOrder(t, p.order(), "fault action.storm/fault[0] healing", "fault action.storm/fault[0] healed", "start action.storm/fault[2]")
}

func TestAFaultOfASequenceThatFailsFailsTheScenario(t *testing.T) {
	for _, test := range []struct {
		name string
		hit  *testFault
		code int
		want string
	}{
		{"injected", &testFault{onInject: failsFrom(2, step.Failf("no such process"))}, 1, "no such process"},
		{"observed", &testFault{onObserve: failsFrom(2, errors.New("nothing seen"))}, 6, "the fault never became active: nothing seen"},
		{"healed", &testFault{onHeal: failsFrom(1, errors.New("stuck"))}, 6, "the heal of action.storm/fault[0] could not be confirmed: stuck"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, st, _ := squalls(test.hit)
			s.then(st)
			s.then(s.action("on", sleeps(time.Minute)))
			p := s.play(t, t.TempDir())
			if p.ExitCode != test.code || !strings.Contains(p.variantCause(), test.want) {
				t.Errorf("exit code %d, cause %q, want %d, %q\n%s", p.ExitCode, p.variantCause(), test.code, test.want, p.text())
			}
			if on := p.step(t, "action.on"); on.State != event.Cancelled {
				t.Errorf("what went on meanwhile: %s", on.State)
			}
			p.expectEmpty(t)
		})
	}
}

// failsFrom fails with the n-th call, once.
func failsFrom(n int, err error) func(context.Context, *step.Env) error {
	return func(context.Context, *step.Env) error {
		if n--; n == 0 {
			return err
		}
		return nil
	}
}

func TestASequenceLeavesOutWhatWouldCollideWithOtherFaults(t *testing.T) {
	hit := &testFault{}
	s, st, seq := squalls(hit)
	seq.Keep = 1
	other := s.fault("other", &testFault{nodes: []string{"node.b"}}, cty.EmptyObjectVal, schema.Paused)
	s.then(other)
	st.Meta.Background = true
	s.then(st)
	s.after(s.action("on", sleeps(3500*time.Millisecond)), edge("action.other", lang.NeedFinished))
	s.then(s.action("over", func(ctx context.Context, env *step.Env) (step.Result, error) {
		return step.Result{}, env.Faults.Heal(ctx, "action.other", "action.storm")
	}))
	p := s.play(t, t.TempDir())
	if hit.injected != 0 {
		t.Errorf("injected %d", hit.injected)
	}
	var said []string
	for _, l := range of[event.StepProgress](p) {
		if !slices.Contains(said, l.Text) {
			said = append(said, l.Text)
		}
	}
	want := []string{
		"hit is left out this time: 0 nodes would be left untouched, not 1: action.other is on node.b",
		"hit is left out this time: node.b is already hit by action.other, which takes its paused as well",
	}
	if !slices.Equal(said, want) {
		t.Errorf("said %q", said)
	}
}

// Its end isn't a reason to break off what has begun: nobody would know whether
// it is in effect.
func TestWhatHasBegunOfASequenceIsNotCutOffByItsEnd(t *testing.T) {
	slowly := func(ctx context.Context, env *step.Env) error { return env.Clock.Sleep(ctx, 900*time.Millisecond) }
	for _, test := range []struct {
		name string
		hit  *testFault
		goes time.Duration // on with it
	}{
		{"a heal", &testFault{onHeal: slowly}, 1700 * time.Millisecond},
		{"an injection", &testFault{onInject: slowly}, 300 * time.Millisecond},
	} {
		t.Run(test.name, func(t *testing.T) {
			hit := test.hit
			s, st, _ := squalls(hit)
			s.then(st)
			s.then(s.action("on", sleeps(test.goes)))
			s.then(s.action("over", func(ctx context.Context, env *step.Env) (step.Result, error) {
				return step.Result{}, env.Faults.Heal(ctx, "action.storm")
			}))
			p := s.play(t, t.TempDir())
			p.expect(t, 0)
			if text := p.text(); strings.Contains(text, `"invalid"`) || strings.Contains(text, "skipped") {
				t.Errorf("something was broken off:\n%s", text)
			}
			if hit.injected == 0 || hit.healed != hit.injected {
				t.Errorf("injected %d, healed %d", hit.injected, hit.healed)
			}
		})
	}
}

func TestASequenceEndsWithTheRun(t *testing.T) {
	var signals chan os.Signal
	for _, test := range []struct {
		name string
		end  action
		code int
	}{
		{"by an interrupt", func(ctx context.Context, env *step.Env) (step.Result, error) {
			signals <- syscall.SIGINT
			return hangs(ctx, env)
		}, 130},
		{"by a failure", fails(step.Failf("no")), 1},
		{"by its end", nothing, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			hit := &testFault{}
			s, st, _ := squalls(hit)
			s.then(st)
			s.then(s.action("on", sleeps(1200*time.Millisecond)))
			s.then(s.action("end", test.end))
			dir := t.TempDir()
			var p played
			s.within(t, func() { // channels belong to a bubble
				signals = make(chan os.Signal, 1)
				s.opts.Interrupts = signals
				p = s.run(dir)
			})
			p.expect(t, test.code)
			if hit.injected != 2 || hit.healed != 2 {
				t.Errorf("injected %d, healed %d\n%s", hit.injected, hit.healed, p.text())
			}
			if left, err := fault.Outstanding(dir); err != nil || len(left) > 0 {
				t.Errorf("outstanding: %v %v", left, err)
			}
		})
	}
}

func TestHitsOfASequenceGrow(t *testing.T) {
	s, st, _ := squalls(&testFault{})
	s.then(st)
	s.then(s.action("on", sleeps(1200*time.Millisecond)))
	s.outputs = append(s.outputs, &lang.Output{Name: "hits", Value: lang.NewExpr(st.Range, []lang.Ref{{Kind: lang.ActionRef, Name: "storm", Address: "action.storm", Need: lang.NeedFinished}}, nil,
		func(scope lang.Scope) (cty.Value, diagnostics) {
			return scope.Instance("action.storm").GetAttr("hits"), nil
		})})
	p := s.play(t, t.TempDir())
	p.expect(t, 0)
	if all := of[event.Output](p); len(all) != 1 || string(all[0].Value) != `["hit hit","hit hit"]` {
		t.Errorf("%s", fmt.Sprint(all))
	}
}

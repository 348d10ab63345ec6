package engine

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/event"
	"github.com/scenario-run/scenario/engine/fault"
	"github.com/scenario-run/scenario/engine/step"
)

// testFault does what its functions say; nil ones do nothing.
type testFault struct {
	mu                              sync.Mutex // of the counts
	nodes                           []string
	onInject, onObserve             func(context.Context, *step.Env) error
	onHeal, onVerify                func(context.Context, *step.Env) error
	injected, healed, verifiedTimes int
}

func (f *testFault) Intent(context.Context, *step.Env, cty.Value) (step.Intent, error) {
	return step.Intent{Nodes: f.nodes, Data: []byte(`{"x":1}`)}, nil
}

func (f *testFault) Inject(ctx context.Context, env *step.Env, _ step.Intent) error {
	f.count(&f.injected)
	return call(f.onInject, ctx, env)
}

func (f *testFault) Observe(ctx context.Context, env *step.Env, _ step.Intent) (step.Observed, error) {
	if err := call(f.onObserve, ctx, env); err != nil {
		return step.Observed{}, err
	}
	return step.Observed{Result: step.Result{Summary: "hit"}, Hits: []string{"pid 7"}}, nil
}

func (f *testFault) Heal(ctx context.Context, env *step.Env, _ step.Intent) error {
	f.count(&f.healed)
	return call(f.onHeal, ctx, env)
}

func (f *testFault) Verify(ctx context.Context, env *step.Env, _ step.Intent) error {
	f.count(&f.verifiedTimes)
	return call(f.onVerify, ctx, env)
}

// count counts a call: a sequence injects and heals side by side.
func (f *testFault) count(calls *int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	*calls++
}

func call(f func(context.Context, *step.Env) error, ctx context.Context, env *step.Env) error {
	if f == nil {
		return nil
	}
	return f(ctx, env)
}

func waits(ctx context.Context, _ *step.Env) error {
	<-ctx.Done()
	return context.Cause(ctx)
}

func TestAFaultIsOnDiskBeforeItIsInjectedAndHealedAtTheEnd(t *testing.T) {
	s := newScene()
	dir := t.TempDir()
	var before []fault.Record
	f := &testFault{nodes: []string{"node.a"}, onInject: func(context.Context, *step.Env) (err error) {
		before, err = fault.Outstanding(dir)
		return err
	}}
	s.node("a", nil)
	s.then(s.fault("f", f, cty.EmptyObjectVal))
	p := s.play(t, dir)
	p.expect(t, 0)
	if len(before) != 1 || before[0].Step != "action.f" || len(before[0].Nodes) != 1 || string(before[0].Intent.Data) != `{"x":1}` {
		t.Errorf("on disk before the injection: %+v", before)
	}
	if left, err := fault.Outstanding(dir); err != nil || len(left) != 0 {
		t.Errorf("%v %v", left, err)
	}
	if f.healed != 1 || f.verifiedTimes != 1 {
		t.Errorf("healed %d, verified %d", f.healed, f.verifiedTimes)
	}
	expectOrder(t, p.order(), "start action.f", "fault action.f injecting", "fault action.f active", "passed action.f",
		"phase heal", "fault action.f healing", "fault action.f healed", "phase teardown")
}

func TestAFaultThatNeverBecomesActiveIsInconclusive(t *testing.T) {
	s := newScene()
	f := &testFault{onObserve: waits}
	s.then(s.fault("f", f, cty.EmptyObjectVal))
	s.then(s.action("next", nothing))
	p := s.play(t, t.TempDir())
	p.expect(t, 6)
	p.expectCause(t, "never became active")
	if f.healed != 1 {
		t.Errorf("healed %d times", f.healed)
	}
	expectOrder(t, p.order(), "fault action.f injecting", "fault action.f invalid", "skipped action.next", "fault action.f healing", "fault action.f healed")
}

func TestAFaultThatHitsNothingFails(t *testing.T) {
	s := newScene()
	f := &testFault{onObserve: func(context.Context, *step.Env) error { return step.Failf("no process matches") }}
	s.then(s.fault("f", f, cty.EmptyObjectVal))
	p := s.play(t, t.TempDir())
	p.expect(t, 1)
	p.expectCause(t, "no process matches")
}

func TestAHealThatIsNotVerifiedIsInconclusiveAndNamed(t *testing.T) {
	s := newScene()
	f := &testFault{onVerify: waits}
	s.then(s.fault("f", f, cty.EmptyObjectVal))
	s.inCleanup(s.action("tidy", nothing))
	p := s.play(t, t.TempDir())
	p.expect(t, 6)
	p.expectCause(t, "action.f could not be healed")
	if left := of[event.LeftBehind](p); len(left) != 0 {
		t.Errorf("it goes with its nodes, and is said to be left: %+v", left)
	}
	p.step(t, "cleanup/action.tidy")
}

func TestWhatIsNotHealedOfNodesThatAreKeptIsLeftBehind(t *testing.T) {
	s := newScene()
	s.opts.Keep = KeepAlways
	s.node("a", nil)
	s.then(s.fault("f", &testFault{nodes: []string{"node.a"}, onVerify: waits}, cty.EmptyObjectVal))
	p := s.play(t, t.TempDir())
	if left := of[event.LeftBehind](p); p.ExitCode != 6 || len(left) != 1 || !strings.Contains(left[0].What, "action.f") {
		t.Errorf("%+v", left)
	}
}

func TestFaultsAreHealedLastInFirstOutEvenIfOneOfThemPanics(t *testing.T) {
	s := newScene()
	var order []string
	heal := func(name string, also func()) *testFault {
		return &testFault{onHeal: func(context.Context, *step.Env) error {
			order = append(order, name)
			also()
			return nil
		}}
	}
	s.then(s.fault("a", heal("a", func() {}), cty.EmptyObjectVal))
	s.then(s.fault("b", heal("b", func() { panic("b") }), cty.EmptyObjectVal))
	s.then(s.fault("c", heal("c", func() {}), cty.EmptyObjectVal))
	p := s.play(t, t.TempDir())
	if p.ExitCode != 4 {
		t.Errorf("exit code %d\n%s", p.ExitCode, p.text())
	}
	if got := strings.Join(order, ""); got != "cba" {
		t.Errorf("healed in the order %s", got)
	}
}

func TestForHealsAFaultAndItsStepIsFinishedThen(t *testing.T) {
	s := newScene()
	f := &testFault{}
	s.then(s.fault("f", f, cty.ObjectVal(map[string]cty.Value{"for": cty.StringVal("3s")})))
	p := s.play(t, t.TempDir())
	p.expect(t, 0)
	if got := p.step(t, "action.f"); got.Seconds != 3 || f.healed != 1 {
		t.Errorf("%+v, healed %d", got, f.healed)
	}
	expectOrder(t, p.order(), "fault action.f healed", "passed action.f")
}

func TestHealHealsNamedFaultsOnce(t *testing.T) {
	s := newScene()
	f := &testFault{}
	s.then(s.fault("f", f, cty.EmptyObjectVal))
	heal := func(ctx context.Context, env *step.Env) (step.Result, error) {
		return step.Result{}, env.Faults.Heal(ctx, "action.f")
	}
	s.then(s.action("heal", heal))
	s.then(s.action("again", heal))
	p := s.play(t, t.TempDir())
	p.expect(t, 0)
	if f.healed != 1 {
		t.Errorf("healed %d times", f.healed)
	}
}

func TestTwoFaultsThatTakeTheSameOfANodeConflict(t *testing.T) {
	s := newScene()
	s.node("a", nil)
	s.then(s.fault("f", &testFault{nodes: []string{"node.a"}}, cty.EmptyObjectVal, schema.CPU))
	second := &testFault{nodes: []string{"node.a"}}
	s.then(s.fault("g", second, cty.EmptyObjectVal, schema.CPU))
	p := s.play(t, t.TempDir())
	p.expect(t, 1)
	p.expectCause(t, "node.a is already hit by action.f")
	if second.injected != 0 {
		t.Error("it was injected")
	}
}

func killFault(nodes ...string) *testFault {
	return &testFault{
		nodes: nodes,
		onInject: func(ctx context.Context, env *step.Env) error {
			for _, n := range nodes {
				if err := env.Nodes.Kill(ctx, n, "SIGKILL"); err != nil {
					return err
				}
			}
			return nil
		},
		onHeal: func(ctx context.Context, env *step.Env) error { return env.Nodes.Start(ctx, nodes...) },
	}
}

func TestTheStartOfItsNodeEndsAFaultThatTookItDown(t *testing.T) {
	s := newScene()
	s.node("a", nil)
	f := killFault("node.a")
	s.then(s.fault("kill", f, cty.EmptyObjectVal, schema.Down))
	s.then(s.action("wait", sleeps(2*time.Second)))
	s.then(s.action("start", func(ctx context.Context, env *step.Env) (step.Result, error) {
		return step.Result{}, env.Nodes.Start(ctx, "node.a")
	}))
	p := s.play(t, t.TempDir())
	p.expect(t, 0)
	expectOrder(t, p.order(), "node.a exited", "fault action.kill active", "passed action.wait", "start action.start",
		"fault action.kill healing", "node.a ready", "fault action.kill healed", "passed action.start")
	if f.healed != 0 {
		t.Errorf("healed %d times beside the start", f.healed)
	}
}

func TestADeadNodeIsNotRevivedOnlyToBeRemoved(t *testing.T) {
	for _, cleanup := range []bool{false, true} {
		s := newScene()
		s.node("a", nil)
		f := killFault("node.a")
		s.then(s.fault("kill", f, cty.EmptyObjectVal, schema.Down))
		if cleanup {
			s.inCleanup(s.action("tidy", nothing))
		}
		p := s.play(t, t.TempDir())
		p.expect(t, 0)
		if revived := f.healed == 1; revived != cleanup {
			t.Errorf("cleanup %v: healed %d times", cleanup, f.healed)
		}
		expectOrder(t, p.order(), "fault action.kill healing", "fault action.kill healed", "phase teardown")
	}
}

func TestARetriedFaultIsHealedBeforeItIsInjectedAgain(t *testing.T) {
	s := newScene()
	f := &testFault{}
	f.onInject = func(context.Context, *step.Env) error {
		if f.injected == 1 {
			return step.Failf("missed")
		}
		if f.healed != 1 {
			return errors.New("not healed before")
		}
		return nil
	}
	st := s.then(s.fault("f", f, cty.EmptyObjectVal))
	st.Meta.Attempts = 2
	p := s.play(t, t.TempDir())
	p.expect(t, 0)
}

func TestAnIntentThatCanNotBeWrittenIsNotInjected(t *testing.T) {
	s := newScene()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "faults.ndjson"), 0o755); err != nil {
		t.Fatal(err)
	}
	f := &testFault{}
	s.then(s.fault("f", f, cty.EmptyObjectVal))
	p := s.play(t, dir)
	p.expect(t, 4)
	if f.injected != 0 {
		t.Error("it was injected")
	}
}

func TestAHealOfWhatWasNeverInjectedFails(t *testing.T) {
	s := newScene()
	f := s.fault("f", &testFault{}, cty.EmptyObjectVal)
	f.Meta.When = exprOf(cty.False)
	s.then(f)
	s.then(s.action("heal", func(ctx context.Context, env *step.Env) (step.Result, error) {
		return step.Result{}, env.Faults.Heal(ctx, "action.f")
	}))
	p := s.play(t, t.TempDir())
	p.expect(t, 1)
	p.expectCause(t, "action.f was never injected, so that there is nothing to heal")
}

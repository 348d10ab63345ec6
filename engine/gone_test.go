package engine

import (
	"context"
	"errors"
	"regexp"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/runtime/fake"
	"github.com/scenario-run/scenario/engine/step"
)

// A node may exit between the look that found it running and the call.
func TestWhatFailsForANodeThatExitedMeanwhileIsTheNodesFault(t *testing.T) {
	notRunning := &runtime.Error{Kind: runtime.NotRunning, Op: "freeze node.a", Err: errors.New("it does not run")}
	for name, tt := range map[string]struct {
		exits bool
		code  int
		says  string
	}{
		"it has exited": {true, 1, "node.a exited with code 3 meanwhile: freeze node.a: it does not run"},
		"an agent is gone, and the node is there": {false, 4, "freeze node.a: it does not run"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene()
			s.node("a", map[string]cty.Value{"may_exit": cty.True})
			s.then(s.fault("f", &testFault{nodes: []string{"node.a"}, onInject: func(context.Context, *step.Env) error {
				if tt.exits {
					s.placed.Exit("node.a", 3)
				}
				return notRunning
			}}, cty.EmptyObjectVal, schema.Paused))
			p := s.play(t, t.TempDir())
			p.expect(t, tt.code)
			p.expectCause(t, tt.says)
		})
	}
}

// What runs containers knows of an exit before the place does: that goes on to
// call the node running, and what it says of a call that failed is another matter
// each time.
func TestACallThatFailsForAnExitThatIsNotKnownYetIsTheNodesFault(t *testing.T) {
	for name, tt := range map[string]struct {
		ends func(*fake.Runtime)
		code int
		says string
	}{
		"it exits": {func(r *fake.Runtime) { r.Exit("node.a", 137) }, 1, "node.a exited with code 137 meanwhile: limit the memory of node.a: no such process"},
		"it exits and comes back": {func(r *fake.Runtime) {
			r.Exit("node.a", 137)
			r.ComeBack("node.a")
		}, 1, "node.a exited with code 137 meanwhile: limit the memory of node.a: no such process"},
		"it lives on": {func(*fake.Runtime) {}, 4, "limit the memory of node.a: no such process"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene()
			s.node("a", map[string]cty.Value{"may_exit": cty.True})
			s.fake.Fail = func(_ context.Context, op, _ string) error {
				if op != "LimitMemory" {
					return nil
				}
				time.AfterFunc(time.Second, func() { tt.ends(s.placed) })
				return &runtime.Error{Kind: runtime.Internal, Op: "limit the memory of node.a", Err: errors.New("no such process")}
			}
			s.then(s.fault("f", &testFault{nodes: []string{"node.a"}, onInject: func(ctx context.Context, env *step.Env) error {
				return env.Nodes.LimitMemory(ctx, "node.a", 1)
			}}, cty.EmptyObjectVal, schema.Memory))
			p := s.play(t, t.TempDir())
			p.expect(t, tt.code)
			p.expectCause(t, tt.says)
		})
	}
}

// A heal that meets a node which runs and dies meanwhile heals one that is down.
func TestAHealIsDoneAnewWhereItsNodeDiesMeanwhile(t *testing.T) {
	s := newScene()
	s.node("a", map[string]cty.Value{"may_exit": cty.True})
	calls := 0
	s.fake.Fail = func(_ context.Context, op, _ string) error {
		if op != "LimitMemory" {
			return nil
		}
		if calls++; calls > 1 {
			return nil
		}
		s.placed.Exit("node.a", 137)
		return &runtime.Error{Kind: runtime.Internal, Err: errors.New("no such process")}
	}
	s.then(s.fault("f", &testFault{nodes: []string{"node.a"}, onHeal: func(ctx context.Context, env *step.Env) error {
		return env.Nodes.LimitMemory(ctx, "node.a", 0)
	}}, cty.EmptyObjectVal, schema.Memory))
	s.play(t, t.TempDir()).expect(t, 0)
	if calls != 2 {
		t.Errorf("the limit was lifted %d times", calls)
	}
}

// Of a fault that never came to be in effect, it says nothing that it was not
// in effect when it was healed.
func TestOnlyAFaultThatWasActiveCanLapse(t *testing.T) {
	for _, active := range []bool{true, false} {
		s := newScene()
		s.node("a", nil)
		f := s.fault("f", &testFault{
			nodes: []string{"node.a"},
			onObserve: func(context.Context, *step.Env) error {
				if active {
					return nil
				}
				return step.Failf("it hit nothing")
			},
			onHeal: func(context.Context, *step.Env) error { return step.Lapsedf("it was gone before") },
		}, cty.EmptyObjectVal, schema.CPU)
		code := 6
		if !active {
			f.Meta.ExpectError, code = regexp.MustCompile("hit nothing"), 0
		}
		s.then(f)
		s.play(t, t.TempDir()).expect(t, code)
	}
}

package engine

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/event"
	"github.com/scenario-run/scenario/engine/step"
)

// A node that crashes while it is cut off is what the scenario looks for, unless
// it says otherwise. That a fault is on a node explains no more of it than what
// the fault itself does.
func TestAFaultExplainsTheExitOfItsNodeOnlyIfItDoesThatOrSaysSo(t *testing.T) {
	may := cty.ObjectVal(map[string]cty.Value{schema.MayExitArg: cty.True})
	for _, test := range []struct {
		name    string
		takes   schema.Resource
		args    cty.Value
		because string // of the failure
		allowed string
	}{
		{"taken down", schema.Down, cty.EmptyObjectVal, "", ""},
		{"short of memory", schema.Memory, cty.EmptyObjectVal, "", ""},
		{"cut off", schema.Links, cty.EmptyObjectVal, "node.a exited with code 3 while action.cut was in effect; no step had asked for that", ""},
		{"paused", schema.Paused, cty.EmptyObjectVal, "node.a exited with code 3 while action.cut was in effect; no step had asked for that", ""},
		{"cut off, as it may be", schema.Links, may, "", "action.cut"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newScene()
			s.node("a", nil)
			s.then(s.fault("cut", &testFault{nodes: []string{"node.a"}}, test.args, test.takes))
			s.then(s.action("crash", func(ctx context.Context, env *step.Env) (step.Result, error) {
				s.placed.Exit("node.a", 3)
				return step.Result{}, env.Clock.Sleep(ctx, time.Second)
			}))
			p := s.play(t, t.TempDir())
			if test.because == "" {
				p.expect(t, 0)
			} else {
				p.expect(t, 1)
				p.expectCause(t, test.because)
				if c := p.Variants[0].Cause; !strings.Contains(c.Hint, "may_exit = true on action.cut") {
					t.Errorf("hint %q", c.Hint)
				}
			}
			allowed := ""
			for _, n := range of[event.NodeChanged](p) {
				allowed += n.AllowedBy
			}
			if allowed != test.allowed {
				t.Errorf("allowed by %q, want %q", allowed, test.allowed)
			}
		})
	}
}

// Both looked at the node before either had an effect; the second is refused
// before it does anything, since a frozen process never exits.
func TestAKillAndAPauseSideBySideExcludeEachOtherAtOnce(t *testing.T) {
	s := newScene()
	s.node("a", nil)
	injecting := make(chan struct{})
	s.background(s.fault("kill", &testFault{nodes: []string{"node.a"}, onInject: func(ctx context.Context, env *step.Env) error {
		close(injecting)
		return env.Clock.Sleep(ctx, time.Minute)
	}}, cty.EmptyObjectVal, schema.Down))
	s.then(s.action("both", func(ctx context.Context, _ *step.Env) (step.Result, error) {
		select {
		case <-injecting:
			return step.Result{}, nil
		case <-ctx.Done():
			return step.Result{}, context.Cause(ctx)
		}
	}))
	pause := &testFault{nodes: []string{"node.a"}}
	s.then(s.fault("pause", pause, cty.EmptyObjectVal, schema.Paused))
	p := s.play(t, t.TempDir())
	p.expect(t, 1)
	p.expectCause(t, "node.a is already hit by action.kill: what is down can't be paused")
	if pause.injected != 0 {
		t.Error("it was injected all the same")
	}
}

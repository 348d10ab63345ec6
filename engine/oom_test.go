package engine

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/event"
	"github.com/scenario-run/scenario/engine/runtime/fake"
	"github.com/scenario-run/scenario/engine/step"
)

// starves is an action in whose third second the kernel kills something.
func starves(kill func()) action {
	return func(ctx context.Context, env *step.Env) (step.Result, error) {
		if err := env.Clock.Sleep(ctx, 3*time.Second); err != nil {
			return step.Result{}, err
		}
		kill()
		return step.Result{}, env.Clock.Sleep(ctx, time.Minute)
	}
}

// unasked are the changes of nodes that nobody asked for.
func unasked(p played) []event.NodeChanged {
	return slices.DeleteFunc(of[event.NodeChanged](p), func(n event.NodeChanged) bool { return !n.Unasked })
}

func TestANodeThatLosesAProcessForWantOfMemoryFailsTheScenarioAtThatMoment(t *testing.T) {
	s := newScene()
	s.node("a", nil)
	s.fake.Script = scripted(map[string]fake.Script{"a": {Prints: []string{"one", "worker 7 is lost"}}})
	s.then(s.action("it", starves(func() {
		s.placed.OOMOfOne("node.a")
		s.placed.OOMOfOne("node.a")
	})))
	p := s.play(t, t.TempDir())
	p.expect(t, 1)
	p.expectCause(t, "a process of node.a was killed for using too much memory")
	if c := p.Variants[0].Cause; p.Variants[0].Step != "node.a" || c.LogOf != "node.a" || !strings.Contains(c.Detail, "worker 7 is lost") {
		t.Errorf("%+v: %+v", p.Variants[0], c)
	}
	if got := p.step(t, "action.it"); got.State != event.Cancelled || got.Seconds != 3 {
		t.Errorf("%+v", got)
	}
	said := unasked(p)
	if len(said) != 1 || !said[0].OOMKilled || said[0].State != nodeReady || !strings.Contains(strings.Join(said[0].Log, "\n"), "worker 7 is lost") {
		t.Errorf("said: %+v", said)
	}
}

func TestANodeThatIsKilledForWantOfMemoryIsSaidToHaveExited(t *testing.T) {
	s := newScene()
	s.node("a", nil)
	s.fake.Script = scripted(map[string]fake.Script{"a": {Prints: []string{"the last line"}}})
	s.then(s.action("it", starves(func() { s.placed.OOM("node.a") })))
	p := s.play(t, t.TempDir())
	p.expect(t, 1)
	p.expectCause(t, "node.a was killed for using too much memory (code 137)")
	if c := p.Variants[0].Cause; !strings.Contains(c.Detail, "the last line") {
		t.Errorf("%+v", c)
	}
	if said := unasked(p); len(said) != 1 || !said[0].OOMKilled || said[0].State != nodeExited {
		t.Errorf("said: %+v", said)
	}
}

// With version 2 of cgroups, that a process was killed for want of memory may be
// told after the exit of the node that it was.
func TestWhyANodeWasKilledMayBeToldAfterItsExit(t *testing.T) {
	for name, tt := range map[string]struct {
		told bool
		says string
	}{
		"a moment after": {true, "node.a was killed for using too much memory (code 137)"},
		"or not at all":  {false, "node.a exited with code 137; no step had asked for that"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene()
			s.node("a", nil)
			s.fake.Script = scripted(map[string]fake.Script{"a": {Prints: []string{"the last line"}}})
			s.then(s.action("it", starves(func() {
				s.placed.Exit("node.a", killedExit)
				if tt.told {
					time.AfterFunc(100*time.Millisecond, func() { s.placed.OOMOfOne("node.a") })
				}
			})))
			p := s.play(t, t.TempDir())
			p.expect(t, 1)
			p.expectCause(t, tt.says)
			if said := unasked(p); len(said) != 1 || said[0].OOMKilled != tt.told || said[0].State != nodeExited {
				t.Errorf("said: %+v", said)
			}
		})
	}
}

func TestWhatExplainsWantOfMemory(t *testing.T) {
	tests := []struct {
		name  string
		args  map[string]cty.Value
		nodes []string // of a fault
		takes schema.Resource
		code  int
	}{
		{"a node that may exit", map[string]cty.Value{"may_exit": cty.True}, nil, "", 0},
		{"a fault that takes its memory", nil, []string{"node.a"}, schema.Memory, 0},
		{"not one that takes another's", nil, []string{"node.b"}, schema.Memory, 1},
		{"not one that takes something else", nil, []string{"node.a"}, schema.CPU, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newScene()
			s.node("a", tt.args)
			s.node("b", nil)
			if tt.takes != "" {
				s.then(s.fault("f", &testFault{nodes: tt.nodes}, cty.EmptyObjectVal, tt.takes))
			}
			s.then(s.action("it", starves(func() { s.placed.OOMOfOne("node.a") })))
			s.play(t, t.TempDir()).expect(t, tt.code)
		})
	}
}

func TestAFaultThatWasHealedExplainsNoWantOfMemory(t *testing.T) {
	s := newScene()
	s.node("a", nil)
	lasts := cty.ObjectVal(map[string]cty.Value{"for": cty.StringVal("1s")})
	s.then(s.fault("f", &testFault{nodes: []string{"node.a"}}, lasts, schema.Memory))
	s.then(s.action("it", starves(func() { s.placed.OOMOfOne("node.a") })))
	p := s.play(t, t.TempDir())
	p.expect(t, 1)
	p.expectCause(t, "a process of node.a was killed")
}

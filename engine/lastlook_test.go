package engine

import (
	"context"
	"fmt"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/engine/event"
	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/runtime/fake"
	"github.com/scenario-run/scenario/engine/step"
)

// exitsAfter makes every node exit by itself so long after its start.
func exitsAfter(s *scene, d time.Duration) func(runtime.NodeSpec) fake.Script {
	return func(spec runtime.NodeSpec) fake.Script {
		return fake.Script{Start: func(int) error {
			time.AfterFunc(d, func() { s.placed.ExitIfThere(spec.Address, 3) })
			return nil
		}}
	}
}

func TestANodeThatExitsSoonAfterItsStartFailsHoweverLittleIsDone(t *testing.T) {
	for round := range 50 {
		d := time.Duration(round*4+1) * time.Millisecond
		t.Run(d.String(), func(t *testing.T) {
			s := newScene()
			s.node("a", nil)
			s.node("b", map[string]cty.Value{"may_exit": cty.True})
			if round%2 == 0 {
				s.then(s.action("quick", nothing))
			}
			s.fake.Script = exitsAfter(s, d)
			p := s.play(t, t.TempDir())
			p.expect(t, 1)
			p.expectCause(t, "node.a exited with code 3")
		})
	}
}

func TestAnExitOfWhichNoNewsHasComeFailsTheScenario(t *testing.T) {
	for round := range 50 {
		s := newScene()
		s.fake.Silent = true
		s.node("a", nil)
		s.then(s.action("last", func(ctx context.Context, env *step.Env) (step.Result, error) {
			err := env.Clock.Sleep(ctx, time.Duration(round)*10*time.Millisecond)
			s.placed.Exit("node.a", 3)
			return step.Result{}, err
		}))
		p := s.play(t, t.TempDir())
		p.expect(t, 1)
		p.expectCause(t, "node.a exited with code 3; no step had asked for that")
	}
}

func TestWhatNodesAreWaitedForAtTheEnd(t *testing.T) {
	tests := []struct {
		name string
		args map[string]cty.Value
		last action
		want time.Duration
	}{
		{"one that has only just started", nil, nothing, infancy},
		{"not one that has run for a while", nil, sleeps(infancy), infancy},
		{"not one that has been seen to be ready", ready(map[string]cty.Value{"tcp": cty.NumberIntVal(80)}), nothing, 0},
		{"not one that may exit", map[string]cty.Value{"may_exit": cty.True}, nothing, 0},
		{"not when the verdict stands", nil, fails(fmt.Errorf("no")), 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newScene()
			s.fake.Script = acceptsOn80
			s.node("a", tt.args)
			s.then(s.action("last", tt.last))
			p := s.play(t, t.TempDir())
			var began time.Duration
			for _, e := range p.events {
				switch b := e.Body.(type) {
				case event.NodeChanged:
					if b.State == nodeReady {
						began = e.Mono
					}
				case event.PhaseStarted:
					if b.Phase == "teardown" && e.Mono-began != tt.want {
						t.Errorf("the end came %v after the start, want %v\n%s", e.Mono-began, tt.want, p.text())
					}
				}
			}
		})
	}
}

func TestAnInterruptEndsTheWaitForYoungNodes(t *testing.T) {
	s := newScene()
	s.node("a", nil)
	var signals chan os.Signal
	s.then(s.action("last", func(context.Context, *step.Env) (step.Result, error) {
		time.AfterFunc(infancy/2, func() { signals <- syscall.SIGINT })
		return step.Result{}, nil
	}))
	var p played
	s.within(t, func() {
		signals = make(chan os.Signal, 1)
		s.opts.Interrupts = signals
		p = s.run(t.TempDir())
	})
	p.expect(t, codeInterrupted)
	if last := p.events[len(p.events)-1]; last.Mono != infancy/2 {
		t.Errorf("it ended after %v", last.Mono)
	}
}

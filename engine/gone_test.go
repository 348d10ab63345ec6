package engine

import (
	"context"
	"errors"
	"regexp"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/runtime"
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

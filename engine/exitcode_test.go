package engine

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/lang"
	"github.com/scenario-run/scenario/engine/event"
	"github.com/scenario-run/scenario/engine/step"
)

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

package engine

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/event"
	"github.com/scenario-run/scenario/engine/step"
)

func TestASequenceThatOtherFaultsLeaveNothingFailsAtOnce(t *testing.T) {
	s, st, seq := squalls(&testFault{})
	seq.Keep = 1
	s.then(s.fault("other", &testFault{nodes: []string{"node.b"}}, cty.EmptyObjectVal, schema.Paused), edge("node.b", "finished"))
	s.then(st)
	p := s.play(t, t.TempDir())
	p.expect(t, 1)
	p.expectCause(t, "none of its faults can be injected: 0 nodes would be left untouched, not 1: action.other is on node.b, and nothing ends that meanwhile")
	if took := p.step(t, "action.storm").Seconds; took > 1 {
		t.Errorf("that took %.1f s", took)
	}
}

// What runs beside it may end what is in its way, and so may a fault by itself.
func TestASequenceWaitsForWhatMayEndInItsWay(t *testing.T) {
	for name, test := range map[string]struct {
		lasts  string
		beside func(context.Context, *step.Env) (step.Result, error)
		code   int
		cause  string
	}{
		"another step heals it": {beside: func(ctx context.Context, env *step.Env) (step.Result, error) {
			if err := env.Clock.Sleep(ctx, 5*time.Second); err != nil {
				return step.Result{}, err
			}
			return step.Result{}, env.Faults.Heal(ctx, "action.other")
		}},
		"none does": {beside: sleeps(time.Minute), code: 6, cause: "the fault never became active: none of its faults could be injected: "},
		"it ends":   {lasts: "3s"},
	} {
		t.Run(name, func(t *testing.T) {
			s, st, seq := squalls(&testFault{})
			seq.Keep = 1
			args := cty.EmptyObjectVal
			if test.lasts != "" {
				args = cty.ObjectVal(map[string]cty.Value{"for": cty.StringVal(test.lasts)})
			}
			other := s.fault("other", &testFault{nodes: []string{"node.b"}}, args, schema.Paused)
			other.Meta.Background = test.lasts != ""
			s.then(other, edge("node.b", "finished"))
			if test.beside != nil {
				beside := s.action("beside", test.beside)
				beside.Meta.Background = true
				s.then(beside)
			}
			s.then(st)
			p := s.play(t, t.TempDir())
			p.expect(t, test.code)
			if test.cause != "" {
				p.expectCause(t, test.cause)
			}
		})
	}
}

func TestWhatASequenceNeverInjectedIsSaidAtItsEnd(t *testing.T) {
	s, st, seq := squalls(&testFault{})
	seq.Faults = []string{`fault "hit"`, `fault "left"`, `fault "unlucky"`}
	next := seq.Next
	seq.Next = func(n int) *step.Injection {
		in := next(n)
		in.Of = n % 2 // those on node.b
		return in
	}
	s.then(s.fault("other", &testFault{nodes: []string{"node.b"}}, cty.EmptyObjectVal, schema.Paused), edge("node.b", "finished"))
	s.then(st)
	s.then(s.action("on", sleeps(4500*time.Millisecond)))
	s.then(s.action("over", func(ctx context.Context, env *step.Env) (step.Result, error) {
		return step.Result{}, env.Faults.Heal(ctx, "action.storm")
	}))
	p := s.play(t, t.TempDir())
	p.expect(t, 0)
	var said []string
	for _, w := range of[event.Warning](p) {
		said = append(said, w.Text)
	}
	want := []string{
		`action.storm: fault "left" was never injected: it was left out each time that it was chosen, at last because node.b is already hit by action.other, which takes its paused as well`,
		`action.storm: fault "unlucky" was never injected: it was not chosen for any of its 3 injections`,
	}
	if !slices.Equal(said, want) {
		t.Errorf("said %q", said)
	}
}

// What waits for its predecessor when enough is injected isn't in its own way.
func TestWhatIsCutShortByTheEndOfASequenceIsNotLeftOut(t *testing.T) {
	s, st, _ := squalls(&testFault{onHeal: func(ctx context.Context, env *step.Env) error { return env.Clock.Sleep(ctx, 5*time.Second) }})
	s.then(st)
	s.then(s.action("on", sleeps(3*time.Second)))
	s.then(s.action("over", func(ctx context.Context, env *step.Env) (step.Result, error) {
		return step.Result{}, env.Faults.Heal(ctx, "action.storm")
	}))
	p := s.play(t, t.TempDir())
	p.expect(t, 0)
	for _, said := range of[event.StepProgress](p) {
		t.Errorf("said %q", said.Text)
	}
}

package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/event"
	"github.com/scenario-run/scenario/engine/lookup"
	"github.com/scenario-run/scenario/engine/step"
)

// deaf is a fault that lets look-ups fail in nodes.
func deaf(f lookup.Failure, nodes ...string) *testFault {
	return &testFault{
		nodes: nodes,
		onInject: func(ctx context.Context, env *step.Env) error {
			if err := env.Lookups.Found(ctx, nodes, f.Names); err != nil {
				return err
			}
			return env.Lookups.Fail(ctx, nodes, f)
		},
		onObserve: func(ctx context.Context, env *step.Env) error { _, err := env.Lookups.Observe(ctx); return err },
		onHeal:    func(ctx context.Context, env *step.Env) error { return env.Lookups.Clear(ctx) },
		onVerify:  func(ctx context.Context, env *step.Env) error { return env.Lookups.Cleared(ctx, nodes) },
	}
}

// deafScene is two nodes in which look-ups for x fail, then for all else in one.
func deafScene() (s *scene, look func(want string)) {
	s = newScene()
	s.node("a", nil)
	s.node("b", nil)
	n := 0
	look = func(want string) {
		n++
		s.then(s.action(fmt.Sprintf("look%d", n), func(context.Context, *step.Env) (step.Result, error) {
			if got := fmt.Sprint(s.placed.Failing("node.a"), s.placed.Failing("node.b")); got != want {
				return step.Result{}, step.Failf("failing: %s, want %s", got, want)
			}
			return step.Result{}, nil
		}))
	}
	return s, look
}

func TestFailuresOfLookUpsOverlapOutliveAStartAndAreHealedByThemselves(t *testing.T) {
	s, look := deafScene()
	s.then(s.fault("x", deaf(lookup.Failure{Names: []string{"x"}, Answer: lookup.NXDomain}, "node.a", "node.b"), cty.EmptyObjectVal, schema.Links), edge("node.a", "finished"))
	s.then(s.fault("all", deaf(lookup.Failure{Answer: lookup.Drop}, "node.a"), cty.EmptyObjectVal, schema.Links))
	look("[{[x] nxdomain} {[] drop}] [{[x] nxdomain}]")
	s.then(s.action("restart", func(ctx context.Context, env *step.Env) (step.Result, error) {
		if err := env.Nodes.Stop(ctx, "node.a", 0); err != nil {
			return step.Result{}, err
		}
		return step.Result{}, env.Nodes.Start(ctx, "node.a")
	}))
	look("[{[x] nxdomain} {[] drop}] [{[x] nxdomain}]")
	s.then(s.action("heal", func(ctx context.Context, env *step.Env) (step.Result, error) {
		return step.Result{}, env.Faults.Heal(ctx, "action.x")
	}))
	look("[{[] drop}] []")
	s.play(t, t.TempDir()).expect(t, 0)
}

func TestAFailureOfLookUpsThatLapsedIsInconclusive(t *testing.T) {
	s, _ := deafScene()
	s.then(s.fault("x", deaf(lookup.Failure{Answer: lookup.Drop}, "node.b"), cty.EmptyObjectVal, schema.Links))
	s.then(s.action("lapse", func(context.Context, *step.Env) (step.Result, error) {
		s.placed.Lapse("node.b")
		return step.Result{}, nil
	}))
	p := s.play(t, t.TempDir())
	p.expect(t, 6)
	p.expectCause(t, "heal action.x", "look-ups in node.b do not fail any more")
}

// To heal the one puts the other in force again, as does a third that comes: that
// hides of neither that it had a gap.
func TestEachOfSeveralFailuresOfLookUpsThatLapsedIsTold(t *testing.T) {
	for _, third := range []bool{false, true} {
		s, _ := deafScene()
		s.then(s.fault("x", deaf(lookup.Failure{Answer: lookup.Drop}, "node.b"), cty.EmptyObjectVal, schema.Links))
		s.then(s.fault("y", deaf(lookup.Failure{Names: []string{"n"}, Answer: lookup.Drop}, "node.b"), cty.EmptyObjectVal, schema.Links))
		s.then(s.action("lapse", func(context.Context, *step.Env) (step.Result, error) {
			s.placed.Lapse("node.b")
			return step.Result{}, nil
		}))
		if third {
			s.then(s.fault("z", deaf(lookup.Failure{Names: []string{"m"}, Answer: lookup.Drop}, "node.b"), cty.EmptyObjectVal, schema.Links))
		}
		p := s.play(t, t.TempDir())
		p.expect(t, 6)
		told := map[string]bool{}
		for _, f := range of[event.FaultChanged](p) {
			if f.State == "healed" && strings.Contains(f.Text, "it was not in force to its end: look-ups in node.b do not fail any more") {
				told[f.Step] = true
			}
		}
		if len(told) != 2 || !told["action.x"] || !told["action.y"] {
			t.Errorf("with a third %v: told of %v", third, told)
		}
	}
}

func TestAFailureOfLookUpsWhoseAgentIsKilledIsInconclusiveAtOnce(t *testing.T) {
	s, _ := deafScene()
	s.then(s.fault("x", deaf(lookup.Failure{Answer: lookup.Drop}, "node.b"), cty.EmptyObjectVal, schema.Links))
	s.then(s.action("kill", func(ctx context.Context, _ *step.Env) (step.Result, error) {
		s.placed.KillAgent("node.b")
		<-ctx.Done() // or the test hangs
		return step.Result{}, context.Cause(ctx)
	}))
	p := s.play(t, t.TempDir())
	p.expect(t, 6)
	p.expectCause(t, "action.x was not in force to its end: the agent of node.b was killed (SIGKILL): look-ups in node.b do not fail any more")
}

func TestAFailureOfLookUpsThatIsNotSeenIsInconclusive(t *testing.T) {
	s, _ := deafScene()
	s.fake.Jobs = map[string]func(context.Context, []byte, func([]byte) error) error{
		lookup.FailJob: func(context.Context, []byte, func([]byte) error) error { return nil },
	}
	s.then(s.fault("x", deaf(lookup.Failure{Names: []string{"x"}, Answer: lookup.Drop}, "node.b"), cty.EmptyObjectVal, schema.Links))
	p := s.play(t, t.TempDir())
	p.expect(t, 6)
	p.expectCause(t, "looking up x in node.b comes to [resolved], not [drop]")
}

func TestANameThatStandsInAHostsFileCanNotFail(t *testing.T) {
	s := newScene()
	s.node("a", map[string]cty.Value{"files": cty.MapVal(map[string]cty.Value{"/etc/hosts": cty.StringVal("10.0.0.1 X\n")})})
	s.then(s.fault("x", deaf(lookup.Failure{Names: []string{"x"}, Answer: lookup.Drop}, "node.a"), cty.EmptyObjectVal, schema.Links), edge("node.a", "finished"))
	p := s.play(t, t.TempDir())
	p.expect(t, 1)
	p.expectCause(t, "x stands in /etc/hosts of node.a, so that programs there find it without asking anybody")
}

func TestTheResolversOfANodesOwnFileAreAsked(t *testing.T) {
	s := newScene()
	s.node("a", map[string]cty.Value{"files": cty.MapVal(map[string]cty.Value{"/etc/resolv.conf": cty.StringVal("nameserver 10.0.0.1\nnameserver 10.0.0.2\n")})})
	var asked lookup.Questions
	s.fake.Jobs = map[string]func(context.Context, []byte, func([]byte) error) error{
		lookup.LookJob: func(_ context.Context, spec []byte, line func([]byte) error) error {
			var q lookup.Questions
			if err := json.Unmarshal(spec, &q); err != nil || len(q.Names) == 0 {
				return errors.Join(err, line([]byte(`{"in_force": true}`)))
			}
			if q.Truly {
				return line([]byte(`{"answers": ["resolved"]}`))
			}
			asked = q
			return line([]byte(`{"led": true, "in_force": true, "answers": ["drop"]}`))
		},
	}
	s.then(s.fault("x", deaf(lookup.Failure{Names: []string{"x"}, Answer: lookup.Drop}, "node.a"), cty.EmptyObjectVal, schema.Links), edge("node.a", "finished"))
	s.play(t, t.TempDir()).expect(t, 0)
	if want := (lookup.Questions{Names: []string{"x"}, Resolvers: []string{"10.0.0.1:53", "10.0.0.2:53"}}); !reflect.DeepEqual(asked, want) {
		t.Errorf("asked %+v", asked)
	}
}

package engine

import (
	"context"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/link"
	"github.com/scenario-run/scenario/engine/lookup"
	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/runtime/fake"
	"github.com/scenario-run/scenario/engine/step"
)

// A fault that lets fail what fails anyway must not be taken for one.
func TestANameThatNobodyFindsCanNotGetLost(t *testing.T) {
	down := func(ctx context.Context, env *step.Env) (step.Result, error) {
		return step.Result{}, env.Nodes.Stop(ctx, "node.b", 0)
	}
	cut := func(ctx context.Context, env *step.Env) (step.Result, error) {
		return step.Result{}, env.Links.Set(ctx, []link.Link{{From: "node.a", To: link.Everyone, Effect: link.Effect{Verdict: link.Drop}}})
	}
	type answers = map[string]lookup.Answer
	for name, test := range map[string]struct {
		a, b   answers // what nodes truly come to
		names  []string
		before func(context.Context, *step.Env) (step.Result, error)
		code   int
		cause  string
	}{
		"no such name":                 {a: answers{"x": lookup.NXDomain}, b: answers{"x": lookup.NXDomain}, names: []string{"x"}, code: 1, cause: "x is not found from node.a even without the fault: there is no such name"},
		"one of them, nowhere":         {a: answers{"x": lookup.NXDomain}, b: answers{"x": lookup.NXDomain}, names: []string{"x", "y"}, code: 1, cause: "x is not found from node.a, node.b even without the fault"},
		"none of them, in one node":    {a: answers{"x": lookup.NXDomain}, names: []string{"x"}, code: 1, cause: "x is not found from node.a even without"},
		"each in another node":         {a: answers{"x": lookup.NXDomain}, b: answers{"y": lookup.NXDomain}, names: []string{"x", "y"}},
		"the server can't say":         {a: answers{"x": lookup.ServFail}, names: []string{"x"}, code: 6, cause: "the server answered with servfail"},
		"no server":                    {a: answers{"x": lookup.Drop}, names: []string{"x"}, code: 6, cause: "no answer came"},
		"every name, no server":        {b: answers{"b": lookup.Drop}, code: 6, cause: "no server answers what is looked up in node.b"},
		"every name, not one's own":    {a: answers{"a": lookup.NXDomain}, b: answers{"b": lookup.NXDomain}},
		"of a node that is down":       {a: answers{"b": lookup.NXDomain}, names: []string{"b"}, before: down},
		"outside, and cut off":         {a: answers{"x": lookup.Drop}, names: []string{"x"}, before: cut},
		"cut off, but there is none":   {a: answers{"x": lookup.NXDomain}, names: []string{"x"}, before: cut, code: 1, cause: "there is no such name"},
		"of one that is down, besides": {a: answers{"b": lookup.NXDomain, "x": lookup.NXDomain}, names: []string{"b", "x"}, before: down, code: 1, cause: "x is not found from node.a"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene()
			s.node("a", nil)
			s.node("b", nil)
			s.fake.Script = func(spec runtime.NodeSpec) fake.Script {
				return fake.Script{Answers: map[string]answers{"node.a": test.a, "node.b": test.b}[spec.Address]}
			}
			before := test.before
			if before == nil {
				before = func(context.Context, *step.Env) (step.Result, error) { return step.Result{}, nil }
			}
			s.then(s.action("before", before), edge("node.a", "finished"), edge("node.b", "finished"))
			s.then(s.fault("x", deaf(lookup.Failure{Names: test.names, Answer: lookup.ServFail}, "node.a", "node.b"), cty.EmptyObjectVal, schema.Links))
			p := s.play(t, t.TempDir())
			p.expect(t, test.code)
			if test.cause != "" {
				p.expectCause(t, test.cause)
			}
		})
	}
}

// What another fault does to look-ups is no reason to take a name for one that
// nobody finds, and of two that hit one name the line says what truly comes.
func TestANameThatIsLostAlreadyMayBeLostAgain(t *testing.T) {
	s := newScene()
	s.node("a", nil)
	s.then(s.fault("x", deaf(lookup.Failure{Answer: lookup.NXDomain}, "node.a"), cty.EmptyObjectVal, schema.Links), edge("node.a", "finished"))
	var hits []string
	again := deaf(lookup.Failure{Names: []string{"y", "z"}, Answer: lookup.Drop}, "node.a")
	again.onObserve = func(ctx context.Context, env *step.Env) (err error) {
		hits, err = env.Lookups.Observe(ctx)
		return err
	}
	s.then(s.fault("y", again, cty.EmptyObjectVal, schema.Links))
	s.play(t, t.TempDir()).expect(t, 0)
	if got := strings.Join(hits, "; "); got != "a: y, z are answered with nxdomain" {
		t.Errorf("hits: %s", got)
	}
}

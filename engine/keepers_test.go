package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/event"
	"github.com/scenario-run/scenario/engine/process"
	"github.com/scenario-run/scenario/engine/step"
)

// stopsOne is a fault that stops the process one.
func stopsOne() *testFault {
	return &testFault{
		nodes:    []string{"node.a"},
		onInject: func(ctx context.Context, env *step.Env) error { return signalNamed(ctx, env, "SIGSTOP", "one", 1) },
		onObserve: func(ctx context.Context, env *step.Env) error {
			return step.Poll(ctx, env.Clock, observeEvery, func(ctx context.Context) error {
				list, err := env.Processes.List(ctx, "node.a")
				if i := slices.IndexFunc(list, func(p process.Process) bool { return p.Name == "one" }); i >= 0 && list[i].State != process.Stopped {
					return fmt.Errorf("one is not stopped")
				}
				return err
			})
		},
		onHeal: func(ctx context.Context, env *step.Env) error { return signalNamed(ctx, env, "SIGCONT", "one", 1) },
	}
}

// What goes on, or is free, without having been healed says so when it happens.
func TestAFaultWhoseKeeperIsKilledIsInconclusiveAtOnce(t *testing.T) {
	filled := fullScene()
	filled.then(filled.fault("x", full(0, "node.a", "node.b"), cty.EmptyObjectVal, schema.Disk))
	stopped := processScene()
	stopped.then(stopped.fault("x", stopsOne(), cty.EmptyObjectVal))
	for _, test := range []struct {
		s     *scene
		kills string
		says  string
	}{
		{filled, "data", "the agent of volume.data was killed (SIGKILL): not full: "},
		{stopped, "node.a", "the agent among the processes of node.a was killed (SIGKILL): one is not stopped"},
	} {
		s := test.s
		s.then(s.action("kill", func(ctx context.Context, env *step.Env) (step.Result, error) {
			s.placed.KillAgent(test.kills)
			return hangs(ctx, env)
		}))
		p := s.play(t, t.TempDir())
		p.expect(t, 6)
		p.expectCause(t, "action.x was not in force to its end: "+test.says)
		expectOrder(t, p.order(), "fault action.x active", "fault action.x invalid")
	}
}

// A process that is stopped stays so without its agent, unless another lets it go
// on; and what goes with its node is the node's.
func TestWhatIsStillInEffectWithoutItsKeeperGoesOn(t *testing.T) {
	for _, with := range []string{"stopped again", "its node"} {
		s := processScene()
		s.nodes[0].Body = valueBody(cty.ObjectVal(map[string]cty.Value{"image": cty.StringVal("x"), "may_exit": cty.True}))
		s.then(s.fault("x", stopsOne(), cty.EmptyObjectVal))
		s.then(s.action("kill", func(ctx context.Context, env *step.Env) (step.Result, error) {
			if with == "its node" {
				s.placed.Exit("node.a", 137)
			}
			s.placed.KillAgent("node.a")
			if with == "stopped again" { // before anybody has looked
				s.placed.StopProcess("node.a", "one")
			}
			return step.Result{}, nil
		}))
		s.then(s.action("on", sleeps(observeLimit)))
		p := s.play(t, t.TempDir())
		for _, f := range of[event.FaultChanged](p) {
			if f.State == "invalid" && strings.Contains(f.Text, "was killed") {
				t.Errorf("%s: %s", with, f.Text)
			}
		}
	}
}

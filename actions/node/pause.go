package node

import (
	"context"
	"fmt"
	"time"

	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/step"
)

type pauseIn struct {
	Nodes []step.Node `scn:"nodes,required" each:"true" doc:"The nodes to pause."`
}

func pause() step.Definition {
	return step.NewFault[pauseIn, pauseIntent, nodesOut](schema.Type{
		Name:    "pause",
		Summary: "freezes every process of nodes",
		Doc: `To its clients a paused node accepts connections and then hangs. Active when
every node was seen paused. A node that is down or paused already is a failure.

Ended by ` + "`heal`" + `, which thaws the nodes.`,
		Takes: []schema.Resource{schema.Paused},
		Examples: []schema.Example{{
			Title: "Freeze a node for five seconds",
			Text: example(`
action "pause" "frozen" {
  nodes = [node.web]
  for   = "5s"
}
`),
		}},
	}, pauseFault{})
}

type pauseIntent struct {
	Nodes []step.Node `json:"nodes"`
}

type pauseFault struct{}

func (pauseFault) Intent(ctx context.Context, env *step.Env, in pauseIn) (pauseIntent, []step.Node, error) {
	nodes, err := distinct(in.Nodes, "pause")
	if err != nil {
		return pauseIntent{}, nil, err
	}
	return pauseIntent{nodes}, nodes, mustRun(ctx, env, nodes, "pause")
}

func (pauseFault) Inject(ctx context.Context, env *step.Env, in pauseIntent) error {
	return each(ctx, in.Nodes, func(ctx context.Context, _ int, address string) error {
		return env.Nodes.Pause(ctx, address)
	})
}

func (pauseFault) Observe(ctx context.Context, env *step.Env, in pauseIntent) (step.Effect[nodesOut], error) {
	effect := step.Effect[nodesOut]{Out: nodesOut(in)}
	for _, n := range in.Nodes {
		err := step.Poll(ctx, env.Clock, 20*time.Millisecond, func(ctx context.Context) error {
			s, err := env.Nodes.State(ctx, string(n))
			switch {
			case err != nil:
				return err
			case !s.Running:
				return step.Failf("%s exited with code %d while it was paused", n, s.ExitCode).AsFinal()
			case !s.Paused:
				return fmt.Errorf("%s is not paused", n)
			}
			return nil
		})
		if err != nil {
			return effect, err
		}
		effect.Hits = append(effect.Hits, name(n)+": paused")
	}
	effect.Summary = summary(effect.Hits)
	return effect, nil
}

// Heal thaws what is frozen. A node that is not, because it was never reached
// or has exited since, needs nothing.
func (pauseFault) Heal(ctx context.Context, env *step.Env, in pauseIntent) error {
	return each(ctx, in.Nodes, func(ctx context.Context, _ int, address string) error {
		s, err := env.Nodes.State(ctx, address)
		if err != nil || !s.Paused {
			return err
		}
		err = env.Nodes.Unpause(ctx, address)
		if err != nil && runtime.KindOf(err) == runtime.NotRunning {
			return nil // Verify sees whether that is so
		}
		return err
	})
}

func (pauseFault) Verify(ctx context.Context, env *step.Env, in pauseIntent) error {
	for _, n := range in.Nodes {
		s, err := env.Nodes.State(ctx, string(n))
		if err != nil {
			return err
		}
		if s.Paused {
			return fmt.Errorf("%s is still paused", n)
		}
	}
	return nil
}

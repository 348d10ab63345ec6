package node

import (
	"context"
	"errors"
	"time"

	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/step"
)

type startIn struct {
	Nodes []step.Node `scn:"nodes,required" doc:"The nodes to start. Those that run are only waited for."`
}

type nodesOut struct {
	Nodes []step.Node `scn:"nodes" doc:"The nodes, as given."`
}

func start() step.Definition {
	return step.NewAction(schema.Type{
		Name:    "start",
		Summary: "starts nodes and waits until they are ready",
		Doc: `Nodes start side by side, each after the nodes that it depends on, and the
step passes when every ` + "`ready`" + ` block holds. It ends a ` + "`kill`" + ` or ` + "`stop`" + ` of these nodes.

A node that is paused is a failure: it runs, but would answer nothing before the pause is
healed. A node that a ` + "`start`" + ` names before any other step uses it is not started before
the first step but here. Which nodes to start must be known before the run.`,
		Ends:   []schema.Resource{schema.Down},
		Unless: []schema.Resource{schema.Paused},
		Examples: []schema.Example{{
			Title: "Start a node late, and bring back one that was killed",
			Text: example(`
action "start" "first" {
  nodes = [node.web]
}

action "kill" "outage" {
  nodes = [node.web]
}

action "start" "back" {
  nodes = action.outage.nodes
}
`),
		}},
	}, func(ctx context.Context, env *step.Env, in startIn) (nodesOut, string, error) {
		nodes, err := distinct(in.Nodes, "start")
		if err != nil {
			return nodesOut{}, "", err
		}
		if err := each(ctx, nodes, func(ctx context.Context, _ int, address string) error { return mustNotBePaused(ctx, env, address) }); err != nil {
			return nodesOut{}, "", err
		}
		if err := env.Nodes.Start(ctx, addresses(nodes)...); err != nil {
			return nodesOut{}, "", err
		}
		return nodesOut{nodes}, names(nodes) + " ready", nil
	})
}

func mustNotBePaused(ctx context.Context, env *step.Env, address string) error {
	s, err := env.Nodes.State(ctx, address)
	if err == nil && s.Paused {
		err = step.Failf("start %s: it is paused", address).With("", "heal the pause; a start doesn't end it")
	}
	return err
}

type restartIn struct {
	Nodes []step.Node    `scn:"nodes,required" doc:"The nodes to restart. One that is down is only started."`
	Grace *time.Duration `scn:"grace" doc:"How long a node gets to stop before it is killed; without it, what the node says."`
}

func restart() step.Definition {
	return step.NewAction(schema.Type{
		Name:    "restart",
		Summary: "stops nodes, starts them again, and waits until they are ready",
		Doc: `Each node is asked to stop, and killed after ` + "`grace`" + `. The step passes when
each was seen down, has started, and is ready again since that start. It ends a ` + "`kill`" + `,
` + "`stop`" + ` or ` + "`pause`" + ` of these nodes.`,
		Ends: []schema.Resource{schema.Down, schema.Paused},
		Examples: []schema.Example{{
			Title: "Restart a node with two seconds to stop",
			Text: example(`
action "restart" "again" {
  nodes = [node.web]
  grace = "2s"
}
`),
		}},
	}, runRestart)
}

func runRestart(ctx context.Context, env *step.Env, in restartIn) (nodesOut, string, error) {
	nodes, err := distinct(in.Nodes, "restart")
	if err != nil {
		return nodesOut{}, "", err
	}
	err = each(ctx, nodes, func(ctx context.Context, _ int, address string) error {
		if err := stopOne(ctx, env, address, in.Grace); err != nil && runtime.KindOf(err) != runtime.NotRunning {
			return err
		}
		s, err := env.Nodes.State(ctx, address)
		if err == nil && s.Running {
			return errors.New(address + " still runs after it was stopped")
		}
		return err
	})
	if err != nil {
		return nodesOut{}, "", err
	}
	if err := env.Nodes.Start(ctx, addresses(nodes)...); err != nil {
		return nodesOut{}, "", err
	}
	return nodesOut{nodes}, names(nodes) + " restarted and ready", nil
}

// stopOne stops a node; without grace the node's own counts.
func stopOne(ctx context.Context, env *step.Env, address string, grace *time.Duration) error {
	d := time.Duration(-1)
	if grace != nil {
		d = *grace
	}
	return env.Nodes.Stop(ctx, address, d)
}

// example is a whole file around some steps.
func example(steps string) string {
	return `scenario "example" {}

node "web" {
  image   = "python:3.11-slim-bookworm"
  command = ["python3", "-m", "http.server", "8080"]

  ready {
    tcp = 8080
  }
}
` + steps
}

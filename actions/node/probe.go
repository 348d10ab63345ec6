package node

import (
	"context"
	"time"

	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/step"
)

type stateIn struct {
	Node step.Node `scn:"node,required" doc:"The node to look at."`
}

type stateOut struct {
	Running   bool      `scn:"running" doc:"Whether its main process runs; a paused node runs."`
	Paused    bool      `scn:"paused" doc:"Whether it is frozen."`
	ExitCode  *int      `scn:"exit_code" doc:"How it exited last; null while it runs and before its first start."`
	Restarts  int       `scn:"restarts" doc:"How often it came back by itself, as its restart policy says."`
	StartedAt time.Time `scn:"started_at" doc:"When it was started last; null before."`
}

func state() step.Definition {
	return step.NewProbe(schema.Type{
		Name:    "node",
		Summary: "how a node stands",
		Doc:     "It is asked of the place where nodes run, so it answers for a node that is down too.",
		Examples: []schema.Example{{
			Title: "A node that comes back by itself",
			Text: example(`
probe "node" "web" {
  node = node.web
}

assert "never_restarted" {
  condition = probe.web.running && probe.web.restarts == 0
}
`),
		}},
	}, func(ctx context.Context, env *step.Env, in stateIn) (stateOut, error) {
		s, err := env.Nodes.State(ctx, string(in.Node))
		if err != nil {
			return stateOut{}, err
		}
		out := stateOut{Running: s.Running, Paused: s.Paused, Restarts: s.Restarts, StartedAt: s.StartedAt}
		if s.Started && !s.Running {
			out.ExitCode = &s.ExitCode
		}
		return out, nil
	})
}

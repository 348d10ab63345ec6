package node

import (
	"context"
	"time"

	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/step"
)

type stateIn struct {
	Node step.Node `scn:"node,required" doc:"The node to look at."`
}

type stateOut struct {
	Running   bool      `scn:"running" doc:"Whether its main process runs; a paused node runs."`
	Paused    bool      `scn:"paused" doc:"Whether it is frozen."`
	ExitCode  *int      `scn:"exit_code" doc:"How it exited last; null while it runs and before its first start."`
	OOMKilled bool      `scn:"oom_killed" doc:"Whether it exited last because it used too much memory."`
	Restarts  int       `scn:"restarts" doc:"How often it came back by itself, as its restart policy says."`
	StartedAt time.Time `scn:"started_at" doc:"When it was started last; null before."`
	Memory    *int64    `scn:"memory_bytes" doc:"How much memory it uses, without cached files; null while it does not run."`
	CPU       *float64  `scn:"cpu_percent" doc:"How much CPU it used since this was last asked of it, at first since its start; 100 is one CPU. Null while it does not run."`
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
		out := stateOut{Running: s.Running, Paused: s.Paused, OOMKilled: s.OOMKilled, Restarts: s.Restarts, StartedAt: s.StartedAt}
		if s.Started && !s.Running {
			out.ExitCode = &s.ExitCode
		}
		if !s.Running {
			return out, nil
		}
		used, err := env.Nodes.Usage(ctx, string(in.Node))
		switch {
		case err == nil:
			out.Memory, out.CPU = &used.Memory, &used.CPUPercent
		case runtime.KindOf(err) != runtime.NotRunning: // else it went between the two questions
			return stateOut{}, err
		}
		return out, nil
	})
}

package process

import (
	"context"
	"time"

	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/step"
)

type found struct {
	PID     int           `scn:"pid" doc:"Its number in the node."`
	Parent  int           `scn:"parent" doc:"The number of its parent; 0 without one in the node."`
	Name    string        `scn:"name" doc:"The kernel's name for it."`
	Command string        `scn:"command" doc:"Its command line, or the title that it gave itself."`
	State   string        `scn:"state" doc:"The kernel's letter: R runs, S sleeps, D waits for a device, T is stopped."`
	Memory  int64         `scn:"memory_bytes" doc:"How much it has in memory, what it shares included."`
	Age     time.Duration `scn:"age_seconds" doc:"Seconds since its start."`
}

type foundOut struct {
	Count     int     `scn:"count" doc:"How many there are."`
	PIDs      []int   `scn:"pids" doc:"Their numbers in the node, ascending."`
	Processes []found `scn:"processes" doc:"What is known of each, in the same order."`
}

func processes() step.Definition {
	return step.NewProbe(schema.Type{
		Name:    "processes",
		Summary: "which processes run in a node",
		Doc:     matchDoc + " One that has ended and whose parent has not taken note is not counted. A node that does not run has none.",
		Check:   checkMatch,
		Examples: []schema.Example{{
			Title: "A process that must stay the same",
			Text: server(`probe "processes" "master" {
  node    = node.web
  command = "nginx: master"
}

assert "one" {
  condition = one(probe.master.pids) == 1
}
`),
		}},
	}, list)
}

func list(ctx context.Context, env *step.Env, in matchIn) (out foundOut, err error) {
	processes, err := env.Processes.List(ctx, string(in.Node))
	if err != nil && runtime.KindOf(err) != runtime.NotRunning {
		return out, err
	}
	for _, p := range in.match().Find(processes) {
		out.PIDs = append(out.PIDs, p.PID)
		out.Processes = append(out.Processes, found{p.PID, p.Parent, p.Name, p.Title(), string(p.State), p.Memory, p.Age})
	}
	out.Count = len(out.PIDs)
	return out, nil
}

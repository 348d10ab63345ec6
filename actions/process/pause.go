package process

import (
	"context"

	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/process"
	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/step"
)

type pauseIn struct {
	matchIn
	Which string `scn:"which" default:"all" enum:"all,first,random" doc:"Of several: all, the first (the oldest), or one at random, by the seed."`
}

func pauseProcess() step.Definition {
	return step.NewFault[pauseIn, Intent, Out](schema.Type{
		Name:    "pause_process",
		Summary: "stops processes in a node, with all their threads, until they are let go on",
		Doc: matchDoc + " To its clients a stopped server accepts connections and then hangs. That no process is there is a failure, as is one that is stopped already. " +
			"Active when each was seen stopped.\n\nEnded by `heal`, which lets them go on, and by the node's next start.",
		Check:        checkMatch,
		NeedsRunning: true,
		Examples: []schema.Example{{
			Title: "Stop a server's workers for three seconds",
			Text: server(`action "pause_process" "stuck" {
  node    = node.web
  command = "nginx: worker"
  for     = "3s"
}
`),
		}},
	}, pauseFault{})
}

type pauseFault struct{}

func (pauseFault) Intent(ctx context.Context, env *step.Env, in pauseIn) (Intent, []step.Node, error) {
	nodes := []step.Node{in.Node}
	found, err := Find(ctx, env, string(in.Node), in.match(), in.Which)
	if err != nil {
		return Intent{}, nodes, err
	}
	for _, p := range found {
		if p.State == process.Stopped {
			return Intent{}, nodes, step.Failf("%s pid %d in %s is stopped already", p.Name, p.PID, in.Node)
		}
	}
	return Intent{Node: string(in.Node), Signal: "SIGSTOP", Targets: targets(found)}, nodes, nil
}

func (pauseFault) Inject(ctx context.Context, env *step.Env, in Intent) error {
	return in.send(ctx, env)
}

// Observe wants every target stopped. One that has ended since is not.
func (pauseFault) Observe(ctx context.Context, env *step.Env, in Intent) (step.Effect[Out], error) {
	err := in.await(ctx, env, "is not stopped", func(s process.State) bool { return s == process.Stopped })
	if err != nil {
		return step.Effect[Out]{}, err
	}
	return in.effect("stopped"), nil
}

// Heal lets the targets go on. If one was let go on by something else, what
// was seen meanwhile says nothing; one that has ended needs nothing.
func (pauseFault) Heal(ctx context.Context, env *step.Env, in Intent) error {
	states, err := in.states(ctx, env)
	if err != nil || len(states) == 0 {
		return err
	}
	_, err = env.Processes.Signal(ctx, in.Node, "SIGCONT", ids(in.Targets))
	if err != nil && runtime.KindOf(err) != runtime.NotRunning {
		return err
	}
	for _, t := range in.Targets {
		if s, there := states[t.ID]; there && s != process.Stopped {
			return step.Lapsedf("%s in %s was not stopped to the end: something else let it go on", t, in.Node)
		}
	}
	return nil
}

func (pauseFault) Verify(ctx context.Context, env *step.Env, in Intent) error {
	return in.await(ctx, env, "is still stopped", func(s process.State) bool { return s != process.Stopped })
}

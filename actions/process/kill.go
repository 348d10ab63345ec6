package process

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/process"
	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/step"
)

type killIn struct {
	matchIn
	Signal string `scn:"signal" default:"SIGKILL" check:"signal" doc:"The signal that they get. They must end by it."`
	Which  string `scn:"which" default:"all" enum:"all,first,random" doc:"Of several: all, the first (the oldest), or one at random, by the seed."`
}

func killProcess() step.Definition {
	return step.NewFault[killIn, Intent, Out](schema.Type{
		Name:    "kill_process",
		Summary: "sends a signal to processes in a node, which must end",
		Doc: matchDoc + " That none is there is a failure, since nothing would be tested. Active when each was seen to have ended; " +
			"one that survives the signal makes it inconclusive. If the node exits with them, no step has to have asked for that, until its next start.\n\n" +
			"Ended by the node's next start. `heal` starts the node if it exited; what runs on has nothing to heal.",
		Check:        checkKill,
		NeedsRunning: true,
		Momentary:    true,
		Examples: []schema.Example{{
			Title: "Kill one of the workers of a server",
			Text: server(`action "kill_process" "shot" {
  node    = node.web
  command = "nginx: worker"
  which   = "random"
}

probe "processes" "workers" {
  node    = node.web
  command = "nginx: worker"
}

assert "another_came" {
  condition = probe.workers.count > 0 && !contains(probe.workers.pids, action.shot.pids[0])
  within    = "5s"
}
`),
		}},
	}, killFault{})
}

// checkKill refuses signals that end nothing.
func checkKill(args cty.Value) error {
	if s := args.GetAttr("signal"); s.IsKnown() && !s.IsNull() && process.Spares(s.AsString()) {
		return fmt.Errorf("no process ends by %s; pause_process stops some for a while", s.AsString())
	}
	return checkMatch(args)
}

type killFault struct{}

func (killFault) Intent(ctx context.Context, env *step.Env, in killIn) (Intent, []step.Node, error) {
	intent, err := Aim(ctx, env, in.Node, in.match(), in.Which, in.Signal)
	return intent, []step.Node{in.Node}, err
}

func (killFault) Inject(ctx context.Context, env *step.Env, in Intent) error {
	return Kill(ctx, env, in)
}

func (killFault) Observe(ctx context.Context, env *step.Env, in Intent) (step.Effect[Out], error) {
	return Ended(ctx, env, in)
}

func (killFault) Heal(ctx context.Context, env *step.Env, in Intent) error {
	return Revive(ctx, env, in)
}

func (killFault) Verify(ctx context.Context, env *step.Env, in Intent) error {
	return Revived(ctx, env, in)
}

// Aim says which processes will get a signal: those of a node that match, or of
// several those that are chosen.
func Aim(ctx context.Context, env *step.Env, node step.Node, m process.Match, which, signal string) (Intent, error) {
	found, list, err := findAmong(ctx, env, string(node), m, which)
	return Intent{Node: string(node), Signal: signal, Targets: targets(found), First: mainOf(list)}, err
}

// Kill sends the signal. The node may exit by it.
func Kill(ctx context.Context, env *step.Env, in Intent) error {
	env.Nodes.ExpectExit(in.Node)
	err := in.send(ctx, env)
	var own *step.Error
	if err != nil && runtime.KindOf(err) == runtime.NotRunning && !errors.As(err, &own) {
		return nil // the node went with it before the answer came: Ended sees whether that is so
	}
	return err
}

// Ended returns when every target was seen to have ended.
func Ended(ctx context.Context, env *step.Env, in Intent) (step.Effect[Out], error) {
	err := in.await(ctx, env, "still runs after "+in.Signal, func(s process.State) bool { return s == "" })
	if err != nil {
		return step.Effect[Out]{}, err
	}
	return in.effect("ended by " + in.Signal), nil
}

// Revive starts the node if it exited. One whose main process has ended is about
// to exit, if it has not yet.
func Revive(ctx context.Context, env *step.Env, in Intent) error {
	if err := in.settle(ctx, env); err != nil {
		return err
	}
	state, err := env.Nodes.State(ctx, in.Node)
	if err != nil || state.Running {
		return err
	}
	return env.Nodes.Start(ctx, in.Node)
}

// exitLimit is how long the exit of a node is waited for whose main process has
// ended. It takes milliseconds; what runs on after that has nothing to heal.
const exitLimit = 5 * time.Second

// settle returns when it shows whether the node goes with the processes. Its main
// process may have been one of them, or have ended because they had.
func (in Intent) settle(ctx context.Context, env *step.Env) error {
	list, err := env.Processes.List(ctx, in.Node)
	if err != nil && runtime.KindOf(err) != runtime.NotRunning {
		return err
	}
	if slices.ContainsFunc(list, func(p process.Process) bool { return p.ID == in.First && !p.Ended() }) {
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, exitLimit)
	defer cancel()
	if _, err := env.Nodes.WaitExit(limited, in.Node); err != nil && (ctx.Err() != nil || limited.Err() == nil) {
		return err
	}
	return nil
}

// Revived is an error if the node does not run.
func Revived(ctx context.Context, env *step.Env, in Intent) error {
	state, err := env.Nodes.State(ctx, in.Node)
	if err == nil && !state.Running {
		err = fmt.Errorf("%s does not run (exit code %d)", in.Node, state.ExitCode)
	}
	return err
}

// server is an example over a server with several processes.
func server(steps string) string {
	return `scenario "example" {}

node "web" {
  image = "nginx:1.29"
}

` + steps
}

package ray

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/scenario-run/scenario/dsl/schema"
	named "github.com/scenario-run/scenario/engine/process"
	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/step"
)

type killArgs struct {
	onHead
	Signal string `scn:"signal" default:"SIGKILL" check:"signal" doc:"The signal that the GCS gets. With SIGTERM it exits in good order, and the head's node lives on until its raylet gives up after a minute."`
	Expect string `scn:"expect" default:"node_exits" enum:"node_exits,survives,any" doc:"What must become of the head's node: node_exits, survives (for 3 s at least), or any."`
}

// killIntent is what healing from another process needs.
type killIntent struct {
	Head   string   `json:"head"`
	GCS    named.ID `json:"gcs"`
	Signal string   `json:"signal"`
	Expect string   `json:"expect"`
}

type killResult struct {
	PID      int  `scn:"pid" doc:"Process of the GCS in the node."`
	ExitCode *int `scn:"exit_code" doc:"With what the head's node exited; null while it runs."`
}

// What kill_gcs can expect of the head's node.
const (
	nodeExits = "node_exits"
	survives  = "survives"
)

// Time limits of what is seen after the signal. ray start --block looks at its
// children once a second.
const (
	exitWithin   = 20 * time.Second
	survivesFor  = 3 * time.Second
	goneWithin   = 10 * time.Second
	processEvery = 100 * time.Millisecond
	stateEvery   = 50 * time.Millisecond
)

func killGCS() step.Definition {
	return step.NewFault(schema.Type{
		Name:    "kill_gcs",
		Summary: "kills the GCS of a Ray head",
		Doc: "Sends a signal to the process `gcs_server` in the head. After SIGKILL `ray start --block` sees its child die and the head's node exits with it, within one or two seconds: the fault is active when it has. " +
			"`restart_head`, `start` or `restart` of the head ends it, or `heal`.",
		Takes:        []schema.Resource{schema.Down},
		NeedsRunning: true,
		Examples:     []schema.Example{outageExample},
	}, gcsDeath{})
}

type gcsDeath struct{}

var _ step.TypedFault[killArgs, killIntent, killResult] = gcsDeath{}

func (gcsDeath) Intent(ctx context.Context, env *step.Env, in killArgs) (killIntent, []step.Node, error) {
	if _, err := headOf(env, in.head()); err != nil {
		return killIntent{}, nil, err
	}
	gcs, err := findGCS(ctx, env, in.head())
	if err != nil {
		return killIntent{}, nil, err
	}
	if gcs.PID == 0 {
		return killIntent{}, nil, step.Failf("no process gcs_server in %s", in.head()).
			With("", "the GCS must run when it is to be killed: has an earlier fault ended it?")
	}
	return killIntent{in.head(), gcs.ID, in.Signal, in.Expect}, []step.Node{in.Head}, nil
}

func (gcsDeath) Inject(ctx context.Context, env *step.Env, in killIntent) error {
	if in.Expect != survives {
		env.Nodes.ExpectExit(in.Head)
	}
	sent, err := env.Processes.Signal(ctx, in.Head, in.Signal, []named.ID{in.GCS})
	switch {
	case err != nil && in.Expect != survives && runtime.KindOf(err) == runtime.NotRunning:
		return nil // the node went with it before the answer came: Observe sees whether that is so
	case err != nil:
		return err
	case len(sent) == 0:
		return step.Failf("gcs_server (pid %d) in %s ended by itself before it got %s", in.GCS.PID, in.Head, in.Signal)
	}
	return nil
}

func (gcsDeath) Observe(ctx context.Context, env *step.Env, in killIntent) (step.Effect[killResult], error) {
	state, err := outcome(ctx, env, in)
	if err != nil {
		return step.Effect[killResult]{}, err
	}
	out := killResult{PID: in.GCS.PID}
	line := fmt.Sprintf("%s: gcs_server pid %d %s", shortName(in.Head), in.GCS.PID, in.Signal)
	if !state.Running {
		out.ExitCode = &state.ExitCode
		line += fmt.Sprintf(" → exit %d", state.ExitCode)
	} else {
		line += " → the node runs on"
	}
	return step.Effect[killResult]{Out: out, Summary: line, Hits: []string{line}}, nil
}

// outcome waits for what the fault is to do, and returns how the node stands.
func outcome(ctx context.Context, env *step.Env, in killIntent) (state runtime.NodeState, err error) {
	if in.Expect == nodeExits {
		return exited(ctx, env, in)
	}
	if err := processGone(ctx, env, in); err != nil {
		return state, err
	}
	if in.Expect == survives {
		return survived(ctx, env, in)
	}
	return env.Nodes.State(ctx, in.Head)
}

func exited(ctx context.Context, env *step.Env, in killIntent) (runtime.NodeState, error) {
	state, err := down(ctx, env, in.Head, exitWithin)
	if err != nil || !state.Running {
		return state, err
	}
	if gcs, err := findGCS(ctx, env, in.Head); err == nil && gcs.ID == in.GCS {
		return state, step.Inconclusivef("gcs_server (pid %d) in %s still runs %s after %s", in.GCS.PID, in.Head, exitWithin, in.Signal)
	}
	return state, step.Failf("%s still runs %s after its gcs_server got %s", in.Head, exitWithin, in.Signal).
		With("", "after SIGTERM the node lives on for about a minute: say expect = \"any\" or \"survives\"")
}

// down waits for the node to exit, so long at most, and returns how it stands.
func down(ctx context.Context, env *step.Env, node string, within time.Duration) (runtime.NodeState, error) {
	for began := env.Clock.Now(); ; {
		state, err := env.Nodes.State(ctx, node)
		if err != nil || !state.Running || env.Clock.Now().Sub(began) >= within {
			return state, err
		}
		if err := env.Clock.Sleep(ctx, stateEvery); err != nil {
			return state, err
		}
	}
}

// processGone waits until the process is not there, be it with its node.
func processGone(ctx context.Context, env *step.Env, in killIntent) error {
	for began := env.Clock.Now(); ; {
		gcs, err := findGCS(ctx, env, in.Head)
		if runtime.KindOf(err) == runtime.NotRunning && err != nil {
			return nil
		}
		if err != nil || gcs.ID != in.GCS {
			return err
		}
		if env.Clock.Now().Sub(began) >= goneWithin {
			return step.Inconclusivef("gcs_server (pid %d) in %s still runs %s after %s", in.GCS.PID, in.Head, goneWithin, in.Signal)
		}
		if err := env.Clock.Sleep(ctx, processEvery); err != nil {
			return err
		}
	}
}

func survived(ctx context.Context, env *step.Env, in killIntent) (runtime.NodeState, error) {
	state, err := down(ctx, env, in.Head, survivesFor)
	if err == nil && !state.Running {
		err = step.Failf("%s exited with %d after its gcs_server got %s, and was to survive", in.Head, state.ExitCode, in.Signal)
	}
	return state, err
}

// Heal brings the GCS back with its node. A node that outlived its GCS is
// killed first: what is left of it would not serve a new one.
func (gcsDeath) Heal(ctx context.Context, env *step.Env, in killIntent) error {
	state, err := env.Nodes.State(ctx, in.Head)
	if err != nil {
		return err
	}
	if state.Running {
		gcs, err := findGCS(ctx, env, in.Head)
		if err == nil && gcs.PID != 0 {
			return env.Nodes.WaitReady(ctx, in.Head)
		}
		env.Nodes.ExpectExit(in.Head)
		if err := env.Nodes.Kill(ctx, in.Head, "SIGKILL"); err != nil && runtime.KindOf(err) != runtime.NotRunning {
			return err
		}
	}
	return env.Nodes.Start(ctx, in.Head)
}

func (gcsDeath) Verify(ctx context.Context, env *step.Env, in killIntent) error {
	return step.Poll(ctx, env.Clock, pollEvery, func(ctx context.Context) error {
		return reachable(ctx, env, in.Head, gcsPort)
	})
}

// gcsProcess is the GCS as its node's process list shows it. PID 0: none.
type gcsProcess struct {
	named.ID
	Session string
}

const sessionFlag = "--session-name="

// findGCS looks for the process that the kernel knows as gcs_server.
func findGCS(ctx context.Context, env *step.Env, head string) (gcs gcsProcess, err error) {
	list, err := env.Processes.List(ctx, head)
	if err != nil {
		return gcs, err
	}
	at := slices.IndexFunc(list, func(p named.Process) bool { return p.Name == "gcs_server" && !p.Ended() })
	if at < 0 {
		return gcs, nil
	}
	gcs.ID = list[at].ID
	for _, arg := range list[at].Command {
		if session, is := strings.CutPrefix(arg, sessionFlag); is {
			gcs.Session = session
		}
	}
	return gcs, nil
}

// shortName is a node's address as the timeline has it: head, worker[0].
func shortName(node string) string { return strings.TrimPrefix(node, "node.") }

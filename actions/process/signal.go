package process

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/scenario-run/scenario/engine/process"
	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/step"
)

// Intent is what a fault is about to do to processes of a node.
type Intent struct {
	Node    string   `json:"node"`
	Signal  string   `json:"signal"`
	Targets []Target `json:"targets"`
	// First is the node's main process, whether or not it is among them: the node
	// exits with it.
	First process.ID `json:"first"`
}

// Out is what a fault did to processes.
type Out struct {
	PIDs []int `scn:"pids" doc:"The processes that were hit, by their numbers in the node, the oldest first."`
}

// lookEvery is how often processes are looked at for the effect of a signal.
const lookEvery = 20 * time.Millisecond

// send sends the signal. That all targets ended before it came is a failure.
func (in Intent) send(ctx context.Context, env *step.Env) error {
	sent, err := env.Processes.Signal(ctx, in.Node, in.Signal, ids(in.Targets))
	if err != nil {
		return err
	}
	if len(sent) == 0 {
		return step.Failf("%s in %s ended by itself before it got %s", listed(in.Targets), in.Node, in.Signal)
	}
	for _, t := range in.Targets {
		if !slices.Contains(sent, t.ID) {
			env.Progress(fmt.Sprintf("%s ended by itself before it got %s", t, in.Signal))
		}
	}
	return nil
}

// states are the targets that have not ended, with the state of each. A node
// that does not run has none.
func (in Intent) states(ctx context.Context, env *step.Env) (map[process.ID]process.State, error) {
	list, err := env.Processes.List(ctx, in.Node)
	if err != nil && runtime.KindOf(err) != runtime.NotRunning {
		return nil, err
	}
	states := map[process.ID]process.State{}
	for _, p := range list {
		if slices.Contains(ids(in.Targets), p.ID) && !p.Ended() {
			states[p.ID] = p.State
		}
	}
	return states, nil
}

// await looks until ok holds for each target; state is empty for one that has
// ended. Otherwise it says what holds instead, or that the node has exited.
func (in Intent) await(ctx context.Context, env *step.Env, instead string, ok func(process.State) bool) error {
	return step.Poll(ctx, env.Clock, lookEvery, func(ctx context.Context) error {
		states, err := in.states(ctx, env)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(in.Targets, func(t Target) bool { return !ok(states[t.ID]) })
		if i < 0 {
			return nil
		}
		s, err := env.Nodes.State(ctx, in.Node)
		if err == nil && !s.Running {
			return step.Failf("%s exited with code %d meanwhile", in.Node, s.ExitCode).AsFinal()
		}
		return errors.Join(fmt.Errorf("%s in %s %s", in.Targets[i], in.Node, instead), err)
	})
}

// effect is what was seen of a fault.
func (in Intent) effect(became string) step.Effect[Out] {
	e := step.Effect[Out]{Out: Out{pids(in.Targets)}, Summary: fmt.Sprintf("%s: %s %s", shortName(in.Node), listed(in.Targets), became)}
	for _, t := range in.Targets {
		e.Hits = append(e.Hits, fmt.Sprintf("%s: %s %s", shortName(in.Node), t, became))
	}
	return e
}

// listed is the first targets in one line.
func listed(targets []Target) string {
	const most = 3
	var texts []string
	for _, t := range targets[:min(len(targets), most)] {
		texts = append(texts, t.String())
	}
	line := strings.Join(texts, ", ")
	if more := len(targets) - most; more > 0 {
		line += fmt.Sprintf(" and %d more", more)
	}
	return line
}

func shortName(node string) string { return strings.TrimPrefix(node, "node.") }

package node

import (
	"context"
	"fmt"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/process"
	"github.com/scenario-run/scenario/engine/step"
)

type downOut struct {
	Nodes     []step.Node `scn:"nodes" doc:"The nodes that were hit."`
	ExitCodes []int       `scn:"exit_codes" doc:"Their exit codes, in the same order."`
}

type killIn struct {
	Nodes  []step.Node `scn:"nodes,required" each:"true" doc:"The nodes to kill."`
	Signal string      `scn:"signal" default:"SIGKILL" check:"signal" doc:"The signal that their main processes get."`
}

func kill() step.Definition {
	return step.NewFault[killIn, killIntent, downOut](schema.Type{
		Name:    "kill",
		Summary: "sends a signal to the main process of nodes, which must exit",
		Doc: `Active when every node was seen to have exited. A node that is down or paused
already is a failure: there would be nothing to kill. Another signal than SIGKILL must make
the node exit too; one that it survives is inconclusive.

Ended by ` + "`start`, `restart` and `heal`" + `, which start the nodes again and wait until they are ready.`,
		Check: checkKill,
		Takes: []schema.Resource{schema.Down},
		Examples: []schema.Example{{
			Title: "Kill a node and bring it back",
			Text: example(`
action "kill" "outage" {
  nodes = [node.web]
}

assert "killed" {
  condition = action.outage.exit_codes[0] == 137
}

action "heal" "back" {
  faults = [action.outage]
}
`),
		}},
	}, killFault{})
}

// checkKill refuses signals that end nothing.
func checkKill(args cty.Value) error {
	if s := args.GetAttr("signal"); s.IsKnown() && !s.IsNull() && process.Spares(s.AsString()) {
		return fmt.Errorf("no node exits by %s; pause freezes one for a while", s.AsString())
	}
	return nil
}

type killIntent struct {
	Nodes  []step.Node `json:"nodes"`
	Signal string      `json:"signal"`
}

type killFault struct{}

func (killFault) Intent(ctx context.Context, env *step.Env, in killIn) (killIntent, []step.Node, error) {
	nodes, err := distinct(in.Nodes, "kill")
	if err != nil {
		return killIntent{}, nil, err
	}
	return killIntent{nodes, in.Signal}, nodes, mustRun(ctx, env, nodes, "kill")
}

func (killFault) Inject(ctx context.Context, env *step.Env, in killIntent) error {
	return each(ctx, in.Nodes, func(ctx context.Context, _ int, address string) error {
		return env.Nodes.Kill(ctx, address, in.Signal)
	})
}

func (killFault) Observe(ctx context.Context, env *step.Env, in killIntent) (step.Effect[downOut], error) {
	return observeExit(ctx, env, in.Nodes)
}

func (killFault) Heal(ctx context.Context, env *step.Env, in killIntent) error {
	return env.Nodes.Start(ctx, addresses(in.Nodes)...)
}

func (killFault) Verify(ctx context.Context, env *step.Env, in killIntent) error {
	return verifyUp(ctx, env, in.Nodes)
}

type stopIn struct {
	Nodes []step.Node    `scn:"nodes,required" each:"true" doc:"The nodes to stop."`
	Grace *time.Duration `scn:"grace" doc:"How long a node gets to stop before it is killed; without it, what the node says."`
}

func stop() step.Definition {
	return step.NewFault[stopIn, stopIntent, downOut](schema.Type{
		Name:    "stop",
		Summary: "asks nodes to stop, and kills them after a while",
		Doc: `Each node gets its stop signal and, after ` + "`grace`" + `, SIGKILL. Active when
every node was seen to have exited. A node that is down or paused already is a failure.

Ended by ` + "`start`, `restart` and `heal`" + `, which start the nodes again and wait until they are ready.`,
		Takes: []schema.Resource{schema.Down},
		Examples: []schema.Example{{
			Title: "Stop a node for five seconds",
			Text: example(`
action "stop" "maintenance" {
  nodes = [node.web]
  grace = "1s"
  for   = "5s"
}
`),
		}},
	}, stopFault{})
}

type stopIntent struct {
	Nodes []step.Node    `json:"nodes"`
	Grace *time.Duration `json:"grace_ns,omitempty"`
}

type stopFault struct{}

func (stopFault) Intent(ctx context.Context, env *step.Env, in stopIn) (stopIntent, []step.Node, error) {
	nodes, err := distinct(in.Nodes, "stop")
	if err != nil {
		return stopIntent{}, nil, err
	}
	return stopIntent{nodes, in.Grace}, nodes, mustRun(ctx, env, nodes, "stop")
}

func (stopFault) Inject(ctx context.Context, env *step.Env, in stopIntent) error {
	return each(ctx, in.Nodes, func(ctx context.Context, _ int, address string) error {
		return stopOne(ctx, env, address, in.Grace)
	})
}

func (stopFault) Observe(ctx context.Context, env *step.Env, in stopIntent) (step.Effect[downOut], error) {
	return observeExit(ctx, env, in.Nodes)
}

func (stopFault) Heal(ctx context.Context, env *step.Env, in stopIntent) error {
	return env.Nodes.Start(ctx, addresses(in.Nodes)...)
}

func (stopFault) Verify(ctx context.Context, env *step.Env, in stopIntent) error {
	return verifyUp(ctx, env, in.Nodes)
}

// observeExit waits until nodes have exited.
func observeExit(ctx context.Context, env *step.Env, nodes []step.Node) (step.Effect[downOut], error) {
	codes := make([]int, len(nodes))
	err := each(ctx, nodes, func(ctx context.Context, i int, address string) error {
		s, err := env.Nodes.WaitExit(ctx, address)
		if err != nil && ctx.Err() != nil {
			return fmt.Errorf("%s still runs", address)
		}
		if err != nil {
			return fmt.Errorf("wait for the exit of %s: %w", address, err)
		}
		codes[i] = s.ExitCode
		return nil
	})
	if err != nil {
		return step.Effect[downOut]{}, err
	}
	effect := step.Effect[downOut]{Out: downOut{nodes, codes}}
	for i, n := range nodes {
		effect.Hits = append(effect.Hits, fmt.Sprintf("%s: exit %d", name(n), codes[i]))
	}
	effect.Summary = summary(effect.Hits)
	return effect, nil
}

// verifyUp is an error for the first node that does not run.
func verifyUp(ctx context.Context, env *step.Env, nodes []step.Node) error {
	for _, n := range nodes {
		s, err := env.Nodes.State(ctx, string(n))
		if err != nil {
			return err
		}
		if !s.Running {
			return fmt.Errorf("%s does not run (exit code %d)", n, s.ExitCode)
		}
	}
	return nil
}

// summary is the first hits in one line.
func summary(hits []string) string {
	const most = 3
	line := hits[0]
	for _, h := range hits[1:min(len(hits), most)] {
		line += ", " + h
	}
	if more := len(hits) - most; more > 0 {
		line += fmt.Sprintf(" and %d more", more)
	}
	return line
}

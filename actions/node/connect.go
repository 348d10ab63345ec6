package node

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/step"
)

type connectIn struct {
	Node    step.Node `scn:"node,required" doc:"The node to connect."`
	Network string    `scn:"network,required" check:"network" doc:"The network to put it on, one that it is not on."`
	Aliases []string  `scn:"aliases" doc:"Further names of the node there."`
}

type connectOut struct {
	Nodes []step.Node `scn:"nodes" doc:"The node, as a list."`
	IP    string      `scn:"ip" doc:"The node's address on that network."`
}

func connect() step.Definition {
	return step.NewAction(schema.Type{
		Name:    "connect",
		Summary: "puts a node on a further network",
		Doc: "The node gets an address of its own there, and its host name and `aliases` mean that. The step passes when the node was seen on the network. " +
			"A network that a `disconnect` has taken the node off is that fault's: heal it instead.",
		Unless: []schema.Resource{schema.Down},
		Examples: []schema.Example{{
			Title: "Put a node on a second network late",
			Text: twoNetworks(`
action "connect" "joins" {
  node    = node.web
  network = network.back
}

assert "has_an_address" {
  condition = action.joins.ip != node.web.ip
}
`),
		}},
	}, runConnect)
}

func runConnect(ctx context.Context, env *step.Env, in connectIn) (connectOut, string, error) {
	if err := mustBeUp(ctx, env, []step.Node{in.Node}, "connect"); err != nil {
		return connectOut{}, "", err
	}
	network := strings.TrimPrefix(in.Network, "network.")
	want := step.Attachment{Attachment: runtime.Attachment{Aliases: in.Aliases}, Name: network}
	at, err := env.Nodes.Connect(ctx, string(in.Node), want)
	if err != nil {
		return connectOut{}, "", err
	}
	err = step.Poll(ctx, env.Clock, 20*time.Millisecond, func(ctx context.Context) error {
		err := mustBeOn(ctx, env, in.Node, at)
		if err == nil {
			return nil
		}
		if s, unknown := env.Nodes.State(ctx, string(in.Node)); unknown == nil && !s.Running {
			return step.Failf("%s exited with code %d while it was connected", in.Node, s.ExitCode).AsFinal()
		}
		return err
	})
	out := connectOut{[]step.Node{in.Node}, at.IP.String()}
	return out, fmt.Sprintf("%s is %s on %s", name(in.Node), at.IP, network), err
}

type disconnectIn struct {
	Node    step.Node `scn:"node,required" doc:"The node to disconnect."`
	Network string    `scn:"network" check:"network" doc:"The network to take it off; left out, the only one that it is on."`
}

func disconnect() step.Definition {
	return step.NewFault[disconnectIn, disconnectIntent, connectOut](schema.Type{
		Name:    "disconnect",
		Summary: "takes a node off a network, as pulling its cable would",
		Doc: `The node's processes go on; their connections over that network hang, and its names
there mean nobody any more. Active when the node was seen to be off the network, which
outlives restarts. A node that is down, or not on the network, is a failure.

Ended by ` + "`heal`" + `, which puts the node back at the same address and by the same names. Its
published ports may be others then: ` + "`node.NAME.ports`" + ` has those of now.`,
		Takes: []schema.Resource{schema.Attached},
		Examples: []schema.Example{{
			Title: "Take a node off its network for five seconds",
			Text: example(`
action "disconnect" "unplugged" {
  node = node.web
  for  = "5s"
}
`),
		}, {
			Title: "Leave it one of two networks",
			Text: twoNetworks(`
action "connect" "joins" {
  node    = node.web
  network = network.back
}

action "disconnect" "front_only" {
  node    = node.web
  network = network.back
}

action "heal" "both" {
  faults = [action.front_only]
}
`),
		}},
	}, disconnectFault{})
}

type disconnectIntent struct {
	Node step.Node       `json:"node"`
	Was  step.Attachment `json:"was"`
}

type disconnectFault struct{}

func (disconnectFault) Intent(ctx context.Context, env *step.Env, in disconnectIn) (disconnectIntent, []step.Node, error) {
	intent, nodes := disconnectIntent{Node: in.Node}, []step.Node{in.Node}
	if err := mustBeUp(ctx, env, nodes, "disconnect"); err != nil {
		return intent, nodes, err
	}
	all, err := env.Nodes.Attachments(ctx, string(in.Node))
	if err != nil {
		return intent, nodes, err
	}
	network := strings.TrimPrefix(in.Network, "network.")
	i := slices.IndexFunc(all, func(at step.Attachment) bool { return at.Name == network })
	switch {
	case len(all) == 0:
		return intent, nodes, step.Failf("disconnect %s: it is on no network", in.Node)
	case network == "" && len(all) > 1:
		return intent, nodes, step.Failf("disconnect %s: it is on several networks (%s); say which, with network", in.Node, networkNames(all))
	case network == "":
		i = 0
	case i < 0:
		return intent, nodes, step.Failf("disconnect %s: it is not on network %s, only on %s", in.Node, network, networkNames(all))
	}
	intent.Was = all[i]
	return intent, nodes, nil
}

func networkNames(all []step.Attachment) string {
	names := make([]string, len(all))
	for i, at := range all {
		names[i] = at.Name
	}
	return strings.Join(names, ", ")
}

func (disconnectFault) Inject(ctx context.Context, env *step.Env, in disconnectIntent) error {
	return env.Nodes.Disconnect(ctx, string(in.Node), in.Was)
}

func (disconnectFault) Observe(ctx context.Context, env *step.Env, in disconnectIntent) (step.Effect[connectOut], error) {
	effect := step.Effect[connectOut]{Out: connectOut{[]step.Node{in.Node}, in.Was.IP.String()}}
	err := step.Poll(ctx, env.Clock, 20*time.Millisecond, func(ctx context.Context) error {
		s, err := env.Nodes.State(ctx, string(in.Node))
		if err != nil {
			return err
		}
		if !s.Running {
			return step.Failf("%s exited with code %d while it was disconnected", in.Node, s.ExitCode).AsFinal()
		}
		on, err := isOn(ctx, env, in.Node, in.Was)
		if err == nil && on {
			err = fmt.Errorf("%s is still on network %s", in.Node, in.Was.Name)
		}
		return err
	})
	if err != nil {
		return effect, err
	}
	effect.Hits = []string{fmt.Sprintf("%s: off %s, where it was %s", name(in.Node), in.Was.Name, in.Was.IP)}
	effect.Summary = effect.Hits[0]
	return effect, nil
}

// isOn says whether a node is on a network, wherever on it.
func isOn(ctx context.Context, env *step.Env, n step.Node, at step.Attachment) (bool, error) {
	all, err := env.Nodes.Attachments(ctx, string(n))
	return slices.ContainsFunc(all, func(a step.Attachment) bool { return a.Network == at.Network }), err
}

// mustBeOn is an error for a node that is not on a network by the address that
// it should have there.
func mustBeOn(ctx context.Context, env *step.Env, n step.Node, want step.Attachment) error {
	all, err := env.Nodes.Attachments(ctx, string(n))
	if err != nil {
		return err
	}
	i := slices.IndexFunc(all, func(a step.Attachment) bool { return a.Network == want.Network })
	switch {
	case i < 0:
		return fmt.Errorf("%s is not on network %s", n, want.Name)
	case all[i].IP != want.IP:
		return fmt.Errorf("%s is %s on network %s, not %s", n, all[i].IP, want.Name, want.IP)
	}
	return nil
}

// Heal puts the node back. One that is on the network was never taken off it,
// and needs nothing.
func (disconnectFault) Heal(ctx context.Context, env *step.Env, in disconnectIntent) error {
	on, err := isOn(ctx, env, in.Node, in.Was)
	if err != nil || on {
		return err
	}
	_, err = env.Nodes.Connect(ctx, string(in.Node), in.Was)
	return err
}

func (disconnectFault) Verify(ctx context.Context, env *step.Env, in disconnectIntent) error {
	return mustBeOn(ctx, env, in.Node, in.Was)
}

// twoNetworks is a whole file around some steps, with a network that no node is
// on at first.
func twoNetworks(steps string) string {
	return strings.Replace(example(steps), "node \"web\"", "network \"back\" {}\n\nnode \"web\"", 1)
}

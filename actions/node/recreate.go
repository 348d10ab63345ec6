package node

import (
	"context"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/step"
)

type recreateIn struct {
	Nodes   []step.Node       `scn:"nodes,required" doc:"The nodes to make anew."`
	Image   string            `scn:"image" check:"image" doc:"Another image, such as that of a newer version."`
	Command []string          `scn:"command" doc:"Another command."`
	Env     map[string]string `scn:"env"`
	IP      string            `scn:"ip" default:"same" enum:"same,new" doc:"Whether they keep their addresses."`
}

func recreate() step.Definition {
	return step.NewAction(schema.Type{
		Name:    "recreate",
		Summary: "removes nodes and makes them anew, from another image for example",
		Doc: `Each node is asked to stop, removed, and made again under the same name, with the
same volumes and, unless ` + "`ip`" + ` says otherwise, the same addresses. All else of its disk is
new. The step passes when each is ready again: an upgrade, or a machine that was replaced.
The nodes are made anew side by side; upgrade one after the other with a ` + "`repeat`" + `.

Faults stay in force: on links, networks and limits. It ends a ` + "`kill`" + `, ` + "`stop`" + ` or
` + "`pause`" + ` of these nodes. With ` + "`ip = \"new\"`" + ` other nodes find them by name only.`,
		Args: schema.Object{Attrs: []schema.Attr{{
			Name: "env", Type: cty.Map(cty.String), Check: schema.CheckEnvNames,
			Doc: "Environment variables, in addition to those that the node has.",
		}}},
		Ends: []schema.Resource{schema.Down, schema.Paused},
		Examples: []schema.Example{{
			Title: "Upgrade a node",
			Text: example(`
action "recreate" "upgrade" {
  nodes = [node.web]
  image = "python:3.12-slim-bookworm"
  env   = { VERSION = "2" }
}

assert "upgraded" {
  condition = node.web.image != "python:3.11-slim-bookworm"
}
`),
		}},
	}, runRecreate)
}

func runRecreate(ctx context.Context, env *step.Env, in recreateIn) (nodesOut, string, error) {
	nodes, err := distinct(in.Nodes, "make anew")
	if err != nil {
		return nodesOut{}, "", err
	}
	for _, n := range nodes {
		s, err := env.Nodes.State(ctx, string(n))
		if err != nil {
			return nodesOut{}, "", err
		}
		if !s.Started {
			return nodesOut{}, "", step.Failf("recreate %s: it %s", n, standing(s))
		}
	}
	with := step.NodeChange{Image: in.Image, Command: in.Command, Env: in.Env, IP: step.IPChoice(in.IP)}
	err = each(ctx, nodes, func(ctx context.Context, _ int, address string) error {
		return env.Nodes.Recreate(ctx, address, with)
	})
	if err != nil {
		return nodesOut{}, "", err
	}
	return nodesOut{nodes}, names(nodes) + " made anew and ready", nil
}

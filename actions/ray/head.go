package ray

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/engine/step"
)

// onHead is the argument that nearly every type here takes.
type onHead struct {
	Head step.Node `scn:"head" only:"ray,role,head" doc:"The head of the cluster."`
}

func (o onHead) head() string { return string(o.Head) }

// rayBlock is what a Ray node says of itself in its block.
type rayBlock struct {
	Role, Storage, Namespace string
	Dashboard                bool
}

// blockOf returns what a node's ray block says.
func blockOf(env *step.Env, node string) (rayBlock, error) {
	kind, args := env.Nodes.Kind(node)
	if kind != "ray" || args == cty.NilVal {
		return rayBlock{}, step.Failf("%s is not a Ray node", node).
			With("", "give the node a ray block, or name another node").AsFinal()
	}
	return rayBlock{
		Role:      text(args, "role"),
		Storage:   text(args, "storage"),
		Namespace: text(args, "namespace"),
		Dashboard: !args.Type().HasAttribute("dashboard") || args.GetAttr("dashboard").IsNull() || args.GetAttr("dashboard").True(),
	}, nil
}

// headOf is blockOf for a node that must be a head.
func headOf(env *step.Env, node string) (rayBlock, error) {
	k, err := blockOf(env, node)
	if err == nil && k.Role != "head" {
		err = step.Failf("%s is a Ray %s, not a head", node, k.Role).AsFinal()
	}
	return k, err
}

// text is a string attribute, or nothing where it is null or not there.
func text(args cty.Value, name string) string {
	if !args.Type().HasAttribute(name) || args.GetAttr(name).IsNull() {
		return ""
	}
	return args.GetAttr(name).AsString()
}

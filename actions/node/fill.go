package node

import (
	"context"
	"fmt"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/step"
)

type fillDiskIn struct {
	Node  step.Node `scn:"node,required" doc:"A node that has the volume. It need not run."`
	Path  string    `scn:"path,required"`
	Leave string    `scn:"leave"`
}

type fillDiskOut struct {
	Nodes []step.Node `scn:"nodes" doc:"The nodes that have the volume."`
}

func fillDisk() step.Definition {
	return step.NewFault[fillDiskIn, fillIntent, fillDiskOut](schema.Type{
		Name:    "fill_disk",
		Summary: "leaves no room on a volume of a node",
		Doc: `Takes what is free on the volume that the path is on, for every node that has it, in a
file that nobody sees. Only a volume with a size can be filled, since it is a file system of
its own; it is in memory, which must be there. Active when no more than ` + "`leave`" + ` was seen to be
free. What a node deletes from then on is room that it has again. Whether the nodes run does
not matter, and the volume stays full when they are restarted. A volume that has no more than
that free already is a failure.

Ended by ` + "`heal`" + `, which gives back all that was taken.`,
		Args: schema.Object{Attrs: []schema.Attr{{
			Name: "path", Type: cty.String, Required: true,
			Doc:   "A path in the node that is on the volume. It need not be there.",
			Check: func(v cty.Value) error { return schema.CheckNodePath(v.AsString()) },
		}, {
			Name: "leave", Type: cty.String, Default: cty.StringVal("0"), Format: schema.Size,
			Doc: "How much is left free, at most and to the page.",
		}}},
		Takes: []schema.Resource{schema.Disk},
		Examples: []schema.Example{{
			Title: "A log that can't be written for ten seconds",
			Text: `scenario "example" {}

volume "log" { size = "32m" }

node "web" {
  image  = "web:latest"
  mounts = { "/var/log/web" = volume.log }
}

action "fill_disk" "full" {
  node = node.web
  path = "/var/log/web"
  for  = "10s"
}
`,
		}},
	}, fillFault{})
}

// fillIntent is which volume gets full.
type fillIntent struct {
	Volume step.Volume `json:"volume"`
	Leave  int64       `json:"leave"`
}

func (in fillIntent) nodes() []step.Node {
	all := make([]step.Node, len(in.Volume.Nodes))
	for i, n := range in.Volume.Nodes {
		all[i] = step.Node(n)
	}
	return all
}

type fillFault struct{}

// Intent names all nodes that have the volume: the fault is on each of them.
func (fillFault) Intent(ctx context.Context, env *step.Env, in fillDiskIn) (fillIntent, []step.Node, error) {
	volume, err := env.Disks.Volume(string(in.Node), in.Path)
	if err != nil {
		return fillIntent{}, nil, err
	}
	leave, err := schema.ParseSize(in.Leave)
	if err != nil {
		return fillIntent{}, nil, err
	}
	if leave >= volume.Size {
		return fillIntent{}, nil, step.Failf("fill volume.%s but for %s: it has a size of %s", volume.Name, size(leave), size(volume.Size))
	}
	now, err := env.Disks.Space(ctx, volume.Name)
	if err != nil {
		return fillIntent{}, nil, err
	}
	// What another fault holds is that one's: they conflict, which is said there.
	if now.Held == 0 && now.Free <= leave {
		return fillIntent{}, nil, step.Failf("fill volume.%s but for %s: it has no more than %s free already", volume.Name, size(leave), size(now.Free))
	}
	intent := fillIntent{volume, leave}
	return intent, intent.nodes(), nil
}

func (fillFault) Inject(ctx context.Context, env *step.Env, in fillIntent) error {
	return env.Disks.Fill(ctx, in.Volume.Name, in.Leave)
}

func (fillFault) Observe(ctx context.Context, env *step.Env, in fillIntent) (step.Effect[fillDiskOut], error) {
	effect := step.Effect[fillDiskOut]{Out: fillDiskOut{in.nodes()}}
	var hit string
	err := step.Poll(ctx, env.Clock, 20*time.Millisecond, func(ctx context.Context) error {
		now, err := env.Disks.Space(ctx, in.Volume.Name)
		if err != nil {
			return err
		}
		if now.Held == 0 || now.Free > in.Leave {
			return fmt.Errorf("volume.%s has %s free, of which %s should be left", in.Volume.Name, size(now.Free), size(in.Leave))
		}
		hit = fmt.Sprintf("volume.%s of %s has %s free; %s were taken", in.Volume.Name, names(effect.Out.Nodes), size(now.Free), size(now.Held))
		return nil
	})
	if err != nil {
		return effect, err
	}
	effect.Hits, effect.Summary = []string{hit}, hit
	return effect, nil
}

func (fillFault) Heal(ctx context.Context, env *step.Env, in fillIntent) error {
	return env.Disks.Release(ctx, in.Volume.Name)
}

// Verify looks at what is held. How much is free hangs on what nodes have
// written since.
func (fillFault) Verify(ctx context.Context, env *step.Env, in fillIntent) error {
	now, err := env.Disks.Space(ctx, in.Volume.Name)
	if err == nil && now.Held > 0 {
		err = fmt.Errorf("%s of volume.%s are still taken", size(now.Held), in.Volume.Name)
	}
	return err
}

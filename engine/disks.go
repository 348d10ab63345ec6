package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/scenario-run/scenario/engine/disk"
	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/step"
)

// disksOf is step.Disks for one step.
type disksOf struct {
	x    *executor
	step string // ID of the vertex
}

var _ step.Disks = disksOf{}

// Volume looks among what the node was created with: the longest path that is
// mounted counts.
func (c disksOf) Volume(address, file string) (v step.Volume, err error) {
	var mounts []runtime.Mount
	if _, err := (nodesOf{c.x, ""}).created(address, func(n *node) { mounts = n.spec.Mounts }); err != nil {
		return v, err
	}
	m := mountOf(file, mounts)
	switch {
	case m == nil:
		return v, step.Failf("%s is on the disk of %s itself; only a volume with a size can be filled", file, address)
	case m.Volume == "":
		return v, step.Failf("%s in %s is on %s of the host; only a volume with a size can be filled", file, address, m.HostPath)
	}
	c.x.ask(func() { v = c.x.volume(m.Volume) })
	if v.Size == 0 {
		return v, step.Failf("%s in %s is on volume.%s, which has no size and could not be filled alone", file, address, v.Name)
	}
	return v, nil
}

// mountOf is what a path is on; nil: on nothing that is mounted.
func mountOf(file string, mounts []runtime.Mount) (on *runtime.Mount) {
	for i, m := range mounts {
		below := file == m.Target || strings.HasPrefix(file, strings.TrimSuffix(path.Clean(m.Target), "/")+"/")
		if below && (on == nil || len(m.Target) > len(on.Target)) {
			on = &mounts[i]
		}
	}
	return on
}

// volume is what is known of one, by its id. On the loop.
func (x *executor) volume(id string) (v step.Volume) {
	for name, made := range x.places.volumes {
		if made == id {
			v.Name, v.Size = name, x.places.sizes[name]
		}
	}
	for _, address := range x.order {
		if slices.ContainsFunc(x.nodes[address].spec.Mounts, func(m runtime.Mount) bool { return m.Volume == id }) {
			v.Nodes = append(v.Nodes, address)
		}
	}
	return v
}

// Space asks the agent of the volume.
func (c disksOf) Space(ctx context.Context, volume string) (disk.Space, error) {
	return c.ask(ctx, volume, disk.LookJob, nil, "")
}

// Fill asks the agent of the volume, whose lease ends with this process.
func (c disksOf) Fill(ctx context.Context, volume string, leave int64) error {
	_, err := c.ask(ctx, volume, disk.FillJob, disk.Fill{Leave: leave}, c.step)
	return err
}

// Release asks the agent of the volume. One that has nothing to give back is
// another than the one that filled it.
func (c disksOf) Release(ctx context.Context, volume string) error {
	before, err := c.Space(ctx, volume)
	if err != nil {
		return err
	}
	if _, err := c.ask(ctx, volume, disk.ReleaseJob, nil, ""); err != nil {
		return err
	}
	if before.Held == 0 {
		return step.Lapsedf("it was not in force to its end: what had been taken of volume.%s was free before", volume)
	}
	return nil
}

// ask runs a job of a volume's agent. What it does is kept up by the agent for the
// step keeps, if that is not empty.
func (c disksOf) ask(ctx context.Context, volume, job string, spec any, keeps string) (s disk.Space, err error) {
	text, err := json.Marshal(spec)
	if err != nil {
		return s, err
	}
	id := ""
	c.x.ask(func() { id = c.x.places.volumes[volume] })
	if id == "" {
		return s, &runtime.Error{Kind: runtime.NotFound, Err: fmt.Errorf("volume.%s has not been made", volume)}
	}
	agent, err := c.x.keeper(ctx, runtime.Place{Volume: id}, agentOfVolume(volume), keeps)
	if err == nil {
		err = agent.Run(ctx, job, text, func(line []byte) error { return json.Unmarshal(line, &s) })
	}
	if err != nil {
		return s, fmt.Errorf("volume.%s: %w", volume, err)
	}
	return s, nil
}

func agentOfVolume(name string) string { return "the agent of volume." + name }

// holdVolume starts the agent of a volume in memory, which would be empty again
// as soon as no node that has it runs. A place without agents does without.
func (x *executor) holdVolume(ctx context.Context, name, id string) error {
	_, err := x.keeper(ctx, runtime.Place{Volume: id}, agentOfVolume(name), "")
	if runtime.KindOf(err) == runtime.Unsupported {
		return nil
	}
	return err
}

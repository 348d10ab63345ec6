package steptest

import (
	"context"
	"fmt"
	"slices"

	"github.com/scenario-run/scenario/engine/disk"
	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/step"
)

// Volume is the one that the nodes of a World can have.
type Volume struct {
	Is    step.Volume
	Space disk.Space
}

// disks know one volume, on which every path is in the nodes that have it.
type disks struct{ w *World }

var _ step.Disks = disks{}

func (d disks) Volume(node, path string) (v step.Volume, err error) {
	if d.w.Volume == nil || !slices.Contains(d.w.Volume.Is.Nodes, node) {
		return v, step.Failf("%s is on the disk of %s itself", path, node)
	}
	return d.w.Volume.Is, nil
}

func (d disks) Space(context.Context, string) (disk.Space, error) {
	d.w.mu.Lock()
	defer d.w.mu.Unlock()
	return d.w.Volume.Space, nil
}

func (d disks) Fill(_ context.Context, volume string, leave int64) error {
	return d.change(fmt.Sprintf("fill %s %d", volume, leave), func(s *disk.Space) {
		s.Held += s.Free - leave
		s.Free = leave
	})
}

func (d disks) Release(_ context.Context, volume string) error {
	return d.change("release "+volume, func(s *disk.Space) {
		s.Free += s.Held
		s.Held = 0
	})
}

func (d disks) change(call string, do func(*disk.Space)) error {
	d.w.mu.Lock()
	defer d.w.mu.Unlock()
	if d.w.Volume == nil {
		return &runtime.Error{Kind: runtime.NotFound, Op: call, Err: fmt.Errorf("no volume")}
	}
	d.w.calls = append(d.w.calls, call)
	if !d.w.IgnoreFill {
		do(&d.w.Volume.Space)
	}
	return nil
}

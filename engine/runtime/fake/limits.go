package fake

import (
	"context"

	"github.com/scenario-run/scenario/engine/runtime"
)

// Limits returns what the node was created with, or limited to since.
func (r *Runtime) Limits(ctx context.Context, id runtime.NodeID) (runtime.Limits, error) {
	n, err := r.find(ctx, "Limits", id)
	if err != nil {
		return runtime.Limits{}, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return runtime.Limits{CPUs: n.spec.CPUs, Memory: n.spec.Memory}, nil
}

// LimitCPUs changes the limit.
func (r *Runtime) LimitCPUs(ctx context.Context, id runtime.NodeID, cpus float64) error {
	n, err := r.find(ctx, "LimitCPUs", id)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	n.spec.CPUs = cpus
	return nil
}

// LimitMemory changes the limit, unless the node uses more: see Usage.
func (r *Runtime) LimitMemory(ctx context.Context, id runtime.NodeID, bytes int64) error {
	n, err := r.find(ctx, "LimitMemory", id)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if n.state.Running && bytes > 0 && bytes < usedMemory {
		return failure(runtime.NodeFault, "limit the memory of "+n.spec.Address, "it uses %d bytes already", usedMemory)
	}
	n.spec.Memory = bytes
	return nil
}

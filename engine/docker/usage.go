package docker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"

	"github.com/scenario-run/scenario/engine/runtime"
)

// Usage reads the container's counters once.
func (r *Runtime) Usage(ctx context.Context, id runtime.NodeID) (runtime.Usage, error) {
	op := "ask what " + r.name(id) + " uses"
	s, err := r.stats(ctx, id)
	if err != nil {
		return runtime.Usage{}, r.failed(ctx, op, err)
	}
	if s.Read.IsZero() || s.MemoryStats.Usage == 0 {
		return runtime.Usage{}, &runtime.Error{Kind: runtime.NotRunning, Op: op, Err: fmt.Errorf("%s is not running", r.name(id))}
	}
	return runtime.Usage{At: s.Read, CPU: time.Duration(s.CPUStats.CPUUsage.TotalUsage), Memory: memory(s.MemoryStats)}, nil
}

func (r *Runtime) stats(ctx context.Context, id runtime.NodeID) (s container.StatsResponse, err error) {
	found, err := r.api.ContainerStats(ctx, string(id), client.ContainerStatsOptions{})
	if err != nil {
		return s, err
	}
	err = json.NewDecoder(found.Body).Decode(&s)
	return s, errors.Join(err, found.Body.Close())
}

// memory is what a container holds without files that are cached and not in
// use, as "docker stats" counts: they are named by the version of cgroups.
func memory(s container.MemoryStats) int64 {
	for _, name := range []string{"total_inactive_file", "inactive_file"} {
		if cached, ok := s.Stats[name]; ok && cached < s.Usage {
			return int64(s.Usage - cached)
		}
	}
	return int64(s.Usage)
}

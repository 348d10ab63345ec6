package docker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"
	"github.com/moby/moby/client/pkg/versions"

	"github.com/scenario-run/scenario/engine/agent/cgroup"
	"github.com/scenario-run/scenario/engine/runtime"
)

// firstOneShot is the first API whose daemons answer a question about counters at
// once. Before, they answer with the next tick of their own, once a second.
const firstOneShot = "1.42"

// Usage reads the container's counters once: where the daemon takes its time, by
// an agent.
func (r *Runtime) Usage(ctx context.Context, id runtime.NodeID) (runtime.Usage, error) {
	op := "ask what " + r.name(id) + " uses"
	info, err := r.Info(ctx)
	if err != nil {
		return runtime.Usage{}, err
	}
	if info.Can.Agent && versions.LessThan(r.api.ClientVersion(), firstOneShot) {
		used, err := r.kernelUsage(ctx, id)
		return used, r.failed(ctx, op, err)
	}
	s, err := r.stats(ctx, id)
	if err != nil {
		return runtime.Usage{}, r.failed(ctx, op, err)
	}
	if s.Read.IsZero() || s.MemoryStats.Usage == 0 {
		return runtime.Usage{}, &runtime.Error{Kind: runtime.NotRunning, Op: op, Err: fmt.Errorf("%s is not running", r.name(id))}
	}
	return runtime.Usage{At: s.Read, CPU: time.Duration(s.CPUStats.CPUUsage.TotalUsage), Memory: memory(s.MemoryStats)}, nil
}

func (r *Runtime) kernelUsage(ctx context.Context, id runtime.NodeID) (used runtime.Usage, err error) {
	found, err := r.api.ContainerInspect(ctx, string(id), client.ContainerInspectOptions{})
	if err != nil {
		return used, err
	}
	agent, err := r.Agent(ctx, scopeOf(found.Container.Config.Labels), runtime.Place{Node: id, Space: runtime.LimitSpace})
	if err != nil {
		return used, err
	}
	err = agent.Run(ctx, cgroup.UsageJob, nil, func(line []byte) error { return json.Unmarshal(line, &used) })
	return used, err
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

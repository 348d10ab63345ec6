package docker

import (
	"context"
	"encoding/json"
	"math"
	"strings"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"

	"github.com/scenario-run/scenario/engine/agent/cgroup"
	"github.com/scenario-run/scenario/engine/runtime"
)

const (
	// cpuPeriod is the kernel's own, in microseconds. The daemon takes a number
	// of CPUs as well, but a container that has one never gets rid of it.
	cpuPeriod = 100_000
	// noQuota is a quota that is none.
	noQuota = -1
	// noMemoryLimit stands for none: the daemon can change a limit of memory,
	// not lift it. What counts with swap must be more, or there would be none.
	noMemoryLimit     = 1 << 62
	noMemorySwapLimit = noMemoryLimit + noMemoryLimit/2
)

// cpuQuota is how many microseconds of each period so many CPUs are; 0 for 0.
func cpuQuota(cpus float64) int64 { return int64(math.Round(cpus * cpuPeriod)) }

// LimitCPUs changes the quota.
func (r *Runtime) LimitCPUs(ctx context.Context, id runtime.NodeID, cpus float64) error {
	quota := cpuQuota(cpus)
	if cpus == 0 {
		quota = noQuota
	}
	err := r.update(ctx, id, container.Resources{CPUPeriod: cpuPeriod, CPUQuota: quota})
	return r.failed(ctx, "limit the CPUs of "+r.name(id), err)
}

// LimitMemory changes the limit of memory and, to the same, that with swap.
func (r *Runtime) LimitMemory(ctx context.Context, id runtime.NodeID, bytes int64) error {
	limit := container.Resources{Memory: bytes, MemorySwap: bytes}
	if bytes == 0 {
		limit.Memory, limit.MemorySwap = noMemoryLimit, noMemorySwapLimit
	}
	err := r.update(ctx, id, limit)
	return r.failed(ctx, "limit the memory of "+r.name(id), memoryInUse(err))
}

func (r *Runtime) update(ctx context.Context, id runtime.NodeID, to container.Resources) error {
	return r.changed(ctx, func(ctx context.Context) error {
		_, err := r.api.ContainerUpdate(ctx, string(id), client.ContainerUpdateOptions{Resources: &to})
		return err
	})
}

// memoryInUse leaves of what the daemon says the part that tells why: version 1
// of cgroups refuses a limit below what can't be taken back at once.
func memoryInUse(err error) error {
	if err == nil {
		return nil
	}
	const said = "unable to set memory limit to "
	_, why, ok := strings.Cut(err.Error(), said)
	if !ok {
		return err
	}
	return &runtime.Error{
		Kind: runtime.NodeFault, Err: &shortened{said + strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(why), ": unknown")), err},
		Hint: "give a limit above what the node uses already",
	}
}

// Limits asks the kernel, by an agent, for a container that runs; else the
// daemon, for what its next start will have.
func (r *Runtime) Limits(ctx context.Context, id runtime.NodeID) (runtime.Limits, error) {
	op := "ask for the limits of " + r.name(id)
	found, err := r.api.ContainerInspect(ctx, string(id), client.ContainerInspectOptions{})
	if err != nil {
		return runtime.Limits{}, r.failed(ctx, op, err)
	}
	c := found.Container
	limits := limitsOf(c.HostConfig.Resources)
	if !c.State.Running || c.State.Restarting {
		return limits, nil
	}
	for attempt := 1; ; attempt++ {
		now, err := r.kernelLimits(ctx, scopeOf(c.Config.Labels), id)
		if err == nil {
			return now, nil
		}
		if runtime.KindOf(err) != runtime.NotRunning || attempt == 2 {
			return limits, r.failed(ctx, op, err)
		}
		state, err := r.InspectNode(ctx, id)
		if err != nil || !state.Running { // it ended meanwhile
			return limits, err
		}
		// The agent is gone, which the next one answers for.
	}
}

func (r *Runtime) kernelLimits(ctx context.Context, scope runtime.Scope, id runtime.NodeID) (limits runtime.Limits, err error) {
	agent, err := r.Agent(ctx, scope, runtime.Place{Node: id, Space: runtime.LimitSpace})
	if err != nil {
		return limits, err
	}
	err = agent.Run(ctx, cgroup.LimitsJob, nil, func(line []byte) error { return json.Unmarshal(line, &limits) })
	return limits, err
}

func limitsOf(r container.Resources) runtime.Limits {
	var limits runtime.Limits
	switch {
	case r.CPUQuota > 0 && r.CPUPeriod > 0:
		limits.CPUs = float64(r.CPUQuota) / float64(r.CPUPeriod)
	case r.CPUQuota > 0:
		limits.CPUs = float64(r.CPUQuota) / cpuPeriod
	}
	if r.Memory < noMemoryLimit {
		limits.Memory = r.Memory
	}
	return limits
}

package main

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/scenario-run/scenario/engine"
	"github.com/scenario-run/scenario/engine/agent"
	"github.com/scenario-run/scenario/engine/agent/cgroup"
	"github.com/scenario-run/scenario/engine/agent/fill"
	"github.com/scenario-run/scenario/engine/agent/hold"
	"github.com/scenario-run/scenario/engine/agent/kernel"
	"github.com/scenario-run/scenario/engine/agent/lookups"
	"github.com/scenario-run/scenario/engine/agent/procfs"
	"github.com/scenario-run/scenario/engine/agent/round"
	"github.com/scenario-run/scenario/engine/agent/rules"
	"github.com/scenario-run/scenario/engine/agent/shape"
	"github.com/scenario-run/scenario/engine/disk"
	"github.com/scenario-run/scenario/engine/docker"
	"github.com/scenario-run/scenario/engine/link"
	"github.com/scenario-run/scenario/engine/lookup"
	"github.com/scenario-run/scenario/engine/process"
	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/traffic"
)

// connectTimeout is how long a daemon may take for its first answer.
const connectTimeout = 10 * time.Second

// connect connects to the Docker daemon that the environment names.
func connect() (runtime.Runtime, error) {
	ctx, cancel := context.WithTimeout(context.Background(), connectTimeout)
	defer cancel()
	return docker.New(ctx, docker.Options{})
}

// runtimeConfig is what a guardian must be told to reach the same runtime:
// nothing, since it inherits the environment that names it.
func runtimeConfig() json.RawMessage { return nil }

// keepers are what an agent has in force and takes back at its end.
type keepers struct {
	processors *processors
	rules      rules.Keeper
	shapes     shape.Keeper
	holds      hold.Keeper
	lookups    lookups.Keeper
	processes  procfs.Keeper
	room       fill.Keeper
}

func (k *keepers) Close() error {
	return errors.Join(k.rules.Close(), k.shapes.Close(), k.holds.Close(), k.lookups.Close(), k.processes.Close(), k.room.Close())
}

// agentJobs are what an agent can do: send traffic, keep rules in force, look at
// processes and signal them, read limits, and fill a volume. Of the last four each
// has the right to one only, by where it is.
func agentJobs(k *keepers) map[string]agent.Job {
	return map[string]agent.Job{
		"http": k.processors.all(traffic.HTTPJob), "tcp": k.processors.all(traffic.TCPJob),
		link.CanJob:   kernel.Can,
		link.RulesJob: k.rules.Apply, link.KnockJob: k.rules.Knock,
		link.ShapeJob: k.shapes.Apply, link.ShapedJob: k.shapes.Look,
		link.HoldJob: k.holds.Apply, link.HeldJob: k.holds.Look,
		link.RoundJob:  round.Job,
		lookup.FailJob: k.lookups.Fail, lookup.LookJob: k.lookups.Look,
		process.ListJob: k.processes.List, process.SignalJob: k.processes.Signal,
		cgroup.LimitsJob: cgroup.Job, cgroup.UsageJob: cgroup.AskUsage,
		disk.FillJob: k.room.Fill, disk.LookJob: k.room.Look, disk.ReleaseJob: k.room.Release,
	}
}

// hostJobs are those that the engine's own host can send.
func hostJobs() map[string]engine.Job {
	return map[string]engine.Job{"http": traffic.HTTPJob, "tcp": traffic.TCPJob}
}

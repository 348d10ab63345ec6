package node

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/step"
)

type limitCPUIn struct {
	Nodes []step.Node `scn:"nodes,required" each:"true" doc:"The nodes to limit."`
	CPUs  float64     `scn:"cpus,required"`
}

func limitCPU() step.Definition {
	return step.NewFault[limitCPUIn, limitIntent, nodesOut](schema.Type{
		Name:    "limit_cpu",
		Summary: "limits how many CPUs nodes may use",
		Doc: `All processes of a node together get so much time in each tenth of a second, and
stand still for the rest of it. Active when the limit was seen to be in force. A node that
is down, or that has no more than that already, is a failure. The limit outlives restarts.

Ended by ` + "`heal`" + `, which gives each node what it had before.`,
		Args: schema.Object{Attrs: []schema.Attr{{
			Name: "cpus", Type: cty.Number, Required: true, Check: schema.CheckCPUs,
			Doc: "How many CPUs each node may use, such as 0.2: 0.01 or more.",
		}}},
		Takes: []schema.Resource{schema.CPU},
		Examples: []schema.Example{{
			Title: "A tenth of a CPU for ten seconds",
			Text: example(`
action "limit_cpu" "slow" {
  nodes = [node.web]
  cpus  = 0.1
  for   = "10s"
}
`),
		}},
	}, limitFault[limitCPUIn]{func(in limitCPUIn) ([]step.Node, limit) { return in.Nodes, cpuLimit(in.CPUs) }})
}

type limitMemoryIn struct {
	Nodes  []step.Node `scn:"nodes,required" each:"true" doc:"The nodes to limit."`
	Memory string      `scn:"memory,required"`
}

func limitMemory() step.Definition {
	return step.NewFault[limitMemoryIn, limitIntent, nodesOut](schema.Type{
		Name:    "limit_memory",
		Summary: "limits how much memory nodes may use, without more as swap",
		Doc: `Active when the limit was seen to be in force, or when the kernel has killed the
node, or a process of it, for that: while the limit stands, it needs no other explanation.
A node that is down, or that has no more than that already, is a failure. What a node uses can't be taken
from it on every machine: with version 1 of cgroups a limit below that is refused, and the
step fails. The limit outlives restarts.

Ended by ` + "`heal`" + `, which gives each node what it had before.`,
		Args: schema.Object{Attrs: []schema.Attr{{
			Name: "memory", Type: cty.String, Required: true, Format: schema.Size, Check: schema.CheckMemory,
			Doc: "How much memory each node may use: 6m or more.",
		}}},
		Takes: []schema.Resource{schema.Memory},
		Examples: []schema.Example{{
			Title: "Too little memory for a burst of requests",
			Text: example(`
action "limit_memory" "tight" {
  nodes  = [node.web]
  memory = "64m"
}

action "heal" "enough" {
  faults = [action.tight]
}
`),
		}},
	}, limitFault[limitMemoryIn]{func(in limitMemoryIn) ([]step.Node, limit) {
		bytes, _ := schema.ParseSize(in.Memory) // has been checked
		return in.Nodes, memoryLimit(bytes)
	}})
}

// limit is a limit of one resource. Exactly one is not 0.
type limit runtime.Limits

func cpuLimit(cpus float64) limit   { return limit{CPUs: cpus} }
func memoryLimit(bytes int64) limit { return limit{Memory: bytes} }

// limitIntent is what nodes get, and what they had.
type limitIntent struct {
	Limit  limit    `json:"limit"`
	Former []former `json:"former"`
}

type former struct {
	Node  step.Node `json:"node"`
	Limit limit     `json:"limit"` // 0: none
}

func (in limitIntent) nodes() []step.Node {
	nodes := make([]step.Node, len(in.Former))
	for i, f := range in.Former {
		nodes[i] = f.Node
	}
	return nodes
}

// of is the part of a node's limits that l is about.
func (l limit) of(all runtime.Limits) limit {
	if l.CPUs != 0 {
		return limit{CPUs: all.CPUs}
	}
	return limit{Memory: all.Memory}
}

// isNone says that a limit is none.
func (l limit) isNone() bool { return l == limit{} }

// allows says that l lets a node have as much as other does, or more. Neither is
// none.
func (l limit) allows(other limit) bool { return l.CPUs >= other.CPUs && l.Memory >= other.Memory }

// is says that a limit is in force as another was called for: kernels count in
// pages, which are of 64 KiB at most, and in parts of a period; systemd, which
// many daemons leave groups to, in hundredths of a CPU, rounded up.
func (l limit) is(called limit) bool {
	const page, part, hundredth = 64 << 10, 1e-4, 0.01
	less := called.Memory - l.Memory
	rounded := math.Ceil((called.CPUs-part)/hundredth) * hundredth
	cpus := math.Abs(l.CPUs-called.CPUs) < part || math.Abs(l.CPUs-rounded) < part
	return l.isNone() == called.isNone() && less >= 0 && less < page && cpus
}

func (l limit) String() string {
	switch {
	case l.CPUs != 0:
		return fmt.Sprintf("%g CPUs", l.CPUs)
	case l.Memory != 0:
		return size(l.Memory) + " of memory"
	default:
		return "no limit"
	}
}

// size is an amount of bytes as files write it.
func size(bytes int64) string {
	for _, unit := range []struct {
		name string
		size int64
	}{{"g", 1 << 30}, {"m", 1 << 20}, {"k", 1 << 10}} {
		if bytes >= unit.size {
			return fmt.Sprintf("%.4g%s", float64(bytes)/float64(unit.size), unit.name)
		}
	}
	return fmt.Sprint(bytes)
}

// limitFault is both faults.
type limitFault[In any] struct {
	asked func(In) ([]step.Node, limit)
}

func (f limitFault[In]) Intent(ctx context.Context, env *step.Env, in In) (limitIntent, []step.Node, error) {
	all, limit := f.asked(in)
	nodes, err := distinct(all, "limit")
	if err != nil {
		return limitIntent{}, nil, err
	}
	if err := mustBeUp(ctx, env, nodes, "limit"); err != nil {
		return limitIntent{}, nil, err
	}
	intent := limitIntent{Limit: limit}
	for _, n := range nodes {
		now, err := env.Nodes.Limits(ctx, string(n))
		if err != nil {
			return limitIntent{}, nil, err
		}
		has := limit.of(now.Limits)
		if !has.isNone() && limit.allows(has) {
			return limitIntent{}, nil, step.Failf("limit %s to %s: it has no more than %s already", n, limit, has)
		}
		if machine := limit.of(now.Machine); !machine.isNone() && limit.allows(machine) {
			return limitIntent{}, nil, step.Failf("limit %s to %s: its machine has no more than %s", n, limit, machine)
		}
		intent.Former = append(intent.Former, former{n, has})
	}
	return intent, nodes, nil
}

// Inject leaves it to Observe what the end of a node meanwhile is: a limit of
// memory may be why.
func (f limitFault[In]) Inject(ctx context.Context, env *step.Env, in limitIntent) error {
	return each(ctx, in.nodes(), func(ctx context.Context, _ int, address string) error {
		err := set(ctx, env, address, in.Limit, in.Limit)
		if err != nil && runtime.KindOf(err) == runtime.NotRunning {
			return nil
		}
		return err
	})
}

// set gives a node a limit of the resource that kind is about, or none.
func set(ctx context.Context, env *step.Env, address string, kind, to limit) error {
	if kind.CPUs != 0 {
		return env.Nodes.LimitCPUs(ctx, address, to.CPUs)
	}
	return env.Nodes.LimitMemory(ctx, address, to.Memory)
}

func (f limitFault[In]) Observe(ctx context.Context, env *step.Env, in limitIntent) (step.Effect[nodesOut], error) {
	effect := step.Effect[nodesOut]{Out: nodesOut{in.nodes()}}
	for _, n := range in.nodes() {
		var hit string
		err := step.Poll(ctx, env.Clock, 20*time.Millisecond, func(ctx context.Context) (err error) {
			hit, err = observeLimit(ctx, env, n, in.Limit)
			return err
		})
		if err != nil {
			return effect, err
		}
		effect.Hits = append(effect.Hits, name(n)+": "+hit)
	}
	effect.Summary = summary(effect.Hits)
	return effect, nil
}

// Where the daemon has version 2 of cgroups, why a node was killed can be told
// after its exit.
const (
	killedExit  = 128 + 9 // SIGKILL
	reasonLimit = time.Second
)

func observeLimit(ctx context.Context, env *step.Env, n step.Node, want limit) (string, error) {
	s, err := env.Nodes.State(ctx, string(n))
	switch {
	case err != nil:
		return "", err
	case !s.Running && s.OOMKilled && want.Memory != 0:
		return fmt.Sprintf("killed for using more than %s (exit code %d)", want, s.ExitCode), nil
	case !s.Running && s.ExitCode == killedExit && want.Memory != 0 && env.Clock.Now().Sub(s.ExitedAt) < reasonLimit:
		return "", fmt.Errorf("%s was killed while it was limited to %s, and nothing says why", n, want)
	case !s.Running:
		return "", step.Failf("%s exited with code %d while it was limited to %s", n, s.ExitCode, want).AsFinal()
	}
	now, err := env.Nodes.Limits(ctx, string(n))
	if err != nil {
		return "", err
	}
	if has := want.of(now.Limits); !has.is(want) {
		return "", fmt.Errorf("%s has %s, not %s", n, has, want)
	}
	return want.String(), nil
}

// Heal gives back what nodes had, also to those that are down: their next start
// must not be limited.
func (f limitFault[In]) Heal(ctx context.Context, env *step.Env, in limitIntent) error {
	return each(ctx, in.nodes(), func(ctx context.Context, i int, address string) error {
		return set(ctx, env, address, in.Limit, in.Former[i].Limit)
	})
}

func (f limitFault[In]) Verify(ctx context.Context, env *step.Env, in limitIntent) error {
	for _, had := range in.Former {
		now, err := env.Nodes.Limits(ctx, string(had.Node))
		if err != nil {
			return err
		}
		if has := in.Limit.of(now.Limits); !has.is(had.Limit) {
			return fmt.Errorf("%s has %s, not %s as before", had.Node, has, had.Limit)
		}
	}
	return nil
}

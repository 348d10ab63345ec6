package ray

import (
	"context"
	"errors"
	"regexp"
	"slices"

	"github.com/scenario-run/scenario/actions/process"
	"github.com/scenario-run/scenario/dsl/schema"
	named "github.com/scenario-run/scenario/engine/process"
	"github.com/scenario-run/scenario/engine/step"
)

// deaths is what a fault on Ray's processes is about to do, node by node.
type deaths struct {
	On []process.Intent `json:"on"`
}

type deathsResult struct {
	PIDs []int `scn:"pids" doc:"The processes that were hit, by their numbers in their nodes."`
}

// processDeath is the life of every fault that kills processes of Ray's.
type processDeath[In any] struct {
	// aim says which processes will be hit.
	aim func(ctx context.Context, env *step.Env, in In) ([]process.Intent, error)
}

func (f processDeath[In]) Intent(ctx context.Context, env *step.Env, in In) (deaths, []step.Node, error) {
	on, err := f.aim(ctx, env, in)
	var nodes []step.Node
	for _, i := range on {
		nodes = append(nodes, step.Node(i.Node))
	}
	return deaths{on}, nodes, err
}

func (processDeath[In]) Inject(ctx context.Context, env *step.Env, in deaths) error {
	return each(in.On, func(i process.Intent) error { return process.Kill(ctx, env, i) })
}

func (processDeath[In]) Observe(ctx context.Context, env *step.Env, in deaths) (seen step.Effect[deathsResult], err error) {
	err = each(in.On, func(i process.Intent) error {
		one, err := process.Ended(ctx, env, i)
		seen.Out.PIDs = append(seen.Out.PIDs, one.Out.PIDs...)
		seen.Hits = append(seen.Hits, one.Hits...)
		if seen.Summary != "" {
			seen.Summary += "; "
		}
		seen.Summary += one.Summary
		return err
	})
	return seen, err
}

func (processDeath[In]) Heal(ctx context.Context, env *step.Env, in deaths) error {
	return each(in.On, func(i process.Intent) error { return process.Revive(ctx, env, i) })
}

func (processDeath[In]) Verify(ctx context.Context, env *step.Env, in deaths) error {
	return each(in.On, func(i process.Intent) error { return process.Revived(ctx, env, i) })
}

// each goes on after an error, so that what can be done is.
func each(all []process.Intent, do func(process.Intent) error) error {
	var errs []error
	for _, i := range all {
		if err := do(i); err != nil {
			errs = append(errs, err)
		}
	}
	if len(errs) == 1 {
		return errs[0]
	}
	return errors.Join(errs...)
}

const sigkill = "SIGKILL"

// aimAt is Aim at one node of Ray's.
func aimAt(ctx context.Context, env *step.Env, node step.Node, m named.Match, which string) ([]process.Intent, error) {
	if _, err := blockOf(env, string(node)); err != nil {
		return nil, err
	}
	intent, err := process.Aim(ctx, env, node, m, which, sigkill)
	return []process.Intent{intent}, err
}

type rayletArgs struct {
	Node step.Node `scn:"node,required" doc:"The node, a head or a worker."`
}

func killRaylet() step.Definition {
	return step.NewFault(schema.Type{
		Name:    "kill_raylet",
		Summary: "kills the raylet of a Ray node",
		Doc: "Sends SIGKILL to the process `raylet`. `ray start --block` sees its child die, and the node exits with it a second or two later. Active when the process was seen to have ended.\n\n" +
			"Ended by the node's next start; `heal` starts it.",
		NeedsRunning: true,
		Momentary:    true,
		Examples:     []schema.Example{rayletExample},
	}, processDeath[rayletArgs]{func(ctx context.Context, env *step.Env, in rayletArgs) ([]process.Intent, error) {
		return aimAt(ctx, env, in.Node, named.Match{Name: "raylet"}, "all")
	}})
}

type workerArgs struct {
	Node  step.Node `scn:"node,required" doc:"The node that the processes are in."`
	Which string    `scn:"which" default:"all" enum:"all,first,random" doc:"Of several: all, the first (the oldest), or one at random, by the seed."`
}

// workerTitle is how the title of each process begins that runs tasks or an
// actor, be it idle.
var workerTitle = regexp.MustCompile(`^ray::`)

// agentNames are processes with such titles that belong to the raylet, which
// ends with them.
var agentNames = []string{"ray::DashboardAgent", "ray::RuntimeEnvAgent"}

func killWorkerProcess() step.Definition {
	return step.NewFault(schema.Type{
		Name:    "kill_worker_process",
		Summary: "kills processes that run tasks and actors in a Ray node",
		Doc: "Sends SIGKILL to processes whose title begins with `ray::`, idle ones included; the raylet's agents are spared, since the raylet would end with them. Active when each was seen to have ended. " +
			"Ray starts others when it needs them, so that nothing has to be healed.",
		NeedsRunning: true,
		Momentary:    true,
		Examples:     []schema.Example{workerProcessExample},
	}, processDeath[workerArgs]{func(ctx context.Context, env *step.Env, in workerArgs) ([]process.Intent, error) {
		return aimAt(ctx, env, in.Node, named.Match{Command: workerTitle, Except: agentNames}, in.Which)
	}})
}

type replicaArgs struct {
	onHead
	Application string `scn:"application" doc:"The application; without it the only one that has the deployment."`
	Deployment  string `scn:"deployment,required" doc:"The deployment whose replicas are hit."`
	Which       string `scn:"which" default:"all" enum:"all,first,random" doc:"Of several: all, the first (by Serve's own order), or one at random, by the seed."`
}

func killReplica() step.Definition {
	return step.NewFault(schema.Type{
		Name:    "kill_replica",
		Summary: "kills replicas of a Serve deployment",
		Doc: "Asks Serve which replicas run and where, and sends SIGKILL to their processes. That none runs is a failure. Active when each process was seen to have ended. " +
			"Serve's controller starts others, so that nothing has to be healed.",
		NeedsRunning: true,
		Momentary:    true,
		Examples:     []schema.Example{replicaExample},
	}, processDeath[replicaArgs]{aimAtReplicas})
}

func aimAtReplicas(ctx context.Context, env *step.Env, in replicaArgs) ([]process.Intent, error) {
	a, err := restOf(env, in.head())
	if err != nil {
		return nil, err
	}
	s, err := a.serve(ctx)
	if err != nil {
		return nil, asFailure(err)
	}
	replicas, err := s.runningReplicas(in.Application, in.Deployment)
	if err != nil {
		return nil, err
	}
	switch in.Which {
	case "first":
		replicas = replicas[:1]
	case "random":
		at := env.Draw(len(replicas))
		replicas = replicas[at : at+1]
	}
	var on []process.Intent
	for _, r := range replicas {
		if on, err = withReplica(ctx, env, on, r); err != nil {
			return nil, err
		}
	}
	return on, nil
}

// runningReplicas are those of a deployment that run and have a process.
func (s serveState) runningReplicas(app, deployment string) (all []replica, err error) {
	for _, name := range sortedKeys(s.Applications) {
		if app != "" && name != app {
			continue
		}
		found, has := s.Applications[name].Deployments[deployment]
		if !has {
			continue
		}
		if len(all) > 0 {
			return nil, step.Failf("more than one application has a deployment %q", deployment).With("", "say which: application = \"…\"")
		}
		for _, r := range found.Replicas {
			if r.State == running && r.PID != nil {
				all = append(all, r)
			}
		}
	}
	if len(all) == 0 {
		return nil, step.Failf("no replica of %q is RUNNING", deployment).
			With("", "compare the names of application and deployment with what is deployed, and wait until it runs")
	}
	return all, nil
}

// withReplica adds a replica's process to what is hit in its node.
func withReplica(ctx context.Context, env *step.Env, on []process.Intent, r replica) ([]process.Intent, error) {
	i := slices.IndexFunc(env.Nodes.All(), func(n string) bool { return env.Nodes.Facts(n).IP == r.IP })
	if i < 0 {
		return nil, step.Failf("the replica %s is at %s, which is no node of the scenario", r.Actor, r.IP)
	}
	node := env.Nodes.All()[i]
	list, err := env.Processes.List(ctx, node)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(list, func(p named.Process) bool { return p.PID == *r.PID && !p.Ended() && workerTitle.MatchString(p.Title()) })
	if at < 0 {
		return nil, step.Failf("the replica %s has no process %d in %s any more", r.Actor, *r.PID, node)
	}
	target := process.Target{ID: list[at].ID, Name: list[at].Name}
	if j := slices.IndexFunc(on, func(i process.Intent) bool { return i.Node == node }); j >= 0 {
		on[j].Targets = append(on[j].Targets, target)
		return on, nil
	}
	return append(on, process.Intent{Node: node, Signal: sigkill, Targets: []process.Target{target}}), nil
}

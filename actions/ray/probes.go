package ray

import (
	"context"
	"strconv"

	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/step"
)

// restProbe makes a probe of a question to REST. Where Ray does not answer that
// is an error, not a count of zero: to a condition it means "not yet", it does
// not end a hold, and one that stays so fails with the reason.
func restProbe[In interface{ head() string }, Out any](t schema.Type, ask func(ctx context.Context, a api, in In) (Out, error)) step.Definition {
	return step.NewProbe(t, func(ctx context.Context, env *step.Env, in In) (out Out, err error) {
		a, err := restOf(env, in.head())
		if err != nil {
			return out, err
		}
		out, err = ask(ctx, a, in)
		return out, asFailure(err)
	})
}

type nodeResult struct {
	ID        string             `scn:"id" doc:"Ray's id of the node; a node that is restarted gets another."`
	IP        string             `scn:"ip" doc:"Its address."`
	State     string             `scn:"state" doc:"ALIVE or DEAD."`
	IsHead    bool               `scn:"is_head" doc:"Whether it is a head."`
	Resources map[string]float64 `scn:"resources" doc:"What it has in all, by name."`
}

type nodesResult struct {
	Alive int          `scn:"alive" doc:"Nodes that are ALIVE."`
	Dead  int          `scn:"dead" doc:"Nodes that are DEAD. A restarted node is a new one, and the old stays in the list."`
	Heads int          `scn:"alive_heads" doc:"Heads that are ALIVE."`
	Nodes []nodeResult `scn:"nodes" doc:"All of them."`
}

func nodesProbe() step.Definition {
	return restProbe(schema.Type{
		Name:     "ray_nodes",
		Summary:  "which nodes Ray sees",
		Doc:      "Asks the head's REST API for its list of nodes.",
		Examples: []schema.Example{nodesExample},
	}, func(ctx context.Context, a api, _ onHead) (out nodesResult, err error) {
		list, err := a.nodes(ctx)
		for _, n := range list {
			out.add(n)
		}
		return out, err
	})
}

func (r *nodesResult) add(n rayNode) {
	r.Nodes = append(r.Nodes, nodeResult{n.ID, n.IP, n.State, n.IsHead, n.Total})
	switch n.State {
	case alive:
		r.Alive++
		if n.IsHead {
			r.Heads++
		}
	case dead:
		r.Dead++
	}
}

type actorsArgs struct {
	onHead
	State string `scn:"state" doc:"Only actors in this state, such as ALIVE."`
	Class string `scn:"class" doc:"Only actors of this class."`
	Name  string `scn:"name" doc:"Only actors of this name."`
}

type actorResult struct {
	ID       string `scn:"id" doc:"Ray's id of the actor."`
	Class    string `scn:"class" doc:"Its class."`
	State    string `scn:"state" doc:"ALIVE, DEAD, RESTARTING, PENDING_CREATION or DEPENDENCIES_UNREADY."`
	PID      int    `scn:"pid" doc:"Its process in the node; 0 without one."`
	NodeID   string `scn:"node_id" doc:"Ray's id of the node that it is on."`
	Name     string `scn:"name" doc:"Its name; empty without one."`
	Restarts int    `scn:"restarts" doc:"How often Ray has restarted it."`
}

type actorsResult struct {
	Count  int           `scn:"count" doc:"How many there are."`
	Actors []actorResult `scn:"actors" doc:"All of them."`
}

func actorsProbe() step.Definition {
	return restProbe(schema.Type{
		Name:     "ray_actors",
		Summary:  "which actors Ray sees",
		Doc:      "Asks the head's REST API for its list of actors, of all namespaces.",
		Examples: []schema.Example{actorsExample},
	}, func(ctx context.Context, a api, in actorsArgs) (out actorsResult, err error) {
		list, err := a.actors(ctx, in.fields())
		if err != nil {
			return out, err
		}
		out.Count = len(list)
		for _, x := range list {
			restarts, err := strconv.Atoi(x.Restarts)
			if err != nil {
				return out, err
			}
			out.Actors = append(out.Actors, actorResult{x.ID, x.Class, x.State, x.PID, x.NodeID, x.Name, restarts})
		}
		return out, nil
	})
}

func (in actorsArgs) fields() map[string]string {
	fields := map[string]string{}
	for name, value := range map[string]string{"state": in.State, "class_name": in.Class, "name": in.Name} {
		if value != "" {
			fields[name] = value
		}
	}
	return fields
}

type controllerResult struct {
	NodeID string `scn:"node_id" doc:"Ray's id of its node."`
	IP     string `scn:"ip" doc:"Its node's address."`
}

type proxyResult struct {
	NodeID string `scn:"node_id" doc:"Ray's id of its node."`
	IP     string `scn:"ip" doc:"Its node's address."`
	Status string `scn:"status" doc:"STARTING, HEALTHY, UNHEALTHY, DRAINING or DRAINED."`
}

type serveResult struct {
	Running      bool                `scn:"running" doc:"Whether there are applications and every one is RUNNING."`
	Applications map[string]deployed `scn:"applications" doc:"By name."`
	Controller   *controllerResult   `scn:"controller" doc:"Where Serve's controller is; null if Serve was never started."`
	Proxies      []proxyResult       `scn:"proxies" doc:"The HTTP proxies, by the ids of their nodes."`
}

func serveProbe() step.Definition {
	return restProbe(schema.Type{
		Name:     "ray_serve",
		Summary:  "what Ray Serve runs",
		Doc:      "Asks the head's REST API for Serve's account of itself, which its controller gives: no answer, then, while the controller is away.",
		Examples: []schema.Example{serveExample},
	}, func(ctx context.Context, a api, _ onHead) (out serveResult, err error) {
		s, err := a.serve(ctx)
		if err != nil {
			return out, err
		}
		out.Running = len(s.Applications) > 0
		for _, app := range s.Applications {
			out.Running = out.Running && app.Status == running
		}
		out.Applications = s.results(sortedKeys(s.Applications))
		if s.Controller.NodeID != "" {
			out.Controller = &controllerResult{s.Controller.NodeID, s.Controller.IP}
		}
		for _, id := range sortedKeys(s.Proxies) {
			p := s.Proxies[id]
			out.Proxies = append(out.Proxies, proxyResult(p))
		}
		return out, nil
	})
}

type gcsResult struct {
	Up      bool    `scn:"up" doc:"Whether its process runs and its port answers."`
	PID     *int    `scn:"pid" doc:"Its process in the node; null without one."`
	Storage string  `scn:"storage" doc:"Where it keeps its tables: memory, rocksdb or redis."`
	Session *string `scn:"session" doc:"The name of Ray's session, which stays over a restart if the storage survives; null while the GCS is down."`
}

func gcsProbe() step.Definition {
	return step.NewProbe(schema.Type{
		Name:     "ray_gcs",
		Summary:  "whether the GCS of a Ray head runs, and as which process",
		Doc:      "Looks at the process in the node and at its port, not at REST, which comes up later. A head that is down is an answer: `up` is false.",
		Examples: []schema.Example{gcsExample},
	}, askGCS)
}

func askGCS(ctx context.Context, env *step.Env, in onHead) (out gcsResult, err error) {
	k, err := headOf(env, in.head())
	if err != nil {
		return out, err
	}
	out.Storage = k.Storage
	state, err := env.Nodes.State(ctx, in.head())
	if err != nil || !state.Running || state.Paused {
		return out, err
	}
	gcs, err := findGCS(ctx, env, in.head())
	if err != nil {
		return out, orDown(ctx, env, in.head(), err)
	}
	if gcs.PID == 0 {
		return out, nil
	}
	out.PID, out.Session = &gcs.PID, &gcs.Session
	out.Up = reachable(ctx, env, in.head(), gcsPort) == nil
	return out, nil
}

// orDown passes over an error of a node that has gone down meanwhile.
func orDown(ctx context.Context, env *step.Env, node string, err error) error {
	if state, inspect := env.Nodes.State(ctx, node); inspect == nil && !state.Running {
		return nil
	}
	return err
}

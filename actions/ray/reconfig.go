package ray

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/step"
)

type reconfigArgs struct {
	onHead
	Config      cty.Value  `scn:"config" doc:"The whole of Serve's new config; instead of deployment and options."`
	Application string     `scn:"application" doc:"The application of the deployment, where several have one of that name."`
	Deployment  string     `scn:"deployment" doc:"The deployment to change."`
	Options     cty.Value  `scn:"options" doc:"What to change, over what is deployed: num_replicas, user_config, max_ongoing_requests and so on."`
	From        *step.Node `scn:"from" doc:"Send it from a driver inside this node, which waits for the GCS while that is away. By default it is sent by REST, again and again while the head is away."`
}

type reconfigResult struct {
	deployResult
	Replaced []int `scn:"replaced_pids" doc:"Processes of replicas that are gone."`
	Kept     []int `scn:"kept_pids" doc:"Processes of replicas that were there before and still are."`
}

func reconfig() step.Definition {
	d := step.NewAction(schema.Type{
		Name:    "reconfig",
		Summary: "changes what is deployed to Ray Serve and waits until it is in force",
		Doc: "Takes the config that is deployed, lays `options` over one deployment, gives it to Serve and waits as `deploy_serve` does, until the new config is in force. Or gives Serve a whole new `config`.\n\n" +
			"While the head is away it waits: by REST by asking again until the step's time limit; with `from` as a driver in that node that hangs until the GCS is back. Run it in `background` then.\n\n" +
			"Serve keeps a replica's process when only num_replicas, user_config, autoscaling_config, max_ongoing_requests or a health or shutdown setting changes, and replaces it otherwise.",
		Examples: []schema.Example{reconfigExample},
	}, reconfigure)
	return together(withCheck(withCheck(d, "config", checkConfig), "options", checkOptions), checkReconfig)
}

func checkReconfig(args cty.Value) error {
	part := given(args, "deployment") || given(args, "application") || given(args, "options")
	switch {
	case given(args, "config") && part:
		return errors.New("config is all of Serve's config: leave deployment, application and options out")
	case missing(args, "config") && (missing(args, "deployment") || missing(args, "options")):
		return errors.New("say what to change: deployment and options, or the whole config")
	}
	return nil
}

func reconfigure(ctx context.Context, env *step.Env, in reconfigArgs) (out reconfigResult, summary string, err error) {
	a, err := restOf(env, in.head())
	if err != nil {
		return out, "", err
	}
	config, err := configOf(in.Config)
	if err != nil {
		return out, "", err
	}
	options, err := configOf(in.Options)
	if err != nil {
		return out, "", err
	}
	send := byREST
	if in.From != nil {
		send = byDriver
	}
	sent, err := send(ctx, env, a, in, config, change{in.Application, in.Deployment, options})
	if err != nil {
		return out, "", err
	}
	s, err := awaitServe(ctx, env, a, sent.config)
	if err != nil {
		return out, "", err
	}
	out.Applications = s.results(sent.config.names())
	if out.Replaced, out.Kept, err = compare(ctx, a, sent.before, s.replicas()); err != nil {
		return out, "", err
	}
	return out, fmt.Sprintf("%s (%d kept, %d replaced)", describe(out.Applications), len(out.Kept), len(out.Replaced)), nil
}

// sent is what Serve has been given.
type sent struct {
	config serveConfig
	before map[string]replica // that were there, by name of their actors
}

func byREST(ctx context.Context, env *step.Env, a api, _ reconfigArgs, config serveConfig, c change) (s sent, err error) {
	err = persist(ctx, env, serveEvery, func(ctx context.Context) error {
		state, err := a.serve(ctx)
		if err != nil {
			return step.Failf("the head does not take the config: %w", err)
		}
		s = sent{config: config, before: state.replicas()}
		if config == nil {
			if s.config, err = c.over(state); err != nil {
				return err
			}
		}
		return a.put(ctx, s.config)
	})
	return s, err
}

func byDriver(ctx context.Context, env *step.Env, _ api, in reconfigArgs, config serveConfig, c change) (sent, error) {
	node := string(*in.From)
	req := driverRequest{Config: config, Deployment: c.Deployment, Options: c.Options}
	if c.Application != "" {
		req.Application = &c.Application
	}
	env.Progress("a driver in " + node + " waits for the GCS")
	answer, err := drive(ctx, env, node, req)
	if err != nil {
		return sent{}, err
	}
	s := sent{config: serveConfig{"applications": answer.Applications}, before: map[string]replica{}}
	for _, actor := range answer.Replicas {
		s.before[actor] = replica{Actor: actor}
	}
	return s, nil
}

// compare says which processes of replicas are gone and which are still there.
// A replica that is gone and whose process was not known is looked up among
// Ray's actors, which remember it.
func compare(ctx context.Context, a api, before, after map[string]replica) (replaced, kept []int, err error) {
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if now, ok := after[name]; ok {
			if now.PID != nil {
				kept = append(kept, *now.PID)
			}
			continue
		}
		if pid := before[name].PID; pid != nil {
			replaced = append(replaced, *pid)
			continue
		}
		actors, err := a.actors(ctx, map[string]string{"name": name})
		if err != nil {
			return nil, nil, err
		}
		for _, actor := range actors {
			replaced = append(replaced, actor.PID)
		}
	}
	return replaced, kept, nil
}

package ray

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/step"
)

type deployArgs struct {
	onHead
	Config cty.Value  `scn:"config,required" doc:"Serve's own config, as its config files have it: yamldecode(file(\"app.yaml\")). Applications that it does not list are removed."`
	Via    string     `scn:"via" default:"rest" enum:"rest,driver" doc:"Who gives it to Serve: the engine by REST, or a driver inside a node."`
	From   *step.Node `scn:"from" doc:"The node of the driver; by default the head."`
}

// deployed is an application as a result shows it.
type deployed struct {
	Status   string `scn:"status" doc:"How it stands, as Serve calls it: RUNNING, DEPLOYING, UNHEALTHY, DEPLOY_FAILED, DELETING or NOT_STARTED."`
	Message  string `scn:"message" doc:"What Serve says about it."`
	Replicas int    `scn:"replicas" doc:"Replicas that run, of all its deployments."`
}

type deployResult struct {
	Applications map[string]deployed `scn:"applications" doc:"By name, those of the config."`
}

func deployServe() step.Definition {
	d := step.NewAction(schema.Type{
		Name:    "deploy_serve",
		Summary: "deploys applications to Ray Serve and waits until they answer",
		Doc: "Gives Serve a config and waits until every application in it is RUNNING with the replicas that it is to have, and until the HTTP proxy on each node with a replica knows its route. " +
			"An application that can't be deployed (`DEPLOY_FAILED`) fails the step at once, with Ray's own message; so does a config that Serve refuses.\n\n" +
			"`import_path` is imported on the nodes: put the module on the Python path of the head and the workers. " +
			"Serve listens on 127.0.0.1 unless `http_options` has `host: 0.0.0.0`; then nobody outside of the node can ask it, and the step does not wait for the proxies.",
		Examples: []schema.Example{deployExample},
	}, deploy)
	return together(withCheck(d, "config", checkConfig), checkDeploy)
}

func checkDeploy(args cty.Value) error {
	if says(args, "via", "rest") && given(args, "from") {
		return errors.New("from is the node of a driver: say via = \"driver\" too")
	}
	return nil
}

func deploy(ctx context.Context, env *step.Env, in deployArgs) (out deployResult, summary string, err error) {
	config, err := configOf(in.Config)
	if err != nil {
		return out, "", err
	}
	a, err := restOf(env, in.head())
	if err != nil {
		return out, "", err
	}
	if err := mustRun(ctx, env, in.head()); err != nil {
		return out, "", err
	}
	if in.Via == "driver" {
		_, err = drive(ctx, env, driverNode(in.From, in.head()), driverRequest{Config: config})
	} else {
		err = a.putSoon(ctx, env, config)
	}
	if err != nil {
		return out, "", err
	}
	s, err := awaitServe(ctx, env, a, config)
	if err != nil {
		return out, "", err
	}
	out.Applications = s.results(config.names())
	return out, describe(out.Applications), nil
}

// acceptWithin is how long Serve may take to accept a config while its head is
// up; REST answers before the head's own raylet does.
const acceptWithin = time.Minute

func (a api) putSoon(ctx context.Context, env *step.Env, config serveConfig) error {
	ctx, cancel := context.WithTimeoutCause(ctx, acceptWithin,
		fmt.Errorf("the config was not accepted by Serve within %s", acceptWithin))
	defer cancel()
	return persist(ctx, env, serveEvery, func(ctx context.Context) error { return a.put(ctx, config) })
}

// put gives Serve a config; an error ends a poll if Serve will not take it
// later either.
func (a api) put(ctx context.Context, config serveConfig) error {
	err := a.deploy(ctx, config)
	if r := refused(err); r != nil {
		return r
	}
	if err != nil {
		return step.Failf("Serve does not take the config: %w", err)
	}
	return nil
}

// restOf is the API of a head that has one.
func restOf(env *step.Env, head string) (api, error) {
	k, err := headOf(env, head)
	if err == nil && !k.Dashboard {
		err = step.Failf("%s has no REST API, because its ray block says dashboard = false", head).AsFinal()
	}
	return newAPI(env, head), err
}

// mustRun fails where a node is down: waiting would not bring it back.
func mustRun(ctx context.Context, env *step.Env, node string) error {
	state, err := env.Nodes.State(ctx, node)
	if err == nil && !state.Running {
		err = step.Failf("%s is down", node).With("", "start it before this step")
	}
	return err
}

func driverNode(from *step.Node, head string) string {
	if from == nil {
		return head
	}
	return string(*from)
}

func (s serveState) results(names []string) map[string]deployed {
	apps := map[string]deployed{}
	for _, name := range names {
		a := s.Applications[name]
		apps[name] = deployed{Status: a.Status, Message: a.Message, Replicas: a.replicas()}
	}
	return apps
}

// describe is "pid RUNNING with 2 replicas".
func describe(apps map[string]deployed) string {
	var parts []string
	for _, name := range sortedKeys(apps) {
		parts = append(parts, fmt.Sprintf("%s %s with %s", name, apps[name].Status, plural(apps[name].Replicas, "replica")))
	}
	if len(parts) == 0 {
		return "no applications"
	}
	return strings.Join(parts, ", ")
}

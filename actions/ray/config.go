package ray

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/step"
)

// serveConfig is Serve's own config, as its config files have it. Only what
// has to be found in it is named here; Serve checks the rest.
type serveConfig map[string]any

// appConfig is an application of a config, deployConfig a deployment of one.
type (
	appConfig    map[string]any
	deployConfig map[string]any
)

func (c serveConfig) apps() (apps []appConfig) {
	for _, a := range asList(c["applications"]) {
		apps = append(apps, asMap(a))
	}
	return apps
}

func (c serveConfig) names() (names []string) {
	for _, a := range c.apps() {
		names = append(names, a.name())
	}
	return names
}

// name is the application's name, or what Serve calls one without.
func (a appConfig) name() string {
	if name, ok := a["name"].(string); ok {
		return name
	}
	return "default"
}

func (a appConfig) deployments() (list []deployConfig) {
	for _, d := range asList(a["deployments"]) {
		list = append(list, asMap(d))
	}
	return list
}

func (d deployConfig) name() string {
	name, _ := d["name"].(string)
	return name
}

func asList(v any) []any {
	list, _ := v.([]any)
	return list
}

func asMap(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

// configOf makes a config of an argument; nil where it was left out.
func configOf(v cty.Value) (serveConfig, error) {
	if v == cty.NilVal || v.IsNull() {
		return nil, nil
	}
	text, err := step.ValueJSON(v)
	if err != nil {
		return nil, err
	}
	var c serveConfig
	if err := json.Unmarshal(text, &c); err != nil {
		return nil, err
	}
	return c, nil
}

// checkConfig finds what can't be a Serve config before anything runs.
func checkConfig(v cty.Value) error {
	if !isObject(v) {
		return fmt.Errorf("the config of Serve is an object with applications, not %s; yamldecode(file(\"…\")) makes one of a config file", v.Type().FriendlyName())
	}
	if !v.Type().HasAttribute("applications") {
		return errors.New("the config of Serve has no applications")
	}
	apps := v.GetAttr("applications")
	if !apps.IsKnown() {
		return nil
	}
	if apps.IsNull() || !apps.CanIterateElements() || isObject(apps) {
		return errors.New("applications must be a list")
	}
	for i, app := range apps.AsValueSlice() {
		if !app.IsKnown() {
			continue
		}
		if app.IsNull() || !isObject(app) || !app.Type().HasAttribute("import_path") {
			return &schema.PartError{Path: cty.GetAttrPath("applications").IndexInt(i), Err: fmt.Errorf("application %d has no import_path", i)}
		}
	}
	return nil
}

// checkOptions accepts an object.
func checkOptions(v cty.Value) error {
	if !isObject(v) {
		return fmt.Errorf("options are an object, such as { num_replicas = 2 }, not %s", v.Type().FriendlyName())
	}
	for _, name := range slices.Sorted(maps.Keys(v.AsValueMap())) {
		if !slices.Contains(deploymentOptions, name) {
			return schema.KeyError(name, fmt.Errorf("a deployment of Serve has no option %q", name), deploymentOptions...)
		}
	}
	return nil
}

// deploymentOptions are the fields of Serve's DeploymentSchema
// (ray/serve/schema.py of Ray 2.56), without the name.
var deploymentOptions = strings.Fields(`autoscaling_config backpressure_config deployment_actors gang_scheduling_config
	graceful_shutdown_timeout_s graceful_shutdown_wait_loop_s health_check_period_s health_check_timeout_s logging_config
	max_ongoing_requests max_queued_requests max_replicas_per_node max_surge_percent num_replicas
	placement_group_bundle_label_selector placement_group_bundles placement_group_strategy ray_actor_options
	request_router_config rolling_update_percentage user_config`)

func isObject(v cty.Value) bool { return v.Type().IsObjectType() || v.Type().IsMapType() }

// withCheck puts a check on an argument that is of any type.
func withCheck(d step.Definition, name string, check func(cty.Value) error) step.Definition {
	d.Args.Attrs = slices.Clone(d.Args.Attrs)
	i := slices.IndexFunc(d.Args.Attrs, func(a schema.Attr) bool { return a.Name == name })
	d.Args.Attrs[i].Check = check
	return d
}

// together puts a check of all arguments on an action. What is known before
// the run is checked then, and the rest when it is known.
func together(d step.Definition, check func(cty.Value) error) step.Definition {
	run := d.Action
	d.Check = check
	d.Action = func(ctx context.Context, env *step.Env, args cty.Value) (step.Result, error) {
		if err := check(args); err != nil {
			return step.Result{}, step.Failf("%w", err)
		}
		return run(ctx, env, args)
	}
	return d
}

// given and missing say what is certain of an argument; of one that is known
// later neither is.
func given(args cty.Value, name string) bool {
	v := args.GetAttr(name)
	return v.IsKnown() && !v.IsNull()
}

func missing(args cty.Value, name string) bool {
	v := args.GetAttr(name)
	return v.IsKnown() && v.IsNull()
}

// says reports that a string argument is known to be that.
func says(args cty.Value, name, text string) bool {
	return given(args, name) && args.GetAttr(name).AsString() == text
}

// change is what is to differ in what is deployed.
type change struct {
	Application string         `json:"application,omitempty"` // empty: the only one with such a deployment
	Deployment  string         `json:"deployment"`
	Options     map[string]any `json:"options"`
}

// over returns the config that is deployed with the change laid over it.
func (c change) over(s serveState) (serveConfig, error) {
	owner, err := c.owner(s)
	if err != nil {
		return nil, err
	}
	config := serveConfig{}
	if s.ProxyLocation != "" {
		config["proxy_location"] = s.ProxyLocation
	}
	if s.HTTPOptions != nil {
		config["http_options"] = s.HTTPOptions
	}
	if s.GRPCOptions != nil {
		config["grpc_options"] = s.GRPCOptions
	}
	if s.TargetCapacity != nil {
		config["target_capacity"] = *s.TargetCapacity
	}
	// Serve removes what a config does not list: all of them go in.
	apps := []any{}
	for _, name := range sortedKeys(s.Applications) {
		app := s.Applications[name].Config
		if app == nil {
			return nil, step.Failf("Serve has no config of application %q, which serve.run deployed", name).
				With("", "give reconfig the whole config instead of options").AsFinal()
		}
		if name == owner {
			app = c.overApp(app)
		}
		apps = append(apps, app)
	}
	config["applications"] = apps
	return config, nil
}

// owner is the application that has the deployment.
func (c change) owner(s serveState) (string, error) {
	var owners, known []string
	for _, app := range sortedKeys(s.Applications) {
		for _, d := range sortedKeys(s.Applications[app].Deployments) {
			known = append(known, app+"/"+d)
			if d == c.Deployment && (c.Application == "" || c.Application == app) {
				owners = append(owners, app)
			}
		}
	}
	if len(owners) == 1 {
		return owners[0], nil
	}
	what := fmt.Sprintf("deployment %q is not deployed", c.Deployment)
	if len(owners) > 1 {
		what = fmt.Sprintf("deployment %q is in %s", c.Deployment, strings.Join(owners, " and "))
	}
	return "", step.Failf("%s", what).
		With("deployed: "+strings.Join(known, ", "), "name one of these with deployment and application").AsFinal()
}

func (c change) overApp(app map[string]any) map[string]any {
	app = maps.Clone(app)
	list := slices.Clone(asList(app["deployments"]))
	i := slices.IndexFunc(list, func(d any) bool { return deployConfig(asMap(d)).name() == c.Deployment })
	if i < 0 {
		list = append(list, map[string]any{"name": c.Deployment})
		i = len(list) - 1
	}
	entry := maps.Clone(asMap(list[i]))
	maps.Copy(entry, c.Options)
	list[i] = entry
	app["deployments"] = list
	return app
}

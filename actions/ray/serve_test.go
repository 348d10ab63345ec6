package ray

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/engine/step"
)

func state(t *testing.T, name string) (s serveState) {
	t.Helper()
	if err := json.Unmarshal([]byte(recorded(t, name)), &s); err != nil {
		t.Fatal(err)
	}
	return s
}

// pidConfig is what was deployed when the replies were recorded.
const pidConfig = `{
	"proxy_location": "EveryNode",
	"http_options": {"host": "0.0.0.0", "port": 8000},
	"applications": [{
		"name": "pid", "route_prefix": "/pid", "import_path": "pid:app",
		"deployments": [{"name": "GetPID", "num_replicas": 1, "user_config": {"version": 1}, "ray_actor_options": {"num_cpus": 0.1}}]
	}]
}`

func TestAnApplicationIsSettledWhenItRunsAsManyReplicasAsItIsTo(t *testing.T) {
	for name, want := range map[string]string{
		"serve_empty.json":        "pid is not there",
		"serve_building.json":     "pid is DEPLOYING",
		"serve_starting.json":     "pid is DEPLOYING: GetPID 0 of 1 replicas RUNNING (1 STARTING)",
		"serve_one.json":          "",
		"serve_two_accepted.json": "pid is DEPLOYING",
		"serve_two_starting.json": "pid is DEPLOYING: GetPID 1 of 2 replicas RUNNING (1 STARTING)",
		"serve_two.json":          "",
	} {
		err := state(t, name).settled([]string{"pid"})
		switch {
		case want == "" && err != nil, want != "" && (err == nil || err.Error() != want):
			t.Errorf("%s: %v; want %q", name, err, want)
		case err != nil && step.IsFinal(err):
			t.Errorf("%s ends the wait", name)
		}
	}
}

func TestAFailedDeploymentEndsTheWaitWithRaysOwnWords(t *testing.T) {
	for name, test := range map[string]struct{ app, message, detail string }{
		"serve_import_failed.json": {
			"pid", `Serve could not deploy application "pid": ModuleNotFoundError: No module named 'nowhere'`, "import_module_and_attr"},
		"serve_constructor_failed.json": {
			"boom", `Serve could not deploy application "boom": Boom: RuntimeError: no model file`, `raise RuntimeError("no model file")`},
	} {
		e := failed(t, state(t, name).settled([]string{test.app}))
		if !e.Final || e.Error() != test.message {
			t.Errorf("%s: final %t, %q; want %q", name, e.Final, e, test.message)
		}
		if !strings.Contains(e.Detail, test.detail) || strings.Contains(e.Detail, "\x1b") {
			t.Errorf("%s: detail %q", name, e.Detail)
		}
	}
}

func TestAConfigIsInForceWhenItsNumbersAreServes(t *testing.T) {
	for name, test := range map[string]struct{ options, want string }{
		"as it is":               {`{"num_replicas": 2, "user_config": {"version": 2}}`, ""},
		"another number":         {`{"num_replicas": 3}`, "is not yet to have 3 replicas"},
		"another user_config":    {`{"user_config": {"version": 3}}`, "does not have its new user_config"},
		"a number left to Serve": {`{"num_replicas": "auto"}`, ""},
	} {
		d := value(t, `{"applications": [{"name": "pid", "import_path": "pid:app", "deployments": [`+
			strings.Replace(test.options, "{", `{"name": "GetPID", `, 1)+`]}]}`)
		config, err := configOf(d)
		if err != nil {
			t.Fatal(err)
		}
		err = state(t, "serve_two.json").inForce(config)
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: %v; want %q", name, err, test.want)
		}
	}
}

func TestDeployWaitsUntilTheProxiesKnowTheRoute(t *testing.T) {
	f := newFake(t, nil)
	f.replies["GET /-/routes"] = nil
	f.reply("PUT /api/serve/applications/", 200, "")
	for _, name := range []string{"serve_empty.json", "serve_building.json", "serve_starting.json", "serve_one.json"} {
		f.reply("GET /api/serve/applications/", 200, recorded(t, name))
	}
	f.reply("GET /-/routes", 503, "")
	f.reply("GET /-/routes", 200, "{}")
	f.reply("GET /-/routes", 200, `{"/pid": "pid"}`)
	result, err := f.act("deploy_serve", map[string]cty.Value{"config": value(t, pidConfig)})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := asJSON(t, result.Value), `{"applications":{"pid":{"message":"","replicas":1,"status":"RUNNING"}}}`; got != want {
		t.Errorf("result %s; want %s", got, want)
	}
	if result.Summary != "pid RUNNING with 1 replica" {
		t.Errorf("summary %q", result.Summary)
	}
	if n := f.count("GET /-/routes"); n != 3 {
		t.Errorf("the proxy was asked %d times; want 3", n)
	}
	if got, want := jsonText(f.put()), jsonText(mustConfig(t, pidConfig)); got != want {
		t.Errorf("Serve was given %s; want %s", got, want)
	}
	if said := strings.Join(f.Progress(), "\n"); !strings.Contains(said, "GetPID 0 of 1 replicas RUNNING (1 STARTING)") {
		t.Errorf("progress:\n%s", said)
	}
}

func mustConfig(t *testing.T, text string) serveConfig {
	t.Helper()
	c, err := configOf(value(t, text))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestNobodyWaitsForProxiesThatOnlyTheirOwnNodeCanAsk(t *testing.T) {
	f := newFake(t, nil)
	f.replies["GET /-/routes"] = nil
	f.reply("PUT /api/serve/applications/", 200, "")
	f.reply("GET /api/serve/applications/", 200, strings.Replace(recorded(t, "serve_one.json"), "0.0.0.0", "127.0.0.1", 1))
	if _, err := f.act("deploy_serve", map[string]cty.Value{"config": value(t, pidConfig)}); err != nil {
		t.Fatal(err)
	}
}

func TestDeployAsksAgainWhileServeIsNotReadyForIt(t *testing.T) {
	f := newFake(t, nil)
	f.reply("PUT /api/serve/applications/", 503, "The GCS may be down")
	f.reply("PUT /api/serve/applications/", 500, "ray.init failed")
	f.reply("PUT /api/serve/applications/", 200, "")
	f.reply("GET /api/serve/applications/", 200, recorded(t, "serve_one.json"))
	if _, err := f.act("deploy_serve", map[string]cty.Value{"config": value(t, pidConfig)}); err != nil {
		t.Fatal(err)
	}
	if n := f.count("PUT /api/serve/applications/"); n != 3 {
		t.Errorf("%d attempts; want 3", n)
	}
}

func TestAConfigThatServeRefusesFailsAtOnce(t *testing.T) {
	for status, body := range map[int]string{400: recorded(t, "put_refused.txt"), 501: "Serve dependencies are not installed."} {
		f := newFake(t, nil)
		f.reply("PUT /api/serve/applications/", status, body)
		_, err := f.act("deploy_serve", map[string]cty.Value{"config": value(t, pidConfig)})
		if e := failed(t, err); e.Detail != body || !strings.Contains(e.Error(), "Serve refused the config") {
			t.Errorf("%d: %v\n%s", status, e, e.Detail)
		}
		if n := f.count("PUT /api/serve/applications/"); n != 1 {
			t.Errorf("%d: %d attempts; want 1", status, n)
		}
	}
}

func TestNothingIsDeployedToAHeadThatIsDown(t *testing.T) {
	f := newFake(t, nil)
	f.Exit("node.head", 1)
	_, err := f.act("deploy_serve", map[string]cty.Value{"config": value(t, pidConfig)})
	if e := failed(t, err); e.Error() != "node.head is down" {
		t.Errorf("error %v", e)
	}
}

func TestAHeadWithoutADashboardCannotBeAskedByREST(t *testing.T) {
	f := newFake(t, map[string]cty.Value{"dashboard": cty.False})
	_, err := f.act("deploy_serve", map[string]cty.Value{"config": value(t, pidConfig)})
	if e := failed(t, err); !strings.Contains(e.Error(), "dashboard = false") {
		t.Errorf("error %v", e)
	}
}

func TestWhatCannotBeAConfigIsFoundBeforeTheRun(t *testing.T) {
	for text, want := range map[string]string{
		pidConfig:                         "",
		`{"applications": []}`:            "",
		`"app.yaml"`:                      "yamldecode",
		`{"application": []}`:             "has no applications",
		`{"applications": {}}`:            "must be a list",
		`{"applications": [{"name": 1}]}`: "application 0 has no import_path",
		`{"applications": ["pid:app"]}`:   "application 0 has no import_path",
	} {
		err := checkConfig(value(t, text))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v; want %q", text, err, want)
		}
	}
	if err := checkConfig(cty.ObjectVal(map[string]cty.Value{"applications": cty.DynamicVal})); err != nil {
		t.Errorf("a config that is known later: %v", err)
	}
}

package ray

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/step"
)

// States of applications and replicas.
const (
	running      = "RUNNING"
	deployFailed = "DEPLOY_FAILED"
	healthy      = "HEALTHY"
)

// serveState is Serve's account of itself. What Serve leaves out is empty.
type serveState struct {
	Controller struct {
		NodeID string `json:"node_id"`
		IP     string `json:"node_ip"`
	} `json:"controller_info"`
	ProxyLocation  string                 `json:"proxy_location"`
	HTTPOptions    map[string]any         `json:"http_options"`
	GRPCOptions    map[string]any         `json:"grpc_options"`
	TargetCapacity *float64               `json:"target_capacity"`
	Proxies        map[string]proxy       `json:"proxies"`
	Applications   map[string]application `json:"applications"`
}

type proxy struct {
	NodeID string `json:"node_id"`
	IP     string `json:"node_ip"`
	Status string `json:"status"`
}

type application struct {
	Name        string                `json:"name"`
	Status      string                `json:"status"`
	Message     string                `json:"message"`
	RoutePrefix *string               `json:"route_prefix"`
	Config      map[string]any        `json:"deployed_app_config"`
	Deployments map[string]deployment `json:"deployments"`
}

type deployment struct {
	Name     string         `json:"name"`
	Status   string         `json:"status"`
	Message  string         `json:"message"`
	Config   map[string]any `json:"deployment_config"`
	Target   *int           `json:"target_num_replicas"`
	Replicas []replica      `json:"replicas"`
}

type replica struct {
	ID    string `json:"replica_id"`
	State string `json:"state"`
	PID   *int   `json:"pid"`
	IP    string `json:"node_ip"`
	Actor string `json:"actor_name"`
}

func (d deployment) running() int {
	n := 0
	for _, r := range d.Replicas {
		if r.State == running {
			n++
		}
	}
	return n
}

func (a application) replicas() (n int) {
	for _, d := range a.Deployments {
		n += d.running()
	}
	return n
}

// replicas are all replicas by the name of their actor.
func (s serveState) replicas() map[string]replica {
	all := map[string]replica{}
	for _, a := range s.Applications {
		for _, d := range a.Deployments {
			for _, r := range d.Replicas {
				all[r.Actor] = r
			}
		}
	}
	return all
}

// settled says whether every one of the applications is as it should be: nil,
// an error that ends the wait where it never will be, or what is missing.
func (s serveState) settled(names []string) error {
	var missing []string
	for _, name := range names {
		app, ok := s.Applications[name]
		if !ok {
			missing = append(missing, name+" is not there")
			continue
		}
		if app.Status == deployFailed {
			return app.failure()
		}
		if why := app.unsettled(); why != "" {
			missing = append(missing, why)
		}
	}
	if len(missing) > 0 {
		return step.Failf("%s", strings.Join(missing, "; "))
	}
	return nil
}

// failure says why an application could not be deployed: in its deployments'
// words where they have some, since the application's are then only that they
// failed.
func (a application) failure() error {
	reason := lastLine(a.Message)
	detail := []string{plain(a.Message)}
	for _, name := range sortedKeys(a.Deployments) {
		if d := a.Deployments[name]; d.Status != healthy && d.Message != "" {
			reason = name + ": " + lastLine(d.Message)
			detail = append(detail, name+": "+plain(d.Message))
		}
	}
	return step.Failf("Serve could not deploy application %q: %s", a.Name, reason).
		With(strings.Join(detail, "\n"), "").AsFinal()
}

var colours = regexp.MustCompile("\x1b\\[[0-9;]*m")

// plain is a message of Ray without the colours of its worker processes.
func plain(text string) string { return strings.TrimSpace(colours.ReplaceAllString(text, "")) }

// lastLine is where a traceback says what happened.
func lastLine(text string) string {
	text = plain(text)
	return clip(strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:]), 300)
}

// unsettled is what an application still lacks, or empty.
func (a application) unsettled() string {
	var parts []string
	for _, name := range sortedKeys(a.Deployments) {
		d := a.Deployments[name]
		switch {
		case d.Target == nil || d.running() != *d.Target || len(d.Replicas) != *d.Target:
			parts = append(parts, fmt.Sprintf("%s %s", name, d.progress()))
		case d.Status != healthy:
			parts = append(parts, fmt.Sprintf("%s is %s", name, d.Status))
		}
		if d.Status != healthy && d.Message != "" {
			parts = append(parts, lastLine(d.Message))
		}
	}
	if a.Status == running && len(parts) == 0 {
		return ""
	}
	if a.Message != "" {
		parts = append(parts, lastLine(a.Message))
	}
	return strings.TrimSuffix(fmt.Sprintf("%s is %s: %s", a.Name, a.Status, strings.Join(parts, ", ")), ": ")
}

// progress is "1 of 2 replicas RUNNING (1 STARTING)".
func (d deployment) progress() string {
	others := map[string]int{}
	for _, r := range d.Replicas {
		if r.State != running {
			others[r.State]++
		}
	}
	var rest []string
	for _, state := range sortedKeys(others) {
		rest = append(rest, fmt.Sprintf("%d %s", others[state], state))
	}
	target := "?"
	if d.Target != nil {
		target = fmt.Sprint(*d.Target)
	}
	line := fmt.Sprintf("%d of %s replicas RUNNING", d.running(), target)
	if len(rest) > 0 {
		line += " (" + strings.Join(rest, ", ") + ")"
	}
	return line
}

// inForce says whether Serve has taken over what the config says of an
// application's deployments, as far as it can be read off.
func (s serveState) inForce(config serveConfig) error {
	for _, app := range config.apps() {
		have := s.Applications[app.name()].Deployments
		for _, want := range app.deployments() {
			d, ok := have[want.name()]
			if !ok {
				continue // Serve itself refuses a deployment that the code does not have
			}
			if n, ok := want["num_replicas"].(float64); ok && (d.Target == nil || float64(*d.Target) != n) {
				return step.Failf("%s of %s is not yet to have %v replicas", d.Name, app.name(), n)
			}
			if user, ok := want["user_config"]; ok && !sameJSON(user, d.Config["user_config"]) {
				return step.Failf("%s of %s does not have its new user_config yet", d.Name, app.name())
			}
		}
	}
	return nil
}

func sameJSON(a, b any) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && string(x) == string(y)
}

// awaitServe waits until the config is in force: every application RUNNING
// with the replicas it is to have, and answering for its routes on each node
// that has one.
func awaitServe(ctx context.Context, env *step.Env, a api, config serveConfig) (s serveState, err error) {
	err = persist(ctx, env, serveEvery, func(ctx context.Context) error {
		if s, err = a.serve(ctx); err != nil {
			return err
		}
		if err := s.settled(config.names()); err != nil {
			return err
		}
		return s.inForce(config)
	})
	if err != nil {
		return s, err
	}
	return s, persist(ctx, env, pollEvery, func(ctx context.Context) error {
		return s.routed(ctx, a.client, config.names())
	})
}

// persist asks until the answer is nil or final, or ctx ends, and says on the
// timeline what it is waiting for whenever that changes.
func persist(ctx context.Context, env *step.Env, every time.Duration, ask func(context.Context) error) error {
	say := onChange(env.Progress)
	err := step.Poll(ctx, env.Clock, every, func(ctx context.Context) error {
		err := ask(ctx)
		if err != nil && !step.IsFinal(err) {
			say(err.Error())
		}
		return err
	})
	return asFailure(err)
}

// asFailure makes it count against Ray that it did not answer, and leaves
// alone what has a verdict: a lab that broke, or an end that was asked for.
func asFailure(err error) error {
	var known *step.Error
	var lab *runtime.Error
	if err == nil || errors.As(err, &known) || errors.As(err, &lab) || errors.Is(err, context.Canceled) {
		return err
	}
	return &step.Error{Verdict: step.Failed, Err: err}
}

// onChange passes on a text only when it differs from the one before.
func onChange(say func(string)) func(string) {
	last := ""
	return func(text string) {
		if text != last {
			say(text)
		}
		last = text
	}
}

// routed says whether the proxies beside replicas know the applications'
// routes. A proxy starts after its node's first replica, so RUNNING alone does
// not mean that a request is answered.
func (s serveState) routed(ctx context.Context, client *http.Client, names []string) error {
	port, ok := s.HTTPOptions["port"].(float64)
	want := s.prefixes(names)
	if !ok || len(want) == 0 || !s.reachableByHTTP() {
		return nil
	}
	for _, ip := range s.proxyIPs() {
		known, err := routes(ctx, client, "http://"+address(ip, int(port))+"/-/routes")
		if err != nil {
			return step.Failf("Serve's proxy on %s does not answer yet: %w", ip, err)
		}
		for _, prefix := range want {
			if _, ok := known[prefix]; !ok {
				return step.Failf("Serve's proxy on %s does not know route %s yet", ip, prefix)
			}
		}
	}
	return nil
}

// reachableByHTTP says whether there are proxies that answer from outside of
// their nodes, by HTTP and under the paths that Serve gives its routes.
func (s serveState) reachableByHTTP() bool {
	option := func(name string) string {
		text, _ := s.HTTPOptions[name].(string)
		return text
	}
	host := option("host")
	return s.ProxyLocation != "Disabled" && host != "localhost" && !strings.HasPrefix(host, "127.") &&
		option("root_path") == "" && option("ssl_keyfile") == ""
}

func (s serveState) prefixes(names []string) (prefixes []string) {
	for _, name := range names {
		if p := s.Applications[name].RoutePrefix; p != nil {
			prefixes = append(prefixes, *p)
		}
	}
	return prefixes
}

// proxyIPs are the addresses of the nodes that have a proxy to wait for: those
// with a replica, or only the head where proxies live on it alone.
func (s serveState) proxyIPs() []string {
	if s.ProxyLocation == "HeadOnly" {
		return []string{s.Controller.IP}
	}
	var ips []string
	for _, r := range s.replicas() {
		if r.State == running && !slices.Contains(ips, r.IP) {
			ips = append(ips, r.IP)
		}
	}
	slices.Sort(ips)
	return ips
}

func routes(ctx context.Context, client *http.Client, url string) (known map[string]string, err error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, "GET", url, nil)
	if err != nil {
		return nil, err
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answers %d", url, resp.StatusCode)
	}
	return known, json.NewDecoder(resp.Body).Decode(&known)
}

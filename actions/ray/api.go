package ray

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/scenario-run/scenario/engine/step"
)

// Time limits of one request. Serve's replies wait for its controller, which
// may be starting; a request in flight when a node dies is never answered.
const (
	askTimeout   = 10 * time.Second
	applyTimeout = 30 * time.Second
	// pollEvery is how often something is asked again that costs Ray nothing.
	pollEvery = 50 * time.Millisecond
	// serveEvery is how often Serve is: each answer takes about 16 ms of CPU on
	// the head, which is busy starting what is being waited for.
	serveEvery = 150 * time.Millisecond
)

// maxReply bounds what is read of a reply.
const maxReply = 64 << 20

// api is the REST API of a head, asked from inside the run's network.
type api struct {
	head   string // node address, for messages
	base   string
	client *http.Client
}

func newAPI(env *step.Env, head string) api {
	return api{
		head: head,
		base: "http://" + address(env.Nodes.Facts(head).IP, dashboardPort),
		client: &http.Client{Transport: &http.Transport{
			DisableKeepAlives: true, // a connection must not outlive the head's restart
			DialContext: func(ctx context.Context, _, addr string) (net.Conn, error) {
				return dial(ctx, env, addr)
			},
		}},
	}
}

// refusal is a reply with a status that is not a success.
type refusal struct {
	Method, Path string
	Status       int
	Body         string
}

func (r *refusal) Error() string {
	first, _, _ := strings.Cut(strings.TrimSpace(r.Body), "\n")
	return fmt.Sprintf("%s %s: %d %s", r.Method, r.Path, r.Status, clip(first, 200))
}

func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return s[:n] + "…"
}

// do sends a request and decodes the reply into out, if that is not nil.
func (a api) do(ctx context.Context, method, path string, body []byte, timeout time.Duration, out any) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, a.base+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := a.client.Do(req)
	if err != nil {
		return fmt.Errorf("ask Ray on %s: %w", a.head, err)
	}
	defer resp.Body.Close()
	reply, err := io.ReadAll(io.LimitReader(resp.Body, maxReply))
	if err != nil {
		return fmt.Errorf("ask Ray on %s: %s %s: %w", a.head, method, path, err)
	}
	if resp.StatusCode >= 300 {
		return &refusal{method, path, resp.StatusCode, string(reply)}
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(reply, out); err != nil {
		return fmt.Errorf("ask Ray on %s: %s %s: the reply is not what Ray 2 answers: %w", a.head, method, path, err)
	}
	return nil
}

type version struct {
	Ray     string `json:"ray_version"`
	Session string `json:"session_name"`
}

func (a api) version(ctx context.Context) (v version, err error) {
	return v, a.do(ctx, "GET", "/api/version", nil, askTimeout, &v)
}

// States of nodes and actors in Ray's lists.
const (
	alive = "ALIVE"
	dead  = "DEAD"
)

// rayNode is a node of Ray's list. A head that was restarted is a new node;
// the old one stays in the list as DEAD.
type rayNode struct {
	ID      string             `json:"node_id"`
	IP      string             `json:"node_ip"`
	IsHead  bool               `json:"is_head_node"`
	State   string             `json:"state"`
	Total   map[string]float64 `json:"resources_total"`
	StartMS int64              `json:"start_time_ms"`
}

func (n rayNode) startedAt() time.Time { return time.UnixMilli(n.StartMS) }

func (a api) nodes(ctx context.Context) ([]rayNode, error) {
	return list[rayNode](ctx, a, "nodes", nil)
}

// rayActor is an actor of Ray's list.
type rayActor struct {
	ID       string `json:"actor_id"`
	Class    string `json:"class_name"`
	State    string `json:"state"`
	Name     string `json:"name"`
	NodeID   string `json:"node_id"`
	PID      int    `json:"pid"`
	Restarts string `json:"num_restarts"`
}

// actors lists actors for which each of the fields has that value.
func (a api) actors(ctx context.Context, fields map[string]string) ([]rayActor, error) {
	return list[rayActor](ctx, a, "actors", fields)
}

// listLimit is the most that Ray lists.
const listLimit = "10000"

// list asks the state API, which wraps its answer twice and says in the body
// whether it could answer.
func list[T any](ctx context.Context, a api, what string, fields map[string]string) ([]T, error) {
	query := url.Values{"detail": {"1"}, "limit": {listLimit}}
	for _, k := range sortedKeys(fields) {
		query.Add("filter_keys", k)
		query.Add("filter_predicates", "=")
		query.Add("filter_values", fields[k])
	}
	var reply struct {
		Result bool   `json:"result"`
		Msg    string `json:"msg"`
		Data   struct {
			Result struct {
				Result []T `json:"result"`
			} `json:"result"`
		} `json:"data"`
	}
	if err := a.do(ctx, "GET", "/api/v0/"+what+"?"+query.Encode(), nil, askTimeout, &reply); err != nil {
		return nil, err
	}
	if !reply.Result {
		return nil, fmt.Errorf("on %s, Ray can't list its %s: %s", a.head, what, clip(reply.Msg, 300))
	}
	return reply.Data.Result.Result, nil
}

const serveApplications = "/api/serve/applications/"

// serve asks Serve for all that it knows of itself.
func (a api) serve(ctx context.Context) (s serveState, err error) {
	return s, a.do(ctx, "GET", serveApplications, nil, askTimeout, &s)
}

// deploy gives Serve a config. Serve answers before it is carried out.
func (a api) deploy(ctx context.Context, config map[string]any) error {
	body, err := json.Marshal(config)
	if err != nil {
		return fmt.Errorf("write Serve's config as JSON: %w", err)
	}
	return a.do(ctx, "PUT", serveApplications, body, applyTimeout, nil)
}

// refused returns Ray's own words where it refused a config for what it says
// (400), or can't take any (501), and nil where it may take it later.
func refused(err error) *step.Error {
	var r *refusal
	if !errors.As(err, &r) || (r.Status >= 500 && r.Status != http.StatusNotImplemented) {
		return nil
	}
	return step.Failf("Serve refused the config: %w", err).
		With(strings.TrimSpace(r.Body), "compare the config with Ray's documentation of the Serve config file").AsFinal()
}

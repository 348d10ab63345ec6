package ray

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/step"
	"github.com/scenario-run/scenario/engine/step/steptest"
)

const (
	headIP   = "10.213.7.130" // as in the recorded replies
	workerIP = "10.213.7.131"
)

// cluster is a head and a worker whose REST API answers what Ray was recorded
// to answer.
type fakeCluster struct {
	*steptest.World
	t      *testing.T
	server *httptest.Server

	mu      sync.Mutex
	closed  map[string]bool    // addresses that refuse
	replies map[string][]reply // by "GET /path", one after the other; the last stays
	asked   []string
	queries map[string]string // the last of each question
	bodies  []string          // of the PUTs
	posts   []string          // of the POSTs
}

type reply struct {
	status int
	body   string
	do     func() // after it was sent
}

func newFake(t *testing.T, headArgs map[string]cty.Value) *fakeCluster {
	t.Helper()
	kind := definition(t, schema.NodeKind, "ray").Args
	head := map[string]cty.Value{"role": cty.StringVal("head")}
	for k, v := range headArgs {
		head[k] = v
	}
	worker := map[string]cty.Value{"role": cty.StringVal("worker"), "head": cty.StringVal("node.head")}
	f := &fakeCluster{t: t, closed: map[string]bool{}, replies: map[string][]reply{}, queries: map[string]string{}}
	f.World = steptest.New(
		steptest.Node{Address: "node.head", IP: headIP, Kind: "ray", Args: object(kind, head)},
		steptest.Node{Address: "node.worker", IP: workerIP, Kind: "ray", Args: object(kind, worker), Processes: rayProcesses()},
		steptest.Node{Address: "node.redis", IP: "10.213.7.132", Args: cty.NilVal},
	)
	f.server = httptest.NewServer(http.HandlerFunc(f.serve))
	t.Cleanup(f.server.Close)
	f.OnDial = f.dial
	f.reply("GET /-/routes", 200, `{"/pid": "pid"}`)
	return f
}

// reply adds a reply to a question.
func (f *fakeCluster) reply(question string, status int, body string) {
	f.then(question, status, body, nil)
}

func (f *fakeCluster) then(question string, status int, body string, do func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.replies[question] = append(f.replies[question], reply{status, body, do})
}

// refuse makes addresses refuse connections, or take them again.
func (f *fakeCluster) refuse(addrs ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = map[string]bool{}
	for _, a := range addrs {
		f.closed[a] = true
	}
}

func (f *fakeCluster) dial(ctx context.Context, from, network, addr string) (net.Conn, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	if f.closed[addr] || f.closed[host] {
		return nil, &net.OpError{Op: "dial", Net: network, Err: syscall.ECONNREFUSED}
	}
	if port == strconv.Itoa(dashboardPort) || port == "8000" {
		return (&net.Dialer{}).DialContext(ctx, "tcp", f.server.Listener.Addr().String())
	}
	here, there := net.Pipe()
	return here, there.Close()
}

func (f *fakeCluster) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		f.t.Error(err)
	}
	question := r.Method + " " + r.URL.Path
	f.mu.Lock()
	f.asked = append(f.asked, question)
	f.queries[question] = r.URL.RawQuery
	if r.Method == http.MethodPut {
		f.bodies = append(f.bodies, string(body))
	}
	if r.Method == http.MethodPost {
		f.posts = append(f.posts, string(body))
	}
	list := f.replies[question]
	if len(list) == 0 {
		f.mu.Unlock()
		f.t.Errorf("nobody expected %s", question)
		w.WriteHeader(http.StatusTeapot)
		return
	}
	answer := list[0]
	if len(list) > 1 {
		f.replies[question] = list[1:]
	}
	f.mu.Unlock()
	w.WriteHeader(answer.status)
	if _, err := io.WriteString(w, answer.body); err != nil {
		f.t.Error(err)
	}
	if answer.do != nil {
		answer.do()
	}
}

func (f *fakeCluster) count(question string) (n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, q := range f.asked {
		if q == question {
			n++
		}
	}
	return n
}

func (f *fakeCluster) query(question string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.queries[question]
}

// put is the last config that Serve was given.
func (f *fakeCluster) put() serveConfig {
	f.t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.bodies) == 0 {
		f.t.Fatal("Serve was given no config")
	}
	var c serveConfig
	if err := json.Unmarshal([]byte(f.bodies[len(f.bodies)-1]), &c); err != nil {
		f.t.Fatal(err)
	}
	return c
}

func (f *fakeCluster) act(name string, args map[string]cty.Value) (step.Result, error) {
	f.t.Helper()
	d := definition(f.t, schema.Action, name)
	return d.Action(f.t.Context(), f.Env(), onFakeHead(d.Args, args))
}

func (f *fakeCluster) probe(name string, args map[string]cty.Value) (cty.Value, error) {
	f.t.Helper()
	d := definition(f.t, schema.Probe, name)
	return d.Probe(f.t.Context(), f.Env(), onFakeHead(d.Args, args))
}

func onFakeHead(o schema.Object, args map[string]cty.Value) cty.Value {
	all := map[string]cty.Value{"head": cty.StringVal("node.head")}
	for k, v := range args {
		all[k] = v
	}
	return object(o, all)
}

// object is a body's value as the language makes it: defaults filled in.
func object(o schema.Object, given map[string]cty.Value) cty.Value {
	attrs := map[string]cty.Value{}
	for _, a := range o.Attrs {
		v, ok := given[a.Name]
		switch {
		case ok:
			attrs[a.Name] = v
		case a.Default != cty.NilVal:
			attrs[a.Name] = a.Default
		default:
			attrs[a.Name] = cty.NullVal(a.ValueType())
		}
	}
	return cty.ObjectVal(attrs)
}

func definition(t *testing.T, kind schema.Kind, name string) step.Definition {
	t.Helper()
	d, ok := step.NewRegistry(Definitions()).Lookup(kind, name)
	if !ok {
		t.Fatalf("no %s %s", kind, name)
	}
	return d
}

// recorded is a reply as Ray 2.60.0 gave it.
func recorded(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(bytes.TrimSpace(text))
}

func value(t *testing.T, text string) cty.Value {
	t.Helper()
	v, err := step.JSONValue([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func asJSON(t *testing.T, v cty.Value) string {
	t.Helper()
	text, err := step.ValueJSON(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// failed wants an error that counts against Ray, and returns it.
func failed(t *testing.T, err error) *step.Error {
	t.Helper()
	var e *step.Error
	if !errors.As(err, &e) || e.Verdict != step.Failed {
		t.Fatalf("error %v; want one with the verdict failed", err)
	}
	return e
}

package docker_test

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/moby/moby/api/types/events"
	"github.com/moby/moby/client"

	"github.com/scenario-run/scenario/engine/docker"
	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/runtime/conformance"
)

// daemonSocket is the path of the daemon's socket. It skips the test where the
// daemon is reached another way, or not at all.
func daemonSocket(t *testing.T) socket {
	t.Helper()
	connect(t).Close()
	host := os.Getenv("DOCKER_HOST")
	if host == "" {
		host = client.DefaultDockerHost
	}
	path, ok := strings.CutPrefix(host, "unix://")
	if !ok {
		t.Skip("the daemon is not at a socket: ", host)
	}
	return socket(path)
}

type socket string

func (s socket) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	return (&net.Dialer{}).DialContext(ctx, "unix", string(s))
}

// listen returns a socket of the test's own, and its address for a client.
func listen(t *testing.T) (net.Listener, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "d.sock")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	return l, "unix://" + path
}

func serveSocket(t *testing.T, handler http.Handler) (host string) {
	l, host := listen(t)
	server := &http.Server{Handler: handler}
	go server.Serve(l)
	t.Cleanup(func() { server.Close() })
	return host
}

// behind connects to the daemon through a handler, which may keep a request, or
// answer it itself.
func behind(t *testing.T, handle func(w http.ResponseWriter, q *http.Request, daemon http.Handler)) *docker.Runtime {
	t.Helper()
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: "docker"})
	proxy.Transport = &http.Transport{DialContext: daemonSocket(t).dial}
	host := serveSocket(t, http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) { handle(w, q, proxy) }))
	r, err := docker.New(t.Context(), docker.Options{Host: host, AgentBinary: agentBinary})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// wire is a way to the daemon that can be cut, as when it or the engine dies.
type wire struct {
	daemon   socket
	listener net.Listener
	mu       sync.Mutex
	conns    []net.Conn
	copies   sync.WaitGroup
}

// newWire returns a wire and what it connects.
func newWire(t *testing.T) (*wire, *docker.Runtime) {
	t.Helper()
	w := &wire{daemon: daemonSocket(t)}
	var host string
	w.listener, host = listen(t)
	w.copies.Go(w.accept)
	t.Cleanup(w.cut)
	r, err := docker.New(t.Context(), docker.Options{Host: host, AgentBinary: agentBinary})
	if err != nil {
		t.Fatal(err)
	}
	return w, r
}

func (w *wire) accept() {
	for {
		near, err := w.listener.Accept()
		if err != nil {
			return
		}
		far, err := w.daemon.dial(context.Background(), "", "")
		if err != nil {
			near.Close()
			continue
		}
		w.mu.Lock()
		w.conns = append(w.conns, near, far)
		w.mu.Unlock()
		for _, way := range [][2]net.Conn{{near, far}, {far, near}} {
			w.copies.Go(func() {
				io.Copy(way[0], way[1])
				way[0].(*net.UnixConn).CloseWrite()
			})
		}
	}
}

func (w *wire) cut() {
	w.listener.Close()
	w.mu.Lock()
	for _, c := range w.conns {
		c.Close()
	}
	w.mu.Unlock()
	w.copies.Wait()
}

// scope is one of the test's own, swept at its end by another client.
func scope(t *testing.T) runtime.Scope {
	s := runtime.Scope{Run: "lost" + strings.ToLower(rand.Text()[:8]), Owner: "test", Expires: time.Now().Add(time.Hour)}
	r := connect(t)
	t.Cleanup(func() {
		if swept, err := r.Sweep(context.Background(), s, nil); err != nil || len(swept.Left) > 0 {
			t.Errorf("left %v, %v", swept.Left, err)
		}
		r.Close()
	})
	return s
}

// begin makes a network with a sleeping node.
func begin(t *testing.T, r *docker.Runtime, s runtime.Scope) (runtime.Network, runtime.NodeID) {
	t.Helper()
	n, err := r.CreateNetwork(t.Context(), s, runtime.NetworkSpec{Name: "default"})
	if err != nil {
		t.Fatal(err)
	}
	id, err := r.CreateNode(t.Context(), s, runtime.NodeSpec{
		Address: "node.a", Host: "a", Image: image(t), Command: conformance.Sleep.Command,
		Networks: []runtime.Attachment{{Network: n.ID, IP: n.FirstHost}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.StartNode(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	return n, id
}

func wantUnreachable(t *testing.T, what string, err error) {
	t.Helper()
	var failed *runtime.Error
	if !errors.As(err, &failed) || failed.Kind != runtime.Unreachable || failed.Hint == "" {
		t.Errorf("%s: got %v (kind %s)", what, err, runtime.KindOf(err))
	}
}

func TestADaemonThatGoesAwayIsUnreachableForAllThatWaits(t *testing.T) {
	w, r := newWire(t)
	s := scope(t)
	_, id := begin(t, r, s)
	nodeEvents, err := r.Watch(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	log, err := r.Logs(t.Context(), id, time.Time{}, true)
	if err != nil {
		t.Fatal(err)
	}
	waits := map[string]func() error{
		"WaitExit": func() error { _, err := r.WaitExit(t.Context(), id); return err },
		"Exec":     func() error { _, err := r.Exec(t.Context(), id, conformance.Unending); return err },
		"Logs":     func() error { _, err := io.ReadAll(log); return errors.Join(err, log.Close()) },
	}
	var waiting sync.WaitGroup
	for what, wait := range waits {
		waiting.Go(func() { wantUnreachable(t, what, wait()) })
	}
	// The command is the last of them to be under way.
	untilEvent(t, s, string(events.ActionExecStart))
	w.cut()
	waiting.Wait()
	e, ok := <-nodeEvents
	if !ok {
		t.Error("the watch ends without an error")
	}
	wantUnreachable(t, "Watch", e.Err)
	if _, ok := <-nodeEvents; ok {
		t.Error("the watch goes on after its error")
	}
	_, err = r.InspectNode(t.Context(), id)
	wantUnreachable(t, "InspectNode", err)
	_, err = r.Sweep(t.Context(), s, nil)
	wantUnreachable(t, "Sweep", err)
}

// untilEvent waits for an event of the scope that has happened, or will.
func untilEvent(t *testing.T, s runtime.Scope, action string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	stream := api(t).Events(ctx, client.EventsListOptions{
		Since: "1", Filters: make(client.Filters).Add("label", "scenario.run="+s.Run).Add("event", action),
	})
	select {
	case <-stream.Messages:
	case err := <-stream.Err:
		t.Fatalf("no event %s: %v", action, err)
	}
}

// agents is how many containers of agents a scope has, whatever their state.
func agents(t *testing.T, s runtime.Scope) int {
	t.Helper()
	list, err := api(t).ContainerList(t.Context(), client.ContainerListOptions{
		All: true, Filters: make(client.Filters).Add("label", "scenario.run="+s.Run, "scenario.role=agent"),
	})
	if err != nil {
		t.Fatal(err)
	}
	return len(list.Items)
}

func TestAgentsEndWhenTheEngineDies(t *testing.T) {
	w, r := newWire(t)
	s := scope(t)
	n, id := begin(t, r, s)
	for _, at := range []runtime.Place{{Network: n.ID}, {Node: id}, {Node: id, Space: runtime.ProcessSpace}} {
		if _, err := r.Agent(t.Context(), s, at); err != nil {
			t.Fatal(err)
		}
	}
	if n := agents(t, s); n != 3 {
		t.Fatalf("%d agents", n)
	}
	w.cut()
	limit := time.After(20 * time.Second)
	for tick := time.Tick(50 * time.Millisecond); agents(t, s) > 0; {
		select {
		case <-tick:
		case <-limit:
			t.Fatalf("%d agents are left", agents(t, s))
		}
	}
}

func TestALostAgentIsReplaced(t *testing.T) {
	r := connect(t)
	defer r.Close()
	s := scope(t)
	n, _ := begin(t, r, s)
	a, err := r.Agent(t.Context(), s, runtime.Place{Network: n.ID})
	if err != nil {
		t.Fatal(err)
	}
	c := api(t)
	list, err := c.ContainerList(t.Context(), client.ContainerListOptions{
		Filters: make(client.Filters).Add("label", "scenario.run="+s.Run, "scenario.role=agent"),
	})
	if err != nil || len(list.Items) != 1 {
		t.Fatalf("%d agents, %v", len(list.Items), err)
	}
	if _, err := c.ContainerKill(t.Context(), list.Items[0].ID, client.ContainerKillOptions{Signal: "SIGKILL"}); err != nil {
		t.Fatal(err)
	}
	_, err = a.Dial(t.Context(), "tcp", net.JoinHostPort(n.FirstHost.String(), "1"))
	if err == nil || !strings.Contains(err.Error(), "refused") {
		t.Errorf("after the agent's death: %v", err)
	}
}

func TestWhatIsBeingMadeWhenItsCallerLeavesIsSwept(t *testing.T) {
	creating, goOn := make(chan struct{}), make(chan struct{})
	r := behind(t, func(w http.ResponseWriter, q *http.Request, daemon http.Handler) {
		if strings.HasSuffix(q.URL.Path, "/containers/create") {
			close(creating)
			<-goOn
		}
		daemon.ServeHTTP(w, q)
	})
	defer r.Close()
	s := scope(t)
	ctx, cancel := context.WithCancel(t.Context())
	left := make(chan error)
	go func() {
		_, err := r.CreateNode(ctx, s, runtime.NodeSpec{Address: "node.a", Host: "a", Image: image(t)})
		left <- err
	}()
	<-creating
	cancel()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Errorf("the caller gets %v", err)
	}
	waiting, stop := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer stop()
	if _, err := r.Sweep(waiting, s, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a sweep does not wait for it: %v", err)
	}
	close(goOn)
	swept, err := r.Sweep(t.Context(), s, nil)
	if err != nil || len(swept.Removed) != 1 {
		t.Errorf("swept %+v, %v", swept, err)
	}
}

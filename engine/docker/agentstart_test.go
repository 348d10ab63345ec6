package docker_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/scenario-run/scenario/engine/docker"
	"github.com/scenario-run/scenario/engine/runtime"
)

// starts is a way to the daemon on which the containers that are made are
// counted, and on which each of their starts meets something.
type starts struct {
	mu   sync.Mutex
	made int
	meet func(w http.ResponseWriter, q *http.Request, daemon http.Handler)
}

func (s *starts) handle(w http.ResponseWriter, q *http.Request, daemon http.Handler) {
	switch {
	case strings.HasSuffix(q.URL.Path, "/containers/create"):
		s.mu.Lock()
		s.made++
		s.mu.Unlock()
	case strings.HasSuffix(q.URL.Path, "/start"):
		s.meet(w, q, daemon)
		return
	}
	daemon.ServeHTTP(w, q)
}

func (s *starts) containers() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.made
}

func networkOf(t *testing.T, r *docker.Runtime, s runtime.Scope) runtime.Place {
	t.Helper()
	n, err := r.CreateNetwork(t.Context(), s, runtime.NetworkSpec{Name: "default"})
	if err != nil {
		t.Fatal(err)
	}
	return runtime.Place{Network: n.ID}
}

// leave asks for an agent and leaves once its start is under way.
func leave(t *testing.T, r *docker.Runtime, s runtime.Scope, at runtime.Place, starting <-chan struct{}) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	left := make(chan error)
	go func() {
		_, err := r.Agent(ctx, s, at)
		left <- err
	}()
	<-starting
	cancel()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Errorf("the caller gets %v", err)
	}
}

func TestAnAgentsStartGoesOnWhenThoseWhoAskedForItLeave(t *testing.T) {
	starting, goOn := make(chan struct{}), make(chan struct{})
	way := &starts{meet: func(w http.ResponseWriter, q *http.Request, daemon http.Handler) {
		close(starting) // panics at a second start
		<-goOn
		daemon.ServeHTTP(w, q)
	}}
	r := behind(t, way.handle)
	defer r.Close()
	s := scope(t)
	at := networkOf(t, r, s)
	for range 3 {
		leave(t, r, s, at, starting)
	}
	close(goOn)
	if _, err := r.Agent(t.Context(), s, at); err != nil {
		t.Fatal(err)
	}
	if n := way.containers(); n != 1 || agents(t, s) != 1 {
		t.Errorf("%d containers were made for it, and %d are there", n, agents(t, s))
	}
}

func TestOfAnAgentThatDoesNotStartNothingStays(t *testing.T) {
	way := &starts{meet: func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		http.Error(w, `{"message":"no room in the cgroup"}`, http.StatusInternalServerError)
	}}
	r := behind(t, way.handle)
	defer r.Close()
	s := scope(t)
	at := networkOf(t, r, s)
	for range 2 { // a failure does not keep the next from trying
		if _, err := r.Agent(t.Context(), s, at); err == nil || !strings.Contains(err.Error(), "no room in the cgroup") {
			t.Errorf("got %v", err)
		}
	}
	if n := way.containers(); n != 2 || agents(t, s) != 0 {
		t.Errorf("%d containers were made, and %d are left", n, agents(t, s))
	}
}

func TestASweepGivesUpTheStartsOfAgents(t *testing.T) {
	starting := make(chan struct{})
	way := &starts{meet: func(_ http.ResponseWriter, q *http.Request, _ http.Handler) {
		close(starting)
		<-q.Context().Done() // the daemon would never be done with it
	}}
	r := behind(t, way.handle)
	defer r.Close()
	s := scope(t)
	at := networkOf(t, r, s)
	leave(t, r, s, at, starting)
	swept, err := r.Sweep(t.Context(), s, nil)
	if err != nil || len(swept.Left) > 0 || len(swept.Removed) != 1 { // the network; the agent has removed itself
		t.Errorf("swept %+v, %v", swept, err)
	}
	if n := agents(t, s); n != 0 {
		t.Errorf("%d agents are left", n)
	}
}

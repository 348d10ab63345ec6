package fake_test

import (
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"testing"

	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/runtime/fake"
)

var scope = runtime.Scope{Run: "run", Variant: "v"}

// one returns a place with a started node.a.
func one(t *testing.T, opts fake.Options) (*fake.Runtime, runtime.NodeID) {
	t.Helper()
	r := fake.New(opts)
	n, err := r.CreateNetwork(t.Context(), scope, runtime.NetworkSpec{Name: "default"})
	if err != nil {
		t.Fatal(err)
	}
	id, err := r.CreateNode(t.Context(), scope, runtime.NodeSpec{
		Address: "node.a", Host: "a", Networks: []runtime.Attachment{{Network: n.ID, IP: n.FirstHost}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.StartNode(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	return r, id
}

func TestEveryCallCanFail(t *testing.T) {
	boom := errors.New("boom")
	fail := ""
	r, id := one(t, fake.Options{Fail: func(_ context.Context, op, _ string) error {
		if op == fail {
			return boom
		}
		return nil
	}})
	ctx := t.Context()
	agent, err := r.Agent(ctx, scope, runtime.Place{Network: "network-1"})
	if err != nil {
		t.Fatal(err)
	}
	for op, call := range map[string]func() error{
		"Info":          func() error { _, err := r.Info(ctx); return err },
		"EnsureImage":   func() error { _, err := r.EnsureImage(ctx, runtime.ImageSpec{}, nil); return err },
		"CreateNetwork": func() error { _, err := r.CreateNetwork(ctx, scope, runtime.NetworkSpec{}); return err },
		"CreateVolume":  func() error { _, err := r.CreateVolume(ctx, scope, runtime.VolumeSpec{}); return err },
		"CreateNode":    func() error { _, err := r.CreateNode(ctx, scope, runtime.NodeSpec{}); return err },
		"StartNode":     func() error { _, err := r.StartNode(ctx, id); return err },
		"SignalNode":    func() error { return r.SignalNode(ctx, id, "SIGHUP") },
		"StopNode":      func() error { return r.StopNode(ctx, id, 0) },
		"PauseNode":     func() error { return r.PauseNode(ctx, id) },
		"UnpauseNode":   func() error { return r.UnpauseNode(ctx, id) },
		"InspectNode":   func() error { _, err := r.InspectNode(ctx, id); return err },
		"WaitExit":      func() error { _, err := r.WaitExit(ctx, id); return err },
		"Exec":          func() error { _, err := r.Exec(ctx, id, runtime.ExecSpec{}); return err },
		"Watch":         func() error { _, err := r.Watch(ctx, scope); return err },
		"Agent":         func() error { _, err := r.Agent(ctx, scope, runtime.Place{Network: "network-1"}); return err },
		"Dial":          func() error { _, err := agent.Dial(ctx, "tcp", "a:1"); return err },
		"Run":           func() error { return agent.Run(ctx, "job", nil, nil) },
		"Inspect":       func() error { _, err := r.Inspect(ctx, id); return err },
		"Sweep":         func() error { _, err := r.Sweep(ctx, scope, nil); return err },
		"Owners":        func() error { _, err := r.Owners(ctx); return err },
	} {
		fail = op
		if err := call(); !errors.Is(err, boom) {
			t.Errorf("%s: got %v", op, err)
		}
	}
	fail = ""
	if state, err := r.InspectNode(ctx, id); err != nil || !state.Running {
		t.Errorf("a failed call had an effect: %+v, %v", state, err)
	}
}

func TestCallsAreRecordedByTheNamesOfTheFile(t *testing.T) {
	r, _ := one(t, fake.Options{})
	if got, want := strings.Join(r.Calls(), ", "), "CreateNetwork default, CreateNode node.a, StartNode node.a"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestALostPlaceIsUnreachable(t *testing.T) {
	r, id := one(t, fake.Options{})
	events, err := r.Watch(t.Context(), scope)
	if err != nil {
		t.Fatal(err)
	}
	r.Lose("unplugged")
	if e := <-events; runtime.KindOf(e.Err) != runtime.Unreachable {
		t.Errorf("got %+v", e)
	}
	if _, ok := <-events; ok {
		t.Error("the watch goes on")
	}
	if _, err := r.InspectNode(t.Context(), id); runtime.KindOf(err) != runtime.Unreachable {
		t.Errorf("got %v", err)
	}
}

func TestAnOutOfMemoryKillIsToldBeforeTheExit(t *testing.T) {
	r, _ := one(t, fake.Options{})
	events, err := r.Watch(t.Context(), scope)
	if err != nil {
		t.Fatal(err)
	}
	r.OOM("node.a")
	var kinds []string
	for range 2 {
		kinds = append(kinds, (<-events).Kind)
	}
	if !slices.Equal(kinds, []string{"oom", "exit"}) {
		t.Errorf("got %v", kinds)
	}
}

func TestWhatCanNotBeRemovedIsLeftBehind(t *testing.T) {
	r, _ := one(t, fake.Options{Fail: func(_ context.Context, op, what string) error {
		if op == "Remove" && what == "node node.a" {
			return errors.New("stuck")
		}
		return nil
	}})
	swept, err := r.Sweep(t.Context(), scope, nil)
	if err != nil || len(swept.Removed) != 0 || len(swept.Left) != 1 || swept.Left[0].Reason != "stuck" {
		t.Errorf("got %+v, %v", swept, err)
	}
	if nodes, networks, _ := r.Present(); len(nodes) != 1 || len(networks) != 1 {
		t.Errorf("there are %v, %v", nodes, networks)
	}
}

func TestAConnectionEndsWithItsNode(t *testing.T) {
	r, id := one(t, fake.Options{Script: func(runtime.NodeSpec) fake.Script {
		return fake.Script{Serve: map[string]func(net.Conn){"80": func(c net.Conn) { c.Read(make([]byte, 1)) }}}
	}})
	agent, err := r.Agent(t.Context(), scope, runtime.Place{Network: "network-1"})
	if err != nil {
		t.Fatal(err)
	}
	conn, err := agent.Dial(t.Context(), "tcp", "a:80")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := r.SignalNode(t.Context(), id, "SIGKILL"); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Read(make([]byte, 1)); err == nil {
		t.Error("the connection lives on")
	}
}

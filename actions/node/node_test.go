package node

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/step"
	"github.com/scenario-run/scenario/engine/step/steptest"
)

func world() *steptest.World {
	return steptest.New(steptest.Node{Address: "node.head", Usage: step.Usage{Memory: 1 << 20, CPUPercent: 12.5}}, steptest.Node{Address: "node.worker[0]"}, steptest.Node{Address: "node.worker[1]"})
}

func definition(t *testing.T, name string) step.Definition {
	t.Helper()
	for _, d := range Definitions() {
		if d.Name == name {
			return d
		}
	}
	t.Fatalf("no definition %s", name)
	return step.Definition{}
}

type given = map[string]cty.Value

var strs = steptest.Strings

// act runs an action.
func act(t *testing.T, w *steptest.World, name string, args given) (step.Result, error) {
	t.Helper()
	d := definition(t, name)
	return d.Action(t.Context(), w.Env(), steptest.Args(t, d, args))
}

// inject runs a fault up to its injection, handing the intent on as JSON, as
// the guardian gets it.
func inject(t *testing.T, w *steptest.World, name string, args given) (step.Fault, step.Intent, error) {
	t.Helper()
	d := definition(t, name)
	intent, err := d.Fault.Intent(t.Context(), w.Env(), steptest.Args(t, d, args))
	if err != nil {
		return d.Fault, intent, err
	}
	text, err := json.Marshal(intent)
	if err != nil {
		t.Fatal(err)
	}
	var read step.Intent
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	return d.Fault, read, d.Fault.Inject(t.Context(), w.Env(), read)
}

func mustInject(t *testing.T, w *steptest.World, name string, args given) (step.Fault, step.Intent) {
	t.Helper()
	f, intent, err := inject(t, w, name, args)
	if err != nil {
		t.Fatal(err)
	}
	return f, intent
}

// addressesOf are the nodes of a result.
func addressesOf(v cty.Value) []string {
	var list []string
	for _, n := range v.GetAttr("nodes").AsValueSlice() {
		list = append(list, n.GetAttr("address").AsString())
	}
	return list
}

func failed(t *testing.T, err error, text string) {
	t.Helper()
	var e *step.Error
	if !errors.As(err, &e) || e.Verdict != step.Failed || !strings.Contains(err.Error(), text) {
		t.Errorf("got %v, want a failure that says %q", err, text)
	}
}

func running(t *testing.T, w *steptest.World, address string) bool {
	t.Helper()
	s, err := w.Env().Nodes.State(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	return s.Running
}

func TestStartBringsNodesUpAndReturnsThem(t *testing.T) {
	w := world()
	w.Exit("node.head", 1)
	r, err := act(t, w, "start", given{"nodes": strs("node.head", "node.worker[0]", "node.head")})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"node.head", "node.worker[0]"}; !slices.Equal(addressesOf(r.Value), want) {
		t.Errorf("nodes %v, want %v", addressesOf(r.Value), want)
	}
	if !running(t, w, "node.head") || r.Summary != "head, worker[0] ready" {
		t.Errorf("running %t, summary %q", running(t, w, "node.head"), r.Summary)
	}
}

func TestStartFailsWithANodeThatDoesNotBecomeReady(t *testing.T) {
	w := world()
	w.OnReady = func(context.Context, string) error { return step.Failf("not ready") }
	_, err := act(t, w, "start", given{"nodes": strs("node.head")})
	failed(t, err, "not ready")
}

func TestNothingToActOnIsAFailure(t *testing.T) {
	for _, name := range []string{"start", "restart", "recreate"} {
		_, err := act(t, world(), name, given{"nodes": strs()})
		failed(t, err, "there is nothing to "+strings.Replace(name, "recreate", "make anew", 1))
	}
	for _, name := range []string{"kill", "stop", "pause"} {
		_, _, err := inject(t, world(), name, given{"nodes": strs()})
		failed(t, err, "there is nothing to "+name)
	}
}

func TestRestartStopsStartsAndWaits(t *testing.T) {
	w := world()
	ready := 0
	w.OnReady = func(_ context.Context, address string) error {
		ready++
		if calls := w.Calls(); calls[len(calls)-1] != "start "+address {
			t.Errorf("readiness of %s asked after %v", address, calls)
		}
		return nil
	}
	r, err := act(t, w, "restart", given{"nodes": strs("node.head"), "grace": cty.StringVal("2s")})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"stop node.head 2s", "start node.head"}; !slices.Equal(w.Calls(), want) {
		t.Errorf("calls %v, want %v", w.Calls(), want)
	}
	if ready != 1 || r.Summary != "head restarted and ready" {
		t.Errorf("asked %d times, summary %q", ready, r.Summary)
	}
}

func TestRestartWithoutGraceLeavesItToTheNode(t *testing.T) {
	w := world()
	if _, err := act(t, w, "restart", given{"nodes": strs("node.head")}); err != nil {
		t.Fatal(err)
	}
	if w.Calls()[0] != "stop node.head -1ns" {
		t.Errorf("calls %v", w.Calls())
	}
}

func TestRecreatePassesOnWhatIsToBeOther(t *testing.T) {
	w := world()
	w.Exit("node.head", 1)
	r, err := act(t, w, "recreate", given{
		"nodes": strs("node.head"), "image": cty.StringVal("b:2"), "command": strs("x"), "ip": cty.StringVal("new"),
		"env": cty.MapVal(given{"A": cty.StringVal("1")}),
	})
	if err != nil || r.Summary != "head made anew and ready" || !running(t, w, "node.head") {
		t.Errorf("%+v, %v", r, err)
	}
	if want := "recreate node.head {Image:b:2 Command:[x] Env:map[A:1] IP:new}"; w.Calls()[0] != want {
		t.Errorf("%v", w.Calls())
	}
}

func TestWhatWasNeverStartedIsNotMadeAnew(t *testing.T) {
	w := world()
	w.Unstarted("node.head")
	_, err := act(t, w, "recreate", given{"nodes": strs("node.worker[0]", "node.head")})
	failed(t, err, "recreate node.head: it has not been started")
	if len(w.Calls()) > 0 {
		t.Errorf("%v was done before", w.Calls())
	}
	for name, l := range limits {
		_, _, err := inject(t, w, name, on(l.arg, "node.head"))
		failed(t, err, "it has not been started")
	}
	_, _, err = inject(t, w, "disconnect", head)
	failed(t, err, "it has not been started")
}

func TestKillIsActiveWhenTheNodeHasExited(t *testing.T) {
	w := world()
	f, intent := mustInject(t, w, "kill", given{"nodes": strs("node.head", "node.worker[1]")})
	if want := []string{"node.head", "node.worker[1]"}; !slices.Equal(intent.Nodes, want) {
		t.Errorf("nodes of the intent %v, want %v", intent.Nodes, want)
	}
	seen, err := f.Observe(t.Context(), w.Env(), intent)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"head: exit 137", "worker[1]: exit 137"}; !slices.Equal(seen.Hits, want) || seen.Summary != strings.Join(want, ", ") {
		t.Errorf("hits %v, summary %q", seen.Hits, seen.Summary)
	}
	codes := cty.ListVal([]cty.Value{cty.NumberIntVal(137), cty.NumberIntVal(137)})
	if got := seen.Value.GetAttr("exit_codes"); !got.RawEquals(codes) || len(addressesOf(seen.Value)) != 2 {
		t.Errorf("result %#v", seen.Value)
	}
}

func TestKillIsHealedByStartingAndVerifiedByLooking(t *testing.T) {
	w := world()
	f, intent := mustInject(t, w, "kill", given{"nodes": strs("node.head")})
	if err := f.Verify(t.Context(), w.Env(), intent); err == nil {
		t.Error("verified while the node is down")
	}
	if err := errors.Join(f.Heal(t.Context(), w.Env(), intent), f.Verify(t.Context(), w.Env(), intent)); err != nil {
		t.Error(err)
	}
	if !running(t, w, "node.head") {
		t.Error("the node is still down")
	}
}

func TestASignalThatTheNodeSurvivesIsNeverActive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := world()
		f, intent := mustInject(t, w, "kill", given{"nodes": strs("node.head"), "signal": cty.StringVal("SIGTERM")})
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		if _, err := f.Observe(ctx, w.Env(), intent); err == nil || err.Error() != "node.head still runs" {
			t.Errorf("got %v, want that it still runs", err)
		}
	})
}

func TestASignalThatTheNodeObeysIsActive(t *testing.T) {
	w := world()
	w.OnSignal = func(address, signal string) {
		if signal == "SIGTERM" {
			w.Exit(address, 3)
		}
	}
	f, intent := mustInject(t, w, "kill", given{"nodes": strs("node.head"), "signal": cty.StringVal("SIGTERM")})
	seen, err := f.Observe(t.Context(), w.Env(), intent)
	if err != nil || seen.Summary != "head: exit 3" {
		t.Errorf("got %+v, %v", seen, err)
	}
}

func TestStopPassesItsGraceOn(t *testing.T) {
	w := world()
	f, intent := mustInject(t, w, "stop", given{"nodes": strs("node.head"), "grace": cty.StringVal("0s")})
	if seen, err := f.Observe(t.Context(), w.Env(), intent); err != nil || seen.Summary != "head: exit 0" {
		t.Errorf("got %+v, %v", seen, err)
	}
	if want := []string{"stop node.head 0s"}; !slices.Equal(w.Calls(), want) {
		t.Errorf("calls %v, want %v", w.Calls(), want)
	}
	if err := errors.Join(f.Heal(t.Context(), w.Env(), intent), f.Verify(t.Context(), w.Env(), intent)); err != nil {
		t.Error(err)
	}
}

func TestWhatIsDownOrPausedCanNotBeTakenDown(t *testing.T) {
	for _, name := range []string{"kill", "stop", "pause"} {
		w := world()
		w.Exit("node.head", 4)
		_, _, err := inject(t, w, name, given{"nodes": strs("node.worker[0]", "node.head")})
		failed(t, err, name+" node.head: it is down already (exit code 4)")
		if calls := w.Calls(); len(calls) > 0 {
			t.Errorf("%s: %v was done before", name, calls)
		}

		w = world()
		mustInject(t, w, "pause", given{"nodes": strs("node.head")})
		_, _, err = inject(t, w, name, given{"nodes": strs("node.head")})
		failed(t, err, name+" node.head: it is paused")
	}
}

func TestANodeThatDiesWhileItIsPaused(t *testing.T) {
	w := world()
	f, intent := mustInject(t, w, "pause", given{"nodes": strs("node.head")})
	w.Exit("node.head", 137)
	began := w.Clock.Now()
	_, err := f.Observe(t.Context(), w.Env(), intent)
	failed(t, err, "node.head exited with code 137 while it was paused")
	if waited := w.Clock.Now().Sub(began); waited > time.Second {
		t.Errorf("waited %s for what can't come", waited)
	}
}

// It runs, and so was found ready without more.
func TestANodeThatIsPausedCanNotBeStarted(t *testing.T) {
	w := world()
	mustInject(t, w, "pause", given{"nodes": strs("node.head")})
	_, err := act(t, w, "start", given{"nodes": strs("node.worker[0]", "node.head")})
	failed(t, err, "start node.head: it is paused")
}

func TestPauseIsActiveWhenSeenAndHealedByThawing(t *testing.T) {
	w := world()
	f, intent := mustInject(t, w, "pause", given{"nodes": strs("node.head")})
	seen, err := f.Observe(t.Context(), w.Env(), intent)
	if err != nil || seen.Summary != "head: paused" {
		t.Errorf("got %+v, %v", seen, err)
	}
	if err := f.Verify(t.Context(), w.Env(), intent); err == nil {
		t.Error("verified while the node is paused")
	}
	if err := errors.Join(f.Heal(t.Context(), w.Env(), intent), f.Verify(t.Context(), w.Env(), intent)); err != nil {
		t.Error(err)
	}
}

func TestHealingAPauseThatIsNoneDoesNothing(t *testing.T) {
	w := world()
	f, intent := mustInject(t, w, "pause", given{"nodes": strs("node.head", "node.worker[0]")})
	w.Exit("node.head", 137)
	if err := errors.Join(f.Heal(t.Context(), w.Env(), intent), f.Heal(t.Context(), w.Env(), intent), f.Verify(t.Context(), w.Env(), intent)); err != nil {
		t.Error(err)
	}
	if n := len(slices.DeleteFunc(w.Calls(), func(c string) bool { return !strings.HasPrefix(c, "unpause") })); n != 1 {
		t.Errorf("%d nodes were thawed, want only the one that was frozen: %v", n, w.Calls())
	}
}

func TestAPauseThatNeverShowsIsNeverActive(t *testing.T) {
	w := world()
	f, intent := mustInject(t, w, "pause", given{"nodes": strs("node.head")})
	if err := w.Env().Nodes.Unpause(t.Context(), "node.head"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.Observe(ctx, w.Env(), intent); err == nil {
		t.Error("was active")
	}
}

func TestTheStateOfANode(t *testing.T) {
	w := world()
	d := definition(t, "node")
	ask := func() cty.Value {
		t.Helper()
		v, err := d.Probe(t.Context(), w.Env(), steptest.Args(t, d, given{"node": cty.StringVal("node.head")}))
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	v := ask()
	if v.GetAttr("running").False() || !v.GetAttr("exit_code").IsNull() || v.GetAttr("started_at").AsString() != "2026-01-02T03:04:05Z" {
		t.Errorf("running: %#v", v)
	}
	if !v.GetAttr("memory_bytes").RawEquals(cty.NumberIntVal(1<<20)) || !v.GetAttr("cpu_percent").RawEquals(cty.NumberFloatVal(12.5)) || v.GetAttr("oom_killed").True() {
		t.Errorf("what it uses: %#v", v)
	}
	w.Exit("node.head", 3)
	v = ask()
	if v.GetAttr("running").True() || !v.GetAttr("exit_code").RawEquals(cty.NumberIntVal(3)) || !v.GetAttr("memory_bytes").IsNull() || !v.GetAttr("cpu_percent").IsNull() {
		t.Errorf("down: %#v", v)
	}
}

func TestANodeThatDoesNotExistBreaksTheLab(t *testing.T) {
	d := definition(t, "node")
	_, err := d.Probe(t.Context(), world().Env(), steptest.Args(t, d, given{"node": cty.StringVal("node.x")}))
	if runtime.KindOf(err) != runtime.NotFound {
		t.Errorf("got %v", err)
	}
}

package guardian

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/fault"
	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/runtime/fake"
	"github.com/scenario-run/scenario/engine/step"
)

// asGuardian makes the test's own binary a guardian, whose runtime writes to a
// file what it is told to remove.
const asGuardian = "SCENARIO_TEST_GUARDIAN"

func TestMain(m *testing.M) {
	if dir := os.Getenv(asGuardian); dir != "" {
		err := Serve(os.Stdin, step.NewRegistry(), func(json.RawMessage) (runtime.Runtime, error) {
			place := fake.New(fake.Options{Fail: func(_ context.Context, op, address string) error {
				if op != "Sweep" {
					return nil
				}
				return os.WriteFile(filepath.Join(dir, "swept"), []byte(address), 0o644)
			}})
			return place, nil
		})
		if err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// populated is a place with two nodes of run r1, one of them paused, and one
// of r2.
func populated(t *testing.T, opts fake.Options) *fake.Runtime {
	t.Helper()
	place := fake.New(opts)
	ctx := context.Background()
	for _, run := range []string{"r1", "r2"} {
		scope := runtime.Scope{Run: run, Owner: Owner()}
		network, err := place.CreateNetwork(ctx, scope, runtime.NetworkSpec{Name: "default"})
		if err != nil {
			t.Fatal(err)
		}
		id, err := place.CreateNode(ctx, scope, runtime.NodeSpec{
			Address: "node." + run, Host: run, Networks: []runtime.Attachment{{Network: network.ID, IP: network.FirstHost}},
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := place.StartNode(ctx, id); err != nil {
			t.Fatal(err)
		}
		if err := place.PauseNode(ctx, id); err != nil {
			t.Fatal(err)
		}
	}
	return place
}

func TestServe(t *testing.T) {
	refusals := 0
	tests := []struct {
		name    string
		said    string
		opts    fake.Options
		nodes   []string // left
		seconds float64
	}{
		{"a farewell leaves everything as it is", "done\n", fake.Options{}, []string{"node.r1", "node.r2"}, 0},
		{"the end of the pipe removes what is the run's, and looks twice", "", fake.Options{}, []string{"node.r2"}, 2.5},
		{"a half-said farewell is none", "do", fake.Options{}, []string{"node.r2"}, 2.5},
		{"a runtime that does not answer is asked again", "", fake.Options{Fail: func(_ context.Context, op, _ string) error {
			if refusals++; op == "Sweep" && refusals < 20 {
				return errors.New("connection refused")
			}
			return nil
		}}, []string{"node.r2"}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				place := populated(t, tt.opts)
				began := time.Now()
				in := strings.NewReader(`{"run":"r1","dir":"` + t.TempDir() + `"}` + "\n" + tt.said)
				if err := Serve(in, faults(), func(json.RawMessage) (runtime.Runtime, error) { return place, nil }); err != nil {
					t.Fatal(err)
				}
				if nodes, _, _ := place.Present(); !slices.Equal(nodes, tt.nodes) {
					t.Errorf("left: %v, want %v", nodes, tt.nodes)
				}
				if got := time.Since(began).Seconds(); tt.seconds != 0 && got != tt.seconds {
					t.Errorf("it took %gs, want %gs", got, tt.seconds)
				}
			})
		})
	}
}

func TestWhatTheEngineMadeInItsLastMomentIsRemovedToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		place := populated(t, fake.Options{})
		time.AfterFunc(time.Second, func() {
			if _, err := place.CreateNetwork(context.Background(), runtime.Scope{Run: "r1"}, runtime.NetworkSpec{Name: "late"}); err != nil {
				t.Error(err)
			}
		})
		in := strings.NewReader(`{"run":"r1","dir":"` + t.TempDir() + `"}` + "\n")
		if err := Serve(in, faults(), func(json.RawMessage) (runtime.Runtime, error) { return place, nil }); err != nil {
			t.Fatal(err)
		}
		if _, networks, _ := place.Present(); slices.Contains(networks, "late") {
			t.Errorf("left: %v", networks)
		}
	})
}

// faults are a fault for each thing that can be taken of a node, whose heal
// undoes all that nodes can, and one that asks for what can't be had.
func faults() *step.Registry {
	var all []step.Definition
	for _, r := range []schema.Resource{schema.Paused, schema.CPU, schema.Memory, schema.Down, schema.Links} {
		all = append(all, step.NewFault[step.Nothing, struct{}, step.Nothing](schema.Type{Name: string(r), Takes: []schema.Resource{r}}, undo{}))
	}
	return step.NewRegistry(append(all, step.NewFault[step.Nothing, struct{}, step.Nothing](
		schema.Type{Name: "greedy", Takes: []schema.Resource{schema.CPU}}, greedy{})))
}

type undo struct {
	step.TypedFault[step.Nothing, struct{}, step.Nothing]
}

func (undo) Heal(ctx context.Context, env *step.Env, _ struct{}) error {
	return errors.Join(env.Nodes.Unpause(ctx, "node.r1"), env.Nodes.LimitCPUs(ctx, "node.r1", 2), env.Nodes.LimitMemory(ctx, "node.r1", 3<<20))
}

type greedy struct{ undo }

func (greedy) Heal(ctx context.Context, env *step.Env, _ struct{}) error {
	return env.Nodes.Start(ctx, "node.r1")
}

func TestOutstandingFaultsAreHealedByTheirOwnHealFirst(t *testing.T) {
	for name, healed := range map[string]bool{"paused": true, "cpu": true, "memory": true, "down": false, "links": false, "greedy": false, "unknown": false} {
		synctest.Test(t, func(t *testing.T) {
			dir := t.TempDir()
			place := populated(t, fake.Options{})
			j := fault.NewJournal(dir)
			intent := step.Intent{Nodes: []string{"node.r1"}, Data: []byte("{}")}
			err := errors.Join(
				j.Write(fault.Record{Step: "action.done", Type: name, Intent: intent, Nodes: []runtime.NodeID{"node-3"}}),
				j.Write(fault.Record{Step: "action.done", Healed: true}),
				j.Write(fault.Record{Step: "action.x", Type: name, Intent: intent, Nodes: []runtime.NodeID{"node-2"}}), j.Close())
			if err != nil {
				t.Fatal(err)
			}
			before := place.Calls()
			in := strings.NewReader(`{"run":"r1","dir":"` + dir + `"}` + "\n")
			if err := Serve(in, faults(), func(json.RawMessage) (runtime.Runtime, error) { return place, nil }); err != nil {
				t.Fatal(err)
			}
			calls := place.Calls()[len(before):]
			calls = calls[:slices.Index(calls, "Sweep r1")]
			want := []string(nil)
			if healed {
				want = []string{"UnpauseNode node.r1", "LimitCPUs node.r1", "LimitMemory node.r1"}
			}
			if !slices.Equal(calls, want) {
				t.Errorf("%s: before the sweep: %v, want %v", name, calls, want)
			}
			notes, err := os.ReadFile(filepath.Join(dir, "guardian.log"))
			if err != nil || strings.Contains(string(notes), "healed action.x") != healed {
				t.Errorf("%s: %s %v", name, notes, err)
			}
			if nodes, _, _ := place.Present(); slices.Contains(nodes, "node.r1") {
				t.Errorf("%s: left %v", name, nodes)
			}
		})
	}
}

func TestAGuardianOutlivesSignalsAndCleansUpWhenThePipeCloses(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(asGuardian, dir)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	g, err := Start(Config{Run: "r1", Dir: dir}, self)
	if err != nil {
		t.Fatal(err)
	}
	if pgid, err := syscall.Getpgid(g.cmd.Process.Pid); err != nil || pgid != g.cmd.Process.Pid {
		t.Errorf("it is in process group %d (%v), not in one of its own", pgid, err)
	}
	// As if the engine had been killed: the pipe closes, nothing is said.
	if err := g.in.Close(); err != nil {
		t.Fatal(err)
	}
	if err := g.cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(filepath.Join(dir, "swept")); err != nil || string(b) != "r1" {
		t.Errorf("%q %v", b, err)
	}
}

func TestAGuardianThatIsToldThatAllIsDoneEndsAtOnce(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(asGuardian, dir)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	g, err := Start(Config{Run: "r1", Dir: dir}, self)
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Done(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "swept")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it removed something: %v", err)
	}
}

func TestGone(t *testing.T) {
	host, boot, pid, started, err := parseOwner(Owner())
	if err != nil || pid != os.Getpid() || started == "" || boot == "" {
		t.Fatalf("%s: %v", Owner(), err)
	}
	dead := exec.Command("true")
	if err := dead.Run(); err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	name := func(host, boot, pid, started string) string {
		return strings.Join([]string{host, boot, pid, started}, "/")
	}
	self := name(host, boot, itoa(pid), started)
	tests := []struct {
		name  string
		scope runtime.Scope
		gone  bool
	}{
		{"this process", runtime.Scope{Owner: self, Expires: now.Add(-time.Hour)}, false},
		{"one that ended", runtime.Scope{Owner: name(host, boot, itoa(dead.Process.Pid), "1")}, true},
		{"one that has the number of this", runtime.Scope{Owner: name(host, boot, itoa(pid), "1")}, true},
		{"one before the last boot", runtime.Scope{Owner: name(host, "another", itoa(pid), started)}, true},
		{"one elsewhere", runtime.Scope{Owner: name("elsewhere", boot, "1", "1"), Expires: now.Add(time.Hour)}, false},
		{"one elsewhere, expired", runtime.Scope{Owner: name("elsewhere", boot, "1", "1"), Expires: now.Add(-time.Hour)}, true},
		{"nobody known", runtime.Scope{Owner: "?"}, false},
	}
	for _, tt := range tests {
		if got := Gone(tt.scope, now); got != tt.gone {
			t.Errorf("%s: gone is %v", tt.name, got)
		}
	}
}

func TestLeftoversOfLivingOwnersAndKeptNodesStay(t *testing.T) {
	ctx := context.Background()
	place := fake.New(fake.Options{})
	host, boot, _, _, err := parseOwner(Owner())
	if err != nil {
		t.Fatal(err)
	}
	dead := host + "/" + boot + "/1/0"
	for run, owner := range map[string]string{"alive": Owner(), "dead": dead, "kept": dead} {
		scope := runtime.Scope{Run: run, Owner: owner}
		id, err := place.CreateNode(ctx, scope, runtime.NodeSpec{Address: "node." + run, Host: run})
		if err != nil {
			t.Fatal(err)
		}
		if run == "kept" {
			if _, err := place.Sweep(ctx, scope, []runtime.NodeID{id}); err != nil {
				t.Fatal(err)
			}
		}
	}
	swept, err := SweepLeftovers(ctx, place, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if nodes, _, _ := place.Present(); !slices.Equal(nodes, []string{"node.alive", "node.kept"}) || len(swept.Removed) != 1 {
		t.Errorf("left %v, removed %v", nodes, swept.Removed)
	}
}

func TestWhatCanNotBeRemovedHoldsUpNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host, boot, _, _, err := parseOwner(Owner())
		if err != nil {
			t.Fatal(err)
		}
		place := fake.New(fake.Options{Fail: func(ctx context.Context, op, run string) error {
			if op == "Sweep" && strings.HasPrefix(run, "stuck") {
				<-ctx.Done()
				return context.Cause(ctx)
			}
			return nil
		}})
		// They are met in the order of their names.
		for i := range 3 * sweepsAtOnce {
			run := "stuck" + itoa(i)
			if i > sweepsAtOnce {
				run = "z" + itoa(i)
			}
			_, err := place.CreateNode(t.Context(), runtime.Scope{Run: run, Owner: host + "/" + boot + "/1/0"}, runtime.NodeSpec{Address: "node." + run, Host: run})
			if err != nil {
				t.Fatal(err)
			}
		}
		began := time.Now()
		swept, err := SweepLeftovers(t.Context(), place, began)
		if err == nil || strings.Count(err.Error(), "it took more than 10s") != sweepsAtOnce+1 {
			t.Errorf("got %v", err)
		}
		if took := time.Since(began); len(swept.Removed) != 2*sweepsAtOnce-1 || took != 2*leftoverLimit {
			t.Errorf("in %s removed %v", took, swept.Removed)
		}
	})
}

func itoa(n int) string { return strconv.Itoa(n) }

package ray

import (
	"errors"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/schema"
	named "github.com/scenario-run/scenario/engine/process"
	"github.com/scenario-run/scenario/engine/step"
)

// withGCS makes the head's processes a GCS of that number among others. What a
// signal does to its node, onKill says.
func withGCS(f *fakeCluster, pid int, onKill func(signal string)) {
	f.SetProcesses("node.head",
		named.Process{ID: named.ID{PID: 1, Started: 1}, Name: "ray", State: "S", Command: []string{"ray", "start"}},
		named.Process{ID: named.ID{PID: 8, Started: 2}, Name: "grep", State: "S", Command: []string{"grep", "gcs_server"}},
		named.Process{ID: named.ID{PID: pid, Started: uint64(pid)}, Name: "gcs_server", State: "S",
			Command: []string{"/opt/ray/gcs_server", "--log_dir=/tmp", "--session-name=session_2026", "--x=1"}},
	)
	f.OnSignal = func(node, signal string) {
		if node == "node.head" && onKill != nil {
			onKill(signal)
		}
	}
}

// killed carries the fault out as far as it is observed.
func (f *fakeCluster) killed(args map[string]cty.Value) (step.Intent, step.Observed, error) {
	f.t.Helper()
	d := definition(f.t, schema.Fault, "kill_gcs")
	in, err := d.Fault.Intent(f.t.Context(), f.Env(), onFakeHead(d.Args, args))
	if err != nil {
		return in, step.Observed{}, err
	}
	if err := d.Fault.Inject(f.t.Context(), f.Env(), in); err != nil {
		return in, step.Observed{}, err
	}
	seen, err := d.Fault.Observe(f.t.Context(), f.Env(), in)
	return in, seen, err
}

func TestKillGCSIsActiveWhenTheHeadHasExited(t *testing.T) {
	f := newFake(t, nil)
	withGCS(f, 9, func(string) { f.Exit("node.head", 1) })
	in, seen, err := f.killed(nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := asJSON(t, seen.Value); got != `{"exit_code":1,"pid":9}` {
		t.Errorf("result %s", got)
	}
	if want := "head: gcs_server pid 9 SIGKILL → exit 1"; seen.Summary != want || strings.Join(seen.Hits, "\n") != want {
		t.Errorf("summary %q, hits %q; want both %q", seen.Summary, seen.Hits, want)
	}
	if len(in.Nodes) != 1 || in.Nodes[0] != "node.head" {
		t.Errorf("acts on %v", in.Nodes)
	}
	if calls := strings.Join(f.Calls(), "\n"); !strings.Contains(calls, "expect exit node.head") {
		t.Errorf("the head's exit was not announced:\n%s", calls)
	}
}

func TestWhatBecomesOfTheHeadMustBeWhatIsExpected(t *testing.T) {
	exits := func(f *fakeCluster) { f.Exit("node.head", 1) }
	stays := func(*fakeCluster) {}
	for name, test := range map[string]struct {
		expect string
		does   func(*fakeCluster)
		want   string // of the error
		result string
	}{
		"exits, expected to":      {"node_exits", exits, "", `{"exit_code":1,"pid":9}`},
		"stays, expected to exit": {"node_exits", stays, "still runs 20s after its gcs_server got SIGTERM", ""},
		"stays, expected to":      {"survives", stays, "", `{"exit_code":null,"pid":9}`},
		"exits, expected to stay": {"survives", exits, "and was to survive", ""},
		"stays, whatever":         {"any", stays, "", `{"exit_code":null,"pid":9}`},
		"exits, whatever":         {"any", exits, "", `{"exit_code":1,"pid":9}`},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t, nil)
			withGCS(f, 9, func(signal string) {
				if signal != "SIGTERM" {
					t.Errorf("signal %s", signal)
				}
				test.does(f)
			})
			_, seen, err := f.killed(map[string]cty.Value{"signal": cty.StringVal("SIGTERM"), "expect": cty.StringVal(test.expect)})
			if test.want != "" {
				if e := failed(t, err); !strings.Contains(e.Error(), test.want) {
					t.Errorf("error %q; want %q", e, test.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := asJSON(t, seen.Value); got != test.result {
				t.Errorf("result %s; want %s", got, test.result)
			}
		})
	}
}

func TestAGCSThatSurvivesItsSignalIsNoVerdict(t *testing.T) {
	for _, expect := range []string{"node_exits", "any", "survives"} {
		f := newFake(t, nil)
		withGCS(f, 9, nil)
		f.OnProcessSignal = func(string, string, *named.Process) {} // it ignores them
		_, _, err := f.killed(map[string]cty.Value{"expect": cty.StringVal(expect)})
		var e *step.Error
		if !errors.As(err, &e) || e.Verdict != step.Inconclusive {
			t.Errorf("%s: error %v; want an inconclusive one", expect, err)
		}
	}
}

func TestAHeadWithoutAGCSCannotLoseIt(t *testing.T) {
	f := newFake(t, nil)
	_, _, err := f.killed(nil)
	if e := failed(t, err); e.Hint == "" || !strings.Contains(e.Error(), "no process gcs_server in node.head") {
		t.Errorf("error %v, hint %q", e, e.Hint)
	}
}

func TestOnlyAHeadHasAGCS(t *testing.T) {
	f := newFake(t, nil)
	for node, want := range map[string]string{"node.worker": "is a Ray worker, not a head", "node.redis": "is not a Ray node"} {
		_, _, err := f.killed(map[string]cty.Value{"head": cty.StringVal(node)})
		if e := failed(t, err); !strings.Contains(e.Error(), want) {
			t.Errorf("%s: error %v; want %q", node, e, want)
		}
	}
}

func TestHealingBringsTheHeadBackHoweverItStands(t *testing.T) {
	for name, test := range map[string]struct {
		state func(f *fakeCluster)
		want  []string
	}{
		"exited":               {func(f *fakeCluster) { f.Exit("node.head", 1) }, []string{"start node.head"}},
		"outlived its GCS":     {func(*fakeCluster) {}, []string{"expect exit node.head", "kill node.head SIGKILL", "start node.head"}},
		"has a GCS once again": {func(f *fakeCluster) { withGCS(f, 10, nil) }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t, nil)
			withGCS(f, 9, func(string) {})
			in, _, err := f.killed(map[string]cty.Value{"expect": cty.StringVal("any")})
			if err != nil {
				t.Fatal(err)
			}
			test.state(f)
			before := len(f.Calls())
			d := definition(t, schema.Fault, "kill_gcs")
			if err := d.Fault.Heal(t.Context(), f.Env(), in); err != nil {
				t.Fatal(err)
			}
			if err := d.Fault.Verify(t.Context(), f.Env(), in); err != nil {
				t.Fatal(err)
			}
			var calls []string
			for _, c := range f.Calls()[before:] {
				if !strings.HasPrefix(c, "exec") {
					calls = append(calls, c)
				}
			}
			if strings.Join(calls, "\n") != strings.Join(test.want, "\n") {
				t.Errorf("calls %q; want %q", calls, test.want)
			}
		})
	}
}

func TestTheGCSIsFoundByTheKernelsNameForIt(t *testing.T) {
	f := newFake(t, nil)
	f.SetProcesses("node.head", named.Process{ID: named.ID{PID: 8}, Name: "grep", State: "S", Command: []string{"grep", "gcs_server"}},
		named.Process{ID: named.ID{PID: 7}, Name: "gcs_server", State: named.Zombie})
	if gcs, err := findGCS(t.Context(), f.Env(), "node.head"); err != nil || gcs.PID != 0 {
		t.Errorf("found %+v, %v where there is none", gcs, err)
	}
	withGCS(f, 9, nil)
	gcs, err := findGCS(t.Context(), f.Env(), "node.head")
	if want := (gcsProcess{named.ID{PID: 9, Started: 9}, "session_2026"}); err != nil || gcs != want {
		t.Errorf("found %+v, %v; want %+v", gcs, err, want)
	}
}

func TestOnlyTheGCSIsSignalled(t *testing.T) {
	f := newFake(t, nil)
	withGCS(f, 9, nil)
	before := killIntent{"node.head", named.ID{PID: 9, Started: 1}, "SIGTERM", "any"} // its number is another's now
	if e := failed(t, gcsDeath{}.Inject(t.Context(), f.Env(), before)); !strings.Contains(e.Error(), "ended by itself before it got SIGTERM") {
		t.Errorf("error %v", e)
	}
	for _, p := range f.Processes("node.head") {
		if p.Ended() {
			t.Errorf("%s was signalled", p.Name)
		}
	}
}

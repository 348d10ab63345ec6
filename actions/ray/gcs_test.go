package ray

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/step"
)

// withGCS makes the head's process list one with a GCS of that pid, as long as
// it lives. What a signal does to it and to its node, onKill says.
func withGCS(f *fakeCluster, pid int, onKill func(signal string)) {
	alive := true
	f.OnExec = func(_ context.Context, _ string, spec runtime.ExecSpec) (runtime.ExecResult, error) {
		switch spec.Command[3] {
		case "find_gcs":
			if !alive {
				return runtime.ExecResult{}, nil
			}
			return runtime.ExecResult{Stdout: []byte(strconv.Itoa(pid) + "\nsession_2026\n")}, nil
		case "kill_gcs":
			if spec.Command[5] != strconv.Itoa(pid) {
				return runtime.ExecResult{ExitCode: notTheGCS}, nil
			}
			alive = false
			onKill(spec.Command[6])
			return runtime.ExecResult{}, nil
		}
		return runtime.ExecResult{}, errors.New("not a command of kill_gcs")
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
				if signal != "TERM" {
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
		f.OnExec = func(_ context.Context, _ string, spec runtime.ExecSpec) (runtime.ExecResult, error) {
			return runtime.ExecResult{Stdout: []byte("9\ns\n")}, nil
		}
		_, _, err := f.killed(map[string]cty.Value{"expect": cty.StringVal(expect)})
		var e *step.Error
		if !errors.As(err, &e) || e.Verdict != step.Inconclusive {
			t.Errorf("%s: error %v; want an inconclusive one", expect, err)
		}
	}
}

func TestAHeadWithoutAGCSCannotLoseIt(t *testing.T) {
	f := newFake(t, nil)
	f.OnExec = func(context.Context, string, runtime.ExecSpec) (runtime.ExecResult, error) {
		return runtime.ExecResult{}, nil
	}
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

// procEntry makes an entry of a process list.
func procEntry(t *testing.T, proc string, pid int, name string, args ...string) {
	t.Helper()
	dir := filepath.Join(proc, strconv.Itoa(pid))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for file, text := range map[string]string{"comm": name + "\n", "cmdline": strings.Join(append([]string{name}, args...), "\x00") + "\x00"} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// local runs a node's command here, on a process list made for the test.
func local(t *testing.T, f *fakeCluster, proc string) {
	f.OnExec = func(ctx context.Context, _ string, spec runtime.ExecSpec) (runtime.ExecResult, error) {
		args := append([]string(nil), spec.Command[1:]...)
		args[3] = proc
		cmd := exec.CommandContext(ctx, spec.Command[0], args...)
		out, err := cmd.Output()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Error(err)
		}
		return runtime.ExecResult{ExitCode: cmd.ProcessState.ExitCode(), Stdout: out}, nil
	}
}

func TestTheGCSIsFoundByTheKernelsNameForIt(t *testing.T) {
	proc := t.TempDir()
	f := newFake(t, nil)
	local(t, f, proc)
	procEntry(t, proc, 1, "docker-init", "ray", "start")
	procEntry(t, proc, 8, "grep", "gcs_server")
	if gcs, err := findGCS(t.Context(), f.Env(), "node.head"); err != nil || gcs.PID != 0 {
		t.Errorf("found %+v, %v where there is none", gcs, err)
	}
	procEntry(t, proc, 9, "gcs_server", "--log_dir=/tmp", "--session-name=session_2026-11-30_10-42-51_302555_7", "--x=1")
	gcs, err := findGCS(t.Context(), f.Env(), "node.head")
	if want := (gcsProcess{9, "session_2026-11-30_10-42-51_302555_7"}); err != nil || gcs != want {
		t.Errorf("found %+v, %v; want %+v", gcs, err, want)
	}
}

func TestOnlyTheGCSIsSignalled(t *testing.T) {
	victim := exec.Command("sleep", "60")
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- victim.Wait() }()
	t.Cleanup(func() { _ = victim.Process.Kill() }) // gone already, unless the test failed

	proc := t.TempDir()
	f := newFake(t, nil)
	local(t, f, proc)
	in := killIntent{"node.head", victim.Process.Pid, "SIGTERM", "any"}

	procEntry(t, proc, in.PID, "python3")
	if e := failed(t, gcsDeath{}.Inject(t.Context(), f.Env(), in)); !strings.Contains(e.Error(), "is no longer gcs_server") {
		t.Errorf("error %v", e)
	}
	select {
	case err := <-ended:
		t.Fatalf("another process was signalled: %v", err)
	default:
	}
	procEntry(t, proc, in.PID, "gcs_server")
	if err := (gcsDeath{}).Inject(t.Context(), f.Env(), in); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err == nil || err.Error() != "signal: terminated" {
		t.Errorf("the process ended with %v", err)
	}
}

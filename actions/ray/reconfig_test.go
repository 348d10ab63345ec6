package ray

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/engine/runtime"
)

const serveGET, servePUT = "GET " + serveApplications, "PUT " + serveApplications

func options(t *testing.T, text string) map[string]cty.Value {
	return map[string]cty.Value{"deployment": cty.StringVal("GetPID"), "options": value(t, text)}
}

func TestReconfigLaysOptionsOverWhatIsDeployed(t *testing.T) {
	f := newFake(t, nil)
	f.reply(servePUT, 200, "")
	for _, name := range []string{"serve_one.json", "serve_two_accepted.json", "serve_two_starting.json", "serve_two.json"} {
		f.reply(serveGET, 200, recorded(t, name))
	}
	result, err := f.act("reconfig", options(t, `{"num_replicas": 2, "user_config": {"version": 2}}`))
	if err != nil {
		t.Fatal(err)
	}
	before := state(t, "serve_one.json")
	want := mustConfig(t, pidConfig)
	want["http_options"], want["grpc_options"] = before.HTTPOptions, before.GRPCOptions
	deployment := want.apps()[0].deployments()[0]
	deployment["num_replicas"], deployment["user_config"] = 2.0, map[string]any{"version": 2.0}
	if diff := cmp.Diff(want, f.put()); diff != "" {
		t.Errorf("Serve was given (-want +got):\n%s", diff)
	}
	kept := *before.Applications["pid"].Deployments["GetPID"].Replicas[0].PID
	got := asJSON(t, result.Value)
	if w := `{"applications":{"pid":{"message":"","replicas":2,"status":"RUNNING"}},"kept_pids":[` + number(float64(kept)) + `],"replaced_pids":[]}`; got != w {
		t.Errorf("result %s; want %s", got, w)
	}
	if result.Summary != "pid RUNNING with 2 replicas (1 kept, 0 replaced)" {
		t.Errorf("summary %q", result.Summary)
	}
}

func TestReconfigGoesOnAskingWhileTheHeadIsAway(t *testing.T) {
	f := newFake(t, nil)
	refusals := 3
	dial := f.OnDial
	f.OnDial = func(ctx context.Context, from, network, addr string) (net.Conn, error) {
		if refusals--; refusals >= 0 {
			return nil, syscall.ECONNREFUSED
		}
		return dial(ctx, from, network, addr)
	}
	f.reply(serveGET, 503, "The GCS may be down")
	f.reply(serveGET, 200, recorded(t, "serve_one.json"))
	f.reply(serveGET, 200, recorded(t, "serve_one.json"))
	f.reply(serveGET, 200, recorded(t, "serve_two.json"))
	f.reply(servePUT, 503, "no controller")
	f.reply(servePUT, 200, "")
	if _, err := f.act("reconfig", options(t, `{"num_replicas": 2, "user_config": {"version": 2}}`)); err != nil {
		t.Fatal(err)
	}
	said := strings.Join(f.Progress(), "\n")
	for _, want := range []string{"connection refused", "503 The GCS may be down", "503 no controller"} {
		if !strings.Contains(said, want) {
			t.Errorf("progress does not say %q:\n%s", want, said)
		}
	}
}

func TestReconfigKeepsApplicationsThatItDoesNotChange(t *testing.T) {
	s := state(t, "serve_one.json")
	s.Applications["other"] = application{Name: "other", Config: map[string]any{"name": "other", "import_path": "o:app"},
		Deployments: map[string]deployment{"Thing": {Name: "Thing"}}}
	config, err := change{Deployment: "Thing", Options: map[string]any{"num_replicas": 3.0}}.over(s)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(config.names(), " "); got != "other pid" {
		t.Errorf("applications %q; want both", got)
	}
	if got, want := jsonText(config.apps()[0]["deployments"]), `[{"name":"Thing","num_replicas":3}]`; got != want {
		t.Errorf("deployments %s; want %s", got, want)
	}
	if s.Applications["other"].Config["deployments"] != nil {
		t.Error("what Serve answered was changed")
	}
}

func TestReconfigSaysWhatItCannotChange(t *testing.T) {
	s := state(t, "serve_one.json")
	twin := s.Applications["pid"]
	s.Applications["twin"] = application{Name: "twin", Deployments: twin.Deployments}
	for name, test := range map[string]struct {
		change change
		want   string
	}{
		"not there":      {change{Deployment: "GetPid"}, `deployment "GetPid" is not deployed`},
		"wrong app":      {change{Deployment: "GetPID", Application: "x"}, `deployment "GetPID" is not deployed`},
		"two of a name":  {change{Deployment: "GetPID"}, `deployment "GetPID" is in pid and twin`},
		"without config": {change{Deployment: "GetPID", Application: "pid"}, `Serve has no config of application "twin"`},
	} {
		_, err := test.change.over(s)
		if e := failed(t, err); !e.Final || e.Error() != test.want && !strings.HasPrefix(e.Error(), test.want) {
			t.Errorf("%s: final %t, %v; want %q", name, e.Final, e, test.want)
		}
	}
}

func TestReconfigTakesEitherAConfigOrAChange(t *testing.T) {
	f := newFake(t, nil)
	config := value(t, pidConfig)
	for want, args := range map[string]map[string]cty.Value{
		"say what to change":        {"deployment": cty.StringVal("GetPID")},
		"say what to change: deplo": {},
		"config is all of Serve's":  {"config": config, "deployment": cty.StringVal("GetPID")},
	} {
		_, err := f.act("reconfig", args)
		if e := failed(t, err); !strings.Contains(e.Error(), want) {
			t.Errorf("error %v; want %q", e, want)
		}
	}
	d := definition(t, "action", "reconfig")
	later := object(d.Args, map[string]cty.Value{"config": cty.DynamicVal, "options": cty.DynamicVal, "deployment": cty.StringVal("GetPID")})
	if err := d.Check(later); err != nil {
		t.Errorf("what is known later: %v", err)
	}
	if err := checkOptions(cty.StringVal("x")); err == nil {
		t.Error("options may be a string")
	}
}

// driven answers the driver's commands.
func (f *fakeCluster) driven(answer func(driverRequest) runtime.ExecResult) {
	f.OnExec = func(_ context.Context, node string, spec runtime.ExecSpec) (runtime.ExecResult, error) {
		var req driverRequest
		if err := json.Unmarshal(spec.Stdin, &req); err != nil {
			f.t.Error(err)
		}
		if node != "node.worker" || spec.Command[0] != "python3" || spec.Command[2] != driverScript {
			f.t.Errorf("%s runs %q", node, spec.Command[:2])
		}
		return answer(req), nil
	}
}

func TestADriverInANodeAppliesTheChange(t *testing.T) {
	f := newFake(t, nil)
	stays := state(t, "serve_one.json").Applications["pid"].Deployments["GetPID"].Replicas[0]
	f.driven(func(req driverRequest) runtime.ExecResult {
		if req.Deployment != "GetPID" || req.Application != nil || req.Config != nil || req.Options["num_replicas"] != 2.0 {
			t.Errorf("request %+v", req)
		}
		return runtime.ExecResult{Stdout: []byte("(raylet) said something\n\n" + jsonText(map[string]any{
			"replicas":     []string{stays.Actor, "SERVE_REPLICA::pid#GetPID#gone"},
			"applications": mustConfig(t, pidConfig)["applications"],
		}) + "\n")}
	})
	two := strings.Replace(recorded(t, "serve_two.json"), `"target_num_replicas": 2`, `"target_num_replicas": 1`, 1)
	f.reply(serveGET, 200, two) // of the old target still, so the wait goes on
	f.reply(serveGET, 200, recorded(t, "serve_one.json"))
	f.reply("GET /api/v0/actors", 200, recorded(t, "actors_controller.json"))
	args := options(t, `{"num_replicas": 2}`)
	args["from"] = cty.StringVal("node.worker")
	result, err := f.act("reconfig", args)
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf(`"kept_pids":[%d],"replaced_pids":[485]}`, *stays.PID) // 485: of the recorded actor
	if got := asJSON(t, result.Value); !strings.HasSuffix(got, want) {
		t.Errorf("result %s; want …%s", got, want)
	}
}

func TestWhatADriverCouldNotDoIsToldInItsWords(t *testing.T) {
	for name, test := range map[string]struct {
		result       runtime.ExecResult
		want, detail string
	}{
		"refused": {runtime.ExecResult{ExitCode: 3, Stdout: []byte("\n{\"error\": \"1 validation error\\nnum_replicas: bad\"}\n")},
			"Serve refused the config: num_replicas: bad", "1 validation error"},
		"no Ray":    {runtime.ExecResult{ExitCode: 1, Stderr: []byte("ModuleNotFoundError: No module named 'ray'\n")}, "exited with 1", "No module named 'ray'"},
		"no answer": {runtime.ExecResult{Stdout: []byte("hello\n")}, "printed no answer", ""},
	} {
		f := newFake(t, nil)
		f.driven(func(driverRequest) runtime.ExecResult { return test.result })
		_, err := f.act("deploy_serve", map[string]cty.Value{
			"config": value(t, pidConfig), "via": cty.StringVal("driver"), "from": cty.StringVal("node.worker"),
		})
		if e := failed(t, err); !strings.Contains(e.Error(), test.want) || !strings.Contains(e.Detail, test.detail) {
			t.Errorf("%s: %v\n%s", name, e, e.Detail)
		}
	}
}

func TestANodeThatDiesUnderItsDriverIsNoRefusal(t *testing.T) {
	f := newFake(t, nil)
	gone := &runtime.Error{Kind: runtime.NotRunning, Err: errors.New("the node is not running")}
	f.OnExec = func(context.Context, string, runtime.ExecSpec) (runtime.ExecResult, error) {
		return runtime.ExecResult{}, gone
	}
	args := options(t, `{"num_replicas": 2}`)
	args["from"] = cty.StringVal("node.worker")
	if _, err := f.act("reconfig", args); !errors.Is(err, gone) {
		t.Errorf("error %v; want %v", err, gone)
	}
}

func TestADriverThatNobodyWaitsForIsEnded(t *testing.T) {
	f := newFake(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	mark := ""
	f.OnExec = func(_ context.Context, _ string, spec runtime.ExecSpec) (runtime.ExecResult, error) {
		if mark == "" {
			mark = spec.Command[3]
			cancel()
			return runtime.ExecResult{}, ctx.Err()
		}
		if spec.Command[2] != stopScript || spec.Command[5] != mark {
			t.Errorf("runs %q; want the driver with mark %s to be ended", spec.Command, mark)
		}
		mark += " ended"
		return runtime.ExecResult{}, nil
	}
	args := options(t, `{"num_replicas": 2}`)
	args["from"] = cty.StringVal("node.worker")
	d := definition(t, "action", "reconfig")
	if _, err := d.Action(ctx, f.Env(), onFakeHead(d.Args, args)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if !strings.HasSuffix(mark, " ended") {
		t.Error("the driver was left to itself")
	}
}

func TestOnlyTheDriverOfThatMarkIsEnded(t *testing.T) {
	start := func() (*exec.Cmd, chan error) {
		victim := exec.Command("sleep", "60")
		if err := victim.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- victim.Wait() }()
		t.Cleanup(func() { _ = victim.Process.Kill() }) // gone already, unless the test failed
		return victim, ended
	}
	driver, ended := start()
	other, otherEnded := start()
	proc := t.TempDir()
	procEntry(t, proc, driver.Process.Pid, "python3", "-c", driverScript, "mark-1")
	procEntry(t, proc, other.Process.Pid, "python3", "-c", driverScript, "mark-12")
	f := newFake(t, nil)
	local(t, f, proc)
	if err := stopDriver(t.Context(), f.Env(), "node.worker", "mark-1"); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err == nil || err.Error() != "signal: killed" {
		t.Errorf("the driver ended with %v", err)
	}
	select {
	case err := <-otherEnded:
		t.Errorf("another driver ended: %v", err)
	default:
	}
}

func TestFromIsADriversOnly(t *testing.T) {
	f := newFake(t, nil)
	_, err := f.act("deploy_serve", map[string]cty.Value{"config": value(t, pidConfig), "from": cty.StringVal("node.worker")})
	if e := failed(t, err); !strings.Contains(e.Error(), `via = "driver"`) {
		t.Errorf("error %v", e)
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

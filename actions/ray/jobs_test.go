package ray

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/runtime"
)

// A submission's id is made of the fake clock's time.
const (
	jobID   = "scenario-1767323045000000000"
	askJob  = "GET /api/jobs/" + jobID
	askLogs = askJob + "/logs"
	postJob = "POST /api/jobs/"
)

// job is a reply about a submission.
func job(status, message string) string {
	text, err := json.Marshal(map[string]any{"type": "SUBMISSION", "submission_id": jobID, "status": status, "message": message})
	if err != nil {
		panic(err)
	}
	return string(text)
}

func entrypoint(more map[string]cty.Value) map[string]cty.Value {
	args := map[string]cty.Value{"entrypoint": cty.StringVal("python3 job.py")}
	for k, v := range more {
		args[k] = v
	}
	return args
}

func TestAJobIsSubmittedOnceAndAwaited(t *testing.T) {
	f := newFake(t, nil)
	f.reply(askJob, 404, "no such job")
	f.reply(postJob, 500, "the GCS is away")
	f.reply(askJob, 404, "no such job")
	f.reply(postJob, 200, `{"job_id": "`+jobID+`"}`)
	f.reply(askJob, 200, job("PENDING", ""))
	f.reply(askJob, 200, job("RUNNING", ""))
	f.reply(askJob, 200, job("SUCCEEDED", ""))
	f.reply(askLogs, 200, `{"logs": "42\n"}`)
	result, err := f.act("submit_job", entrypoint(map[string]cty.Value{
		"working_dir": cty.StringVal("/it's here"), "runtime_env": value(t, `{"env_vars": {"A": "b"}}`),
	}))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := asJSON(t, result.Value), `{"job_id":"`+jobID+`","logs":"42\n","status":"SUCCEEDED"}`; got != want {
		t.Errorf("result %s; want %s", got, want)
	}
	if n := f.count(postJob); n != 2 {
		t.Errorf("submitted %d times; want once refused and once taken", n)
	}
	want := `{"submission_id":"` + jobID + `","entrypoint":"cd '/it'\\''s here' \u0026\u0026 python3 job.py","runtime_env":{"env_vars":{"A":"b"}}}`
	if got := f.posts[len(f.posts)-1]; got != want {
		t.Errorf("Ray was given %s; want %s", got, want)
	}
}

func TestAJobThatNobodyWaitsForIsLeftToItself(t *testing.T) {
	f := newFake(t, nil)
	f.reply(askJob, 404, "")
	f.reply(postJob, 200, `{}`)
	f.reply(askJob, 200, job("PENDING", ""))
	f.reply(askLogs, 200, `{"logs": ""}`)
	result, err := f.act("submit_job", entrypoint(map[string]cty.Value{"wait": cty.False}))
	if err != nil {
		t.Fatal(err)
	}
	if got := result.Value.GetAttr("status").AsString(); got != "PENDING" {
		t.Errorf("status %s", got)
	}
}

func TestAJobThatEndsBadlyFailsWithWhatItPrinted(t *testing.T) {
	f := newFake(t, nil)
	f.reply(askJob, 200, job("FAILED", "exit code 1"))
	f.reply(askLogs, 200, `{"logs": "Traceback\nValueError: no\n"}`)
	_, err := f.act("submit_job", entrypoint(nil))
	if e := failed(t, err); !strings.Contains(e.Error(), "is FAILED: exit code 1") || !strings.Contains(e.Detail, "ValueError: no") {
		t.Errorf("%v\n%s", e, e.Detail)
	}
}

func TestARefusedJobIsNotAskedForAgain(t *testing.T) {
	f := newFake(t, nil)
	f.reply(askJob, 404, "")
	f.reply(postJob, 400, "runtime_env: no field pipp")
	_, err := f.act("submit_job", entrypoint(nil))
	if e := failed(t, err); !e.Final || !strings.Contains(e.Detail, "no field pipp") || f.count(postJob) != 1 {
		t.Errorf("%v (submitted %d times)\n%s", e, f.count(postJob), e.Detail)
	}
}

func TestAJobThatIsNoLongerAwaitedIsStopped(t *testing.T) {
	f := newFake(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	f.then(askJob, 200, job("RUNNING", ""), cancel)
	f.reply("POST /api/jobs/"+jobID+"/stop", 200, `{"stopped": true}`)
	d := definition(t, schema.Action, "submit_job")
	if _, err := d.Action(ctx, f.Env(), onFakeHead(d.Args, entrypoint(nil))); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if f.count("POST /api/jobs/"+jobID+"/stop") != 1 {
		t.Error("the job was left to itself")
	}
}

func TestWhatCannotBeAJobIsSaidBeforeTheRun(t *testing.T) {
	d := definition(t, schema.Action, "submit_job")
	for text, args := range map[string]map[string]cty.Value{
		"entrypoint is empty":                {"entrypoint": cty.StringVal(" ")},
		"working_dir is an absolute path":    entrypoint(map[string]cty.Value{"working_dir": cty.StringVal("jobs")}),
		"script or code is missing":          nil,
		"script and code exclude each other": {"script": cty.StringVal("/a.py"), "code": cty.StringVal("1")},
	} {
		check, of := d.Check, d
		if strings.Contains(text, "script") {
			of = definition(t, schema.Action, "run_driver")
			check = of.Check
		}
		if err := check(onFakeHead(of.Args, args)); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%v; want %q", err, text)
		}
	}
}

func TestRayJobsTellsOfSubmissionsAndDrivers(t *testing.T) {
	f := newFake(t, nil)
	f.reply("GET /api/jobs/", 200, `[
		{"type": "SUBMISSION", "job_id": "02000000", "submission_id": "raysubmit_1", "status": "SUCCEEDED", "entrypoint": "sleep 1", "message": "Job finished successfully.", "driver_exit_code": 0},
		{"type": "DRIVER", "job_id": "01000000", "submission_id": null, "status": "RUNNING", "entrypoint": "python3 x.py", "message": null, "driver_exit_code": null}
	]`)
	for status, want := range map[string]string{
		"": `{"count":2,"jobs":[{"entrypoint":"sleep 1","exit_code":0,"job_id":"raysubmit_1","message":"Job finished successfully.","status":"SUCCEEDED","type":"SUBMISSION"},` +
			`{"entrypoint":"python3 x.py","exit_code":null,"job_id":"01000000","message":"","status":"RUNNING","type":"DRIVER"}]}`,
		"FAILED": `{"count":0,"jobs":[]}`,
	} {
		args := map[string]cty.Value{}
		if status != "" {
			args["status"] = cty.StringVal(status)
		}
		v, err := f.probe("ray_jobs", args)
		if err != nil {
			t.Fatal(err)
		}
		if got := asJSON(t, v); got != want {
			t.Errorf("%q: %s; want %s", status, got, want)
		}
	}
}

func TestADriverRunsTheNodesPythonInItsCluster(t *testing.T) {
	f := newFake(t, nil)
	f.OnExec = func(_ context.Context, node string, spec runtime.ExecSpec) (runtime.ExecResult, error) {
		got := strings.Join(append(spec.Command[:2:2], spec.Command[3:]...), " ")
		if want := "python3 -X -c import ray a b"; node != "node.worker" || got != want || !strings.HasPrefix(spec.Command[2], "scenario-driver-") {
			t.Errorf("%s runs %q; want %q", node, spec.Command, want)
		}
		if spec.Env["RAY_ADDRESS"] != "auto" || spec.Env["X"] != "y" {
			t.Errorf("with %v", spec.Env)
		}
		return runtime.ExecResult{Stdout: []byte(`{"cpus": 4}`)}, nil
	}
	args := map[string]cty.Value{
		"node": cty.StringVal("node.worker"), "code": cty.StringVal("import ray"),
		"args": cty.ListVal([]cty.Value{cty.StringVal("a"), cty.StringVal("b")}),
		"env":  cty.MapVal(map[string]cty.Value{"X": cty.StringVal("y")}),
	}
	d := definition(t, schema.Action, "run_driver")
	result, err := d.Action(t.Context(), f.Env(), object(d.Args, args))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := asJSON(t, result.Value), `{"exit_code":0,"json":{"cpus":4},"stdout":"{\"cpus\": 4}"}`; got != want {
		t.Errorf("result %s; want %s", got, want)
	}
}

func TestADriverThatExitsOtherwiseFails(t *testing.T) {
	f := newFake(t, nil)
	f.OnExec = func(context.Context, string, runtime.ExecSpec) (runtime.ExecResult, error) {
		return runtime.ExecResult{ExitCode: 1, Stderr: []byte("ConnectionError: no cluster")}, nil
	}
	d := definition(t, schema.Action, "run_driver")
	for node, want := range map[string]string{"node.worker": "exit code 1, expected 0", "node.redis": "is not a Ray node"} {
		_, err := d.Action(t.Context(), f.Env(), object(d.Args, map[string]cty.Value{"node": cty.StringVal(node), "script": cty.StringVal("/x.py")}))
		if e := failed(t, err); !strings.Contains(err.Error(), want) || node == "node.worker" && !strings.Contains(e.Detail, "no cluster") {
			t.Errorf("%v; want %q\n%s", err, want, e.Detail)
		}
	}
}

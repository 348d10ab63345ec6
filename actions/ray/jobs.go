package ray

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/step"
)

type submitArgs struct {
	onHead
	Entrypoint string    `scn:"entrypoint,required" doc:"The shell command that is the job, such as python3 job.py."`
	WorkingDir string    `scn:"working_dir" doc:"Where it runs: an absolute path in the head, or a URI of an archive that Ray fetches."`
	RuntimeEnv cty.Value `scn:"runtime_env" doc:"Ray's own runtime environment: env_vars, pip, py_modules and so on."`
	Wait       bool      `scn:"wait" default:"true" doc:"Whether to wait for its end, which must be SUCCEEDED."`
}

type submitResult struct {
	JobID  string `scn:"job_id" doc:"The submission's id."`
	Status string `scn:"status" doc:"PENDING, RUNNING or SUCCEEDED."`
	Logs   string `scn:"logs" doc:"What the job has printed by then."`
}

func submitJob() step.Definition {
	d := step.NewAction(schema.Type{
		Name:    "submit_job",
		Summary: "submits a job to a Ray cluster, and waits for its end",
		Doc: "Goes by the head's REST API. While the head is away it asks again until the step's time limit; the job has an id from the first try, so that it is not submitted twice. " +
			"A job that ends as FAILED or STOPPED is a failure, which shows the end of what it printed.\n\n" +
			"At a time limit or an interruption the job is stopped. With `wait = false` the step is done when Ray has taken the job; whatever becomes of it, the probe `ray_jobs` sees.",
		Check:    checkSubmit,
		Examples: []schema.Example{submitExample},
	}, submit)
	return withCheck(d, "runtime_env", func(v cty.Value) error {
		if !isObject(v) {
			return fmt.Errorf("a runtime environment is an object, such as { pip = [\"numpy\"] }, not %s", v.Type().FriendlyName())
		}
		return nil
	})
}

func checkSubmit(args cty.Value) error {
	if e := args.GetAttr("entrypoint"); e.IsKnown() && !e.IsNull() && strings.TrimSpace(e.AsString()) == "" {
		return errors.New("entrypoint is empty")
	}
	d := args.GetAttr("working_dir")
	if d.IsNull() || !d.IsKnown() || path.IsAbs(d.AsString()) || strings.Contains(d.AsString(), "://") {
		return nil
	}
	return errors.New("working_dir is an absolute path in the head, or a URI such as https://example.org/job.zip")
}

// jobSpec is what Ray is given.
type jobSpec struct {
	ID         string         `json:"submission_id"`
	Entrypoint string         `json:"entrypoint"`
	RuntimeEnv map[string]any `json:"runtime_env,omitempty"`
}

func (in submitArgs) spec(id string) (spec jobSpec, err error) {
	env, err := configOf(in.RuntimeEnv)
	if err != nil {
		return spec, err
	}
	spec = jobSpec{id, in.Entrypoint, env}
	switch {
	case path.IsAbs(in.WorkingDir):
		// Ray fetches a working_dir by its URI only, and runs jobs on the head.
		spec.Entrypoint = "cd " + shellQuoted(in.WorkingDir) + " && " + in.Entrypoint
	case in.WorkingDir != "":
		if spec.RuntimeEnv == nil {
			spec.RuntimeEnv = map[string]any{}
		}
		spec.RuntimeEnv["working_dir"] = in.WorkingDir
	}
	return spec, nil
}

// shellQuoted is a text as one word of a shell.
func shellQuoted(text string) string {
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// jobEvery is how often a job is looked at.
const jobEvery = 200 * time.Millisecond

func submit(ctx context.Context, env *step.Env, in submitArgs) (out submitResult, summary string, err error) {
	a, err := restOf(env, in.head())
	if err != nil {
		return out, "", err
	}
	out.JobID = fmt.Sprintf("scenario-%d", env.Clock.Now().UnixNano())
	spec, err := in.spec(out.JobID)
	if err != nil {
		return out, "", err
	}
	j, err := a.runJob(ctx, env, spec, in.Wait)
	if err != nil && ctx.Err() != nil {
		err = errors.Join(err, a.stopJob(ctx, out.JobID))
	}
	if err != nil {
		return out, "", err
	}
	out.Status = j.Status
	if out.Logs, err = a.jobLogs(ctx, out.JobID); err != nil {
		return out, "", asFailure(err)
	}
	return out, fmt.Sprintf("%s %s", out.JobID, j.Status), nil
}

// runJob submits a job and returns it as it is at its end or, if nobody waits
// for that, as it is when Ray has taken it.
func (a api) runJob(ctx context.Context, env *step.Env, spec jobSpec, wait bool) (j rayJob, err error) {
	err = persist(ctx, env, jobEvery, func(ctx context.Context) error {
		j, err = a.submitted(ctx, spec)
		if err != nil || !wait {
			return err
		}
		switch j.Status {
		case succeeded:
			return nil
		case "FAILED", "STOPPED":
			return a.jobFailed(ctx, j)
		}
		return step.Failf("the job is %s", j.Status)
	})
	return j, err
}

// submitted returns a job as it is, submitting it if Ray does not know it.
func (a api) submitted(ctx context.Context, spec jobSpec) (j rayJob, err error) {
	err = a.do(ctx, "GET", jobPath(spec.ID), nil, askTimeout, &j)
	var r *refusal
	if !errors.As(err, &r) || r.Status != http.StatusNotFound {
		return j, err
	}
	body, err := json.Marshal(spec)
	if err != nil {
		return j, fmt.Errorf("write the job as JSON: %w", err)
	}
	err = a.do(ctx, "POST", jobsPath, body, applyTimeout, nil)
	if errors.As(err, &r) && r.Status < 500 {
		return j, step.Failf("Ray refused the job: %w", err).With(strings.TrimSpace(r.Body), "compare runtime_env with Ray's documentation").AsFinal()
	}
	if err != nil {
		return j, err
	}
	return j, a.do(ctx, "GET", jobPath(spec.ID), nil, askTimeout, &j)
}

// jobFailed is the failure of a job that ended otherwise than well.
func (a api) jobFailed(ctx context.Context, j rayJob) error {
	logs, err := a.jobLogs(ctx, j.SubmissionID)
	if err != nil {
		logs = fmt.Sprintf("(its logs can't be had: %v)", err)
	}
	return step.Failf("the job %s is %s: %s", j.SubmissionID, j.Status, clip(j.Message, 300)).With(tail([]byte(logs), 30), "").AsFinal()
}

// stopJob ends a job that nobody waits for any more. One that Ray does not know
// was never submitted.
func (a api) stopJob(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopWithin)
	defer cancel()
	err := a.do(ctx, "POST", jobPath(id)+"/stop", nil, stopWithin, nil)
	var r *refusal
	if err == nil || errors.As(err, &r) && r.Status == http.StatusNotFound {
		return nil
	}
	return fmt.Errorf("stop the job %s: %w", id, err)
}

const (
	jobsPath  = "/api/jobs/"
	succeeded = "SUCCEEDED"
)

func jobPath(id string) string { return jobsPath + url.PathEscape(id) }

func (a api) jobLogs(ctx context.Context, id string) (string, error) {
	var reply struct {
		Logs string `json:"logs"`
	}
	err := a.do(ctx, "GET", jobPath(id)+"/logs", nil, askTimeout, &reply)
	return reply.Logs, err
}

// rayJob is a job as the REST API shows it. A driver that was not submitted has
// no SubmissionID, and one that has not connected yet no JobID.
type rayJob struct {
	JobID        string `json:"job_id"`
	SubmissionID string `json:"submission_id"`
	Type         string `json:"type"`
	Status       string `json:"status"`
	Entrypoint   string `json:"entrypoint"`
	Message      string `json:"message"`
	ExitCode     *int   `json:"driver_exit_code"`
}

type jobResult struct {
	JobID      string `scn:"job_id" doc:"The submission's id; of a driver that was not submitted, Ray's number of the job."`
	Type       string `scn:"type" doc:"SUBMISSION, or DRIVER for one that was started by other means."`
	Status     string `scn:"status" doc:"PENDING, RUNNING, SUCCEEDED, FAILED or STOPPED."`
	Entrypoint string `scn:"entrypoint" doc:"Its command."`
	Message    string `scn:"message" doc:"What Ray says of its status."`
	ExitCode   *int   `scn:"exit_code" doc:"With what its driver exited; null while it runs, and where Ray does not know."`
}

type jobsResult struct {
	Count int         `scn:"count" doc:"How many there are."`
	Jobs  []jobResult `scn:"jobs" doc:"All of them."`
}

type jobsArgs struct {
	onHead
	Status string `scn:"status" enum:"PENDING,RUNNING,SUCCEEDED,FAILED,STOPPED" doc:"Only jobs in this state."`
}

func jobsProbe() step.Definition {
	return restProbe(schema.Type{
		Name:     "ray_jobs",
		Summary:  "which jobs Ray has",
		Doc:      "Asks the head's REST API for its list of jobs: those that were submitted, and drivers that were started by other means.",
		Examples: []schema.Example{jobsExample},
	}, func(ctx context.Context, a api, in jobsArgs) (out jobsResult, err error) {
		var list []rayJob
		if err := a.do(ctx, "GET", jobsPath, nil, askTimeout, &list); err != nil {
			return out, err
		}
		for _, j := range list {
			if in.Status != "" && j.Status != in.Status {
				continue
			}
			id := j.SubmissionID
			if id == "" {
				id = j.JobID
			}
			out.Jobs = append(out.Jobs, jobResult{id, j.Type, j.Status, j.Entrypoint, j.Message, j.ExitCode})
		}
		out.Count = len(out.Jobs)
		return out, nil
	})
}

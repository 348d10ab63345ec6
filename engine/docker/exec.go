package docker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"sync"
	"time"

	"github.com/moby/moby/api/pkg/stdcopy"
	"github.com/moby/moby/client"

	"github.com/scenario-run/scenario/engine/runtime"
)

const defaultExecLimit = 1 << 20

// Exec runs a command and waits for it. The API can't end a command: when ctx
// ends, Exec returns, and the command goes on until it finds its input and
// output closed, or its node ends.
func (r *Runtime) Exec(ctx context.Context, id runtime.NodeID, spec runtime.ExecSpec) (runtime.ExecResult, error) {
	op := fmt.Sprintf("exec %q in %s", first(spec.Command), r.name(id))
	var env []string
	for _, name := range slices.Sorted(maps.Keys(spec.Env)) {
		env = append(env, name+"="+spec.Env[name])
	}
	created, err := r.api.ExecCreate(ctx, string(id), client.ExecCreateOptions{
		User: spec.User, Cmd: spec.Command, Env: env,
		AttachStdin: len(spec.Stdin) > 0, AttachStdout: true, AttachStderr: true,
	})
	if err != nil {
		return runtime.ExecResult{}, r.failed(ctx, op, err)
	}
	attached, err := r.api.ExecAttach(ctx, created.ID, client.ExecAttachOptions{})
	if err != nil {
		return runtime.ExecResult{}, r.failed(ctx, op, err)
	}
	defer attached.Close()
	result, err := exchange(ctx, attached.HijackedResponse, spec)
	if err == nil {
		result.ExitCode, err = r.execExit(ctx, created.ID)
	}
	if err != nil {
		return result, r.goesOn(ctx, created.ID, r.failed(ctx, op, err))
	}
	if reason := whyNotRun(result); reason != "" {
		return result, &runtime.Error{Kind: runtime.NodeFault, Op: op, Err: errors.New(reason)}
	}
	return result, nil
}

// lookLimit is how long a look at what was left may take.
const lookLimit = time.Second

// goesOn says with an error whether the command goes on. Closing its streams
// doesn't end it, and the API has no signal for it; the process is in the
// daemon's host, which need not be this one.
func (r *Runtime) goesOn(ctx context.Context, exec string, err error) error {
	if ctx.Err() == nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookLimit)
	defer cancel()
	found, unseen := r.api.ExecInspect(ctx, exec, client.ExecInspectOptions{})
	if unseen != nil || !found.Running {
		return err // over, or nobody can tell
	}
	return &runtime.GoesOn{PID: found.PID, Err: err}
}

func first(command []string) string {
	if len(command) == 0 {
		return ""
	}
	return command[0]
}

// exchange sends the input and reads the output until the command ends.
func exchange(ctx context.Context, attached client.HijackedResponse, spec runtime.ExecSpec) (runtime.ExecResult, error) {
	stop := context.AfterFunc(ctx, attached.Close)
	defer stop()
	var input sync.WaitGroup
	if len(spec.Stdin) > 0 {
		input.Go(func() {
			// A command need not read its input; that it can't be sent is no error.
			_, _ = attached.Conn.Write(spec.Stdin)
			_ = attached.CloseWrite()
		})
	}
	limit := spec.Limit
	if limit == 0 {
		limit = defaultExecLimit
	}
	stdout, stderr := &capped{limit: limit}, &capped{limit: limit}
	out := spec.Out
	if out == nil {
		out = stdout
	}
	_, err := stdcopy.StdCopy(out, stderr, attached.Reader)
	attached.Close()
	input.Wait()
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return runtime.ExecResult{
		Stdout: stdout.Bytes(), Stderr: stderr.Bytes(), Truncated: stdout.cut || stderr.cut,
	}, err
}

// execExit returns the command's exit code. The output ends a moment before
// the daemon has recorded the exit, and it offers nothing to wait for.
func (r *Runtime) execExit(ctx context.Context, exec string) (int, error) {
	for pause := time.Millisecond; ; pause = min(2*pause, 100*time.Millisecond) {
		found, err := r.api.ExecInspect(ctx, exec, client.ExecInspectOptions{})
		if err != nil {
			return 0, err
		}
		if !found.Running {
			return found.ExitCode, nil
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return 0, context.Cause(ctx)
		}
	}
}

// notRun matches what the daemon prints in place of the command's output when
// it could not be executed.
var notRun = regexp.MustCompile(`(?s)^OCI runtime exec failed: .*?(exec: ".*?|unable to find user.*?)(?:: unknown)?\s*$`)

// whyNotRun says why the command could not be executed, or "".
func whyNotRun(result runtime.ExecResult) string {
	if result.ExitCode != 126 && result.ExitCode != 127 {
		return ""
	}
	for _, output := range [][]byte{result.Stdout, result.Stderr} {
		if m := notRun.FindSubmatch(output); m != nil {
			return string(m[1])
		}
	}
	return ""
}

// capped keeps the first bytes of what is written to it.
type capped struct {
	bytes.Buffer
	limit int
	cut   bool
}

func (c *capped) Write(p []byte) (int, error) {
	keep := min(len(p), c.limit-c.Len())
	c.cut = c.cut || keep < len(p)
	_, _ = c.Buffer.Write(p[:keep]) // never fails
	return len(p), nil
}

var _ io.Writer = (*capped)(nil)

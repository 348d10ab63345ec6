package ray

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/step"
)

//go:embed driver.py
var driverScript string

// driverRequest is what driver.py reads: a whole config, or a change.
type driverRequest struct {
	Namespace   string         `json:"namespace"`
	Config      serveConfig    `json:"config"`
	Application *string        `json:"application"`
	Deployment  string         `json:"deployment,omitempty"`
	Options     map[string]any `json:"options,omitempty"`
}

// driverAnswer is what it prints last.
type driverAnswer struct {
	Replicas     []string `json:"replicas"` // by name of their actors, before the change
	Applications []any    `json:"applications"`
	Error        string   `json:"error"`
}

// driverRefused is the exit code with which the driver says that Serve, or the
// request itself, refused.
const driverRefused = 3

// drive runs the driver in a node and returns when Serve has taken the config.
// While the GCS is away it hangs, as every driver does.
func drive(ctx context.Context, env *step.Env, node string, req driverRequest) (a driverAnswer, err error) {
	k, err := blockOf(env, node)
	if err != nil {
		return a, err
	}
	req.Namespace = k.Namespace
	stdin, err := json.Marshal(req)
	if err != nil {
		return a, fmt.Errorf("write the driver's request: %w", err)
	}
	mark := markOf(env)
	result, err := env.Nodes.Exec(ctx, node, runtime.ExecSpec{
		Command: []string{"python3", "-c", driverScript, mark},
		Stdin:   stdin,
	})
	if ctx.Err() != nil {
		err = errors.Join(err, stopDriver(ctx, env, node, mark))
	}
	if err != nil {
		return a, fmt.Errorf("run a driver in %s: %w", node, err)
	}
	jsonErr := json.Unmarshal(lastOutput(result.Stdout), &a)
	switch {
	case result.ExitCode == driverRefused && jsonErr == nil:
		return a, step.Failf("Serve refused the config: %s", lastLine(a.Error)).With(a.Error, "").AsFinal()
	case result.ExitCode != 0:
		return a, step.Failf("the driver in %s exited with %d", node, result.ExitCode).
			With(tail(result.Stderr, 30), "the node's image needs a python3 with ray[serve]")
	case jsonErr != nil:
		return a, step.Failf("the driver in %s printed no answer: %w", node, jsonErr).With(tail(result.Stderr, 30), "")
	}
	return a, nil
}

// markOf is an argument by which a driver is found again.
func markOf(env *step.Env) string {
	return fmt.Sprintf("scenario-driver-%d", env.Clock.Now().UnixNano())
}

// stopScript kills the process that has the mark among its arguments. Its own
// arguments are /proc and the mark.
const stopScript = `for d in "$1"/[0-9]*; do
  [ "${d##*/}" != $$ ] || continue
  case "$(tr '\0' ' ' 2>/dev/null <"$d/cmdline")" in *" $2 "*) kill -s KILL "${d##*/}" ;; esac
done`

// procDir is where a node shows its processes.
const procDir = "/proc"

// stopWithin is how long that may take, once the step itself is over.
const stopWithin = 10 * time.Second

// stopDriver ends a driver that nobody waits for any more. It would apply its
// config as soon as the GCS is back, long after its step has failed.
func stopDriver(ctx context.Context, env *step.Env, node, mark string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopWithin)
	defer cancel()
	result, err := env.Nodes.Exec(ctx, node, runtime.ExecSpec{Command: []string{"sh", "-c", stopScript, "stop_driver", procDir, mark}})
	if err == nil && result.ExitCode != 0 {
		err = fmt.Errorf("exit %d: %s", result.ExitCode, tail(result.Stderr, 1))
	}
	if err != nil && runtime.KindOf(err) != runtime.NotRunning {
		return fmt.Errorf("end the driver: %w", err)
	}
	return nil
}

func lastOutput(stdout []byte) []byte {
	out := bytes.TrimSpace(stdout)
	return out[bytes.LastIndexByte(out, '\n')+1:]
}

func tail(text []byte, lines int) string {
	all := strings.Split(strings.TrimSpace(string(text)), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}

// Package exec is the vocabulary of commands inside nodes: running one once,
// asking one again and again, and one that is the traffic.
//
// What a command prints is handed on as it is; the package must not know what
// it means.
package exec

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/step"
)

// Definitions are the types of this vocabulary.
func Definitions() []step.Definition {
	return []step.Definition{action(), probe(), workload()}
}

// In says what command to run.
type In struct {
	Node     step.Node         `scn:"node,required" doc:"The node to run it in."`
	Command  []string          `scn:"command,required" check:"command" doc:"The command and its arguments; there is no shell unless it is one."`
	Stdin    string            `scn:"stdin" doc:"What it reads."`
	Env      map[string]string `scn:"env" doc:"Further environment variables."`
	User     string            `scn:"user" doc:"Who runs it; without it, the node's user."`
	ExitCode int               `scn:"exit_code" default:"0" check:"exit_code" doc:"The exit code that is expected."`
}

// Out is what a command did.
type Out struct {
	ExitCode int       `scn:"exit_code" doc:"Its exit code."`
	Stdout   string    `scn:"stdout" doc:"What it printed, at most 16 MiB."`
	Stderr   string    `scn:"stderr" doc:"What it printed as errors, at most 16 MiB."`
	JSON     cty.Value `scn:"json" doc:"What it printed, read as JSON; null if it is none."`
}

func action() step.Definition {
	return step.NewAction(schema.Type{
		Name:         "exec",
		Summary:      "runs a command inside a node",
		Doc:          "Passes when the command exits as expected. Its output is kept, and the end of it shown when it does not.",
		NeedsRunning: true,
		Examples: []schema.Example{{
			Title: "Write a file and read it back",
			Text: `scenario "example" {}

node "web" {
  image = "nginx:1.29"
}

action "exec" "write" {
  node    = node.web
  command = ["sh", "-c", "cat > /tmp/greeting"]
  stdin   = jsonencode({ hello = "world" })
}

action "exec" "read" {
  node    = node.web
  command = ["cat", "/tmp/greeting"]
}

assert "kept" {
  condition = action.read.json.hello == "world"
}
`,
		}},
	}, Run)
}

// Run runs a command and returns what it did, with the first line of what it
// printed. That it exits otherwise than expected is a failure, which shows the
// end of what it printed.
func Run(ctx context.Context, env *step.Env, in In) (Out, string, error) {
	if len(in.Command) == 0 {
		return Out{}, "", step.Failf("command is empty")
	}
	r, err := env.Nodes.Exec(ctx, string(in.Node), runtime.ExecSpec{
		Command: in.Command, Stdin: []byte(in.Stdin), Env: in.Env, User: in.User, Limit: kept,
	})
	if err != nil {
		return Out{}, "", asFailure(in.Node, err)
	}
	if err := whole(r, in.Command, in.Node); err != nil {
		return Out{}, "", err
	}
	out := outputOf(r)
	if r.ExitCode != in.ExitCode {
		failure := step.Failf("%s in %s: exit code %d, expected %d", commandLine(in.Command), in.Node, r.ExitCode, in.ExitCode)
		return out, "", failure.With(tails(out), "")
	}
	return out, firstLine(out.Stdout), nil
}

// kept is how much of each stream is kept.
const kept = 16 << 20

// whole is an error where output was cut: what a condition says of the rest
// would be true of nothing.
func whole(r runtime.ExecResult, command []string, node step.Node) error {
	if !r.Truncated {
		return nil
	}
	return step.Inconclusivef("%s in %s printed more than %d MiB, which is all that is kept", commandLine(command), node, kept>>20).
		With("", "Let it print less, or into a file of the node.")
}

// asFailure tells what the system under test did from what broke around it: a
// node that is down or has no such command failed.
func asFailure(node step.Node, err error) error {
	if runtime.KindOf(err) != runtime.NotRunning {
		return err
	}
	return step.Failf("run a command in %s: %w", node, err).
		With("", "A command needs a node that runs and is not paused; start it or heal the fault first.")
}

func outputOf(r runtime.ExecResult) Out {
	out := Out{
		ExitCode: r.ExitCode,
		Stdout:   strings.ToValidUTF8(string(r.Stdout), "\uFFFD"),
		Stderr:   strings.ToValidUTF8(string(r.Stderr), "\uFFFD"),
		JSON:     cty.NullVal(cty.DynamicPseudoType),
	}
	if v, err := step.JSONValue(r.Stdout); err == nil {
		out.JSON = v
	}
	return out
}

// tails are the last lines of both streams.
func tails(out Out) string {
	var parts []string
	for _, stream := range []struct{ name, text string }{{"stdout", out.Stdout}, {"stderr", out.Stderr}} {
		if text := lastLines(stream.text, 20); text != "" {
			parts = append(parts, stream.name+":\n"+text)
		}
	}
	return strings.Join(parts, "\n")
}

func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

// firstLine is what fits on a timeline.
func firstLine(text string) string {
	const most = 100
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if r := []rune(line); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return line
}

func commandLine(command []string) string {
	return firstLine(strings.Join(command, " "))
}

type probeIn struct {
	Node    step.Node `scn:"node,required" doc:"The node to run it in."`
	Command []string  `scn:"command,required" check:"command" doc:"The command and its arguments; it should change nothing."`
}

type probeOut struct {
	OK       bool      `scn:"ok" doc:"Whether it exited with 0."`
	ExitCode *int      `scn:"exit_code" doc:"Its exit code; null if it could not be run."`
	Stdout   string    `scn:"stdout" doc:"What it printed, at most 16 MiB."`
	Stderr   string    `scn:"stderr" doc:"What it printed as errors, at most 16 MiB."`
	JSON     cty.Value `scn:"json" doc:"What it printed, read as JSON; null if it is none."`
	Error    *string   `scn:"error" doc:"Why it could not be run; null if it was."`
	Class    *string   `scn:"class" doc:"How it could not be run: down, or failed (no such command); null if it was."`
}

func probe() step.Definition {
	return step.NewProbe(schema.Type{
		Name:    "exec",
		Summary: "what a command inside a node says",
		Doc:     "A node that is down, and a command that it does not have, are answers: `ok` is false and `class` says which.",
		Examples: []schema.Example{{
			Title: "Wait for a file",
			Text: `scenario "example" {}

node "web" {
  image = "nginx:1.29"
}

probe "exec" "pid_file" {
  node    = node.web
  command = ["cat", "/run/nginx.pid"]
}

assert "written" {
  condition = probe.pid_file.ok && trimspace(probe.pid_file.stdout) != ""
  within    = "10s"
}
`,
		}},
	}, ask)
}

func ask(ctx context.Context, env *step.Env, in probeIn) (probeOut, error) {
	if len(in.Command) == 0 {
		return probeOut{}, errors.New("command is empty")
	}
	r, err := env.Nodes.Exec(ctx, string(in.Node), runtime.ExecSpec{Command: in.Command, Limit: kept})
	switch {
	case err == nil:
		if err := whole(r, in.Command, in.Node); err != nil {
			return probeOut{}, err
		}
		out := outputOf(r)
		return probeOut{
			OK: r.ExitCode == 0, ExitCode: &out.ExitCode, Stdout: out.Stdout, Stderr: out.Stderr, JSON: out.JSON,
		}, nil
	case ctx.Err() != nil:
		return probeOut{}, fmt.Errorf("%s in %s did not end: %w", commandLine(in.Command), in.Node, context.Cause(ctx))
	case runtime.KindOf(err) == runtime.NotRunning:
		return probeOut{Error: new(err.Error()), Class: new("down")}, nil
	case runtime.KindOf(err) == runtime.NodeFault:
		return probeOut{Error: new(err.Error()), Class: new("failed")}, nil
	default:
		return probeOut{}, err
	}
}

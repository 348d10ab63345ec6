package ray

import (
	"context"
	"errors"
	"fmt"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/actions/exec"
	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/step"
)

type runDriverArgs struct {
	Node   step.Node         `scn:"node,required" doc:"The node of the cluster to run it in."`
	Script string            `scn:"script" doc:"Path of a Python program in the node; instead of code."`
	Code   string            `scn:"code" doc:"The Python program itself; instead of script."`
	Args   []string          `scn:"args" doc:"Its arguments, as in sys.argv[1:]."`
	Env    map[string]string `scn:"env" doc:"Further environment variables."`
}

type runDriverResult struct {
	ExitCode int       `scn:"exit_code" doc:"With what it exited, which is 0."`
	Stdout   string    `scn:"stdout" doc:"What it printed, at most 16 MiB."`
	JSON     cty.Value `scn:"json" doc:"What it printed, read as JSON; null if it is none."`
}

func runDriver() step.Definition {
	return step.NewAction(schema.Type{
		Name:    "run_driver",
		Summary: "runs a Python program in a Ray node, as a driver of its cluster",
		Doc: "Runs the node's own `python3`. `RAY_ADDRESS` is set, so that `ray.init()` connects to the cluster of the node. While the GCS is away a driver waits for it. Passes when it exits with 0.\n\n" +
			"Once the step is over the driver is, too: at a time limit or an interruption it is killed.",
		Check:        checkRunDriver,
		NeedsRunning: true,
		Examples:     []schema.Example{runDriverExample},
	}, driveProgram)
}

func checkRunDriver(args cty.Value) error {
	switch {
	case given(args, "script") && given(args, "code"):
		return errors.New("script and code exclude each other")
	case missing(args, "script") && missing(args, "code"):
		return errors.New("say what to run: script or code is missing")
	}
	return nil
}

func driveProgram(ctx context.Context, env *step.Env, in runDriverArgs) (out runDriverResult, summary string, err error) {
	node := string(in.Node)
	if _, err := blockOf(env, node); err != nil {
		return out, "", err
	}
	mark := markOf(env)
	// What stands after -X is of no account to Python, and seen in the process list.
	command := []string{"python3", "-X", mark, "-c", in.Code}
	if in.Script != "" {
		command = []string{"python3", "-X", mark, in.Script}
	}
	environment := map[string]string{"RAY_ADDRESS": "auto"}
	for k, v := range in.Env {
		environment[k] = v
	}
	ran, line, err := exec.Run(ctx, env, exec.In{Node: in.Node, Command: append(command, in.Args...), Env: environment})
	if ctx.Err() != nil {
		err = errors.Join(err, stopDriver(ctx, env, node, mark))
	}
	if err != nil {
		return out, "", fmt.Errorf("run a driver in %s: %w", node, err)
	}
	return runDriverResult{ran.ExitCode, ran.Stdout, ran.JSON}, line, nil
}

// Command agent is the agent of the tests: a static program, which the test
// binary itself need not be.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/scenario-run/scenario/engine/agent"
	"github.com/scenario-run/scenario/engine/agent/cgroup"
	"github.com/scenario-run/scenario/engine/agent/fill"
	"github.com/scenario-run/scenario/engine/disk"
)

func main() {
	var room fill.Keeper
	jobs := map[string]agent.Job{
		"conformance-echo": echo, cgroup.LimitsJob: cgroup.Job, cgroup.UsageJob: cgroup.AskUsage,
		disk.FillJob: room.Fill, disk.LookJob: room.Look, disk.ReleaseJob: room.Release,
	}
	if err := errors.Join(agent.Serve(context.Background(), os.Stdin, os.Stdout, jobs), room.Close()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// echo is conformance.Echo, without what package testing brings along.
func echo(ctx context.Context, spec []byte, out func([]byte) error) error {
	if err := errors.Join(out(spec), out([]byte("more"))); err != nil {
		return err
	}
	<-ctx.Done()
	return out([]byte("end"))
}

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
)

func main() {
	if err := agent.Serve(context.Background(), os.Stdin, os.Stdout, map[string]agent.Job{"conformance-echo": echo, cgroup.LimitsJob: cgroup.Job}); err != nil {
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

package fake_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"slices"
	"testing"

	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/runtime/conformance"
	"github.com/scenario-run/scenario/engine/runtime/fake"
)

func TestTheFakeConforms(t *testing.T) {
	conformance.Run(t, conformance.Options{
		Image: "any",
		New: func(*testing.T) runtime.Runtime {
			return fake.New(fake.Options{
				Script: script,
				Jobs: map[string]func(context.Context, []byte, func([]byte) error) error{
					conformance.EchoJob: conformance.Echo,
				},
			})
		},
	})
}

// script plays the programs of the suite.
func script(spec runtime.NodeSpec) fake.Script {
	s := fake.Script{Exec: func(ctx context.Context, e runtime.ExecSpec) (runtime.ExecResult, error) { return exec(ctx, spec, e) }}
	is := func(p conformance.Program) bool { return slices.Equal(spec.Command, p.Command) }
	switch {
	case is(conformance.Stubborn):
		s.Signal = func(string) (int, bool) { return 0, false }
	case is(conformance.ExitThree):
		s.Exits = func(int) (int, bool) { return 3, true }
	case is(conformance.Greet):
		s.Prints = []string{"out", "err"}
	case is(conformance.Serve):
		s.Serve = map[string]func(net.Conn){"8080": func(c net.Conn) {
			io.Copy(c, c) // ends with the connection
			c.Close()
		}}
	case is(conformance.Missing):
		s.Start = func(int) error {
			return &runtime.Error{Kind: runtime.NodeFault, Op: "start " + spec.Address, Err: errors.New("no command " + spec.Command[0])}
		}
	}
	return s
}

// exec plays the commands of the suite.
func exec(ctx context.Context, node runtime.NodeSpec, e runtime.ExecSpec) (runtime.ExecResult, error) {
	is := func(other runtime.ExecSpec) bool { return slices.Equal(e.Command, other.Command) }
	switch {
	case is(conformance.EchoBoth):
		return runtime.ExecResult{Stdout: []byte("out\n"), Stderr: []byte("err\n"), ExitCode: 5}, nil
	case is(conformance.Cat):
		return runtime.ExecResult{Stdout: e.Stdin}, nil
	case is(conformance.PrintEnv):
		return runtime.ExecResult{Stdout: []byte(e.Env["GREETING"])}, nil
	case is(conformance.Flood):
		return runtime.ExecResult{Stdout: bytes.Repeat([]byte("x"), 10000)}, nil
	case is(conformance.ReadFile):
		return runtime.ExecResult{Stdout: node.Files["/etc/conformance/deep/file"]}, nil
	case is(conformance.Kept):
		return runtime.ExecResult{Stdout: []byte("kept")}, nil
	case is(conformance.Unending):
		<-ctx.Done()
		return runtime.ExecResult{}, context.Cause(ctx)
	case is(conformance.Talker):
		if _, err := e.Out.Write([]byte("out\n")); err != nil {
			return runtime.ExecResult{}, err
		}
		<-ctx.Done()
		return runtime.ExecResult{}, context.Cause(ctx)
	case is(conformance.NoCommand):
		return runtime.ExecResult{}, &runtime.Error{Kind: runtime.NodeFault, Err: errors.New("no command " + e.Command[0])}
	}
	return runtime.ExecResult{}, nil
}

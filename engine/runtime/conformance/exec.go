package conformance

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/scenario-run/scenario/engine/runtime"
)

var execRules = map[string]func(*lab){
	"outputs are told apart, and the exit code is the command's": func(l *lab) {
		id, _ := l.start("a", Sleep)
		r, err := l.Exec(l.ctx, id, EchoBoth)
		l.must(err)
		if string(r.Stdout) != "out\n" || string(r.Stderr) != "err\n" || r.ExitCode != 5 || r.Truncated {
			l.Errorf("got %q, %q, %d, truncated %v", r.Stdout, r.Stderr, r.ExitCode, r.Truncated)
		}
	},
	"input and environment reach the command": func(l *lab) {
		id, _ := l.start("a", Sleep)
		for _, spec := range []struct {
			runtime.ExecSpec
			want string
		}{{Cat, "input"}, {PrintEnv, "hello"}} {
			r, err := l.Exec(l.ctx, id, spec.ExecSpec)
			l.must(err)
			if string(r.Stdout) != spec.want || r.ExitCode != 0 {
				l.Errorf("%q: got %q, %q, %d", spec.Command, r.Stdout, r.Stderr, r.ExitCode)
			}
		}
	},
	"output can be had as it comes, while the command runs": func(l *lab) {
		id, _ := l.start("a", Sleep)
		ctx, cancel := context.WithTimeout(l.ctx, 10*time.Second)
		defer cancel()
		spec := Talker
		var got strings.Builder
		spec.Out = writer(func(p []byte) { // the command goes on until this is seen
			if got.Write(p); strings.Contains(got.String(), "out\n") {
				cancel()
			}
		})
		began := time.Now()
		r, err := l.Exec(ctx, id, spec)
		if err == nil || time.Since(began) > 9*time.Second || got.String() != "out\n" || len(r.Stdout) != 0 {
			l.Errorf("got %q and %q after %s, %v", got.String(), r.Stdout, time.Since(began), err)
		}
	},
	"too much output is cut, and that is told": func(l *lab) {
		id, _ := l.start("a", Sleep)
		r, err := l.Exec(l.ctx, id, Flood)
		l.must(err)
		if string(r.Stdout) != strings.Repeat("x", Flood.Limit) || !r.Truncated {
			l.Errorf("got %d bytes, truncated %v", len(r.Stdout), r.Truncated)
		}
	},
	"files are there, below directories that were not": func(l *lab) {
		spec := l.spec("a", Sleep)
		spec.Files = map[string][]byte{"/etc/conformance/deep/file": []byte(Greeting)}
		id := l.create(spec)
		_, err := l.StartNode(l.ctx, id)
		l.must(err)
		r, err := l.Exec(l.ctx, id, ReadFile)
		l.must(err)
		if string(r.Stdout) != Greeting {
			l.Errorf("got %q, %q", r.Stdout, r.Stderr)
		}
	},
	"a command that can't be executed is the node's fault": func(l *lab) {
		id, _ := l.start("a", Sleep)
		_, err := l.Exec(l.ctx, id, NoCommand)
		l.wantKind(err, runtime.NodeFault)
		if err != nil && !strings.Contains(err.Error(), NoCommand.Command[0]) {
			l.Errorf("the message is %q", err)
		}
	},
	"waiting for a command ends with the context, and that it goes on is told": func(l *lab) {
		id, _ := l.start("a", Sleep)
		ctx, cancel := context.WithTimeout(l.ctx, 200*time.Millisecond)
		defer cancel()
		_, err := l.Exec(ctx, id, Unending)
		var left *runtime.GoesOn
		if !errors.As(err, &left) || l.ctx.Err() != nil {
			l.Errorf("got %v, which does not say that the command goes on", err)
		}
	},
}

// writer is an io.Writer.
type writer func(p []byte)

func (w writer) Write(p []byte) (int, error) {
	w(p)
	return len(p), nil
}

package engine

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/scenario-run/scenario/engine/event"
)

// patience is how long something may go on after its context ended.
const patience = 10 * time.Second

// shield runs f. A panic in it becomes an outcome, and so does its refusal to
// end when it should: neither may keep the scenario from its cleanup.
func (x *executor) shield(ctx context.Context, v *vertex, f func() outcome) outcome {
	done := make(chan outcome, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				done <- x.bug(v.ID, p, debug.Stack())
			}
		}()
		done <- f()
	}()
	select {
	case out := <-done:
		return out
	case <-ctx.Done():
	}
	late, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	tired := make(chan struct{})
	go func() {
		if x.Clock.Sleep(late, patience) == nil {
			close(tired)
		}
	}()
	select {
	case out := <-done:
		return out
	case <-tired:
		return outcome{state: event.Error, cause: &event.Cause{
			State:   event.Error,
			Message: fmt.Sprintf("%s went on for %s after it had been told to end; it was left alone", v.ID, patience),
			Hint:    "this is a bug of " + typeName(v) + ": report it",
		}}
	}
}

// task runs f in a goroutine that belongs to the variant as a whole. A panic
// in it is a bug of the engine.
func (x *executor) task(f func()) {
	x.tasks.Go(func() {
		defer func() {
			if p := recover(); p != nil {
				out := x.bug("the engine", p, debug.Stack())
				x.do(func() {
					x.crashed(out)
					x.halt("the engine broke")
				})
			}
		}()
		f()
	})
}

// panicked carries a panic from a goroutine that an action had started through
// the engine to the goroutine of its step.
type panicked struct {
	value any
	stack []byte
}

func (p *panicked) Error() string { return fmt.Sprintf("panic: %v", p.value) }

// safely runs f and returns a panic in it as an error.
func safely(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &panicked{p, debug.Stack()}
		}
	}()
	return f()
}

// bug is the outcome of a panic; its stack goes to a file.
func (x *executor) bug(id string, p any, stack []byte) outcome {
	if inner, ok := p.(*panicked); ok {
		p, stack = inner.value, inner.stack
	}
	name := filepath.Join(x.dirName, "panic-"+fileName(strings.ReplaceAll(id, "/", "_"))+".txt")
	text := fmt.Sprintf("%v\n\n%s", p, stack)
	hint := "report it with " + filepath.Join(x.Dir, name)
	if err := x.dir.write(name, []byte(x.redact.text(text))); err != nil {
		x.stream.failed(err)
		hint = "report it"
	}
	return outcome{state: event.Error, cause: &event.Cause{
		State: event.Error, Message: fmt.Sprintf("bug: %s panicked: %v", id, p), Detail: firstLines(string(stack), 12), Hint: hint,
	}}
}

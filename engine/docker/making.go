package docker

import (
	"context"
	"sync"
	"time"

	"github.com/scenario-run/scenario/engine/runtime"
)

// makeLimit bounds a call that makes something.
const makeLimit = 2 * time.Minute

// making are the calls in flight that make things of a scope. The daemon goes
// on with a call whose caller has left, and what it makes then would appear
// after the sweep that was to remove it; so such calls are not cut off, and
// Sweep waits for them.
type making struct {
	mu    sync.Mutex
	calls map[*makingCall]bool
}

type makingCall struct {
	scope runtime.Scope
	done  chan struct{}
}

// make makes something of a scope, once there is room for the call. It returns
// when ctx ends, but the call goes on; it must not touch what the caller reads
// after an error.
func (r *Runtime) make(ctx context.Context, scope runtime.Scope, call func(context.Context) error) error {
	if err := r.calls.Acquire(ctx, 1); err != nil {
		return err
	}
	c := r.making.begin(scope)
	result := make(chan error, 1)
	go func() { // Sweep and Close wait for it
		defer r.making.end(c)
		defer r.calls.Release(1)
		ctx, cancel := context.WithTimeout(r.life, makeLimit)
		defer cancel()
		result <- call(ctx)
	}()
	select {
	case err := <-result:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (m *making) begin(scope runtime.Scope) *makingCall {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.calls == nil {
		m.calls = map[*makingCall]bool{}
	}
	c := &makingCall{scope, make(chan struct{})}
	m.calls[c] = true
	return c
}

func (m *making) end(c *makingCall) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.calls, c)
	close(c.done)
}

// wait waits for the calls that are chosen.
func (m *making) wait(ctx context.Context, chosen func(runtime.Scope) bool) error {
	m.mu.Lock()
	var waiting []*makingCall
	for c := range m.calls {
		if chosen(c.scope) {
			waiting = append(waiting, c)
		}
	}
	m.mu.Unlock()
	for _, c := range waiting {
		select {
		case <-c.done:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// within says that a scope is meant by another, whose variant may be left open.
func within(asked runtime.Scope) func(runtime.Scope) bool {
	return func(s runtime.Scope) bool {
		return s.Run == asked.Run && (asked.Variant == "" || s.Variant == asked.Variant)
	}
}

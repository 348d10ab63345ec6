package fake

import (
	"context"

	"github.com/scenario-run/scenario/engine/runtime"
)

// watch has an unbounded queue, so that a slow reader never holds up a node.
type watch struct {
	scope runtime.Scope
	queue []runtime.NodeEvent
	more  chan struct{} // of size 1
	ready chan runtime.NodeEvent
}

// send queues an event. The caller holds the Runtime's lock.
func (w *watch) send(e runtime.NodeEvent) {
	w.queue = append(w.queue, e)
	select {
	case w.more <- struct{}{}:
	default:
	}
}

func (r *Runtime) emit(n *node, kind string, code int) {
	for w := range r.watches {
		if matches(n.scope, w.scope) && !r.opts.Silent {
			w.send(runtime.NodeEvent{Node: n.id, Address: n.spec.Address, Kind: kind, ExitCode: code, At: r.opts.Now()})
		}
	}
}

// matches says that a thing of that scope is meant by another, whose variant
// may be left open.
func matches(thing, asked runtime.Scope) bool {
	return thing.Run == asked.Run && (asked.Variant == "" || thing.Variant == asked.Variant)
}

// Watch streams the events of a scope.
func (r *Runtime) Watch(ctx context.Context, scope runtime.Scope) (<-chan runtime.NodeEvent, error) {
	if err := r.enter(ctx, "Watch", scope.Run); err != nil {
		return nil, err
	}
	w := &watch{scope: scope, more: make(chan struct{}, 1), ready: make(chan runtime.NodeEvent)}
	r.mu.Lock()
	r.watches[w] = true
	r.mu.Unlock()
	go r.deliver(ctx, w)
	return w.ready, nil
}

// deliver hands the queue to the reader until ctx ends or the place is lost.
func (r *Runtime) deliver(ctx context.Context, w *watch) {
	defer close(w.ready)
	defer func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.watches, w)
	}()
	for {
		r.mu.Lock()
		queue := w.queue
		w.queue = nil
		r.mu.Unlock()
		for _, e := range queue {
			select {
			case w.ready <- e:
			case <-ctx.Done():
				return
			}
			if e.Err != nil {
				return
			}
		}
		select {
		case <-w.more:
		case <-ctx.Done():
			return
		}
	}
}

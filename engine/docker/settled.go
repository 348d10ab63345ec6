package docker

import (
	"context"
	"time"
)

// settleLimit is how long a change is waited for that nobody wants any more.
const settleLimit = 10 * time.Second

// settled makes a call that changes something, and waits for its answer even if
// ctx ends: the daemon goes on with what it has begun, and what takes that back
// has to come after it.
func settled(ctx context.Context, change func(context.Context) error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	long, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(nil)
	defer context.AfterFunc(ctx, func() {
		late := time.NewTimer(settleLimit)
		defer late.Stop()
		select {
		case <-late.C:
			cancel(context.Cause(ctx))
		case <-long.Done():
		}
	})()
	return change(long)
}

// changed is settled for a call that takes the daemon a while.
func (r *Runtime) changed(ctx context.Context, change func(context.Context) error) error {
	return r.limited(ctx, func() error { return settled(ctx, change) })
}

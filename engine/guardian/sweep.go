package guardian

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/scenario-run/scenario/engine/runtime"
)

// leftoverLimit is how long what one run left may take to remove while another
// waits to begin; what is still there then, the next one meets.
const leftoverLimit = 10 * time.Second

// sweepsAtOnce is how many scopes are swept at once. What can't be removed is
// waited for, and the others need not wait behind it.
const sweepsAtOnce = 8

// SweepLeftovers removes what belongs to processes that are gone, except what
// was kept on purpose.
func SweepLeftovers(ctx context.Context, rt runtime.Runtime, now time.Time) (runtime.Swept, error) {
	return SweepOwned(ctx, rt, leftoverLimit, func(o runtime.Owned) bool { return !o.Kept && Gone(o.Scope, now) })
}

// SweepOwned removes every scope that pick picks, each within a limit of its
// own. It goes on after an error.
func SweepOwned(ctx context.Context, rt runtime.Runtime, within time.Duration, pick func(runtime.Owned) bool) (runtime.Swept, error) {
	owned, err := rt.Owners(ctx)
	if err != nil {
		return runtime.Swept{}, fmt.Errorf("list what runs own: %w", err)
	}
	owned = slices.DeleteFunc(owned, func(o runtime.Owned) bool { return !pick(o) })
	swept, errs := make([]runtime.Swept, len(owned)), make([]error, len(owned))
	var sweeps errgroup.Group
	sweeps.SetLimit(sweepsAtOnce)
	for i, o := range owned {
		sweeps.Go(func() error {
			swept[i], errs[i] = sweepScope(ctx, rt, within, o.Scope)
			return nil // the others go on
		})
	}
	_ = sweeps.Wait() // always nil
	var all runtime.Swept
	for _, s := range swept {
		all.Removed = append(all.Removed, s.Removed...)
		all.Left = append(all.Left, s.Left...)
	}
	return all, errors.Join(errs...)
}

func sweepScope(ctx context.Context, rt runtime.Runtime, within time.Duration, scope runtime.Scope) (runtime.Swept, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, within, fmt.Errorf("it took more than %s", within))
	defer cancel()
	swept, err := rt.Sweep(ctx, scope, nil)
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx) // whichever call of it that ended
		}
		err = fmt.Errorf("remove what run %s left: %w", scope.Run, err)
	}
	return swept, err
}

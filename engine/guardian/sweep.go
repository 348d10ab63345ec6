package guardian

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/scenario-run/scenario/engine/runtime"
)

// SweepLeftovers removes what belongs to processes that are gone, except what
// was kept on purpose.
func SweepLeftovers(ctx context.Context, rt runtime.Runtime, now time.Time) (runtime.Swept, error) {
	return SweepOwned(ctx, rt, func(o runtime.Owned) bool { return !o.Kept && Gone(o.Scope, now) })
}

// SweepOwned removes every scope that pick picks. It goes on after an error.
func SweepOwned(ctx context.Context, rt runtime.Runtime, pick func(runtime.Owned) bool) (runtime.Swept, error) {
	var all runtime.Swept
	owned, err := rt.Owners(ctx)
	if err != nil {
		return all, fmt.Errorf("list what runs own: %w", err)
	}
	var errs []error
	for _, o := range owned {
		if !pick(o) {
			continue
		}
		swept, err := rt.Sweep(ctx, o.Scope, nil)
		all.Removed = append(all.Removed, swept.Removed...)
		all.Left = append(all.Left, swept.Left...)
		if err != nil {
			errs = append(errs, fmt.Errorf("remove what run %s left: %w", o.Run, err))
		}
	}
	return all, errors.Join(errs...)
}

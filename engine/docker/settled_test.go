package docker

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestAChangeIsWaitedForThoughItsCallerHasGone(t *testing.T) {
	gone := errors.New("the caller has gone")
	for name, tt := range map[string]struct {
		lasts time.Duration // of the change
		took  time.Duration
		err   error
	}{
		"to its end":       {3 * time.Second, 3 * time.Second, nil},
		"but not for ever": {time.Minute, time.Second + settleLimit, gone},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, leave := context.WithCancelCause(t.Context())
				time.AfterFunc(time.Second, func() { leave(gone) })
				began := time.Now()
				err := settled(ctx, func(ctx context.Context) error {
					select {
					case <-time.After(tt.lasts):
						return nil
					case <-ctx.Done():
						return context.Cause(ctx)
					}
				})
				if took := time.Since(began); !errors.Is(err, tt.err) || took != tt.took {
					t.Errorf("%v after %v, want %v after %v", err, took, tt.err, tt.took)
				}
			})
		})
	}
}

func TestNoChangeIsBegunForACallerThatHasGone(t *testing.T) {
	ctx, leave := context.WithCancelCause(t.Context())
	gone := errors.New("the caller has gone")
	leave(gone)
	err := settled(ctx, func(context.Context) error { t.Error("it was begun"); return nil })
	if !errors.Is(err, gone) {
		t.Errorf("got %v", err)
	}
}

package step_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/scenario-run/scenario/engine/step/steptest"
)

func TestConnectingEndsWithItsRequest(t *testing.T) {
	w := steptest.New()
	ended := make(chan error, 1)
	w.OnDial = func(ctx context.Context, from, _, _ string) (net.Conn, error) {
		<-ctx.Done() // packets are dropped
		ended <- ctx.Err()
		return nil, ctx.Err()
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://web", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Env().HTTP("", nil).Do(req); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the request: %v", err)
	}
	if err := <-ended; !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("connecting: %v", err)
	}
}

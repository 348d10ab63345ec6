package round

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/scenario-run/scenario/engine/link"
)

// Job is link.RoundJob.
func Job(ctx context.Context, spec []byte, out func([]byte) error) error {
	var rounds link.Rounds
	if err := json.Unmarshal(spec, &rounds); err != nil {
		return fmt.Errorf("read the round trips: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, rounds.Within)
	defer cancel()
	trips := make([]link.Trip, len(rounds.To))
	var all sync.WaitGroup
	for i, to := range rounds.To {
		all.Go(func() { trips[i] = quickest(ctx, to, rounds) })
	}
	all.Wait()
	line, err := json.Marshal(trips)
	return errors.Join(err, out(line))
}

// quickest makes the trips to an address that are made at once.
func quickest(ctx context.Context, to netip.Addr, rounds link.Rounds) link.Trip {
	made := make([]link.Trip, max(rounds.Tries, 1))
	var all sync.WaitGroup
	for i := range made {
		all.Go(func() { made[i] = trip(ctx, to, rounds.Port) })
	}
	all.Wait()
	return slices.MinFunc(made, func(a, b link.Trip) int {
		return cmp.Or(cmp.Compare(failed(a), failed(b)), cmp.Compare(a.Took, b.Took))
	})
}

// failed is 1 for a trip that came to no end, else 0.
func failed(t link.Trip) int {
	if t.Error != "" {
		return 1
	}
	return 0
}

// trip connects, and sees how long the answer takes, be it a refusal.
func trip(ctx context.Context, to netip.Addr, port int) link.Trip {
	began := time.Now()
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", netip.AddrPortFrom(to, uint16(port)).String())
	t := link.Trip{To: to, Took: time.Since(began)}
	if err == nil {
		err = conn.Close()
	}
	if err != nil && !errors.Is(err, syscall.ECONNREFUSED) {
		t.Error = err.Error()
	}
	return t
}

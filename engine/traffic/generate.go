package traffic

import (
	"context"
	"encoding/json"
	"sync"
	"time"
)

// generate is an open loop: it calls send for request i at i/rate seconds after
// the first, each in a goroutine of its own, until ctx ends. Then it waits for
// those in flight, whose contexts do not end with ctx: send has a time limit.
func generate(ctx context.Context, rate float64, maxInFlight int, send func(context.Context, *Sample), out func([]byte) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	begin := time.Now()
	due := func(seq int64) time.Duration { return time.Duration(float64(seq) / rate * float64(time.Second)) }
	r := newReporter(begin, due)

	written := make(chan error, 1)
	go func() {
		err := r.write(out)
		if err != nil {
			cancel(err)
		}
		written <- err
	}()

	var inFlight sync.WaitGroup
	slots := make(chan struct{}, maxInFlight)
	timer := time.NewTimer(0)
	defer timer.Stop()
	for seq := int64(0); ; seq++ {
		timer.Reset(time.Until(begin.Add(due(seq))))
		select {
		case <-timer.C:
		case <-ctx.Done():
			stopped := time.Since(begin)
			inFlight.Wait()
			r.stop(stopped)
			return <-written
		}
		s := &Sample{Seq: seq, Due: r.wall(due(seq)), Start: r.wall(time.Since(begin))}
		select {
		case slots <- struct{}{}:
		default:
			s.Outcome, s.Class, s.Error = Failed, Saturated, "too many requests in flight"
			r.report(s)
			continue
		}
		inFlight.Go(func() {
			send(context.WithoutCancel(ctx), s)
			<-slots
			r.report(s)
		})
	}
}

// reporter puts samples into lines. Reporting never waits for whoever reads
// the lines, so that a slow reader does not slow down the loop.
type reporter struct {
	begin time.Time
	due   func(seq int64) time.Duration

	mu      sync.Mutex
	lines   []Line
	done    map[int64]bool // reported, beyond first
	first   int64          // the first that has not been reported
	more    chan struct{}  // has room for one
	stopped bool
}

func newReporter(begin time.Time, due func(int64) time.Duration) *reporter {
	return &reporter{begin: begin, due: due, done: map[int64]bool{}, more: make(chan struct{}, 1)}
}

// wall is a time since the beginning in nanoseconds since 1970.
func (r *reporter) wall(d time.Duration) int64 { return r.begin.UnixNano() + int64(d) }

func (r *reporter) report(s *Sample) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s.End = r.wall(time.Since(r.begin))
	r.done[s.Seq] = true
	for r.done[r.first] {
		delete(r.done, r.first)
		r.first++
	}
	r.add(Line{Sample: s, Settled: r.wall(r.due(r.first))})
}

func (r *reporter) stop(at time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stopped = true
	r.add(Line{Stopped: r.wall(at)})
}

func (r *reporter) add(l Line) {
	r.lines = append(r.lines, l)
	select {
	case r.more <- struct{}{}:
	default:
	}
}

// write hands lines on until the last.
func (r *reporter) write(out func([]byte) error) error {
	for range r.more {
		r.mu.Lock()
		lines, last := r.lines, r.stopped
		r.lines = nil
		r.mu.Unlock()
		for _, l := range lines {
			text, err := json.Marshal(l)
			if err != nil {
				return err
			}
			if err := out(text); err != nil {
				return err
			}
		}
		if last {
			return nil
		}
	}
	return nil
}

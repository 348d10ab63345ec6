package traffic

import (
	"context"
	"sync"
	"time"
)

// generate is an open loop: it calls send for request i at i/rate seconds after
// the first, side by side, until ctx ends. Then it waits for those in flight:
// send has a time limit of its own.
func generate(ctx context.Context, rate float64, maxInFlight int, send func(*Sample), out func([]byte) error) error {
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

	c := crew{work: make(chan *Sample), most: maxInFlight, do: func(s *Sample) { send(s); r.report(s) }}
	timer := time.NewTimer(0)
	defer timer.Stop()
	for seq := int64(0); ; seq++ {
		if !waitUntil(ctx, timer, begin.Add(due(seq))) {
			stopped := time.Since(begin)
			c.dismiss()
			r.stop(stopped)
			return <-written
		}
		s := &Sample{Seq: seq, Due: r.wall(due(seq)), Start: r.wall(time.Since(begin))}
		if !c.give(s) {
			s.Outcome, s.Class, s.Error = Failed, Saturated, "too many requests in flight"
			r.report(s)
		}
	}
}

// waitUntil waits for a time, and says whether it came before ctx ended.
func waitUntil(ctx context.Context, timer *time.Timer, at time.Time) bool {
	wait := time.Until(at)
	if wait <= 0 {
		return ctx.Err() == nil
	}
	timer.Reset(wait)
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// crew are the goroutines that send requests, one at a time each. They stay,
// since what a request needs of stack a new one would have to grow into.
type crew struct {
	work    chan *Sample
	do      func(*Sample)
	most    int
	members int
	all     sync.WaitGroup
}

// give hands a request to one that has nothing to do, or to a new one, and says
// whether there was one. It does not wait.
func (c *crew) give(s *Sample) bool {
	select {
	case c.work <- s:
		return true
	default:
	}
	if c.members == c.most {
		return false
	}
	c.members++
	c.all.Go(func() {
		for c.do(s); ; c.do(s) {
			next, more := <-c.work
			if !more {
				return
			}
			s = next
		}
	})
	return true
}

// dismiss waits until all that was given is done.
func (c *crew) dismiss() {
	close(c.work)
	c.all.Wait()
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
	var text []byte
	for range r.more {
		r.mu.Lock()
		lines, last := r.lines, r.stopped
		r.lines = nil
		r.mu.Unlock()
		for _, l := range lines {
			text = l.Append(text[:0])
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

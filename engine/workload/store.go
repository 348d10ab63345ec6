package workload

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/scenario-run/scenario/engine/traffic"
)

// Store has the samples of one workload, in the order in which they were due.
// It is safe for concurrent use.
type Store struct {
	offset int64 // added to the sender's times to get the engine's
	names  []string

	mu      sync.Mutex
	line    traffic.Line // the last one
	samples []sample     // by sequence number, gaps (still in flight) included
	columns []column     // by index of names
	classes []traffic.Class
	begin   int64 // due time of the first request; 0 before any line
	settled int64 // everything due before has been reported
	stopped int64 // when sending ended; 0 while it goes on
	slowest int64 // the longest time from due to end
	streak  streak
	late    SentLate
	first   *Failure
	last    string        // what went wrong last
	changed chan struct{} // closed at the next change; nil while nobody waits
}

// sample is a traffic.Sample as far as statistics need it, without pointers.
type sample struct {
	due, end int64
	class    uint16 // index into Store.classes; 0 is none
	outcome  outcome
	answered bool
}

type outcome uint8

const (
	inFlight outcome = iota
	ok
	failed
	unknown
)

func outcomeOf(o traffic.Outcome) outcome {
	switch o {
	case traffic.OK:
		return ok
	case traffic.Unknown:
		return unknown
	default:
		return failed
	}
}

// column is what was captured under one name: a number for each distinct
// string, from 1, per sample.
type column struct {
	ids     map[string]int32
	strings []string
	bySeq   []int32
}

// Failure is one sample that failed.
type Failure struct {
	At   time.Time // when it ended
	Text string
}

// NewStore makes a store for a workload that captures those names. offset is
// added to the times of the sender to get those of the engine.
func NewStore(captures []string, offset time.Duration) *Store {
	s := &Store{
		offset:  int64(offset),
		names:   slices.Sorted(slices.Values(captures)),
		classes: []traffic.Class{""},
	}
	s.columns = make([]column, len(s.names))
	for i := range s.columns {
		s.columns[i].ids = map[string]int32{}
	}
	return s
}

// Feed adds a line of a job.
func (s *Store) Feed(line []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := &s.line
	if err := l.Parse(line); err != nil {
		return fmt.Errorf("line of a workload: %w", err)
	}
	defer s.announce()
	if l.Stopped != 0 {
		s.stopped = l.Stopped + s.offset
		s.settled = max(s.settled, s.stopped)
	}
	if l.Settled != 0 {
		s.settled = max(s.settled, l.Settled+s.offset)
	}
	if l.Sample == nil {
		return nil
	}
	if l.Seq < 0 || l.Seq > int64(len(s.samples))+maxAhead {
		return fmt.Errorf("line of a workload: sample %d after %d", l.Seq, len(s.samples))
	}
	s.add(l.Sample, l.Settled)
	return nil
}

// maxAhead is how far a sample may be ahead of those that came before it: more
// than any max_in_flight, and little enough to make room for.
const maxAhead = 10_000_000

// Finish says that no more lines will come and that sending ended at that time
// at the latest. What the job has said of its end wins. Samples that are still
// missing were lost with the job, and are passed over.
func (s *Store) Finish(at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.announce()
	if s.stopped == 0 {
		s.stopped = at.UnixNano()
	}
	s.settled = max(s.settled, s.stopped)
	for i := s.streak.next; i < len(s.samples); i++ {
		if s.samples[i].outcome == inFlight && i > 0 {
			s.samples[i].due = s.samples[i-1].due // keeps the order
		}
	}
	s.streak.next = len(s.samples)
}

func (s *Store) announce() {
	if s.changed != nil {
		close(s.changed)
		s.changed = nil
	}
}

func (s *Store) add(t *traffic.Sample, settled int64) {
	if s.begin == 0 {
		// Of the first line, either this sample or the oldest in flight is
		// the first request.
		s.begin = t.Due + s.offset
		if settled != 0 {
			s.begin = min(s.begin, settled+s.offset)
		}
	}
	n := int(t.Seq)
	if n >= len(s.samples) {
		s.samples = append(s.samples, make([]sample, n+1-len(s.samples))...)
	}
	s.samples[n] = sample{
		due:      t.Due + s.offset,
		end:      t.End + s.offset,
		class:    s.classIndex(t.Class),
		outcome:  outcomeOf(t.Outcome),
		answered: t.Answered(),
	}
	s.slowest = max(s.slowest, t.End-t.Due)
	s.late.Of++
	if late := t.SentLate(); late > 0 {
		s.late.Requests++
		s.late.Most = max(s.late.Most, late)
	}
	s.note(t)
	for i, name := range s.names {
		if text, has := t.Captured[name]; has {
			s.columns[i].set(n, text)
		}
	}
	s.streak.advance(s.samples)
}

func (s *Store) note(t *traffic.Sample) {
	if t.Outcome == traffic.OK {
		return
	}
	s.last = fmt.Sprintf("%s: %s", t.Class, t.Error)
	if s.first == nil || t.End+s.offset < s.first.At.UnixNano() {
		s.first = &Failure{At: time.Unix(0, t.End+s.offset), Text: s.last}
	}
}

func (s *Store) classIndex(c traffic.Class) uint16 {
	i := slices.Index(s.classes, c)
	if i < 0 {
		i = len(s.classes)
		s.classes = append(s.classes, c)
	}
	return uint16(i)
}

func (c *column) set(n int, text string) {
	id, known := c.ids[text]
	if !known {
		c.strings = append(c.strings, text)
		id = int32(len(c.strings))
		c.ids[text] = id
	}
	if n >= len(c.bySeq) {
		c.bySeq = append(c.bySeq, make([]int32, n+1-len(c.bySeq))...)
	}
	c.bySeq[n] = id
}

// SentLate is how many requests were sent late, which says something about the
// machine that sends them, not about who is asked.
type SentLate struct {
	Requests, Of int
	Most         time.Duration
}

// Share is the part of the requests that were sent late.
func (l SentLate) Share() float64 {
	if l.Of == 0 {
		return 0
	}
	return float64(l.Requests) / float64(l.Of)
}

// SentLate returns how many requests were sent late.
func (s *Store) SentLate() SentLate {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.late
}

// FirstFailure returns the failed sample that ended first, or nil.
func (s *Store) FirstFailure() *Failure {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.first
}

// streak counts ok samples in a row, in the order in which they were due.
type streak struct {
	next    int // the first sample that has not ended
	current int
	longest int
}

func (k *streak) advance(samples []sample) {
	for k.next < len(samples) && samples[k.next].outcome != inFlight {
		k.current++
		if samples[k.next].outcome != ok {
			k.current = 0
		}
		k.longest = max(k.longest, k.current)
		k.next++
	}
}

// Baseline waits until n samples in a row have been ok. Its error says what was
// seen instead.
func (s *Store) Baseline(ctx context.Context, n int) error {
	return s.wait(ctx, func() (bool, error) {
		if s.streak.longest >= n {
			return true, nil
		}
		last := "nothing has failed"
		switch {
		case s.last != "":
			last = "last failure: " + s.last
		case len(s.samples) == 0:
			last = "nothing has been answered yet"
		}
		return false, fmt.Errorf("%d of %d ok samples in a row (%s)", s.streak.longest, n, last)
	})
}

// Settle waits until every sample due before t has ended.
func (s *Store) Settle(ctx context.Context, t time.Time) error {
	return s.wait(ctx, func() (bool, error) {
		return s.settled >= t.UnixNano() || s.finished(), fmt.Errorf("samples due before %s are in flight", t.Format(time.RFC3339Nano))
	})
}

// finished says that no sample will come any more.
func (s *Store) finished() bool { return s.stopped != 0 && s.settled >= s.stopped }

// wait calls done, under the lock, at each change until it says so. If ctx or
// the samples end first, it returns the error of done.
func (s *Store) wait(ctx context.Context, done func() (bool, error)) error {
	for {
		s.mu.Lock()
		is, err := done()
		if s.changed == nil {
			s.changed = make(chan struct{})
		}
		changed, over := s.changed, s.finished()
		s.mu.Unlock()
		switch {
		case is:
			return nil
		case over:
			return fmt.Errorf("the workload has ended: %w", err)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return err
		}
	}
}

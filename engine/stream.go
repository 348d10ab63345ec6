package engine

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/scenario-run/scenario/engine/event"
	"github.com/scenario-run/scenario/engine/step"
)

// stream numbers events and hands them, in one order and from one goroutine,
// to the log and the sinks. emit never waits for either: a slow or full disk
// must not stop a scenario.
type stream struct {
	clock step.Clock
	began time.Time
	log   io.WriteCloser
	sinks []event.Sink

	mu      sync.Mutex
	wake    *sync.Cond
	seq     int64
	queue   []event.Event
	closed  bool
	errs    []error
	redacts map[string]*redactor // by variant
	drained chan struct{}
}

func newStream(clock step.Clock, began time.Time, log io.WriteCloser, sinks []event.Sink) *stream {
	s := &stream{clock: clock, began: began, log: log, sinks: sinks, redacts: map[string]*redactor{}, drained: make(chan struct{})}
	s.wake = sync.NewCond(&s.mu)
	go s.write()
	return s
}

// redact makes every later event of a variant go through r.
func (s *stream) redact(variant string, r *redactor) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.redacts[variant] = r
}

// emit appends an event.
func (s *stream) emit(variant string, body event.Body) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.clock.Now()
	s.seq++
	body = s.redacts[variant].body(body)
	s.queue = append(s.queue, event.Event{Seq: s.seq, Time: now, Mono: now.Sub(s.began), Variant: variant, Body: body})
	s.wake.Signal()
}

// failed records that something of the run could not be written.
func (s *stream) failed(err error) {
	s.mu.Lock()
	s.errs = append(s.errs, err)
	s.mu.Unlock()
	s.emit("", event.Warning{Text: firstLine(err.Error())})
}

// err is what could not be written so far.
func (s *stream) err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return errors.Join(s.errs...)
}

// close waits until every event is written.
func (s *stream) close() error {
	s.mu.Lock()
	s.closed = true
	s.wake.Signal()
	s.mu.Unlock()
	<-s.drained
	return s.err()
}

// abandon gives the writer a moment for what is queued, and no more.
func (s *stream) abandon() {
	s.mu.Lock()
	s.closed = true
	s.wake.Signal()
	s.mu.Unlock()
	select {
	case <-s.drained:
	case <-time.After(100 * time.Millisecond):
	}
}

func (s *stream) write() {
	defer close(s.drained)
	buf := bufio.NewWriter(s.log)
	outs := []*output{{what: "the event log", Sink: event.NewWriter(buf)}}
	for _, sink := range s.sinks {
		outs = append(outs, &output{what: "a report", Sink: sink})
	}
	for {
		batch, more := s.take()
		for _, e := range batch {
			for _, out := range outs {
				s.record(out.what, out.write(e))
			}
		}
		s.record("the event log", outs[0].flush(buf))
		if !more {
			s.record("the event log", s.log.Close())
			return
		}
	}
}

// output is one reader of the stream. Once it failed it gets nothing more:
// half a log with a hole would be worse than half a log.
type output struct {
	event.Sink
	what   string
	broken bool
}

func (o *output) write(e event.Event) error {
	if o.broken {
		return nil
	}
	err := o.Write(e)
	o.broken = err != nil
	return err
}

// flush writes what is buffered of a batch. A crash cuts off at most a part of
// a line.
func (o *output) flush(buf *bufio.Writer) error {
	if o.broken {
		return nil
	}
	err := buf.Flush()
	o.broken = err != nil
	return err
}

func (s *stream) record(what string, err error) {
	if err == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.errs = append(s.errs, fmt.Errorf("write %s: %w", what, err))
}

func (s *stream) take() (batch []event.Event, more bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.queue) == 0 && !s.closed {
		s.wake.Wait()
	}
	batch, s.queue = s.queue, nil
	return batch, !s.closed || len(batch) > 0
}

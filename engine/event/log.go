package event

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Sink takes events in order. It is called from one goroutine at a time.
type Sink interface {
	Write(Event) error
}

// SinkFunc makes a function a Sink.
type SinkFunc func(Event) error

// Write calls f.
func (f SinkFunc) Write(e Event) error { return f(e) }

// Writer writes events as NDJSON, each in one call of Write of the stream
// below, so that a crash leaves whole lines but for the last.
type Writer struct{ w io.Writer }

// NewWriter returns a Writer on w.
func NewWriter(w io.Writer) *Writer { return &Writer{w} }

// Write writes one event.
func (w *Writer) Write(e Event) error {
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	_, err = w.w.Write(append(line, '\n'))
	return err
}

// Read calls yield for every event of an NDJSON stream, in order. A last line
// that was cut off by a crash ends the stream without an error.
func Read(r io.Reader, yield func(Event) error) error {
	in := bufio.NewReader(r)
	for n := 1; ; n++ {
		line, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		var e Event
		if err := json.Unmarshal(line, &e); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		if err := yield(e); err != nil {
			return err
		}
	}
}

package event

import (
	"encoding/json"
	"fmt"
	"time"
)

// Version is the version of the stream's format, written with each event.
const Version = 1

// Event is one thing that happened.
type Event struct {
	Seq  int64         // from 1, without gaps
	Time time.Time     // wall clock
	Mono time.Duration // since the run began, monotonic
	// Variant is the key of the scenario variant that it belongs to: the
	// scenario's name and, in brackets, the variant's, such as
	// liveness[storage=redis]. Empty for what belongs to the run as a whole.
	Variant string
	Body    Body
}

// Body is what an event says. Each type of this package named in bodies is one.
type Body interface{ eventType() string }

// State is how a step, a variant or a run stands.
type State string

// The states. Pending and Running belong to steps only; Flaky to variants.
const (
	Pending      State = "pending"
	Running      State = "running"
	Passed       State = "passed"
	Failed       State = "failed"
	Error        State = "error"
	Inconclusive State = "inconclusive"
	Skipped      State = "skipped"
	Cancelled    State = "cancelled"
)

// Place is a range in a source file. Lines and columns count from 1, columns
// in characters.
type Place struct {
	File      string `json:"file"`
	Line      int    `json:"line"`
	Column    int    `json:"column"`
	EndLine   int    `json:"end_line"`
	EndColumn int    `json:"end_column"`
}

// Excerpt is a piece of source with the values of its parts.
type Excerpt struct {
	Place  Place   `json:"place"`
	Text   string  `json:"text"` // whole lines
	Values []Value `json:"values,omitempty"`
	// Caret is the part that decided: for a condition, the operand that was
	// false. Zero: none smaller than Place.
	Caret Place `json:"caret,omitzero"`
}

// Value is the value of an expression as shown to a person.
type Value struct {
	Expr string `json:"expr"`
	Text string `json:"text"`
}

// Cause says what went wrong.
type Cause struct {
	State   State  `json:"state"`            // failed, error, inconclusive, cancelled
	Message string `json:"message"`          // one line
	Detail  string `json:"detail,omitempty"` // more lines: output, the product's own message
	// LogOf is the address of the node whose last lines Detail is; empty: it is
	// something else.
	LogOf   string   `json:"log_of,omitempty"`
	Hint    string   `json:"hint,omitempty"` // what to do next
	Excerpt *Excerpt `json:"excerpt,omitempty"`
	// Unevaluated says that an expression of the file had no value at all: whether
	// the file is wrong, or what it reads, nothing was judged.
	Unevaluated bool `json:"unevaluated,omitempty"`
	// Used are the blocks that use the defines which it came from the inside of,
	// the innermost first.
	Used []Excerpt `json:"used,omitempty"`
}

type wire struct {
	V       int             `json:"v"`
	Seq     int64           `json:"seq"`
	Time    time.Time       `json:"time"`
	Mono    int64           `json:"mono_ns"`
	Type    string          `json:"type"`
	Variant string          `json:"variant,omitempty"`
	Data    json.RawMessage `json:"data"`
}

// MarshalJSON writes the event as one line of the stream.
func (e Event) MarshalJSON() ([]byte, error) {
	data, err := json.Marshal(e.Body)
	if err != nil {
		return nil, fmt.Errorf("event %s: %w", e.Body.eventType(), err)
	}
	return json.Marshal(wire{Version, e.Seq, e.Time, int64(e.Mono), e.Body.eventType(), e.Variant, data})
}

// UnmarshalJSON reads one line of the stream. A type that this version does
// not know becomes Unknown.
func (e *Event) UnmarshalJSON(line []byte) error {
	var w wire
	if err := json.Unmarshal(line, &w); err != nil {
		return err
	}
	*e = Event{Seq: w.Seq, Time: w.Time, Mono: time.Duration(w.Mono), Variant: w.Variant}
	for _, b := range bodies {
		if b.eventType() == w.Type {
			body, err := decode(b, w.Data)
			e.Body = body
			return err
		}
	}
	e.Body = Unknown{Type: w.Type, Data: w.Data}
	return nil
}

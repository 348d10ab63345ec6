package summary

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/scenario-run/scenario/engine/event"
)

// Run is the document.
type Run struct {
	RunID    string      `json:"run_id"`
	ExitCode int         `json:"exit_code"`
	State    event.State `json:"state"`
	Variants []*Variant  `json:"variants"`
	Invalid  []Invalid   `json:"invalid,omitempty"`
	Seconds  float64     `json:"elapsed_seconds"`
}

// Variant is how one variant of a scenario went.
type Variant struct {
	Scenario string                     `json:"scenario"`
	File     string                     `json:"file"`
	Variant  string                     `json:"variant"`
	State    event.State                `json:"state"`
	Error    string                     `json:"error,omitempty"`
	Seed     int64                      `json:"seed"`
	Seconds  float64                    `json:"elapsed_seconds"`
	Outputs  map[string]json.RawMessage `json:"outputs"`
	Steps    []*Step                    `json:"steps"`
}

// Step is how one step went. One that was never started is pending.
type Step struct {
	Address string      `json:"address"`
	State   event.State `json:"state"`
	Seconds float64     `json:"elapsed_seconds"`
	Error   string      `json:"error,omitempty"`
}

// Invalid is a file that did not load.
type Invalid struct {
	File        string          `json:"file"`
	Text        string          `json:"text"`
	Diagnostics json.RawMessage `json:"diagnostics,omitempty"`
}

// Summary collects events. It is an event.Sink.
type Summary struct {
	run      Run
	variants map[string]*Variant
}

var _ event.Sink = (*Summary)(nil)

// New returns an empty summary.
func New() *Summary {
	return &Summary{run: Run{Variants: []*Variant{}}, variants: map[string]*Variant{}}
}

// Write takes in an event.
func (s *Summary) Write(e event.Event) error {
	switch b := e.Body.(type) {
	case event.RunStarted:
		s.run.RunID = b.Run
	case event.RunFinished:
		s.run.State, s.run.ExitCode, s.run.Seconds = b.State, b.ExitCode, b.Seconds
	case event.FileInvalid:
		s.run.Invalid = append(s.run.Invalid, Invalid(b))
	case event.VariantStarted:
		s.begin(e.Variant, b)
	default:
		if v := s.variants[e.Variant]; v != nil {
			v.take(e.Body)
		}
	}
	return nil
}

func (s *Summary) begin(key string, b event.VariantStarted) {
	v := &Variant{
		Scenario: b.Scenario, File: b.File, Variant: b.Variant, State: event.Running, Seed: b.Seed,
		Outputs: map[string]json.RawMessage{}, Steps: []*Step{},
	}
	for _, step := range b.Steps {
		v.Steps = append(v.Steps, &Step{Address: step.Address, State: event.Pending})
	}
	s.run.Variants = append(s.run.Variants, v)
	s.variants[key] = v
}

func (v *Variant) take(body event.Body) {
	switch b := body.(type) {
	case event.StepStarted:
		v.step(b.Step).State = event.Running
	case event.StepFinished:
		s := v.step(b.Step)
		s.State, s.Seconds, s.Error = b.State, b.Seconds, message(b.Cause)
	case event.Output:
		v.Outputs[b.Name] = b.Value
	case event.VariantFinished:
		v.State, v.Seconds, v.Error = b.State, b.Seconds, message(b.Cause)
	}
}

// step returns the step of that address, and adds one that the plan did not
// list.
func (v *Variant) step(address string) *Step {
	if i := slices.IndexFunc(v.Steps, func(s *Step) bool { return s.Address == address }); i >= 0 {
		return v.Steps[i]
	}
	s := &Step{Address: address}
	v.Steps = append(v.Steps, s)
	return s
}

func message(c *event.Cause) string {
	if c == nil {
		return ""
	}
	return c.Message
}

// JSON writes the document. Of a run that was not recorded to its end, code is
// the exit code.
func (s *Summary) JSON(w io.Writer, code int) error {
	doc := s.run
	if doc.State == "" {
		doc.State, doc.ExitCode = event.Error, code
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(doc); err != nil {
		return fmt.Errorf("write the summary: %w", err)
	}
	return nil
}

package outcome

import (
	"time"

	"github.com/scenario-run/scenario/engine/event"
)

// Run is how a run went, so far. It is an event.Sink.
type Run struct {
	Started  event.RunStarted
	Began    time.Time
	Invalid  []event.FileInvalid
	Warned   []event.FileWarned
	Variants []*Variant // in the order in which they began
	Left     []event.LeftBehind
	Finished *event.RunFinished // nil: the run was not recorded to its end

	byKey map[string]*Variant
}

// New returns a run of which nothing is known yet.
func New() *Run { return &Run{byKey: map[string]*Variant{}} }

// Variant is how one variant went.
type Variant struct {
	Key      string // liveness[storage=redis]
	Started  event.VariantStarted
	Began    time.Time
	Steps    []*Step // in plan order
	Outputs  []event.Output
	Samples  []string               // files of samples, below the run's directory
	Finished *event.VariantFinished // nil: the run ended before it did

	byAddress map[string]*Step
}

// Step is how one step went.
type Step struct {
	event.Step
	Finished *event.StepFinished // nil: it was never started, or never ended
}

var _ event.Sink = (*Run)(nil)

// Write takes in an event.
func (r *Run) Write(e event.Event) error {
	switch b := e.Body.(type) {
	case event.RunStarted:
		r.Started, r.Began = b, e.Time
	case event.FileInvalid:
		r.Invalid = append(r.Invalid, b)
	case event.FileWarned:
		r.Warned = append(r.Warned, b)
	case event.VariantStarted:
		v := &Variant{Key: e.Variant, Started: b, Began: e.Time, byAddress: map[string]*Step{}}
		for _, step := range b.Steps {
			v.add(&Step{Step: step})
		}
		r.Variants = append(r.Variants, v)
		r.byKey[v.Key] = v
	case event.LeftBehind:
		r.Left = append(r.Left, b)
	case event.RunFinished:
		r.Finished = &b
	default:
		if v := r.byKey[e.Variant]; v != nil {
			v.take(b)
		}
	}
	return nil
}

func (v *Variant) take(body event.Body) {
	switch b := body.(type) {
	case event.StepFinished:
		v.step(b.Step).Finished = &b
	case event.WorkloadStarted:
		v.Samples = append(v.Samples, b.Samples)
	case event.Output:
		v.Outputs = append(v.Outputs, b)
	case event.VariantFinished:
		v.Finished = &b
	}
}

// step returns the step of that address, and adds one that the plan did not
// list.
func (v *Variant) step(address string) *Step {
	if s := v.byAddress[address]; s != nil {
		return s
	}
	return v.add(&Step{Step: event.Step{Address: address}})
}

func (v *Variant) add(s *Step) *Step {
	v.Steps = append(v.Steps, s)
	v.byAddress[s.Address] = s
	return s
}

// cutOff is why a variant has no end.
var cutOff = event.Cause{
	State:   event.Error,
	Message: "the run ended before this did: its process was killed, or it could not go on recording",
}

// Result is the state that the variant came to, and why if it did not pass.
func (v *Variant) Result() (event.State, *event.Cause) {
	if v.Finished == nil {
		c := cutOff
		return event.Error, &c
	}
	if v.Finished.Cause == nil && v.Finished.State != event.Passed {
		return v.Finished.State, &event.Cause{State: v.Finished.State, Message: string(v.Finished.State)}
	}
	return v.Finished.State, v.Finished.Cause
}

// Seconds is how long the variant took.
func (v *Variant) Seconds() float64 {
	if v.Finished == nil {
		return 0
	}
	return v.Finished.Seconds
}

// IsGroup says that the step is made of others, which tell more.
func (s *Step) IsGroup() bool { return s.Kind == "group" }

// Problem is one thing that went wrong in a variant.
type Problem struct {
	Variant *Variant
	Where   string // address of the step or node; empty for the variant as a whole
	Cause   event.Cause
	Place   event.Place
}

// Problems are the causes of a variant that did not pass: the one that decided
// first, then those of other steps, in plan order. A group only repeats what is
// said of a step in it.
func (v *Variant) Problems() []Problem {
	state, cause := v.Result()
	if state == event.Passed || cause == nil {
		return nil
	}
	first := Problem{Variant: v, Cause: *cause}
	if v.Finished != nil {
		first.Where = v.Finished.Step
	}
	first.Place = v.place(first.Where, first.Cause)
	all := []Problem{first}
	for _, s := range v.Steps {
		if s.Address != first.Where && !s.IsGroup() && s.wentWrong() {
			all = append(all, Problem{v, s.Address, *s.Finished.Cause, v.place(s.Address, *s.Finished.Cause)})
		}
	}
	return all
}

func (s *Step) wentWrong() bool {
	if s.Finished == nil || s.Finished.Cause == nil {
		return false
	}
	state := s.Finished.State
	return state == event.Failed || state == event.Error || state == event.Inconclusive
}

// place is where a person would look first: at the part of an expression that
// decided, or else at the step, or else at the file.
func (v *Variant) place(where string, c event.Cause) event.Place {
	if x := c.Excerpt; x != nil {
		if x.Caret.File != "" {
			return x.Caret
		}
		return x.Place
	}
	if s := v.byAddress[where]; s != nil && s.Place.File != "" {
		return s.Place
	}
	return event.Place{File: v.Started.File, Line: 1, Column: 1}
}

package summary

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/scenario-run/scenario/engine/event"
)

func document(t *testing.T, code int, events ...event.Event) Run {
	t.Helper()
	s := New()
	for _, e := range events {
		if err := s.Write(e); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	if err := s.JSON(&out, code); err != nil {
		t.Fatal(err)
	}
	var r Run
	dec := json.NewDecoder(&out)
	dec.DisallowUnknownFields()
	if err := dec.Decode(&r); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestEveryStepOfThePlanIsInTheSummary(t *testing.T) {
	in := func(b event.Body) event.Event { return event.Event{Variant: "a[x=1]", Body: b} }
	got := document(t, 0,
		event.Event{Body: event.RunStarted{Run: "r1"}},
		event.Event{Body: event.FileInvalid{File: "bad.hcl", Text: "error"}},
		in(event.VariantStarted{Scenario: "a", Variant: "x=1", File: "a.hcl", Seed: 7, Steps: []event.Step{{Address: "action.one"}, {Address: "assert.two"}}}),
		in(event.StepStarted{Step: "action.one"}),
		in(event.StepFinished{Step: "action.one", State: event.Failed, Seconds: 1.5, Cause: &event.Cause{Message: "no"}}),
		in(event.Output{Name: "n", Value: json.RawMessage(`4.25`)}),
		in(event.VariantFinished{State: event.Failed, Seconds: 2, Cause: &event.Cause{Message: "no"}}),
		event.Event{Body: event.RunFinished{State: event.Failed, ExitCode: 3, Seconds: 2.5}},
	)
	want := Run{
		RunID: "r1", ExitCode: 3, State: event.Failed, Seconds: 2.5,
		Invalid: []Invalid{{File: "bad.hcl", Text: "error"}},
		Variants: []*Variant{{
			Scenario: "a", Variant: "x=1", File: "a.hcl", Seed: 7, State: event.Failed, Error: "no", Seconds: 2,
			Outputs: map[string]json.RawMessage{"n": json.RawMessage("4.25")},
			Steps: []*Step{
				{Address: "action.one", State: event.Failed, Seconds: 1.5, Error: "no"},
				{Address: "assert.two", State: event.Pending},
			},
		}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestARunThatBrokeOffIsAnError(t *testing.T) {
	got := document(t, 70, event.Event{Body: event.RunStarted{Run: "r1"}})
	if got.State != event.Error || got.ExitCode != 70 {
		t.Errorf("%s, exit code %d", got.State, got.ExitCode)
	}
}

package timeline

import (
	"bytes"
	"strings"
	"testing"

	"github.com/scenario-run/scenario/engine/event"
)

// The heal at the end decides the verdict long after the fault's step has passed:
// that it failed is what went wrong.
func TestAHealThatFailsAtTheEndIsSaidWithItsFault(t *testing.T) {
	var out bytes.Buffer
	tl := New(&out, options(Plain, 120, 24))
	c := &event.Cause{State: event.Inconclusive, Message: "action.stuck could not be healed: it went on"}
	for i, b := range []event.Body{
		event.VariantStarted{Scenario: "a", Steps: []event.Step{{Address: "action.stuck", Kind: "action", Type: "pause_process", Name: "stuck"}}},
		event.StepStarted{Step: "action.stuck", Attempt: 1},
		event.FaultChanged{Step: "action.stuck", State: "injecting"},
		event.FaultChanged{Step: "action.stuck", State: "active", Text: "pid 7 stopped"},
		event.StepFinished{Step: "action.stuck", State: event.Passed},
		event.FaultChanged{Step: "action.stuck", State: "healing"},
		event.FaultChanged{Step: "action.stuck", State: "invalid", Text: "it went on"},
		event.VariantFinished{State: event.Inconclusive, Step: "action.stuck", Cause: c},
	} {
		if err := tl.Write(event.Event{Variant: "a", Mono: seconds(float64(10 * i)), Body: b}); err != nil {
			t.Fatal(err)
		}
	}
	said := out.String()
	if !strings.Contains(said, "in effect from +30.0s to +50.0s") || strings.Contains(said, "nothing was seen to go wrong") || strings.Count(said, "it went on") != 2 {
		t.Error(said)
	}
}

// What went wrong after one fault is not laid to those that were over before, and
// what came after the failure is no part of its story.
func TestAFailureIsLaidToTheFaultsThatItMayComeOf(t *testing.T) {
	var out bytes.Buffer
	tl := New(&out, options(Plain, 120, 24))
	at := 0
	write := func(b event.Body) {
		t.Helper()
		at++
		if err := tl.Write(event.Event{Variant: "a", Mono: seconds(float64(10 * at)), Body: b}); err != nil {
			t.Fatal(err)
		}
	}
	inject := func(step string, healed bool) {
		write(event.FaultChanged{Step: step, State: "injecting"})
		write(event.FaultChanged{Step: step, State: "active", Text: "hit"})
		if healed {
			write(event.FaultChanged{Step: step, State: "healed"})
		}
	}
	c := &event.Cause{State: event.Failed, Message: "the condition is false"}
	write(event.VariantStarted{Scenario: "a"})
	for _, step := range []string{"action.one", "action.two", "action.three", "action.four", "action.five"} {
		inject(step, true)
	}
	inject("action.last", false)
	write(event.StepFinished{Step: "assert.holds", State: event.Failed, Cause: c})
	inject("action.later", false)
	write(event.VariantFinished{State: event.Failed, Step: "assert.holds", Cause: c})
	_, story, _ := strings.Cut(out.String(), "faults and what came first after each")
	want := []string{"⚡ action last", "first symptom", "5 more faults healed before, without anything that was seen to go wrong"}
	for _, text := range want {
		if strings.Count(story, text) != 1 {
			t.Errorf("%q is not there once", text)
		}
	}
	if strings.Contains(story, "later") || t.Failed() {
		t.Error(story)
	}
}

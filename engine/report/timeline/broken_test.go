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
	if !strings.Contains(said, "its state is not known: it went on") || strings.Contains(said, "nothing was seen to go wrong") {
		t.Error(said)
	}
}

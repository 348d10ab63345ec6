package timeline

import (
	"bytes"
	"strings"
	"testing"

	"github.com/scenario-run/scenario/engine/event"
)

func TestAFailureSaysWhatItMayComeOfBesideWhatWasTested(t *testing.T) {
	var out bytes.Buffer
	tl := New(&out, options(Plain, 120, 24))
	c := &event.Cause{State: event.Failed, Message: "the condition can't be evaluated: Invalid index", Unevaluated: true}
	for _, b := range []event.Body{
		event.VariantStarted{Scenario: "a"},
		event.VariantFinished{State: event.Failed, Step: "assert.x", Cause: c, Busy: []string{"the load was 17"}},
	} {
		if err := tl.Write(event.Event{Variant: "a", Body: b}); err != nil {
			t.Fatal(err)
		}
	}
	_, said, _ := strings.Cut(out.String(), "FAILED")
	judged, busy := strings.Index(said, "An expression has no value, so that nothing was judged"), strings.Index(said, "the machine was busy\n    the load was 17")
	if judged < 0 || busy < judged {
		t.Error(said)
	}
}

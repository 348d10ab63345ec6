package outcome

import (
	"strings"
	"testing"

	"github.com/scenario-run/scenario/engine/event"
)

func TestWhatElseAFailureMayComeOfIsExplained(t *testing.T) {
	run := New()
	c := &event.Cause{State: event.Failed, Message: "the condition can't be evaluated", Unevaluated: true}
	for _, b := range []event.Body{
		event.VariantStarted{Scenario: "a", File: "a.hcl"},
		event.VariantFinished{State: event.Failed, Cause: c, Busy: []string{"the load was 17"}},
	} {
		if err := run.Write(event.Event{Variant: "a", Body: b}); err != nil {
			t.Fatal(err)
		}
	}
	text := run.Variants[0].Explain()
	for _, want := range []string{"\n  An expression has no value: the file is wrong", "\nthe machine was busy:\n    the load was 17\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}

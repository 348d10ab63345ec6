package timeline

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/scenario-run/scenario/engine/event"
)

// twoAtOnce are the events of two variants that run at the same time.
func twoAtOnce(t *testing.T, tl *Timeline) (write func(variant string, b event.Body)) {
	t.Helper()
	now := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	write = func(variant string, b event.Body) {
		if err := tl.Write(event.Event{Time: now, Variant: variant, Body: b}); err != nil {
			t.Fatal(err)
		}
	}
	write("", event.RunStarted{Run: "r", Dir: "/home/ada/ray/r", Variants: 2, Parallel: 2})
	write("a", event.VariantStarted{Scenario: "a", Description: "the first"})
	write("b", event.VariantStarted{Scenario: "b"})
	write("a", event.StepStarted{Step: "action.x", Attempt: 1})
	write("b", event.StepStarted{Step: "action.y", Attempt: 1})
	return write
}

func TestEachLineOfALogSaysWhoseItIs(t *testing.T) {
	var out bytes.Buffer
	tl := New(&out, options(Plain, 0, 0))
	write := twoAtOnce(t, tl)
	write("a", event.StepFinished{Step: "action.x", State: event.Passed})
	write("b", event.VariantFinished{State: event.Passed})
	write("", event.Warning{Text: "of no variant"})
	want := `run r  r
a │ the first
a │   +0.0s  … action   x
b │   +0.0s  … action   y
a │   +0.0s  ✓ action   x
b │   PASSED  0.0s
         ! of no variant
`
	if d := cmp.Diff(want, out.String()); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

func TestTheRegionShowsAllThatRunsSideBySide(t *testing.T) {
	s := &screen{width: 80}
	tl := New(s, options(Terminal, 80, 24))
	write := twoAtOnce(t, tl)
	region := func() string { return strings.Join(tl.region.drawn, "\n") }
	for _, part := range []string{"a\n", "action   x", "b\n", "action   y"} {
		if !strings.Contains(region(), part) {
			t.Errorf("%q is not shown:\n%s", part, region())
		}
	}
	write("b", event.VariantFinished{State: event.Passed})
	if got := region(); strings.Contains(got, "action   y") || strings.Contains(got, "a\n") || !strings.Contains(got, "action   x") {
		t.Errorf("one is left, and needs no name:\n%s", got)
	}
	write("a", event.VariantFinished{State: event.Passed})
	if got := region(); got != "" {
		t.Errorf("nothing runs:\n%s", got)
	}
}

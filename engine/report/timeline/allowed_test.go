package timeline

import (
	"bytes"
	"strings"
	"testing"

	"github.com/scenario-run/scenario/engine/event"
)

// An exit that a fault allows is the answer of the system under test to it: who
// reads the timeline must see it, on a terminal and in a log.
func TestAnExitThatAFaultAllowsIsShownWithTheFault(t *testing.T) {
	for _, mode := range []Mode{Terminal, Plain} {
		var out bytes.Buffer
		tl := New(&out, options(mode, 120, 24))
		code := 3
		for _, e := range []event.Event{
			{Body: event.RunStarted{}},
			{Variant: "a", Body: event.VariantStarted{Scenario: "a"}},
			{Mono: 1, Variant: "a", Body: event.NodeChanged{Node: "node.web", State: "exited", ExitCode: &code, AllowedBy: "action.cut"}},
		} {
			if err := tl.Write(e); err != nil {
				t.Fatal(err)
			}
		}
		if said := out.String(); !strings.Contains(said, "exited, code 3, while action.cut was in effect, which allows it") {
			t.Errorf("%v: %s", mode, said)
		}
		if seen := tl.variants["a"].seen; len(seen) != 1 || !strings.Contains(seen[0].text, "node.web exited, code 3") {
			t.Errorf("%v: symptoms %+v", mode, seen)
		}
	}
}

package timeline

import (
	"bytes"
	"strings"
	"testing"

	"github.com/scenario-run/scenario/engine/event"
)

func TestANodeThatLostAProcessIsSaidToLiveOn(t *testing.T) {
	for _, m := range []Mode{Plain, Terminal} {
		var out bytes.Buffer
		tl := New(&out, options(m, 120, 24))
		for _, b := range []event.Body{
			event.VariantStarted{Scenario: "a"},
			event.NodeChanged{Node: "node.web", State: "ready"},
			event.NodeChanged{Node: "node.web", State: "ready", OOMKilled: true, Unasked: true, Log: []string{"worker 7"}},
		} {
			if err := tl.Write(event.Event{Variant: "a", Body: b}); err != nil {
				t.Fatal(err)
			}
		}
		if said := out.String(); !strings.Contains(said, "✗ node     web       lives on, but a process of it was killed for want of memory") {
			t.Errorf("mode %v:\n%s", m, said)
		}
		if seen := tl.variants["a"].seen; len(seen) != 1 || !strings.Contains(seen[0].text, "node.web lives on") {
			t.Errorf("mode %v: the symptoms are %v", m, seen)
		}
	}
}

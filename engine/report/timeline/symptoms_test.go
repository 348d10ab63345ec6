package timeline

import (
	"bytes"
	"strings"
	"testing"

	"github.com/scenario-run/scenario/engine/event"
)

// What went wrong is said once, below the fault that explains it best: the last
// one before it, or the last on the node that it shows at.
func TestASymptomIsLaidToOneFault(t *testing.T) {
	fault := func(step, node string) []event.Body {
		return []event.Body{
			event.FaultChanged{Step: step, State: "injecting"}, event.FaultChanged{Step: step, State: "active", Nodes: []string{node}, Text: "hit"},
		}
	}
	false_ := event.StepFinished{Step: "assert.holds", State: event.Failed, Cause: &event.Cause{State: event.Failed, Message: "is false"}}
	exit := func(node string) event.Body { return event.NodeChanged{Node: node, State: "exited", Unasked: true} }
	for name, test := range map[string]struct {
		bodies []event.Body
		want   []string // lines below the three faults
	}{
		"the last before it": {
			append(append(append(fault("action.a", "node.a"), fault("action.b", "node.b")...), false_), fault("action.c", "node.c")...),
			[]string{"nothing was seen to go wrong before action b", "first symptom +50.0s: assert holds: is false"},
		},
		"the one on its node": {
			append(append(append(fault("action.a", "node.a"), fault("action.b", "node.b")...), exit("node.a")), false_),
			[]string{"first symptom +50.0s: node.a exited though no action asked for it", "first symptom +60.0s: assert holds: is false"},
		},
		"the one that it names": {
			append(append(fault("action.a", "node.a"), fault("action.b", "node.b")...), event.StepFinished{Step: "action.s", State: event.Failed, Cause: &event.Cause{
				State: event.Failed, Message: "not ready; action.ab is none of them; action.a blocks port 80 on it; action.b was in effect on it",
			}}),
			[]string{"first symptom +50.0s: action s: not ready", "nothing else was seen to go wrong after it"},
		},
		"the one that it names, and not one that ends like what it names": {
			append(append(fault("action.b", "node.b"), fault("action.a", "node.a")...), event.StepFinished{Step: "action.s", State: event.Failed, Cause: &event.Cause{
				State: event.Failed, Message: "not ready; repeat.r[0]/action.a was in effect on it; action.b blocks port 80 on it",
			}}),
			[]string{"first symptom +50.0s: action s: not ready", "nothing else was seen to go wrong after it"},
		},
		"of each its own": {
			append(append(append(append(fault("action.a", "node.a"), exit("node.x")), fault("action.b", "node.b")...), exit("node.a")), exit("node.c")),
			[]string{"first symptom +30.0s: node.x exited", "first symptom +70.0s: node.c exited"},
		},
		"only an earlier one's": {
			append(append(fault("action.a", "node.a"), fault("action.b", "node.b")...), exit("node.a")),
			[]string{"first symptom +50.0s: node.a exited", "nothing else was seen to go wrong after it"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			tl := New(&out, options(Plain, 120, 24))
			c := &event.Cause{State: event.Failed, Message: "the condition is false"}
			all := append([]event.Body{event.VariantStarted{Scenario: "a"}}, test.bodies...)
			all = append(all, event.VariantFinished{State: event.Failed, Step: "assert.holds", Cause: c})
			for i, b := range all {
				if err := tl.Write(event.Event{Variant: "a", Mono: seconds(float64(10 * i)), Body: b}); err != nil {
					t.Fatal(err)
				}
			}
			_, story, _ := strings.Cut(out.String(), "faults and what came first after each")
			story, _, _ = strings.Cut(story, "further failures")
			var got []string
			for _, l := range lines(story) {
				if l = strings.TrimSpace(l); strings.HasPrefix(l, "first symptom") || strings.HasPrefix(l, "nothing ") {
					got = append(got, l)
				}
			}
			for i, want := range test.want {
				if i >= len(got) || !strings.HasPrefix(got[i], want) || i == 0 && len(got) < len(test.want) {
					t.Fatalf("got %q, want %q in\n%s", got, test.want, story)
				}
			}
		})
	}
}

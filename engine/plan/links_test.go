package plan_test

import (
	"strings"
	"testing"

	"github.com/scenario-run/scenario/engine/plan"
)

// On links over which nothing passes anyway no fault has an effect.
func TestLinksBetweenNodesWithoutACommonNetworkCanNotBeHit(t *testing.T) {
	on := func(name, networks string) string {
		return strings.Replace(node(name), "{\n", "{\n  networks = ["+networks+"]\n", 1)
	}
	nodes := on("a", "network.own") + on("b", "network.back") + on("c", "network.back, network.own") + on("d", "network.front") + on("e", "network.more") +
		"network \"own\" {}\nnetwork \"back\" {}\nnetwork \"front\" {}\nnetwork \"more\" {}\n"
	const connect = "action \"connect\" \"c\" {\n  node    = node.a\n  network = network.back\n}\n"
	hit := func(links string) string { return "action \"partition\" \"p\" {\n  " + links + "\n}\n" }
	for name, tc := range map[string]struct {
		text string
		want bool
	}{
		"sides":                  {hit("sides = [[node.a], [node.b]]"), true},
		"one pair of several":    {hit("sides = [[node.a, node.d], [node.b], [node.e]]"), true},
		"two on one side":        {hit("sides = [[node.a, node.c], [node.d]]"), true},
		"one way":                {hit("from = [node.a]\n  to = [node.b, node.d]"), true},
		"a shape":                {hit("shape = \"ring\"\n  nodes = [node.a, node.b, node.d, node.e]"), true},
		"one that is on both":    {hit("sides = [[node.a], [node.c]]"), false},
		"a pair among several":   {hit("sides = [[node.a], [node.d], [node.b, node.c]]"), false},
		"everyone":               {hit("isolate = [node.a, node.b]"), false},
		"connected before":       {connect + hit("sides = [[node.a], [node.b]]"), false},
		"skipped":                {strings.Replace(hit("sides = [[node.a], [node.b]]"), "{\n", "{\n  when = false\n", 1), false},
		"the failure is awaited": {strings.Replace(hit("sides = [[node.a], [node.b]]"), "{\n", "{\n  expect_error {\n    match = \"link\"\n  }\n", 1), false},
	} {
		t.Run(name, func(t *testing.T) {
			v, files := load(t, nodes+tc.text)
			_, diags := plan.Build(v)
			got := strings.Contains(show(t, files, diags), "error[SCN0304]: action.p hits no link")
			if got != tc.want || diags.HasErrors() != tc.want {
				t.Errorf("got\n%s", show(t, files, diags))
			}
		})
	}
}

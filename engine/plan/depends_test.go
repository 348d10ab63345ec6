package plan

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/scenario-run/scenario/dsl/lang"
)

// TestNodesWaitForWhatTheyDependOn plans nodes of which several depend on the same
// lists of others, with as many joins as there can be.
func TestNodesWaitForWhatTheyDependOn(t *testing.T) {
	joined := 0
	rapid.Check(t, func(rt *rapid.T) {
		var nodes []*lang.Node
		var lists [][]string
		for i := range rapid.IntRange(1, 12).Draw(rt, "nodes") {
			n := &lang.Node{Name: "n", Address: fmt.Sprintf("node.n[%d]", i)}
			switch kind := rapid.IntRange(0, 3).Draw(rt, "depends"); {
			case kind == 0 && i > 0:
				last := rapid.IntRange(1, i).Draw(rt, "as far as")
				for on := last - 1; on >= 0; on-- { // not in the order of the file
					n.DependsOn = append(n.DependsOn, nodes[on].Address)
				}
				lists = append(lists, n.DependsOn)
			case kind < 3 && len(lists) > 0:
				n.DependsOn = rapid.SampledFrom(lists).Draw(rt, "list")
			}
			nodes = append(nodes, n)
		}
		b := newBuilder(&lang.Variant{Nodes: nodes})
		b.joins.saves = 0
		b.provision(nil)
		b.placeJoins()
		joined += len(b.joins.made)
		above := map[string]bool{}
		for _, v := range b.plan.Vertices {
			for _, e := range v.Waits {
				if !above[e.On] {
					rt.Fatalf("%s waits for %s, which isn't above it\n%s", v.ID, e.On, b.plan.Text(0))
				}
			}
			above[v.ID] = true
			if v.Kind != NodeVertex {
				continue
			}
			for _, on := range v.Node.DependsOn {
				if !slices.ContainsFunc(b.waitsThroughJoins(v, map[*Vertex]bool{}), func(e Edge) bool { return e.On == on }) {
					rt.Fatalf("%s doesn't wait for %s\n%s", v.ID, on, b.plan.Text(0))
				}
			}
		}
	})
	if joined == 0 {
		t.Error("there was no join")
	}
}

func TestACircleThroughAListIsToldByItsNodes(t *testing.T) {
	list := []string{"node.b", "node.c"}
	b := newBuilder(&lang.Variant{Nodes: []*lang.Node{
		{Name: "a", Address: "node.a", DependsOn: list},
		{Name: "b", Address: "node.b", DependsOn: list},
		{Name: "c", Address: "node.c"},
	}})
	b.provision(nil)
	if len(b.diags) != 1 || b.diags[0].Detail != "node.b → node.b" {
		t.Error(b.diags)
	}
}

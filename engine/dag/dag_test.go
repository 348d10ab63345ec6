package dag

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func in(g map[string][]string) Deps[string] { return func(n string) []string { return g[n] } }

func TestOrderPutsDependenciesFirstAndKeepsTheRest(t *testing.T) {
	g := map[string][]string{"a": {"c"}, "c": {"d"}, "b": {"elsewhere"}}
	order, cycle := Order([]string{"a", "b", "c", "d"}, in(g))
	if d := cmp.Diff([]string{"d", "c", "a", "b"}, order); d != "" || cycle != nil {
		t.Error(d, cycle)
	}
}

func TestACycleIsShownWhole(t *testing.T) {
	g := map[string][]string{"a": {"b"}, "b": {"x", "c"}, "c": {"d"}, "d": {"b"}}
	want := []string{"b", "c", "d", "b"}
	if d := cmp.Diff(want, Cycle([]string{"x", "a"}, in(g))); d != "" {
		t.Error(d)
	}
	order, cycle := Order([]string{"a", "b", "c", "d"}, in(g))
	if order != nil || !slices.Equal(cycle, want) {
		t.Error(order, cycle)
	}
	if c := Cycle([]string{"s"}, in(map[string][]string{"s": {"s"}})); !slices.Equal(c, []string{"s", "s"}) {
		t.Error(c)
	}
}

func TestPathIsAShortestOne(t *testing.T) {
	g := map[string][]string{"a": {"b", "c"}, "b": {"c"}, "c": {"d"}, "d": {"a"}}
	if d := cmp.Diff([]string{"a", "c", "d"}, Path("a", "d", in(g))); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"a"}, Path("a", "a", in(g))); d != "" {
		t.Error(d)
	}
	if p := Path("a", "z", in(g)); p != nil {
		t.Error(p)
	}
}

func TestEveryGraphHasAnOrderOrACycle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "n")
		edges := rapid.MapOf(rapid.IntRange(0, n-1), rapid.SliceOf(rapid.IntRange(0, n-1))).Draw(t, "edges")
		deps := func(k int) []int { return edges[k] }
		var nodes []int
		for i := range n {
			nodes = append(nodes, i)
		}
		order, cycle := Order(nodes, deps)
		if (order == nil) == (cycle == nil) {
			t.Fatal("neither or both")
		}
		for i := range max(len(cycle)-1, 0) {
			if !slices.Contains(deps(cycle[i]), cycle[i+1]) {
				t.Fatalf("%d does not depend on %d", cycle[i], cycle[i+1])
			}
		}
		if cycle != nil {
			if cycle[0] != cycle[len(cycle)-1] || len(cycle) < 2 {
				t.Fatalf("not closed: %v", cycle)
			}
			return
		}
		if len(order) != n {
			t.Fatalf("%d of %d", len(order), n)
		}
		for _, k := range nodes {
			for _, d := range deps(k) {
				if slices.Index(order, d) >= slices.Index(order, k) {
					t.Fatalf("%d comes before %d: %v", k, d, order)
				}
			}
		}
	})
}

package chaos

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"
	"pgregory.net/rapid"
)

// options are some faults on nodes 0 to n-1: of each for itself, and of several
// at once.
func options(t *rapid.T, n int) (all []option) {
	for i := range rapid.IntRange(1, 4).Draw(t, "options") {
		var nodes []string
		for j := range n {
			if j == i%n || rapid.Bool().Draw(t, "names") {
				nodes = append(nodes, fmt.Sprintf("node.n[%d]", j))
			}
		}
		list := make([]cty.Value, len(nodes))
		for j, node := range nodes {
			list[j] = cty.StringVal(node)
		}
		o := option{
			Type: fmt.Sprintf("fault%d", i), Nodes: nodes, For: time.Duration(rapid.IntRange(1, 50).Draw(t, "for")) * 100 * time.Millisecond,
			Args: cty.ObjectVal(map[string]cty.Value{"nodes": cty.ListVal(list)}),
		}
		if rapid.Bool().Draw(t, "each") {
			o.Each = "nodes"
		}
		all = append(all, o)
	}
	return all
}

func TestTheFloorHoldsAndNoNodeIsHitTwiceAtATime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "nodes")
		in := intent{
			Every: time.Duration(rapid.IntRange(1, 20).Draw(t, "every")) * 100 * time.Millisecond,
			Seed:  rapid.Uint64().Draw(t, "seed"), Options: options(t, n),
		}
		nodes := named(in.Options)
		in.Keep = rapid.IntRange(0, len(nodes)-1).Draw(t, "keep")
		c, again := newChooser(in), newChooser(in)
		type life struct {
			n     int
			nodes []string
			until time.Duration
		}
		var lives []life
		waited := map[int]bool{}
		for k := range 60 {
			at := time.Duration(k) * in.Every
			one, other := c.next(k), again.next(k)
			if d := cmp.Diff(one, other, cmp.Comparer(func(a, b cty.Value) bool { return a.RawEquals(b) })); d != "" {
				t.Fatalf("the same seed chooses otherwise at %d:\n%s", k, d)
			}
			if one == nil {
				continue
			}
			for _, before := range one.After {
				waited[before] = true
			}
			hit := slices.Clone(one.Nodes)
			for _, l := range lives {
				if waited[l.n] {
					if at < l.until {
						t.Fatalf("at %s it waits for %d, which lasts until %s", at, l.n, l.until)
					}
					continue
				}
				hit = append(hit, l.nodes...)
			}
			slices.Sort(hit)
			if len(slices.Compact(slices.Clone(hit))) != len(hit) {
				t.Fatalf("at %d one node is hit twice: %v", k, hit)
			}
			if len(nodes)-len(hit) < in.Keep {
				t.Fatalf("at %d %v of %v are hit, %d are to be kept", k, hit, nodes, in.Keep)
			}
			o := in.Options[slices.IndexFunc(in.Options, func(o option) bool { return o.Type == one.Type })]
			if o.Each != "" && len(one.Nodes) != 1 || o.Each == "" && !slices.Equal(one.Nodes, o.Nodes) {
				t.Fatalf("at %d %s hits %v of %v", k, one.Type, one.Nodes, o.Nodes)
			}
			lives = append(lives, life{k, one.Nodes, at + o.For})
		}
	})
}

func TestOneNodeIsPutInPlaceOfThoseThatTheBlockNames(t *testing.T) {
	all := cty.ListVal([]cty.Value{cty.StringVal("node.a"), cty.StringVal("node.b")})
	o := option{Type: "pause", Nodes: []string{"node.a", "node.b"}, Each: "nodes", For: time.Second, Args: cty.ObjectVal(map[string]cty.Value{"nodes": all, "for": cty.StringVal("1s")})}
	c := newChooser(intent{Every: time.Second, Options: []option{o}})
	seen := map[string]bool{}
	for n := range 20 {
		in := c.next(n)
		if in == nil || len(in.Nodes) != 1 || !in.Args.GetAttr("nodes").RawEquals(cty.ListVal([]cty.Value{cty.StringVal(in.Nodes[0])})) || in.Args.GetAttr("for").AsString() != "1s" {
			t.Fatalf("%d: %+v", n, in)
		}
		seen[in.Nodes[0]] = true
	}
	if len(seen) != 2 {
		t.Errorf("of two nodes only %v was hit in 20 times", seen)
	}
	if !o.Args.GetAttr("nodes").RawEquals(all) {
		t.Error("the block's own arguments have been changed")
	}
}

func TestSeedsDiffer(t *testing.T) {
	var all []option
	for i := range 4 {
		all = append(all, option{Type: fmt.Sprint(i), Nodes: []string{"node.a"}, For: time.Second})
	}
	sequence := func(seed uint64) (text string) {
		c := newChooser(intent{Every: time.Second, Seed: seed, Options: all})
		for n := range 20 {
			text += c.next(n).Type
		}
		return text
	}
	if a, b := sequence(1), sequence(2); a == b {
		t.Errorf("two seeds both choose %s", a)
	}
}

func TestBlocksOfOneTypeAreNamedByTheirNumber(t *testing.T) {
	got := strings.Join(inWords([]option{{Type: "kill"}, {Type: "pause"}, {Type: "kill"}}), ", ")
	if got != `fault "kill" (block 1), fault "pause", fault "kill" (block 3)` {
		t.Error(got)
	}
}

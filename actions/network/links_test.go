package network

import (
	"fmt"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/engine/link"
	"github.com/scenario-run/scenario/engine/step"
	"github.com/scenario-run/scenario/engine/step/steptest"
)

func nodes(names ...string) cty.Value {
	var all []cty.Value
	for _, n := range names {
		all = append(all, cty.StringVal("node."+n))
	}
	return cty.ListVal(all)
}

func sides(of ...cty.Value) cty.Value { return cty.ListVal(of) }

func world() *steptest.World {
	var all []steptest.Node
	for _, n := range []string{"a", "b", "c", "d", "e"} {
		all = append(all, steptest.Node{Address: "node." + n})
	}
	return steptest.New(all...)
}

// inject carries a fault out as far as it gets and returns the links that are
// in force then, shortest way of writing.
func inject(t *testing.T, w *steptest.World, d step.Definition, args map[string]cty.Value) (string, error) {
	t.Helper()
	env, ctx := w.Env(), t.Context()
	intent, err := d.Fault.Intent(ctx, env, steptest.Args(t, d, args))
	if err != nil {
		return "", err
	}
	if err := d.Fault.Inject(ctx, env, intent); err != nil {
		return "", err
	}
	if _, err := d.Fault.Observe(ctx, env, intent); err != nil {
		return "", err
	}
	var all []string
	for _, l := range w.Links() {
		all = append(all, short(l.From)+">"+short(l.To))
	}
	if err := d.Fault.Heal(ctx, env, intent); err != nil {
		return "", err
	}
	return strings.Join(all, " "), d.Fault.Verify(ctx, env, intent)
}

func short(end string) string {
	if end == link.Everyone {
		return "*"
	}
	return strings.TrimPrefix(end, "node.")
}

func TestLinksAreChosenTheSameWayEverywhere(t *testing.T) {
	for _, test := range []struct {
		name string
		args map[string]cty.Value
		want string
	}{
		{"isolate", map[string]cty.Value{"isolate": nodes("a")}, "*>a a>*"},
		{"sides", map[string]cty.Value{"sides": sides(nodes("a"), nodes("b", "c"))}, "a>b b>a a>c c>a"},
		{"three sides", map[string]cty.Value{"sides": sides(nodes("a"), nodes("b"), nodes("c"))}, "a>b b>a a>c c>a b>c c>b"},
		{"one way", map[string]cty.Value{"from": nodes("a", "b"), "to": nodes("c")}, "a>c b>c"},
		{"ring", map[string]cty.Value{"shape": cty.StringVal("ring"), "nodes": nodes("a", "b", "c", "d")}, "a>c c>a b>d d>b"},
		{"bridge", map[string]cty.Value{"shape": cty.StringVal("bridge"), "nodes": nodes("a", "b", "c", "d", "e")}, "a>d d>a a>e e>a b>d d>b b>e e>b"},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, d := range []step.Definition{partition(), blockPort(), loss(), delay(), rateLimit()} {
				args := map[string]cty.Value{}
				want := test.want
				switch d.Name {
				case "block_port":
					args["port"] = cty.NumberIntVal(80)
				case "loss":
					args["percent"] = cty.NumberIntVal(10)
				case "delay":
					args["latency"] = cty.StringVal("100ms")
				case "rate_limit":
					args["rate"] = cty.StringVal("1mbit")
				}
				if d.Name == "loss" || d.Name == "delay" || d.Name == "rate_limit" {
					want = strings.Replace(want, "*>a ", "", 1) // what a sends, and nothing else
				}
				for k, v := range test.args {
					args[k] = v
				}
				if got, err := inject(t, world(), d, args); err != nil || got != want {
					t.Errorf("%s: %s, %v; want %s", d.Name, got, err, want)
				}
			}
		})
	}
}

func TestLinksThatCanNotBeChosenAreRefused(t *testing.T) {
	d := partition()
	for want, args := range map[string]map[string]cty.Value{
		"say which links":                                      {},
		"exclude each other":                                   {"isolate": nodes("a"), "sides": sides(nodes("a"), nodes("b"))},
		"from and to belong together":                          {"from": nodes("a")},
		"shape and nodes belong":                               {"shape": cty.StringVal("ring")},
		"two lists of nodes or more":                           {"sides": sides(nodes("a"))},
		"has no link to itself":                                {"from": nodes("a"), "to": nodes("b", "a")},
		"a ring of 3 nodes cuts nothing: it takes 4 or more":   {"shape": cty.StringVal("ring"), "nodes": nodes("a", "b", "c")},
		"a bridge of 2 nodes cuts nothing: it takes 3 or more": {"shape": cty.StringVal("bridge"), "nodes": nodes("a", "b")},
		"a node stands twice in the ring":                      {"shape": cty.StringVal("ring"), "nodes": nodes("a", "b", "c", "a")},
		"stands on two sides":                                  {"sides": sides(nodes("a"), nodes("b", "a"))},
	} {
		all := map[string]cty.Value{}
		for _, a := range d.Args.Attrs {
			all[a.Name] = cty.NullVal(a.ValueType())
		}
		for k, v := range args {
			all[k] = v
		}
		if err := d.Check(cty.ObjectVal(all)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", args, err, want)
		}
	}
}

func TestNodesThatCanNotBeCutAreAFailure(t *testing.T) {
	for want, args := range map[string]map[string]cty.Value{
		"no node is named":    {"isolate": cty.ListValEmpty(cty.String)},
		"node.b does not run": {"isolate": nodes("b")},
	} {
		w := world()
		if err := w.Env().Nodes.Kill(t.Context(), "node.b", "SIGKILL"); err != nil {
			t.Fatal(err)
		}
		if _, err := inject(t, w, partition(), args); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", args, err, want)
		}
	}
}

// Which nodes they are may be known only when the fault begins.
func TestANodeIsNotCutOffFromItself(t *testing.T) {
	in := linksIn{From: []step.Node{"node.a"}, To: []step.Node{"node.b", "node.a"}}
	if _, _, _, err := in.chosen(link.Effect{Verdict: link.Drop}); err == nil || !strings.Contains(err.Error(), "has no link to itself") {
		t.Error(err)
	}
}

func TestAShapeThatCutsNothingIsAFailure(t *testing.T) {
	in := linksIn{Shape: new(bridge), Nodes: []step.Node{"node.a", "node.b"}}
	if _, _, _, err := in.chosen(link.Effect{Verdict: link.Drop}); err == nil || !strings.Contains(err.Error(), "takes 3 or more") {
		t.Error(err)
	}
}

func TestEffectsAreWhatTheArgumentsSay(t *testing.T) {
	for want, f := range map[string]struct {
		d    step.Definition
		args map[string]cty.Value
	}{
		"drop 0 0":    {partition(), nil},
		"drop 80 0":   {blockPort(), map[string]cty.Value{"port": cty.NumberIntVal(80)}},
		"reject 80 0": {blockPort(), map[string]cty.Value{"port": cty.NumberIntVal(80), "with": cty.StringVal("reject")}},
		"lose 0 12.5": {loss(), map[string]cty.Value{"percent": cty.NumberFloatVal(12.5)}},
	} {
		args := map[string]cty.Value{"from": nodes("a"), "to": nodes("b")}
		for k, v := range f.args {
			args[k] = v
		}
		w, ctx := world(), t.Context()
		intent, err := f.d.Fault.Intent(ctx, w.Env(), steptest.Args(t, f.d, args))
		if err != nil {
			t.Fatal(err)
		}
		if err := f.d.Fault.Inject(ctx, w.Env(), intent); err != nil {
			t.Fatal(err)
		}
		e := w.Links()[0].Effect
		if got := fmt.Sprint(e.Verdict, " ", e.Port, " ", e.Percent); got != want {
			t.Errorf("%s: %s", want, got)
		}
	}
}

package chaos_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/actions/chaos"
	"github.com/scenario-run/scenario/actions/node"
	"github.com/scenario-run/scenario/engine/step"
	"github.com/scenario-run/scenario/engine/step/steptest"
)

func definition() step.Definition { return chaos.Definitions(node.Definitions())[0] }

// block is a fault block on nodes.
func block(name string, nodes ...string) cty.Value {
	list := cty.ListValEmpty(cty.String)
	if len(nodes) > 0 {
		list = steptest.Strings(nodes...)
	}
	args := map[string]cty.Value{"nodes": list, "for": cty.StringVal("2s")}
	if name == "kill" {
		args["signal"] = cty.StringVal("SIGKILL")
	}
	return cty.ObjectVal(map[string]cty.Value{"type": cty.StringVal(name), "args": cty.ObjectVal(args)})
}

func args(keep int64, blocks ...cty.Value) cty.Value {
	return cty.ObjectVal(map[string]cty.Value{
		"every": cty.StringVal("1s"), "keep": cty.NumberIntVal(keep), "fault": cty.TupleVal(blocks),
	})
}

func TestTheSequenceFollowsFromTheIntentAlone(t *testing.T) {
	w := steptest.New(steptest.Node{Address: "node.a"}, steptest.Node{Address: "node.b"}, steptest.Node{Address: "node.c"})
	f := definition().Fault
	intent, err := f.Intent(t.Context(), w.Env(), args(1, block("kill", "node.a", "node.b"), block("pause", "node.c")))
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(intent)
	if err != nil {
		t.Fatal(err)
	}
	var read step.Intent
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	if err := f.Inject(t.Context(), w.Env(), read); err != nil {
		t.Fatal(err)
	}
	s := w.Sequence
	if s.Every != time.Second || s.Keep != 1 || strings.Join(s.Nodes, " ") != "node.a node.b node.c" {
		t.Errorf("%+v", s)
	}
	if got := strings.Join(s.Faults, ", "); got != `fault "kill", fault "pause"` {
		t.Error(got)
	}
	first := s.Next(0)
	if first == nil || len(first.Nodes) != 1 || !first.Args.GetAttr("nodes").RawEquals(steptest.Strings(first.Nodes[0])) {
		t.Fatalf("%+v", first)
	}
	seen, err := f.Observe(t.Context(), w.Env(), read)
	if err != nil || seen.Summary != "one of 2 faults every 1s, 1 of 3 nodes kept untouched" {
		t.Errorf("%q %v", seen.Summary, err)
	}
	if err := errors.Join(f.Heal(t.Context(), w.Env(), read), f.Verify(t.Context(), w.Env(), read)); err != nil || w.Sequence != nil {
		t.Errorf("after the heal: %v, %v", w.Sequence, err)
	}
}

func TestWhatCanNotKeepItsFloorIsRefused(t *testing.T) {
	for _, test := range []struct {
		args cty.Value
		want string
	}{
		{args(2, block("kill", "node.a", "node.b")), "keep = 2 leaves nothing to hit: the blocks name 2 nodes"},
		{args(0, block("kill", "node.a"), block("pause")), `fault "pause" names no node`},
	} {
		d := definition()
		if err := d.Check(test.args); err == nil || err.Error() != test.want {
			t.Errorf("before the run: %v, want %q", err, test.want)
		}
		_, err := d.Fault.Intent(t.Context(), steptest.New().Env(), test.args)
		var own *step.Error
		if !errors.As(err, &own) || own.Verdict != step.Failed || err.Error() != test.want {
			t.Errorf("in the run: %v, want %q", err, test.want)
		}
	}
	unknown := cty.ObjectVal(map[string]cty.Value{"type": cty.StringVal("kill"), "args": cty.UnknownVal(cty.DynamicPseudoType)})
	if err := definition().Check(args(5, unknown)); err != nil {
		t.Errorf("of nodes that aren't known: %v", err)
	}
}

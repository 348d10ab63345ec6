package engine

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/link"
	"github.com/scenario-run/scenario/engine/step"
)

// hindered is a node that is killed while other faults are in force, and a heal
// of the kill alone, after which it is not ready.
func hindered(t *testing.T, asked map[string]cty.Value, hit func(*linkScene)) played {
	s := newLinkScene()
	hit(s)
	s.thenWithNodes(s.fault("kill", killFault("node.a"), cty.EmptyObjectVal, schema.Down))
	var dead atomic.Bool
	s.fake.Script, s.fake.Fail = acceptsOn80, func(_ context.Context, op, _ string) error {
		if (op == "Dial" || op == "Exec") && dead.Load() {
			return errors.New("it does not answer")
		}
		return nil
	}
	asked["within"] = cty.StringVal("5s")
	s.nodes[0].Body = valueBody(cty.ObjectVal(map[string]cty.Value{"image": cty.StringVal("x"), "ready": cty.ObjectVal(asked)}))
	s.do("mend", func(ctx context.Context, env *step.Env) error {
		dead.Store(true)
		return env.Faults.Heal(ctx, "action.kill")
	})
	return s.play(t, t.TempDir())
}

func TestANodeThatIsNotReadySaysWhatIsInItsWay(t *testing.T) {
	tcp := map[string]cty.Value{"tcp": cty.NumberIntVal(80)}
	exec := map[string]cty.Value{"exec": cty.ListVal([]cty.Value{cty.StringVal("up")})}
	block := func(port int) func(*linkScene) {
		return func(s *linkScene) {
			s.cut("block", cut([]string{"node.a"}, link.Link{From: link.Everyone, To: "node.a", Effect: link.Effect{Verdict: link.Reject, Port: port}}))
		}
	}
	takes := func(r schema.Resource) func(*linkScene) {
		return func(s *linkScene) {
			s.thenWithNodes(s.fault("other", &testFault{nodes: []string{"node.a"}}, cty.EmptyObjectVal, r))
		}
	}
	isolated := func(s *linkScene) {
		s.cut("cut", cut([]string{"node.a"}, dropped("node.a", link.Everyone), dropped(link.Everyone, "node.a")))
	}
	for name, test := range map[string]struct {
		asked map[string]cty.Value
		hit   func(*linkScene)
		want  string // empty: nothing
		heal  string
	}{
		"cut off":                     {tcp, isolated, "nothing from outside gets to it, because of action.cut", "action.cut"},
		"cut off, and a port blocked": {tcp, func(s *linkScene) { isolated(s); block(80)(s) }, "nothing from outside gets to it, because of action.cut; action.block blocks port 80 on it", "action.cut and action.block"},
		"its port is blocked":         {tcp, block(80), "action.block blocks port 80 on it", "action.block"},
		"another port is":             {tcp, block(81), "action.block was in effect on it", "action.block"},
		"asked inside, and cut off":   {exec, isolated, "action.cut was in effect on it", "action.cut"},
		"limited":                     {exec, takes(schema.CPU), "action.other was in effect on it", "action.other"},
		"its disk is full":            {tcp, takes(schema.Disk), "action.other was in effect on it", "action.other"},
		"another node is hit": {tcp, func(s *linkScene) {
			s.thenWithNodes(s.fault("other", &testFault{nodes: []string{"node.b"}}, cty.EmptyObjectVal, schema.CPU))
		}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := hindered(t, test.asked, test.hit)
			p.expect(t, 1)
			p.expectCause(t, "node.a was not ready within 5s", test.want)
			if message := p.variantCause(); test.want == "" && strings.Contains(message, ";") {
				t.Errorf("something is blamed: %s", message)
			}
			hint := p.Variants[0].Cause.Hint
			if test.heal != "" && hint != "heal "+test.heal+" before it is started, or by the same heal" {
				t.Errorf("hint %q", hint)
			}
		})
	}
}

func TestANodeThatIsOffItsNetworkSaysSo(t *testing.T) {
	p := hindered(t, map[string]cty.Value{"tcp": cty.NumberIntVal(80)}, func(s *linkScene) {
		var was step.Attachment
		s.thenWithNodes(s.fault("off", unplugged(&was), cty.EmptyObjectVal, schema.Attached))
	})
	p.expectCause(t, "nothing from outside gets to it, because of action.off")
}

// It is the pause that keeps a node from being ready that was still starting.
func TestANodeThatIsPausedBeforeItIsReadySaysSo(t *testing.T) {
	s := newLinkScene()
	s.thenWithNodes(s.fault("kill", killFault("node.a"), cty.EmptyObjectVal, schema.Down))
	var dead atomic.Bool
	s.fake.Script, s.fake.Fail = acceptsOn80, func(_ context.Context, op, _ string) error {
		if op == "Dial" && dead.Load() {
			return errors.New("it does not answer")
		}
		return nil
	}
	s.nodes[0].Body = valueBody(cty.ObjectVal(map[string]cty.Value{"image": cty.StringVal("x"), "ready": cty.ObjectVal(map[string]cty.Value{
		"tcp": cty.NumberIntVal(80), "within": cty.StringVal("5s"),
	})}))
	s.do("launch", func(ctx context.Context, env *step.Env) error {
		dead.Store(true)
		return env.Nodes.Launch(ctx, "node.a")
	})
	s.thenWithNodes(s.fault("freeze", &testFault{nodes: []string{"node.a"}}, cty.EmptyObjectVal, schema.Paused))
	s.do("wait", func(ctx context.Context, env *step.Env) error { return env.Nodes.WaitReady(ctx, "node.a") })
	p := s.play(t, t.TempDir())
	p.expectCause(t, "node.a was not ready within 5s", "action.freeze has paused it")
}

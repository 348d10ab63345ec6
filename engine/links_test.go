package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/lang"
	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/link"
	"github.com/scenario-run/scenario/engine/plan"
	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/step"
)

// cut is a fault that drops packets on links.
func cut(nodes []string, links ...link.Link) *testFault {
	return &testFault{
		nodes:     nodes,
		onInject:  func(ctx context.Context, env *step.Env) error { return env.Links.Set(ctx, links) },
		onObserve: func(ctx context.Context, env *step.Env) error { _, err := env.Links.Observe(ctx); return err },
		onHeal:    func(ctx context.Context, env *step.Env) error { return env.Links.Clear(ctx) },
		onVerify:  func(ctx context.Context, env *step.Env) error { return env.Links.Cleared(ctx) },
	}
}

func dropped(from, to string) link.Link {
	return link.Link{From: from, To: to, Effect: link.Effect{Verdict: link.Drop}}
}

// linkScene is three nodes, and what is in force at ends when look was called.
type linkScene struct {
	*scene
	mu   sync.Mutex
	seen map[string]string
}

func newLinkScene() *linkScene {
	s := &linkScene{scene: newScene(), seen: map[string]string{}}
	for _, n := range []string{"a", "b", "c"} {
		s.node(n, nil)
	}
	return s
}

func (s *linkScene) cut(name string, f *testFault) {
	st := s.fault(name, f, cty.EmptyObjectVal)
	st.Type.Takes = []schema.Resource{schema.Links}
	s.defs[len(s.defs)-1].Takes = st.Type.Takes
	s.thenWithNodes(st)
}

// thenWithNodes adds a step that waits for the one before it and for every node.
// A scene's first step otherwise waits for the last of them only.
func (s *linkScene) thenWithNodes(st *lang.Step) {
	var nodes []plan.Edge
	for _, n := range s.nodes {
		nodes = append(nodes, edge(n.Address, lang.NeedFinished))
	}
	s.then(st, nodes...)
}

func (s *linkScene) do(name string, do func(context.Context, *step.Env) error) {
	s.thenWithNodes(s.action(name, func(ctx context.Context, env *step.Env) (step.Result, error) { return step.Result{}, do(ctx, env) }))
}

// look remembers how many rules are in force at each end.
func (s *linkScene) look(name string) {
	s.do(name, func(context.Context, *step.Env) error {
		var all []string
		for _, end := range []string{"node.a", "node.b", "node.c", "default"} {
			all = append(all, fmt.Sprint(len(s.placed.InForce(end))))
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.seen[name] = strings.Join(all, " ")
		return nil
	})
}

func (s *linkScene) expectSeen(t *testing.T, name, want string) {
	t.Helper()
	if s.seen[name] != want {
		t.Errorf("%s: rules at a, b, c and the network's agent: %s, want %s", name, s.seen[name], want)
	}
}

func heals(name string) func(context.Context, *step.Env) error {
	return func(ctx context.Context, env *step.Env) error { return env.Faults.Heal(ctx, "action."+name) }
}

func TestLinksAreCutAtBothEndsAndMended(t *testing.T) {
	s := newLinkScene()
	s.cut("cut", cut([]string{"node.a", "node.b"}, dropped("node.a", "node.b"), dropped("node.b", "node.a")))
	s.look("during")
	s.do("mend", heals("cut"))
	s.look("after")
	s.play(t, t.TempDir()).expect(t, 0)
	s.expectSeen(t, "during", "2 2 0 0")
	s.expectSeen(t, "after", "0 0 0 0")
}

func TestIsolationIncludesClients(t *testing.T) {
	s := newLinkScene()
	s.cut("cut", cut([]string{"node.a"}, dropped(link.Everyone, "node.a"), dropped("node.a", link.Everyone)))
	s.look("during")
	s.play(t, t.TempDir()).expect(t, 0)
	s.expectSeen(t, "during", "2 2 2 2")
}

func TestHealingOneOfTwoFaultsLeavesTheOther(t *testing.T) {
	s := newLinkScene()
	s.cut("one", cut([]string{"node.a", "node.b"}, dropped("node.a", "node.b")))
	s.cut("two", cut([]string{"node.a", "node.c"}, dropped("node.a", "node.c"), dropped("node.a", "node.b")))
	s.look("both")
	s.do("mend", heals("one"))
	s.look("one left")
	s.play(t, t.TempDir()).expect(t, 0)
	s.expectSeen(t, "both", "2 1 1 0") // what both say is one rule
	s.expectSeen(t, "one left", "2 1 1 0")
}

func TestANodeThatIsStartedAgainGetsItsRulesBeforeItIsReady(t *testing.T) {
	s := newLinkScene()
	var order []string
	s.nodes[0].Kind, s.nodes[0].KindBody = "k", emptyBody()
	s.defs = append(s.defs, step.Definition{
		Type: schema.Type{Kind: schema.NodeKind, Name: "k"},
		NodeKind: func(step.KindInput) (step.KindOutput, error) {
			return step.KindOutput{Ready: func(context.Context, *step.Env) error {
				order = append(order, fmt.Sprint(len(s.placed.InForce("node.a"))))
				return nil
			}}, nil
		},
	})
	s.cut("cut", cut([]string{"node.a", "node.b"}, dropped("node.a", "node.b")))
	s.do("kill", func(ctx context.Context, env *step.Env) error { return env.Nodes.Kill(ctx, "node.a", "SIGKILL") })
	s.look("down")
	s.do("start", func(ctx context.Context, env *step.Env) error { return env.Nodes.Start(ctx, "node.a") })
	s.look("up")
	s.do("mend", heals("cut"))
	s.look("after")
	s.play(t, t.TempDir()).expect(t, 0)
	s.expectSeen(t, "up", "1 1 0 0")
	s.expectSeen(t, "after", "0 0 0 0")
	if !slices.Equal(order, []string{"0", "1"}) {
		t.Errorf("rules when it was asked whether it is ready: %v", order)
	}
}

func TestANodeThatStartsByItselfGetsItsRulesToo(t *testing.T) {
	s := newLinkScene()
	s.cut("cut", cut([]string{"node.a", "node.b"}, dropped("node.a", "node.b")))
	s.do("comes_back", func(ctx context.Context, env *step.Env) error {
		if err := env.Nodes.Kill(ctx, "node.a", "SIGKILL"); err != nil {
			return err
		}
		s.placed.ComeBack("node.a")
		return step.Poll(ctx, env.Clock, time.Millisecond, func(context.Context) error {
			if n := len(s.placed.InForce("node.a")); n != 1 {
				return fmt.Errorf("%d rules in force", n)
			}
			return nil
		})
	})
	s.do("mend", heals("cut"))
	s.look("after")
	s.play(t, t.TempDir()).expect(t, 0)
	s.expectSeen(t, "after", "0 0 0 0")
}

// Negative controls: with what changes the kernel replaced by nothing, and the
// observation left as it is, a fault must not pass for active.
func TestRulesThatAreNotInForceMakeTheFaultInconclusive(t *testing.T) {
	s := newLinkScene()
	s.fake.Jobs = map[string]func(context.Context, []byte, func([]byte) error) error{
		link.RulesJob: func(_ context.Context, _ []byte, line func([]byte) error) error { return line([]byte("[]")) },
	}
	s.cut("cut", cut([]string{"node.a", "node.b"}, dropped("node.a", "node.b")))
	p := s.play(t, t.TempDir())
	p.expect(t, 6)
	p.expectCause(t, "never became active")
	p.expectCause(t, "is not in force at node.")
}

// Whose nodes end while they are looked at was never seen to be cut off.
func TestAFaultWhoseNodesEndUnseenIsAFailure(t *testing.T) {
	s := newLinkScene()
	s.fake.Jobs = map[string]func(context.Context, []byte, func([]byte) error) error{
		link.RulesJob: func(_ context.Context, _ []byte, line func([]byte) error) error { return line([]byte("[]")) },
		link.KnockJob: func(context.Context, []byte, func([]byte) error) error {
			time.AfterFunc(time.Second, func() { // the news of it is late
				s.placed.ExitIfThere("node.a", 3)
				s.placed.ExitIfThere("node.b", 4)
			})
			return errors.New("there is nobody")
		},
	}
	s.mayExit()
	s.cut("cut", cut([]string{"node.a", "node.b"}, dropped("node.a", "node.b")))
	p := s.play(t, t.TempDir())
	p.expect(t, 1)
	p.expectCause(t, "none of the nodes runs (node.a exited with code 3, node.b exited with code 4), so that there is nothing to be seen")
}

// What goes on at an agent of a node that runs is the lab's.
func TestAnAgentThatIsGoneFromANodeThatRunsBreaksTheLab(t *testing.T) {
	s := newLinkScene()
	s.fake.Jobs = map[string]func(context.Context, []byte, func([]byte) error) error{
		link.RulesJob: func(context.Context, []byte, func([]byte) error) error {
			return &runtime.Error{Kind: runtime.NotRunning, Op: "reach the agent", Err: errors.New("it is gone")}
		},
	}
	s.cut("cut", cut([]string{"node.a", "node.b"}, dropped("node.a", "node.b")))
	p := s.play(t, t.TempDir())
	p.expect(t, 4)
	p.expectCause(t, "it is gone")
}

// mayExit lets all nodes exit.
func (s *linkScene) mayExit() {
	for _, n := range s.nodes {
		n.Body = valueBody(cty.ObjectVal(map[string]cty.Value{"image": cty.StringVal("x"), "may_exit": cty.True}))
	}
}

func TestAFaultWhoseRulesLapsedIsInconclusive(t *testing.T) {
	s := newLinkScene()
	s.cut("cut", cut([]string{"node.a", "node.b"}, dropped("node.a", "node.b")))
	s.do("lapse", func(context.Context, *step.Env) error {
		s.placed.Lapse("node.a")
		return nil
	})
	s.do("mend", heals("cut"))
	p := s.play(t, t.TempDir())
	p.expect(t, 6)
	p.expectCause(t, "was not in force to its end")
}

// Of an agent's end nothing waits for the heal to hear.
func TestAFaultWhoseAgentIsKilledIsInconclusiveAtOnce(t *testing.T) {
	for _, end := range []string{"node.a", "node.b"} {
		s := newLinkScene()
		s.cut("cut", cut([]string{"node.a", "node.b"}, dropped("node.a", "node.b")))
		s.do("kill", func(ctx context.Context, _ *step.Env) error {
			s.placed.KillAgent(end)
			<-ctx.Done() // or the test hangs
			return context.Cause(ctx)
		})
		s.do("mend", heals("cut"))
		p := s.play(t, t.TempDir())
		p.expect(t, 6)
		p.expectCause(t, "action.cut was not in force to its end: the agent of "+end+" was killed (SIGKILL)")
		expectOrder(t, p.order(), "fault action.cut active", "fault action.cut invalid", "fault action.cut healed")
	}
}

// One that had nothing in force any more, or that goes with its node, matters to
// nobody.
func TestAnAgentThatKeepsNothingInForceMayEnd(t *testing.T) {
	s := newLinkScene()
	s.cut("cut", cut([]string{"node.a", "node.b"}, dropped("node.a", "node.b")))
	s.do("kill of another", func(context.Context, *step.Env) error {
		s.placed.KillAgent("node.c")
		return nil
	})
	s.do("mend", heals("cut"))
	s.do("kill", func(context.Context, *step.Env) error {
		s.placed.KillAgent("node.a")
		return nil
	})
	s.play(t, t.TempDir()).expect(t, 0)
}

func TestLinksAreMendedAfterAFailure(t *testing.T) {
	s := newLinkScene()
	s.cut("cut", cut([]string{"node.a", "node.b"}, dropped("node.a", "node.b")))
	s.do("bad", func(context.Context, *step.Env) error { return errors.New("no luck") })
	p := s.play(t, t.TempDir())
	expectOrder(t, p.order(), "error action.bad", "fault action.cut healed")
}

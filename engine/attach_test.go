package engine

import (
	"context"
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/lang"
	"github.com/scenario-run/scenario/engine/event"
	"github.com/scenario-run/scenario/engine/plan"
	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/step"
)

// unplugged is a fault that takes node.a off its first network.
func unplugged(was *step.Attachment) *testFault {
	return &testFault{
		nodes: []string{"node.a"},
		onInject: func(ctx context.Context, env *step.Env) error {
			all, err := env.Nodes.Attachments(ctx, "node.a")
			if err != nil {
				return err
			}
			*was = all[0]
			return env.Nodes.Disconnect(ctx, "node.a", *was)
		},
		onHeal: func(ctx context.Context, env *step.Env) error {
			_, err := env.Nodes.Connect(ctx, "node.a", *was)
			return err
		},
	}
}

// attachScene is a node on the run's own network, and a network that it is not
// on.
func attachScene() *linkScene {
	s := newLinkScene()
	s.add(&plan.Vertex{ID: "network.back", Kind: plan.NetworkVertex, Network: &lang.Network{Name: "back"}})
	return s
}

func (s *linkScene) expectOn(name string, want ...string) {
	s.do(name, func(ctx context.Context, env *step.Env) error {
		all, err := env.Nodes.Attachments(ctx, "node.a")
		if err != nil {
			return err
		}
		var got []string
		for _, at := range all {
			got = append(got, fmt.Sprint(at.Name, " ", at.Aliases))
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			return step.Failf("node.a is on %v, not on %v", got, want)
		}
		return nil
	})
}

func TestANodeIsOffItsNetworkUntilTheFaultIsHealed(t *testing.T) {
	s := attachScene()
	var was step.Attachment
	s.thenWithNodes(s.fault("off", unplugged(&was), cty.EmptyObjectVal, "attached"))
	s.expectOn("away")
	s.do("restart", func(ctx context.Context, env *step.Env) error {
		if err := env.Nodes.Stop(ctx, "node.a", 0); err != nil {
			return err
		}
		return env.Nodes.Start(ctx, "node.a")
	})
	s.expectOn("still_away")
	s.do("mend", heals("off"))
	s.expectOn("back", "default [a]")
	p := s.play(t, t.TempDir())
	p.expect(t, 0)
	if n := len(of[event.Warning](p)); n > 0 {
		t.Errorf("%d warnings of a place that remembers", n)
	}
}

func TestANodeThatAStartHasPutBackIsTakenOffAgainAndThatIsTold(t *testing.T) {
	s := attachScene()
	var was step.Attachment
	s.fake.Fail = func(ctx context.Context, op, address string) error {
		if op != "StartNode" || was.Name == "" {
			return nil
		}
		return s.placed.Connect(ctx, s.placed.ID(address), was.Attachment) // as a place would that forgets
	}
	s.thenWithNodes(s.fault("off", unplugged(&was), cty.EmptyObjectVal, "attached"))
	s.do("restart", func(ctx context.Context, env *step.Env) error {
		if err := env.Nodes.Stop(ctx, "node.a", 0); err != nil {
			return err
		}
		return env.Nodes.Start(ctx, "node.a")
	})
	s.expectOn("away")
	p := s.play(t, t.TempDir())
	p.expect(t, 0)
	if n := len(of[event.Warning](p)); n != 1 {
		t.Errorf("%d warnings", n)
	}
}

func TestConnectGivesANodeAFreeAddress(t *testing.T) {
	s := attachScene()
	var ips []netip.Addr
	for _, n := range []string{"a", "b"} {
		s.do("connect_"+n, func(ctx context.Context, env *step.Env) error {
			at, err := env.Nodes.Connect(ctx, "node."+n, step.Attachment{Name: "back", Attachment: runtime.Attachment{Aliases: []string{"also"}}})
			ips = append(ips, at.IP)
			return err
		})
	}
	s.expectOn("both", "default [a]", "back [a also]")
	s.play(t, t.TempDir()).expect(t, 0)
	if len(ips) != 2 || !ips[0].IsValid() || ips[1] != ips[0].Next() {
		t.Errorf("addresses %v", ips)
	}
}

func TestWhatCanNotBeConnected(t *testing.T) {
	for network, want := range map[string]string{
		"default": "action.off has taken it off that network", "nowhere": "there is no network nowhere",
	} {
		s := attachScene()
		var was step.Attachment
		s.thenWithNodes(s.fault("off", unplugged(&was), cty.EmptyObjectVal, "attached"))
		s.do("connect", func(ctx context.Context, env *step.Env) error {
			_, err := env.Nodes.Connect(ctx, "node.a", step.Attachment{Name: network})
			return err
		})
		p := s.play(t, t.TempDir())
		p.expect(t, 1)
		p.expectCause(t, want)
	}
	s := attachScene()
	s.do("connect", func(ctx context.Context, env *step.Env) error {
		_, err := env.Nodes.Connect(ctx, "node.a", step.Attachment{Name: "default"})
		return err
	})
	p := s.play(t, t.TempDir())
	p.expect(t, 1)
	p.expectCause(t, "it is on network default already")
}

// Faults on links reach a node on every network that it comes onto.
func TestWhatComesOntoANetworkBringsItsFaultsAlong(t *testing.T) {
	s := attachScene()
	s.cut("cut", cut([]string{"node.a", "node.b"}, dropped("node.a", "node.b"), slowed("node.a", "node.b", 50*time.Millisecond)))
	s.look("before")
	s.do("connect", func(ctx context.Context, env *step.Env) error {
		_, err := env.Nodes.Connect(ctx, "node.b", step.Attachment{Name: "back"})
		return err
	})
	s.look("after")
	s.lookSlow("slow")
	s.do("mend", heals("cut"))
	s.look("healed")
	s.play(t, t.TempDir()).expect(t, 0)
	s.expectSeen(t, "before", "1 1 0 0")
	s.expectSeen(t, "after", "2 1 0 0") // b's further address
	s.expectSeen(t, "slow", "50+50/ / / /")
	s.expectSeen(t, "healed", "0 0 0 0")
}

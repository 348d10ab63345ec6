package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/engine/fault"
	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/runtime/fake"
	"github.com/scenario-run/scenario/engine/step"
)

func recreates(with step.NodeChange) func(context.Context, *step.Env) error {
	return func(ctx context.Context, env *step.Env) error { return env.Nodes.Recreate(ctx, "node.a", with) }
}

func TestANodeIsMadeAnewInItsPlace(t *testing.T) {
	s := attachScene()
	s.fake.Script = func(spec runtime.NodeSpec) fake.Script { return fake.Script{Prints: []string{"from " + spec.Image}} }
	s.thenWithNodes(s.action("later", sleeps(time.Second)))
	s.do("upgrade", recreates(step.NodeChange{Image: "y", Command: []string{"run"}, Env: map[string]string{"A": "1"}, IP: step.SameIP}))
	var spec runtime.NodeSpec
	var facts step.Facts
	s.do("look", func(_ context.Context, env *step.Env) error {
		spec, facts = s.placed.Spec("node.a"), env.Nodes.Facts("node.a")
		return nil
	})
	p := s.play(t, t.TempDir())
	p.expect(t, 0)
	if spec.Image != "y" || fmt.Sprint(spec.Command) != "[run]" || spec.Env["A"] != "1" || spec.Host != "a" || spec.Networks[0].IP.String() != facts.IP {
		t.Errorf("%+v, at %s", spec, facts.IP)
	}
	expectOrder(t, p.order(), "node.a ready", "start action.upgrade", "node.a exited", "node.a starting", "node.a ready", "passed action.upgrade")
	log, err := os.ReadFile(filepath.Join(p.dir, "s", "default", "nodes", "a.log"))
	if err != nil {
		t.Fatal(err)
	}
	expectOrder(t, texts(string(log)), "from x", "[scenario] made anew from y", "from y")
}

// texts are lines without their times.
func texts(log string) (all []string) {
	for line := range strings.Lines(log) {
		_, text, _ := strings.Cut(strings.TrimSpace(line), " ")
		all = append(all, text)
	}
	return all
}

func TestANewAddressIsKnownEverywhere(t *testing.T) {
	s := newLinkScene()
	s.cut("cut", cut([]string{"node.a", "node.b"}, dropped("node.b", "node.a")))
	var before, after string
	s.do("look", func(_ context.Context, env *step.Env) error { before = env.Nodes.Facts("node.a").IP; return nil })
	s.do("move", recreates(step.NodeChange{IP: step.NewIP}))
	s.do("look_again", func(_ context.Context, env *step.Env) error {
		after = env.Nodes.Facts("node.a").IP
		for _, c := range s.placed.InForce("node.b") {
			if c.Peer.String() != after {
				return step.Failf("node.b has a rule for %s", c.Peer)
			}
		}
		return nil
	})
	s.look("during")
	s.play(t, t.TempDir()).expect(t, 0)
	if before == after || after == "" {
		t.Errorf("%s, then %s", before, after)
	}
	s.expectSeen(t, "during", "1 1 0 0")
}

func TestWhatFaultsHaveDoneHoldsForTheNewNode(t *testing.T) {
	s := attachScene()
	dir := t.TempDir()
	var was step.Attachment
	off := unplugged(&was)
	s.thenWithNodes(s.fault("off", off, cty.EmptyObjectVal, "attached"))
	s.do("limit", func(ctx context.Context, env *step.Env) error { return env.Nodes.LimitCPUs(ctx, "node.a", 0.5) })
	var first, second []fault.Record
	s.do("upgrade", func(ctx context.Context, env *step.Env) (err error) {
		first, err = fault.Outstanding(dir)
		return errors.Join(err, recreates(step.NodeChange{})(ctx, env))
	})
	s.expectOn("still_off")
	s.do("look", func(ctx context.Context, env *step.Env) error {
		l, err := env.Nodes.Limits(ctx, "node.a")
		if err == nil && l.CPUs != 0.5 {
			err = step.Failf("%+v", l)
		}
		var readErr error
		second, readErr = fault.Outstanding(dir)
		return errors.Join(err, readErr)
	})
	s.do("mend", heals("off"))
	s.expectOn("back", "default [a]")
	s.play(t, dir).expect(t, 0)
	if len(second) != 1 || second[0].Nodes[0] == first[0].Nodes[0] {
		t.Errorf("outstanding: %+v, then %+v", first, second)
	}
}

func TestWhatCanNotBeMadeAnew(t *testing.T) {
	for name, tt := range map[string]struct {
		fail string // of the runtime
		code int
		want string
	}{
		"it can't be created again": {"CreateNode", 4, "create node.a: no room"},
		"it can't be removed":       {"RemoveNode", 4, "no room"},
		"it does not start":         {"StartNode", 4, "no room"},
	} {
		s := attachScene()
		var now atomic.Bool
		s.fake.Fail = func(_ context.Context, op, address string) error {
			if now.Load() && op == tt.fail && address == "node.a" {
				return errors.New("no room")
			}
			return nil
		}
		s.do("upgrade", func(ctx context.Context, env *step.Env) error {
			now.Store(true)
			return recreates(step.NodeChange{})(ctx, env)
		})
		p := s.play(t, t.TempDir())
		p.expect(t, tt.code)
		if !strings.Contains(p.variantCause(), tt.want) {
			t.Errorf("%s: %s", name, p.variantCause())
		}
	}
}

func TestANodeThatIsDownIsMadeAnewToo(t *testing.T) {
	s := attachScene()
	s.do("kill", func(ctx context.Context, env *step.Env) error { return env.Nodes.Kill(ctx, "node.a", "SIGKILL") })
	s.do("upgrade", recreates(step.NodeChange{}))
	// An exit of the new one is told from one of the old.
	s.do("exit", func(ctx context.Context, env *step.Env) error {
		s.placed.Exit("node.a", 7)
		return hangsOn(ctx)
	})
	p := s.play(t, t.TempDir())
	p.expect(t, 1)
	p.expectCause(t, "node.a exited with code 7; no step had asked for that")
}

func hangsOn(ctx context.Context) error {
	<-ctx.Done()
	return context.Cause(ctx)
}

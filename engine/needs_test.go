package engine

import (
	"context"
	"testing"

	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/link"
)

// needy is a scene with a step that needs something of the kernel.
func needy(lacks link.Kernel, needs ...schema.Need) *scene {
	s := newScene()
	s.node("a", nil)
	s.fake.Lacks = lacks
	st := s.action("needy", nothing)
	st.Type.Needs = needs
	s.then(st)
	return s
}

func TestWhatTheKernelLacksIsAnErrorBeforeTheFirstStep(t *testing.T) {
	s := needy(link.Kernel{link.Netem: "it does not have it", link.NFQueue: "nobody may"}, schema.Need{"netem", "nfqueue"})
	p := s.play(t, t.TempDir())
	p.expect(t, 4)
	p.expectCause(t, "action.needy needs netem or nfqueue of this machine's kernel")
	p.expectCause(t, "netem: it does not have it; nfqueue: nobody may")
	for _, line := range p.order() {
		if line != "phase teardown" {
			t.Errorf("it went on: %s", line)
		}
	}
}

func TestOneOfSeveralNeedsIsEnough(t *testing.T) {
	needy(link.Kernel{link.Netem: "it does not have it"}, schema.Need{"netem", "nfqueue"}).play(t, t.TempDir()).expect(t, 0)
}

func TestAPlanWithoutNeedsStartsNoAgentForThem(t *testing.T) {
	s := needy(nil)
	s.fake.Fail = func(_ context.Context, op, _ string) error {
		if op == "Agent" {
			t.Error("an agent was started")
		}
		return nil
	}
	s.play(t, t.TempDir()).expect(t, 0)
}

// What a step injects needs what it would need on its own.
func TestWhatTheTypesInNestedBlocksNeedIsAskedForToo(t *testing.T) {
	s := needy(link.Kernel{link.Netem: "it does not have it"})
	storm := s.vertices[len(s.vertices)-1].Step
	storm.Of = []schema.Type{{Kind: schema.Fault, Name: "delay", Needs: []schema.Need{{"netem"}}}}
	p := s.play(t, t.TempDir())
	p.expect(t, 4)
	p.expectCause(t, "action.needy needs netem of this machine's kernel")
}

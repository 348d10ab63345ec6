package engine

import (
	"context"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/link"
	"github.com/scenario-run/scenario/engine/step"
)

// isolatedAndKilled is a node that is cut off, and then killed.
func isolatedAndKilled() *linkScene {
	s := newLinkScene()
	s.cut("cut", cut([]string{"node.a"}, dropped("node.a", link.Everyone), dropped(link.Everyone, "node.a")))
	s.thenWithNodes(s.fault("kill", killFault("node.a"), cty.EmptyObjectVal, schema.Down))
	return s
}

func TestLinksAreMendedBeforeNodesAreStarted(t *testing.T) {
	for _, by := range []string{"a heal", "the end"} {
		t.Run(by, func(t *testing.T) {
			s := isolatedAndKilled()
			if by == "a heal" {
				s.do("mend", func(ctx context.Context, env *step.Env) error {
					return env.Faults.Heal(ctx, "action.cut", "action.kill")
				})
			} else {
				s.inCleanup(s.action("tidy", nothing)) // else the node is not started any more
			}
			p := s.play(t, t.TempDir())
			p.expect(t, 0)
			expectOrder(t, p.order(), "fault action.kill active", "fault action.cut healed", "fault action.kill healing", "fault action.kill healed")
		})
	}
}

// What a fault has injected is healed before the fault, which would have to heal
// it otherwise, and would start nodes that are about to be removed.
func TestAFaultThatInjectsOthersIsHealedAfterThem(t *testing.T) {
	chaos := &live{v: &vertex{}}
	child := &live{v: &vertex{injector: chaos.v}}
	if !injectsAny(chaos, []*live{child, chaos}) || injectsAny(child, []*live{child, chaos}) {
		t.Error("who has injected whom is not seen")
	}
}

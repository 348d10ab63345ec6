package engine

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/scenario-run/scenario/engine/event"
	"github.com/scenario-run/scenario/engine/step"
)

func TestNodesThatGoWithTheirRuntimeSayNothingOfWhatIsTested(t *testing.T) {
	for _, between := range []time.Duration{0, time.Second} {
		s := newScene()
		s.node("a", nil)
		s.then(s.action("it", func(ctx context.Context, env *step.Env) (step.Result, error) {
			s.placed.Exit("node.a", 143)
			if between == 0 {
				s.placed.Lose("the daemon went away")
			} else {
				time.AfterFunc(between, func() { s.placed.Lose("the daemon went away") })
			}
			return hangs(ctx, env)
		}))
		p := s.play(t, t.TempDir())
		if between > 0 {
			// It answered to the end: nothing tells its end from the node's own.
			p.expect(t, codeFailed)
			continue
		}
		if p.ExitCode != codeError {
			t.Errorf("exit code %d", p.ExitCode)
		}
		p.expectCause(t, "the daemon went away", "node.a had exited")
		left := of[event.LeftBehind](p)
		if len(left) != 1 || !strings.Contains(left[0].What, "node.a, network default") {
			t.Errorf("left behind: %+v", left)
		}
	}
}

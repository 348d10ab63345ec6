package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/engine/process"
	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/runtime/fake"
	"github.com/scenario-run/scenario/engine/step"
)

// processScene is a node with the processes main, one and two.
func processScene() *scene {
	s := newScene()
	s.node("a", nil)
	s.fake.Script = func(runtime.NodeSpec) fake.Script { return fake.Script{Processes: []string{"one", "two"}} }
	return s
}

// signals is a step that sends a signal to the processes of that name.
func (s *scene) signals(name, signal, to string, want int) {
	s.then(s.action(name, func(ctx context.Context, env *step.Env) (step.Result, error) {
		return step.Result{}, signalNamed(ctx, env, signal, to, want)
	}))
}

func signalNamed(ctx context.Context, env *step.Env, signal, name string, want int) error {
	list, err := env.Processes.List(ctx, "node.a")
	if err != nil {
		return err
	}
	var to []process.ID
	for _, p := range (process.Match{Name: name}).Find(list) {
		to = append(to, p.ID)
	}
	sent, err := env.Processes.Signal(ctx, "node.a", signal, to)
	if err == nil && len(sent) != want {
		err = fmt.Errorf("sent to %v, want %d", sent, want)
	}
	return err
}

func namesOf(all []process.Process) string {
	var names []string
	for _, p := range all {
		names = append(names, p.Name+" "+string(p.State))
	}
	return strings.Join(names, ", ")
}

// look is a step that remembers how the processes stand.
func (s *scene) lookAt(seen *string) {
	s.then(s.action("look", func(context.Context, *step.Env) (step.Result, error) {
		*seen = namesOf(s.placed.Processes("node.a"))
		return step.Result{}, nil
	}))
}

func TestASignalReachesProcessesAndTheMainOneFromOutside(t *testing.T) {
	s := processScene()
	var seen string
	s.signals("kill", "SIGKILL", "one", 1)
	s.signals("stop", "SIGSTOP", "main", 1)
	s.lookAt(&seen)
	p := s.play(t, t.TempDir())
	p.expect(t, 0)
	if seen != "main T, two S" {
		t.Error(seen)
	}
	if calls := strings.Join(s.placed.Calls(), "\n"); !strings.Contains(calls, "SignalNode node.a") {
		t.Errorf("the runtime was not asked:\n%s", calls)
	}
}

func TestTheInitThatIsPutBeforeANodesProcessesIsLeftOut(t *testing.T) {
	s := newScene()
	s.node("a", map[string]cty.Value{"init": cty.True})
	s.fake.Script = func(runtime.NodeSpec) fake.Script { return fake.Script{Processes: []string{"one"}} }
	var seen string
	s.then(s.action("look", func(ctx context.Context, env *step.Env) (step.Result, error) {
		all, err := env.Processes.List(ctx, "node.a")
		seen = namesOf(all)
		return step.Result{}, err
	}))
	s.play(t, t.TempDir()).expect(t, 0)
	if seen != "one S" {
		t.Error(seen)
	}
}

func TestProcessesOfANodeThatIsDownAreNotListed(t *testing.T) {
	s := processScene()
	s.then(s.action("kill", func(ctx context.Context, env *step.Env) (step.Result, error) {
		if err := env.Nodes.Kill(ctx, "node.a", "SIGKILL"); err != nil {
			return step.Result{}, err
		}
		_, err := env.Processes.List(ctx, "node.a")
		if runtime.KindOf(err) != runtime.NotRunning {
			return step.Result{}, fmt.Errorf("listed: %w", errors.Join(err, errors.New("no such error")))
		}
		return step.Result{}, nil
	}))
	s.play(t, t.TempDir()).expect(t, 0)
}

// A fault on processes explains the exit of their node, until its next start.
func TestAFaultOnProcessesExplainsTheirNodesExitUntilItsNextStart(t *testing.T) {
	for _, test := range []struct {
		name    string
		again   bool
		code    int
		because string
	}{
		{"the exit that follows", false, 0, ""},
		{"one of the start after", true, 1, "node.a exited with code 3; no step had asked for that"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := processScene()
			s.then(s.fault("shot", &testFault{
				nodes: []string{"node.a"},
				onInject: func(ctx context.Context, env *step.Env) error {
					env.Nodes.ExpectExit("node.a")
					return signalNamed(ctx, env, "SIGKILL", "one", 1)
				},
				onHeal: func(ctx context.Context, env *step.Env) error { return env.Nodes.Start(ctx, "node.a") },
			}, cty.EmptyObjectVal))
			s.then(s.action("exit", func(ctx context.Context, env *step.Env) (step.Result, error) {
				s.placed.Exit("node.a", 1)
				_, err := env.Nodes.WaitExit(ctx, "node.a")
				if err == nil && test.again {
					err = env.Nodes.Start(ctx, "node.a")
				}
				return step.Result{}, err
			}))
			if test.again {
				s.then(s.action("exit_again", func(ctx context.Context, env *step.Env) (step.Result, error) {
					s.placed.Exit("node.a", 3)
					_, err := env.Nodes.WaitExit(ctx, "node.a")
					return step.Result{}, err
				}))
			}
			p := s.play(t, t.TempDir())
			p.expect(t, test.code)
			if test.because != "" {
				p.expectCause(t, test.because)
			}
		})
	}
}

// The place starts a node again by itself: what was done to its processes is
// over then, and doesn't explain what comes later.
func TestAStartThatNobodyAskedForEndsAFaultOnProcesses(t *testing.T) {
	s := processScene()
	shot := s.fault("shot", &testFault{nodes: []string{"node.a"}}, cty.EmptyObjectVal)
	shot.Type.Momentary = true
	s.defs[len(s.defs)-1].Momentary = true
	s.then(shot)
	s.then(s.action("back", func(ctx context.Context, env *step.Env) (step.Result, error) {
		s.placed.Exit("node.a", 1)
		if _, err := env.Nodes.WaitExit(ctx, "node.a"); err != nil {
			return step.Result{}, err
		}
		s.placed.ComeBack("node.a")
		return step.Result{}, step.Poll(ctx, env.Clock, readyEvery, func(context.Context) error {
			if state := env.Nodes.Value("node.a").GetAttr("state").AsString(); state != nodeReady {
				return fmt.Errorf("it is %s", state)
			}
			return nil
		})
	}))
	p := s.play(t, t.TempDir())
	p.expect(t, 0)
	expectOrder(t, p.order(), "fault action.shot active", "fault action.shot healed", "passed action.back")
}

func TestANodeThatExitedWithItsProcessesIsNotStartedForItsRemoval(t *testing.T) {
	s := processScene()
	shot := s.fault("shot", &testFault{
		nodes: []string{"node.a"},
		onInject: func(ctx context.Context, env *step.Env) error {
			s.placed.Exit("node.a", 1)
			_, err := env.Nodes.WaitExit(ctx, "node.a")
			return err
		},
		onHeal: func(ctx context.Context, env *step.Env) error { return env.Nodes.Start(ctx, "node.a") },
	}, cty.EmptyObjectVal)
	shot.Type.Momentary = true
	s.defs[len(s.defs)-1].Momentary = true
	s.then(shot)
	s.play(t, t.TempDir()).expect(t, 0)
	if n := strings.Count(strings.Join(s.placed.Calls(), "\n"), "StartNode node.a"); n != 1 {
		t.Errorf("it was started %d times", n)
	}
}

func TestADrawHangsOnSeedAndStepAlone(t *testing.T) {
	counts := map[int]int{}
	for seed := range int64(300) {
		n := draw(seed, "action.a", 3)
		if n != draw(seed, "action.a", 3) {
			t.Fatal("drawn twice, it differs")
		}
		counts[n]++
	}
	for n := range 3 {
		if counts[n] < 60 {
			t.Errorf("%d was drawn %d times of 300", n, counts[n])
		}
	}
}

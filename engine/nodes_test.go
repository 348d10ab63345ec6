package engine

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/event"
	"github.com/scenario-run/scenario/engine/plan"
	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/runtime/fake"
	"github.com/scenario-run/scenario/engine/step"
)

func ready(attrs map[string]cty.Value) map[string]cty.Value {
	return map[string]cty.Value{"ready": cty.ObjectVal(attrs)}
}

func scripted(scripts map[string]fake.Script) func(runtime.NodeSpec) fake.Script {
	return func(spec runtime.NodeSpec) fake.Script { return scripts[spec.Host] }
}

func TestAnExitThatNobodyAskedForFailsTheScenarioAtThatMoment(t *testing.T) {
	s := newScene()
	s.node("a", nil)
	s.fake.Script = scripted(map[string]fake.Script{"a": {Prints: []string{"one", "fatal: two"}}})
	s.background(s.action("bg", hangs))
	s.then(s.action("it", func(ctx context.Context, env *step.Env) (step.Result, error) {
		if err := env.Clock.Sleep(ctx, 3*time.Second); err != nil {
			return step.Result{}, err
		}
		s.placed.Exit("node.a", 137)
		return hangs(ctx, env)
	}))
	s.inCleanup(s.action("tidy", nothing))
	p := s.play(t, t.TempDir())
	p.expect(t, 1)
	p.expectCause(t, "node.a exited with code 137; no step had asked for that")
	if c := p.Variants[0].Cause; !strings.Contains(c.Detail, "fatal: two") || p.Variants[0].Step != "node.a" {
		t.Errorf("%+v", p.Variants[0])
	}
	i := slices.IndexFunc(of[event.NodeChanged](p), func(n event.NodeChanged) bool { return n.Unasked })
	if i < 0 || *of[event.NodeChanged](p)[i].ExitCode != 137 {
		t.Errorf("no such event:\n%s", p.text())
	}
	if got := p.step(t, "action.it"); got.State != event.Cancelled || got.Seconds != 3 {
		t.Errorf("%+v", got)
	}
}

func TestExitsThatAreNoSurprise(t *testing.T) {
	tests := []struct {
		name string
		args map[string]cty.Value
		run  func(s *scene) action
	}{
		{"of a node that may exit", map[string]cty.Value{"may_exit": cty.True}, func(s *scene) action {
			return func(context.Context, *step.Env) (step.Result, error) {
				s.placed.Exit("node.a", 1)
				return step.Result{}, nil
			}
		}},
		{"of one that was killed", nil, func(*scene) action {
			return func(ctx context.Context, env *step.Env) (step.Result, error) {
				return step.Result{}, env.Nodes.Kill(ctx, "node.a", "SIGKILL")
			}
		}},
		{"of one that was stopped", nil, func(*scene) action {
			return func(ctx context.Context, env *step.Env) (step.Result, error) {
				return step.Result{}, env.Nodes.Stop(ctx, "node.a", -1)
			}
		}},
		{"of one whose exit is expected", nil, func(s *scene) action {
			return func(_ context.Context, env *step.Env) (step.Result, error) {
				env.Nodes.ExpectExit("node.a")
				s.placed.Exit("node.a", 1)
				return step.Result{}, nil
			}
		}},
		{"of one that was killed and started again", nil, func(*scene) action {
			return func(ctx context.Context, env *step.Env) (step.Result, error) {
				return step.Result{}, errors.Join(env.Nodes.Kill(ctx, "node.a", "SIGKILL"), env.Nodes.Start(ctx, "node.a"))
			}
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newScene()
			s.node("a", tt.args)
			s.then(s.action("it", tt.run(s)))
			s.then(s.action("wait", sleeps(time.Second)))
			s.play(t, t.TempDir()).expect(t, 0)
		})
	}
}

func TestAnExitAfterAnExpectedOneAndAStartIsASurpriseAgain(t *testing.T) {
	s := newScene()
	s.node("a", nil)
	s.then(s.action("it", func(ctx context.Context, env *step.Env) (step.Result, error) {
		if err := errors.Join(env.Nodes.Kill(ctx, "node.a", "SIGKILL"), env.Nodes.Start(ctx, "node.a")); err != nil {
			return step.Result{}, err
		}
		s.placed.Exit("node.a", 3)
		return hangs(ctx, env)
	}))
	p := s.play(t, t.TempDir())
	p.expect(t, 1)
	p.expectCause(t, "node.a exited with code 3")
}

func TestANodeThatExitsAtOnceFailsWithItsLastLines(t *testing.T) {
	s := newScene()
	s.node("a", ready(map[string]cty.Value{"tcp": cty.NumberIntVal(80)}))
	s.fake.Script = scripted(map[string]fake.Script{"a": {
		Prints: []string{"bad flag"}, Exits: func(int) (int, bool) { return 2, true },
	}})
	s.then(s.action("it", nothing))
	p := s.play(t, t.TempDir())
	p.expect(t, 1)
	p.expectCause(t, "node.a exited with code 2")
	if !strings.Contains(p.Variants[0].Cause.Detail, "bad flag") {
		t.Errorf("%+v", p.Variants[0].Cause)
	}
}

func TestACommandThatIsNotInTheNodeFails(t *testing.T) {
	s := newScene()
	s.node("a", nil)
	s.fake.Script = scripted(map[string]fake.Script{"a": {Start: func(int) error {
		return &runtime.Error{Kind: runtime.NodeFault, Op: "start node.a", Err: errors.New("exec: serve: not found")}
	}}})
	p := s.play(t, t.TempDir())
	p.expect(t, 1)
	p.expectCause(t, "exec: serve: not found")
}

func TestReadiness(t *testing.T) {
	answers := func(status string) map[string]func(net.Conn) {
		return map[string]func(net.Conn){"80": func(c net.Conn) {
			defer c.Close()
			buf := make([]byte, 4096)
			if _, err := c.Read(buf); err == nil {
				io.WriteString(c, "HTTP/1.1 "+status+"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
			}
		}}
	}
	accepts := map[string]func(net.Conn){"80": func(c net.Conn) { c.Close() }}
	exits := func(code int) func(context.Context, runtime.ExecSpec) (runtime.ExecResult, error) {
		return func(context.Context, runtime.ExecSpec) (runtime.ExecResult, error) {
			return runtime.ExecResult{ExitCode: code, Stderr: []byte("no server")}, nil
		}
	}
	str, num := cty.StringVal, cty.NumberIntVal
	command := cty.ListVal([]cty.Value{str("pg_isready")})
	tests := []struct {
		name   string
		ready  map[string]cty.Value
		script fake.Script
		code   int
		cause  string
	}{
		{"a port that accepts", map[string]cty.Value{"tcp": num(80)}, fake.Script{Serve: accepts}, 0, ""},
		{"a port that refuses", map[string]cty.Value{"tcp": num(80)}, fake.Script{}, 1, "node.a was not ready within 5s: connect to 10.90.0.128:80"},
		{"a page that answers", map[string]cty.Value{"http": str(":80/x")}, fake.Script{Serve: answers("204 No Content")}, 0, ""},
		{"a page that answers with an error", map[string]cty.Value{"http": str(":80/x")}, fake.Script{Serve: answers("503 Service Unavailable")}, 1, "answers 503"},
		{"a line that comes", map[string]cty.Value{"log": str("^ready")}, fake.Script{Prints: []string{"ready to go"}}, 0, ""},
		{"a line that does not come", map[string]cty.Value{"log": str("^ready")}, fake.Script{Prints: []string{"not ready"}}, 1, "no line of its log matches /^ready/"},
		{"a command that passes", map[string]cty.Value{"exec": command}, fake.Script{Exec: exits(0)}, 0, ""},
		{"a command that fails", map[string]cty.Value{"exec": command}, fake.Script{Exec: exits(2)}, 1, "ready.exec exits with 2"},
		{"all must hold", map[string]cty.Value{"tcp": num(80), "exec": command}, fake.Script{Serve: accepts, Exec: exits(1)}, 1, "ready.exec exits with 1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newScene()
			tt.ready["within"] = str("5s")
			s.node("a", ready(tt.ready))
			s.fake.Script = scripted(map[string]fake.Script{"a": tt.script})
			p := s.play(t, t.TempDir())
			p.expect(t, tt.code)
			p.expectCause(t, tt.cause)
		})
	}
}

func TestReadyByLogLooksOnlyAtTheCurrentStart(t *testing.T) {
	s := newScene()
	s.node("a", ready(map[string]cty.Value{"log": cty.StringVal("up"), "within": cty.StringVal("3s")}))
	starts := 0
	s.fake.Script = func(runtime.NodeSpec) fake.Script {
		return fake.Script{Prints: []string{"up"}, Start: func(n int) error { starts = n; return nil }}
	}
	s.then(s.action("it", func(ctx context.Context, env *step.Env) (step.Result, error) {
		if err := env.Nodes.Kill(ctx, "node.a", "SIGKILL"); err != nil {
			return step.Result{}, err
		}
		// Starts are told apart by the times of their lines.
		if err := env.Clock.Sleep(ctx, time.Millisecond); err != nil {
			return step.Result{}, err
		}
		if err := env.Nodes.Launch(ctx, "node.a"); err != nil {
			return step.Result{}, err
		}
		if lines, err := env.Nodes.LogTail(ctx, "node.a", 10); err != nil || len(lines) > 1 {
			return step.Result{}, errors.Join(err, errors.New("lines of the first start: "+strings.Join(lines, "|")))
		}
		return step.Result{}, env.Nodes.WaitReady(ctx, "node.a")
	}))
	p := s.play(t, t.TempDir())
	p.expect(t, 0)
	b, err := os.ReadFile(filepath.Join(p.dir, "s/default/nodes/a.log"))
	if err != nil || strings.Count(string(b), "up\n") != 2 || starts != 1 {
		t.Errorf("%q %v", b, err)
	}
}

func TestAKindFillsInWhatTheNodeDoesNotSay(t *testing.T) {
	s := newScene()
	s.node("a", map[string]cty.Value{
		"env":     cty.MapVal(map[string]cty.Value{"B": cty.StringVal("node")}),
		"memory":  cty.StringVal("64m"),
		"mounts":  cty.MapVal(map[string]cty.Value{"/h": cty.StringVal("/etc:ro")}),
		"ports":   cty.ListVal([]cty.Value{cty.NumberIntVal(80)}),
		"aliases": cty.ListVal([]cty.Value{cty.StringVal("alias")}),
	})
	s.nodes[0].Kind, s.nodes[0].KindBody = "k", emptyBody()
	var order []string
	s.defs = append(s.defs, step.Definition{
		Type: schema.Type{Kind: schema.NodeKind, Name: "k"},
		NodeKind: func(in step.KindInput) (step.KindOutput, error) {
			if in.Self.IP != "10.90.0.128" || in.Node("node.a") != in.Self {
				return step.KindOutput{}, errors.New("wrong facts")
			}
			tries := 0
			ask := func(what string) func(context.Context, *step.Env) error {
				return func(context.Context, *step.Env) error {
					if tries++; tries%3 != 0 {
						return errors.New("not yet")
					}
					order = append(order, what)
					return nil
				}
			}
			return step.KindOutput{
				Command: []string{"k", "start"}, Env: map[string]string{"A": "kind", "B": "kind"}, ShmSize: 5,
				Gate: ask("gate"), Ready: ask("ready"),
			}, nil
		},
	})
	var spec runtime.NodeSpec
	s.fake.Script = func(got runtime.NodeSpec) fake.Script {
		spec = got
		return fake.Script{Start: func(int) error { order = append(order, "start"); return nil }}
	}
	p := s.play(t, t.TempDir())
	p.expect(t, 0)
	if got := strings.Join(order, " "); got != "gate start ready" {
		t.Errorf("order %s", got)
	}
	if !slices.Equal(spec.Command, []string{"k", "start"}) || spec.Env["A"] != "kind" || spec.Env["B"] != "node" || spec.ShmSize != 5 {
		t.Errorf("%+v", spec)
	}
	if spec.Memory != 64<<20 || spec.Mounts[0] != (runtime.Mount{HostPath: "/etc", Target: "/h", ReadOnly: true}) || spec.Ports[0] != 80 || spec.Networks[0].Aliases[0] != "alias" {
		t.Errorf("%+v", spec)
	}
}

func TestTheProcessOfANodeStartsAfterThoseItsKindNames(t *testing.T) {
	s := newScene()
	s.node("worker", nil)
	s.node("head", nil)
	for _, n := range s.nodes {
		n.Kind, n.KindBody = "k", emptyBody()
	}
	s.defs = append(s.defs, step.Definition{
		Type: schema.Type{Kind: schema.NodeKind, Name: "k"},
		NodeKind: func(in step.KindInput) (step.KindOutput, error) {
			if in.Self.Name == "worker" {
				return step.KindOutput{StartAfter: []string{"node.head"}}, nil
			}
			tries := 0
			return step.KindOutput{Gate: func(context.Context, *step.Env) error {
				if tries++; tries < 5 {
					return errors.New("not yet")
				}
				return nil
			}}, nil
		},
	})
	var mu sync.Mutex
	var order []string
	s.fake.Script = func(spec runtime.NodeSpec) fake.Script {
		return fake.Script{Start: func(int) error {
			mu.Lock()
			defer mu.Unlock()
			order = append(order, spec.Address)
			return nil
		}}
	}
	p := s.play(t, t.TempDir())
	p.expect(t, 0)
	if got := strings.Join(order, " "); got != "node.head node.worker" {
		t.Errorf("started in the order %s", got)
	}
}

func TestANodeDoesNotWaitForOneThatCanNotBeStarted(t *testing.T) {
	s := newScene()
	s.node("worker", nil)
	s.node("head", nil)
	s.nodes[0].Kind, s.nodes[0].KindBody = "k", emptyBody()
	s.defs = append(s.defs, step.Definition{
		Type: schema.Type{Kind: schema.NodeKind, Name: "k"},
		NodeKind: func(step.KindInput) (step.KindOutput, error) {
			return step.KindOutput{StartAfter: []string{"node.head"}}, nil
		},
	})
	s.fake.Script = scripted(map[string]fake.Script{"head": {Start: func(int) error { return errors.New("no such program") }}})
	p := s.play(t, t.TempDir())
	p.expectCause(t, "no such program")
}

func TestNodesThatAreStartedTogetherWaitForThoseTheyDependOn(t *testing.T) {
	s := newScene()
	s.node("a", ready(map[string]cty.Value{"log": cty.StringVal("up")}))
	s.node("b", nil)
	s.nodes[1].DependsOn = []string{"node.a"}
	// The plan leaves nodes to a start action.
	s.vertices = slices.DeleteFunc(s.vertices, func(v *plan.Vertex) bool { return v.Kind == "node" })
	s.last = ""
	s.fake.Script = scripted(map[string]fake.Script{"a": {Prints: []string{"up"}}})
	s.then(s.action("start", func(ctx context.Context, env *step.Env) (step.Result, error) {
		return step.Result{}, env.Nodes.Start(ctx, "node.b", "node.a")
	}), edge("create.a", ""), edge("create.b", ""))
	p := s.play(t, t.TempDir())
	p.expect(t, 0)
	expectOrder(t, p.order(), "node.a starting", "node.a ready", "node.b starting", "node.b ready")
}

func TestPausedNodesRunNothing(t *testing.T) {
	s := newScene()
	s.node("a", nil)
	s.then(s.action("pause", func(ctx context.Context, env *step.Env) (step.Result, error) {
		return step.Result{}, env.Nodes.Pause(ctx, "node.a")
	}))
	s.then(s.action("exec", func(ctx context.Context, env *step.Env) (step.Result, error) {
		_, err := env.Nodes.Exec(ctx, "node.a", runtime.ExecSpec{Command: []string{"true"}})
		return step.Result{}, err
	}))
	p := s.play(t, t.TempDir())
	p.expect(t, 1)
	p.expectCause(t, "node.a is paused")
}

func TestWhatIsDownCanNotBeKilledAgain(t *testing.T) {
	s := newScene()
	s.node("a", nil)
	kill := func(ctx context.Context, env *step.Env) (step.Result, error) {
		return step.Result{}, env.Nodes.Kill(ctx, "node.a", "SIGKILL")
	}
	s.then(s.action("one", kill))
	s.then(s.action("two", kill))
	p := s.play(t, t.TempDir())
	p.expect(t, 1)
	p.expectCause(t, "node.a does not run: it exited with code 137")
}

func TestAPanicOfANodeKindsReadinessIsABugOfIt(t *testing.T) {
	s := newScene()
	s.node("a", nil)
	s.nodes[0].Kind, s.nodes[0].KindBody = "k", emptyBody()
	s.defs = append(s.defs, step.Definition{
		Type: schema.Type{Kind: schema.NodeKind, Name: "k"},
		NodeKind: func(step.KindInput) (step.KindOutput, error) {
			return step.KindOutput{Ready: func(context.Context, *step.Env) error { panic("ouch") }}, nil
		},
	})
	p := s.play(t, t.TempDir())
	p.expect(t, 4)
	p.expectCause(t, "node.a panicked: ouch")
}

func TestANetworkThatCanNotBeAskedFromIsAnErrorAtOnce(t *testing.T) {
	s := newScene()
	s.node("a", ready(map[string]cty.Value{"http": cty.StringVal(":80/"), "within": cty.StringVal("60s")}))
	s.fake.Fail = func(_ context.Context, op, _ string) error {
		if op == "Agent" {
			return &runtime.Error{Kind: runtime.Unsupported, Err: errors.New("no agent can run here")}
		}
		return nil
	}
	p := s.play(t, t.TempDir())
	p.expect(t, 4)
	p.expectCause(t, "no agent can run here")
	if got := p.Variants[0].Seconds; got > 1 {
		t.Errorf("it took %gs", got)
	}
}

func TestACommandThatIsLeftRunningIsOnTheTimeline(t *testing.T) {
	s := newScene()
	s.node("a", nil)
	s.fake.Script = scripted(map[string]fake.Script{"a": {Exec: func(ctx context.Context, _ runtime.ExecSpec) (runtime.ExecResult, error) {
		<-ctx.Done()
		return runtime.ExecResult{}, context.Cause(ctx)
	}}})
	st := s.action("long", func(ctx context.Context, env *step.Env) (step.Result, error) {
		_, err := env.Nodes.Exec(ctx, "node.a", runtime.ExecSpec{Command: []string{"backup", "--all"}})
		return step.Result{}, err
	})
	st.Meta.Timeout = time.Second
	s.then(st)
	p := s.play(t, t.TempDir())
	p.expect(t, 1)
	p.expectCause(t, "the step's time limit of 1s was reached")
	said := of[event.Warning](p)
	if len(said) != 1 || said[0].Text != `the command "backup --all" goes on in node.a: it ends with its node, or by itself` {
		t.Errorf("%+v", said)
	}
}

func TestWhatANodeUsesIsThatSinceItWasLastAsked(t *testing.T) {
	s := newScene()
	s.node("a", map[string]cty.Value{"may_exit": cty.True})
	s.then(s.action("it", func(ctx context.Context, env *step.Env) (step.Result, error) {
		for range 2 {
			if err := env.Clock.Sleep(ctx, time.Second); err != nil {
				return step.Result{}, err
			}
			u, err := env.Nodes.Usage(ctx, "node.a")
			if err != nil || u.CPUPercent != 50 || u.Memory != 1<<20 {
				t.Errorf("%+v, %v", u, err)
			}
		}
		s.placed.OOM("node.a")
		if err := env.Clock.Sleep(ctx, time.Second); err != nil { // until the news has come
			return step.Result{}, err
		}
		if _, err := env.Nodes.Usage(ctx, "node.a"); runtime.KindOf(err) != runtime.NotRunning {
			t.Errorf("down: %v", err)
		}
		if st, err := env.Nodes.State(ctx, "node.a"); err != nil || !st.OOMKilled {
			t.Errorf("%+v, %v", st, err)
		}
		if err := env.Nodes.Start(ctx, "node.a"); err != nil {
			return step.Result{}, err
		}
		if st, err := env.Nodes.State(ctx, "node.a"); err != nil || st.OOMKilled {
			t.Errorf("started again: %+v, %v", st, err)
		}
		return step.Result{}, nil
	}))
	s.play(t, t.TempDir()).expect(t, 0)
}

func TestAnExitThatWasSeenIsNotAskedForAgain(t *testing.T) {
	s := newScene()
	s.node("a", nil)
	s.then(s.action("kill", func(ctx context.Context, env *step.Env) (step.Result, error) {
		if err := env.Nodes.Kill(ctx, "node.a", "SIGKILL"); err != nil {
			return step.Result{}, err
		}
		before := len(s.placed.Calls())
		st, err := env.Nodes.WaitExit(ctx, "node.a")
		if calls := s.placed.Calls()[before:]; len(calls) > 0 || st.Running || st.ExitCode != 137 || !st.Started {
			return step.Result{}, step.Failf("%+v after %v", st, calls)
		}
		return step.Result{}, err
	}))
	s.play(t, t.TempDir()).expect(t, 0)
}

package exec

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/step"
	"github.com/scenario-run/scenario/engine/step/steptest"
)

type given = map[string]cty.Value

func on(answer func(runtime.ExecSpec) (runtime.ExecResult, error)) *steptest.World {
	w := steptest.New(steptest.Node{Address: "node.web"})
	w.OnExec = func(_ context.Context, _ string, s runtime.ExecSpec) (runtime.ExecResult, error) { return answer(s) }
	return w
}

func prints(code int, stdout, stderr string) *steptest.World {
	return on(func(runtime.ExecSpec) (runtime.ExecResult, error) {
		return runtime.ExecResult{ExitCode: code, Stdout: []byte(stdout), Stderr: []byte(stderr)}, nil
	})
}

func act(t *testing.T, w *steptest.World, more given) (step.Result, error) {
	t.Helper()
	args := given{"node": cty.StringVal("node.web"), "command": steptest.Strings("do", "it")}
	for k, v := range more {
		args[k] = v
	}
	d := action()
	return d.Action(t.Context(), w.Env(), steptest.Args(t, d, args))
}

func asked(t *testing.T, w *steptest.World) (cty.Value, error) {
	t.Helper()
	d := probe()
	return d.Probe(t.Context(), w.Env(), steptest.Args(t, d, given{"node": cty.StringVal("node.web"), "command": steptest.Strings("do", "it")}))
}

func TestACommandGetsWhatIsSaid(t *testing.T) {
	var got runtime.ExecSpec
	w := on(func(s runtime.ExecSpec) (runtime.ExecResult, error) {
		got = s
		return runtime.ExecResult{}, nil
	})
	_, err := act(t, w, given{
		"stdin": cty.StringVal("in"), "user": cty.StringVal("ray"), "env": cty.MapVal(given{"A": cty.StringVal("1")}),
	})
	if err != nil {
		t.Fatal(err)
	}
	if s := fmt.Sprintf("%v %s %v %s", got.Command, got.Stdin, got.Env, got.User); s != "[do it] in map[A:1] ray" {
		t.Errorf("got %s", s)
	}
}

func TestOutputIsKeptAndReadAsJSON(t *testing.T) {
	r, err := act(t, prints(0, "{\"n\": 3}\n", "warn\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	v := r.Value
	if v.GetAttr("stdout").AsString() != "{\"n\": 3}\n" || v.GetAttr("stderr").AsString() != "warn\n" || !v.GetAttr("exit_code").RawEquals(cty.Zero) {
		t.Errorf("got %#v", v)
	}
	if !v.GetAttr("json").GetAttr("n").RawEquals(cty.NumberIntVal(3)) || r.Summary != `{"n": 3}` {
		t.Errorf("json %#v, summary %q", v.GetAttr("json"), r.Summary)
	}
}

func TestOutputThatIsNoJSONIsNull(t *testing.T) {
	for _, out := range []string{"", "hello", "{} {}", "\xff"} {
		r, err := act(t, prints(0, out, ""), nil)
		if err != nil || !r.Value.GetAttr("json").IsNull() {
			t.Errorf("%q: %#v, %v", out, r.Value, err)
		}
	}
}

func TestTheExitCodeMustBeAsExpected(t *testing.T) {
	if _, err := act(t, prints(3, "", ""), given{"exit_code": cty.NumberIntVal(3)}); err != nil {
		t.Errorf("3 as expected: %v", err)
	}
	if _, err := act(t, prints(0, "", ""), given{"exit_code": cty.NumberIntVal(3)}); err == nil {
		t.Error("0 instead of 3 passed")
	}
	var lines strings.Builder
	for i := range 30 {
		fmt.Fprintln(&lines, "line", i)
	}
	_, err := act(t, prints(1, lines.String(), "boom\n"), nil)
	var e *step.Error
	if !errors.As(err, &e) || e.Verdict != step.Failed {
		t.Fatalf("got %v, want a failure", err)
	}
	if e.Error() != "do it in node.web: exit code 1, expected 0" {
		t.Errorf("error %q", e)
	}
	if !strings.HasPrefix(e.Detail, "stdout:\nline 10\n") || !strings.HasSuffix(e.Detail, "line 29\nstderr:\nboom") {
		t.Errorf("detail %q", e.Detail)
	}
}

func TestANodeThatIsDownFailsAnAction(t *testing.T) {
	w := prints(0, "", "")
	w.Exit("node.web", 1)
	_, err := act(t, w, nil)
	var e *step.Error
	if !errors.As(err, &e) || e.Verdict != step.Failed || e.Hint == "" {
		t.Errorf("got %v, want a failure with a hint", err)
	}
}

func TestTheNodesOwnFaultStaysOne(t *testing.T) {
	w := on(func(runtime.ExecSpec) (runtime.ExecResult, error) {
		return runtime.ExecResult{}, &runtime.Error{Kind: runtime.NodeFault, Err: errors.New("no such command")}
	})
	if _, err := act(t, w, nil); runtime.KindOf(err) != runtime.NodeFault {
		t.Errorf("got %v", err)
	}
}

func TestAProbesAnswerIsWhatTheCommandSays(t *testing.T) {
	v, err := asked(t, prints(2, "[1]", "e"))
	if err != nil {
		t.Fatal(err)
	}
	if v.GetAttr("ok").True() || !v.GetAttr("exit_code").RawEquals(cty.NumberIntVal(2)) || !v.GetAttr("class").IsNull() || !v.GetAttr("error").IsNull() {
		t.Errorf("got %#v", v)
	}
	if v, err = asked(t, prints(0, "", "")); err != nil || v.GetAttr("ok").False() {
		t.Errorf("exit 0: %#v, %v", v, err)
	}
}

func TestAProbeThatCanNotBeRunIsAnAnswer(t *testing.T) {
	down := prints(0, "", "")
	down.Exit("node.web", 1)
	missing := on(func(runtime.ExecSpec) (runtime.ExecResult, error) {
		return runtime.ExecResult{}, &runtime.Error{Kind: runtime.NodeFault, Err: errors.New("no such command")}
	})
	for want, w := range map[string]*steptest.World{"down": down, "failed": missing} {
		v, err := asked(t, w)
		if err != nil {
			t.Fatalf("%s: %v", want, err)
		}
		if v.GetAttr("ok").True() || v.GetAttr("class").AsString() != want || v.GetAttr("error").IsNull() || !v.GetAttr("exit_code").IsNull() {
			t.Errorf("%s: %#v", want, v)
		}
	}
}

func TestALostPlaceIsNoAnswer(t *testing.T) {
	w := on(func(runtime.ExecSpec) (runtime.ExecResult, error) {
		return runtime.ExecResult{}, &runtime.Error{Kind: runtime.Unreachable, Err: errors.New("the daemon is gone")}
	})
	if _, err := asked(t, w); runtime.KindOf(err) != runtime.Unreachable {
		t.Errorf("got %v", err)
	}
}

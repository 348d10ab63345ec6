package engine

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/lang"
	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/runtime/fake"
	"github.com/scenario-run/scenario/engine/step"
)

func TestSecretsAreHiddenInAllThatIsWritten(t *testing.T) {
	const secret = `s3cr"et-token`
	s := newScene()
	s.secrets = []string{secret}
	s.opts.About.Args = []string{"run", "--var", "token=" + secret}
	s.node("a", map[string]cty.Value{"env": cty.MapVal(map[string]cty.Value{"TOKEN": cty.StringVal(secret)})})
	s.fake.Script = func(runtime.NodeSpec) fake.Script { return fake.Script{Prints: []string{"token is " + secret}} }
	st := s.action("it", func(_ context.Context, env *step.Env) (step.Result, error) {
		env.Progress("sending " + secret)
		return step.Result{Summary: "sent " + secret, Value: cty.ObjectVal(map[string]cty.Value{"out": cty.StringVal(secret)})}, nil
	})
	s.then(st)
	s.then(s.action("bad", fails(step.Failf("refused %s", secret))))
	p := s.play(t, t.TempDir())
	p.expect(t, 1)
	err := filepath.WalkDir(p.dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if strings.Contains(string(b), secret) || strings.Contains(string(b), `s3cr\"et-token`) {
			t.Errorf("%s has the secret:\n%s", path, b)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	if !strings.Contains(p.text(), "sent (sensitive)") {
		t.Errorf("nothing is hidden:\n%s", p.text())
	}
}

func TestWhatIsConfidedWhileRunningIsHiddenFromThenOn(t *testing.T) {
	const computed = "computed: s3cret of 10.90.0.129"
	s := newScene()
	s.node("a", nil)
	st := s.action("it", func(ctx context.Context, env *step.Env) (step.Result, error) {
		s.placed.Print("node.a", "got "+computed)
		env.Progress("sending " + computed)
		return step.Result{}, env.Clock.Sleep(ctx, time.Second)
	})
	st.Body = lang.NewBody(hcl.Range{}, nil, nil, func(scope lang.Scope) (cty.Value, diagnostics) {
		scope.(lang.Confidant).Confide(computed)
		return cty.EmptyObjectVal, nil
	})
	s.then(st)
	p := s.play(t, t.TempDir())
	p.expect(t, 0)
	log, err := os.ReadFile(filepath.Join(p.dir, "s", "default", "nodes", "a.log"))
	if err != nil {
		t.Fatal(err)
	}
	for what, text := range map[string]string{"the log": string(log), "the events": p.text()} {
		if strings.Contains(text, "s3cret") || !strings.Contains(text, "(sensitive)") {
			t.Errorf("%s:\n%s", what, text)
		}
	}
}

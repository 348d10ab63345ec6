package engine

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/diag"
	"github.com/scenario-run/scenario/dsl/lang"
	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/dsl/source"
	"github.com/scenario-run/scenario/engine/event"
	"github.com/scenario-run/scenario/engine/plan"
	"github.com/scenario-run/scenario/engine/step"
)

// scenarioText is a scenario of the words below, planned as a file is: for what the
// language, the plan and the executor must agree on.
type scenarioText struct {
	*scene
	text   string
	breaks *testFault // of all faults
}

// written makes a scene of the text of a scenario's blocks.
func written(text string) *scenarioText {
	s := &scenarioText{scene: newScene(), text: "scenario \"s\" {\n  timeout = \"1h\"\n}\n" + text, breaks: &testFault{}}
	s.opts.Jobs = map[string]Job{"steady": steady(allOK)}
	s.defs = s.words()
	return s
}

// words are what a script can say: note, wait, fail, flaky, stop and mend, the
// fault breaks, the probe clock, and the workload steady.
func (s *scenarioText) words() []step.Definition {
	type forArgs struct {
		For time.Duration `scn:"for,required"`
	}
	type failArgs struct {
		Message string        `scn:"message" default:"no"`
		Pause   time.Duration `scn:"pause"` // before it fails
		Until   int           `scn:"until"` // passes from that attempt on
		Broken  bool          `scn:"broken"`
	}
	type textOut struct {
		Text string `scn:"text"`
	}
	tries := map[string]int{}
	return []step.Definition{
		step.NewAction(schema.Type{Name: "note"}, func(_ context.Context, _ *step.Env, in struct {
			Text string `scn:"text,required"`
		}) (textOut, string, error) {
			return textOut(in), in.Text, nil
		}),
		step.NewAction(schema.Type{Name: "wait"}, func(ctx context.Context, env *step.Env, in forArgs) (step.Nothing, string, error) {
			if err := env.Clock.Sleep(ctx, in.For); err != nil {
				return step.Nothing{}, "", context.Cause(ctx)
			}
			return step.Nothing{}, "", nil
		}),
		step.NewAction(schema.Type{Name: "fail"}, func(ctx context.Context, env *step.Env, in failArgs) (textOut, string, error) {
			if err := env.Clock.Sleep(ctx, in.Pause); err != nil {
				return textOut{}, "", context.Cause(ctx)
			}
			tries[env.Step]++
			switch {
			case in.Until > 0 && tries[env.Step] >= in.Until:
				return textOut{in.Message}, "", nil
			case in.Broken:
				return textOut{}, "", os.ErrInvalid
			}
			return textOut{}, "", step.Failf("%s", in.Message)
		}),
		step.NewAction(schema.Type{Name: "mend"}, func(ctx context.Context, env *step.Env, in struct {
			Faults []string `scn:"faults,required" ref:"faults"`
		}) (step.Nothing, string, error) {
			return step.Nothing{}, "", env.Faults.Heal(ctx, in.Faults...)
		}),
		step.NewAction(schema.Type{Name: "stop"}, func(ctx context.Context, env *step.Env, in struct {
			Workload string `scn:"workload,required" ref:"workload"`
		}) (step.Nothing, string, error) {
			_, err := env.Workloads.Stop(ctx, in.Workload)
			return step.Nothing{}, "", err
		}),
		{Type: schema.Type{Kind: schema.Fault, Name: "breaks"}, Fault: s.breaks},
		{
			Type: schema.Type{Kind: schema.Workload, Name: "steady"},
			Workload: func(cty.Value) (step.Traffic, error) {
				return step.Traffic{Job: "steady", From: "host", Rate: 10, Baseline: 1}, nil
			},
		},
		step.NewProbe(schema.Type{Name: "clock"}, func(_ context.Context, env *step.Env, _ step.Nothing) (struct {
			Second int `scn:"second"`
		}, error) {
			return struct {
				Second int `scn:"second"`
			}{env.Clock.Now().Second()}, nil
		}),
	}
}

// measure is an action that calls f.
func measure(f func()) step.Definition {
	return step.NewAction(schema.Type{Name: "measure"}, func(context.Context, *step.Env, step.Nothing) (step.Nothing, string, error) {
		f()
		return step.Nothing{}, "", nil
	})
}

// plan loads the text and plans it.
func (s *scenarioText) plan(t testing.TB) *plan.Plan {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s.hcl")
	if err := os.WriteFile(path, []byte(s.text), 0o644); err != nil {
		t.Fatal(err)
	}
	set, diags := source.Load(path, source.Options{})
	loaded, more := lang.Load(set, lang.Options{Vocabulary: step.NewRegistry(s.defs).Vocabulary()})
	if diags = append(diags, more...); !diags.HasErrors() {
		v, more := loaded.Expand("")
		if diags = append(diags, more...); !diags.HasErrors() {
			p, more := plan.Build(v)
			if !more.HasErrors() {
				return p
			}
			diags = append(diags, more...)
		}
	}
	var out bytes.Buffer
	if err := diag.Print(&out, set.Sources(), diags, diag.Style{}); err != nil {
		t.Fatal(err)
	}
	t.Fatal(out.String())
	return nil
}

// runs carries a script out, on a clock of its own.
func (s *scenarioText) runs(t testing.TB) played {
	t.Helper()
	s.planned = s.plan(t)
	s.opts.Source = func(string) []byte { return []byte(s.text) }
	return s.play(t, t.TempDir())
}

// states are how the steps given ended.
func (p played) states(ids ...string) map[string]event.State {
	all := map[string]event.State{}
	for _, f := range of[event.StepFinished](p) {
		if slices.Contains(ids, f.Step) || len(ids) == 0 {
			all[f.Step] = f.State
		}
	}
	return all
}

// expectStates checks how each step ended.
func (p played) expectStates(t testing.TB, want map[event.State][]string) {
	t.Helper()
	got := p.states()
	n := 0
	for state, ids := range want {
		for _, id := range ids {
			n++
			if got[id] != state {
				t.Errorf("%s is %q, want %s", id, got[id], state)
			}
		}
	}
	if n != len(got) {
		t.Errorf("%d steps ended, want %d: %v", len(got), n, got)
	}
}

package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/lang"
	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/event"
	"github.com/scenario-run/scenario/engine/plan"
	"github.com/scenario-run/scenario/engine/step"
)

// script is a condition that changes with time: the state that it has from a
// moment on, as T(rue), F(alse), U(nknown) or E(rror).
type script []struct {
	from  time.Duration
	state byte
}

func (s script) at(d time.Duration) (v cty.Value, diags hcl.Diagnostics) {
	state := byte('T')
	for _, p := range s {
		if d >= p.from {
			state = p.state
		}
	}
	switch state {
	case 'T':
		return cty.True, nil
	case 'F':
		return cty.False, nil
	case 'U':
		return cty.UnknownVal(cty.Bool), nil
	default:
		return cty.DynamicVal, hcl.Diagnostics{{Severity: hcl.DiagError, Summary: "Invalid index", Detail: "there is no element 3"}}
	}
}

func TestAssertSemantics(t *testing.T) {
	const s = time.Second
	tests := []struct {
		name    string
		a       lang.Assert
		script  script
		until   time.Duration // end of the step of throughout
		state   event.State
		seconds float64
		says    string
	}{
		{"true at once passes", lang.Assert{}, script{{0, 'T'}}, 0, event.Passed, 0, ""},
		{"false at once fails", lang.Assert{}, script{{0, 'F'}}, 0, event.Failed, 0, "the condition is false"},
		{"unknown at the end is inconclusive", lang.Assert{}, script{{0, 'U'}}, 0, event.Inconclusive, 0, "no value"},
		{"an error at the end is a failure", lang.Assert{}, script{{0, 'E'}}, 0, event.Failed, 0, "there is no element 3"},

		{"within waits until it is true", lang.Assert{Within: 5 * s}, script{{0, 'F'}, {3 * s, 'T'}}, 0, event.Passed, 3, ""},
		{"within passes over what is not yet", lang.Assert{Within: 5 * s}, script{{0, 'E'}, {s, 'U'}, {3 * s, 'T'}}, 0, event.Passed, 3, ""},
		{"within looks once more at its end", lang.Assert{Within: 5 * s, Every: 2 * s}, script{{0, 'F'}, {5 * s, 'T'}}, 0, event.Passed, 5, ""},
		{"within that ends false fails", lang.Assert{Within: 5 * s}, script{{0, 'F'}}, 0, event.Failed, 5, "not true within 5s (s.hcl:3): the condition is false"},
		{"within that ends unknown is inconclusive", lang.Assert{Within: 5 * s}, script{{0, 'F'}, {4 * s, 'U'}}, 0, event.Inconclusive, 5, "no value"},
		{"within that ends in an error fails", lang.Assert{Within: 5 * s}, script{{0, 'U'}, {4 * s, 'E'}}, 0, event.Failed, 5, "can't be evaluated"},

		{"hold passes when it stays true", lang.Assert{Hold: 5 * s}, script{{0, 'T'}}, 0, event.Passed, 5, ""},
		{"hold fails as soon as it is false", lang.Assert{Hold: 5 * s}, script{{0, 'T'}, {3 * s, 'F'}}, 0, event.Failed, 3, "became false after 3s, while it had to hold for 5s"},
		{"hold fails at once when it starts false", lang.Assert{Hold: 5 * s}, script{{0, 'F'}, {s, 'T'}}, 0, event.Failed, 0, "false at the first look"},
		{"not yet does not break a hold", lang.Assert{Hold: 5 * s}, script{{0, 'U'}, {s, 'T'}, {2 * s, 'E'}, {3 * s, 'U'}}, 0, event.Passed, 5, ""},
		{"hold without one true evaluation is inconclusive", lang.Assert{Hold: 5 * s}, script{{0, 'U'}}, 0, event.Inconclusive, 5, "never once true"},
		{"hold sees what is true only at its end", lang.Assert{Hold: 5 * s, Every: 2 * s}, script{{0, 'U'}, {5 * s, 'T'}}, 0, event.Passed, 5, ""},
		{"hold sees what is false only at its end", lang.Assert{Hold: 5 * s, Every: 2 * s}, script{{0, 'T'}, {5 * s, 'F'}}, 0, event.Failed, 5, ""},

		{"hold starts when within is fulfilled", lang.Assert{Within: 5 * s, Hold: 2 * s}, script{{0, 'F'}, {3 * s, 'T'}}, 0, event.Passed, 5, ""},
		{"within does not try a broken hold again", lang.Assert{Within: 9 * s, Hold: 2 * s}, script{{0, 'T'}, {s, 'F'}, {2 * s, 'T'}}, 0, event.Failed, 1, ""},

		{"throughout holds until its step ends", lang.Assert{}, script{{0, 'T'}}, 4 * s, event.Passed, 4, ""},
		{"throughout fails as soon as it is false", lang.Assert{}, script{{0, 'T'}, {2 * s, 'F'}}, 4 * s, event.Failed, 2, "throughout action.bg"},
		{"throughout fails at once when it starts false", lang.Assert{}, script{{0, 'F'}}, 4 * s, event.Failed, 0, "false at the first look"},
		{"throughout without one true evaluation is inconclusive", lang.Assert{}, script{{0, 'U'}}, 4 * s, event.Inconclusive, 4, ""},
		{"throughout with within lets it become true first", lang.Assert{Within: 3 * s}, script{{0, 'F'}, {2 * s, 'T'}}, 4 * s, event.Passed, 4, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			sc := newScene()
			a := tt.a
			a.WithinAt = hcl.Range{Filename: "s.hcl", Start: hcl.Pos{Line: 3}}
			var waits []plan.Edge
			if tt.until > 0 {
				sc.background(sc.action("bg", sleeps(tt.until)))
				a.Throughout = &lang.Ref{Kind: lang.ActionRef, Name: "bg", Address: "action.bg", Need: lang.NeedStarted}
				waits = append(waits, edge("action.bg", lang.NeedStarted))
			}
			var began time.Time
			st := sc.assertion("x", a, func(lang.Scope) (cty.Value, hcl.Diagnostics) {
				if began.IsZero() {
					began = time.Now()
				}
				return tt.script.at(time.Since(began))
			}, nil)
			sc.then(st, waits...)
			p := sc.play(t, t.TempDir())
			got := p.step(t, "assert.x")
			if got.State != tt.state || got.Seconds != tt.seconds {
				t.Errorf("%s after %gs, want %s after %gs; cause %+v", got.State, got.Seconds, tt.state, tt.seconds, got.Cause)
			}
			if tt.says != "" && !strings.Contains(got.Cause.Message+"\n"+got.Cause.Hint, tt.says) {
				t.Errorf("%q does not say %q", got.Cause.Message, tt.says)
			}
		})
	}
}

func TestHistoryMergesEqualNeighbours(t *testing.T) {
	s := newScene()
	var began time.Time
	s.then(s.assertion("x", lang.Assert{Within: 10 * time.Second, Every: time.Second}, func(lang.Scope) (cty.Value, hcl.Diagnostics) {
		if began.IsZero() {
			began = time.Now()
		}
		return script{{0, 'U'}, {2 * time.Second, 'F'}, {5 * time.Second, 'T'}}.at(time.Since(began))
	}, nil))
	p := s.play(t, t.TempDir())
	p.expect(t, 0)
	var got []string
	for _, h := range p.step(t, "assert.x").History {
		got = append(got, fmt.Sprintf("%g %s×%d", h.At, h.Result, h.Count))
	}
	if want := "0 unknown×2, 2 false×3, 5 true×1"; strings.Join(got, ", ") != want {
		t.Errorf("%s, want %s", strings.Join(got, ", "), want)
	}
}

// probe declares a probe; its result has the attribute n.
func (s *scene) probe(name string, ask func(ctx context.Context) (int64, error)) lang.Ref {
	t := schema.Type{Kind: schema.Probe, Name: "ask_" + name, Result: func(cty.Value) schema.Object {
		return schema.Object{Attrs: []schema.Attr{{Name: "n", Type: cty.Number}}}
	}}
	s.defs = append(s.defs, step.Definition{Type: t, Probe: func(ctx context.Context, _ *step.Env, _ cty.Value) (cty.Value, error) {
		n, err := ask(ctx)
		return cty.ObjectVal(map[string]cty.Value{"n": cty.NumberIntVal(n)}), err
	}})
	s.probes = append(s.probes, &lang.Probe{Address: "probe." + name, Name: name, Type: t, Body: emptyBody()})
	return lang.Ref{Kind: lang.ProbeRef, Name: name, Address: "probe." + name}
}

func TestAnEvaluationAsksEachProbeOnceAndAllAtTheSameTime(t *testing.T) {
	s := newScene()
	asked := 0
	slow := func(context.Context) (int64, error) { asked++; time.Sleep(time.Second); return 2, nil }
	a, b := s.probe("a", slow), s.probe("b", func(context.Context) (int64, error) { time.Sleep(time.Second); return 3, nil })
	s.then(s.assertion("x", lang.Assert{}, func(sc lang.Scope) (cty.Value, hcl.Diagnostics) {
		sum := sc.Instance("probe.a").GetAttr("n").Add(sc.Instance("probe.a").GetAttr("n")).Add(sc.Instance("probe.b").GetAttr("n"))
		return sum.Equals(cty.NumberIntVal(7)), nil
	}, []lang.Ref{a, b, a}))
	p := s.play(t, t.TempDir())
	p.expect(t, 0)
	if got := p.step(t, "assert.x").Seconds; asked != 1 || got != 1 {
		t.Errorf("asked %d times in %gs", asked, got)
	}
}

func TestAConditionWithoutAValueIsNoFailureOfWhatWasTested(t *testing.T) {
	s := newScene()
	s.then(s.action("it", nothing))
	s.then(s.assertion("x", lang.Assert{}, func(lang.Scope) (cty.Value, hcl.Diagnostics) {
		return cty.DynamicVal, hcl.Diagnostics{{Severity: hcl.DiagError, Summary: "Invalid index"}}
	}, nil))
	p := s.play(t, t.TempDir())
	p.expect(t, 1)
	p.expectCause(t, "can't be evaluated: Invalid index")
	if !p.Variants[0].Cause.Unevaluated {
		t.Error("it isn't said that an expression has no value")
	}
}

func TestAProbeThatCanNotBeAskedIsNotYetAndFailsAtTheEnd(t *testing.T) {
	s := newScene()
	a := s.probe("a", func(context.Context) (int64, error) { return 0, errors.New("no route") })
	s.then(s.assertion("x", lang.Assert{Within: time.Second}, func(sc lang.Scope) (cty.Value, hcl.Diagnostics) {
		return sc.Instance("probe.a").GetAttr("n").Equals(cty.NumberIntVal(7)), nil
	}, []lang.Ref{a}))
	p := s.play(t, t.TempDir())
	p.expect(t, 1)
	p.expectCause(t, "can't be evaluated", "probe.a: no route")
	if p.Variants[0].Cause.Unevaluated {
		t.Error("the expression is blamed for what could not be asked")
	}
}

func TestAPanicInAProbeDoesNotEndTheEngine(t *testing.T) {
	s := newScene()
	a := s.probe("a", func(context.Context) (int64, error) { panic("ouch") })
	s.then(s.assertion("x", lang.Assert{}, func(sc lang.Scope) (cty.Value, hcl.Diagnostics) {
		return sc.Instance("probe.a").GetAttr("n").Equals(cty.NumberIntVal(7)), nil
	}, []lang.Ref{a}))
	p := s.play(t, t.TempDir())
	p.expect(t, 1)
	p.expectCause(t, "probe.a panicked: ouch")
}

func TestAFailedAssertionShowsItsSourceValuesAndTheMessage(t *testing.T) {
	s := newScene()
	st := s.assertion("x", lang.Assert{}, func(lang.Scope) (cty.Value, hcl.Diagnostics) { return cty.False, nil }, nil)
	st.Assert.ErrorMessage = exprOf(cty.StringVal("two pids, please"))
	s.then(st)
	p := s.play(t, t.TempDir())
	p.expect(t, 1)
	c := p.step(t, "assert.x").Cause
	if c.Message != "two pids, please" || c.Detail != "the condition is false" {
		t.Errorf("%+v", c)
	}
	if c.Excerpt == nil || c.Excerpt.Text != "  condition = something" || c.Excerpt.Place.Line != 2 {
		t.Errorf("%+v", c.Excerpt)
	}
}

func TestAnAssertionCutOffByATimeLimitSaysWhatItSawLast(t *testing.T) {
	s := newScene()
	st := s.assertion("x", lang.Assert{Within: time.Minute}, func(lang.Scope) (cty.Value, hcl.Diagnostics) { return cty.False, nil }, nil)
	st.Meta.Timeout = 5 * time.Second
	s.then(st)
	p := s.play(t, t.TempDir())
	p.expect(t, 1)
	p.expectCause(t, "the step's time limit of 5s", "last seen: false")
}

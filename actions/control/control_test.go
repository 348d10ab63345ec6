package control

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/step"
	"github.com/scenario-run/scenario/engine/step/steptest"
)

func definition(t *testing.T, name string) step.Definition {
	t.Helper()
	for _, d := range Definitions() {
		if d.Name == name {
			return d
		}
	}
	t.Fatalf("no definition %s", name)
	return step.Definition{}
}

func act(t *testing.T, ctx context.Context, w *steptest.World, name string, args map[string]cty.Value) (step.Result, error) {
	t.Helper()
	d := definition(t, name)
	return d.Action(ctx, w.Env(), steptest.Args(t, d, args))
}

func TestSleepTakesItsTime(t *testing.T) {
	w := steptest.New()
	began := w.Clock.Now()
	r, err := act(t, t.Context(), w, "sleep", map[string]cty.Value{"for": cty.StringVal("1m30s")})
	if took := w.Clock.Now().Sub(began); err != nil || took != 90*time.Second || r.Summary != "1m30s" {
		t.Errorf("took %s, %q, %v", took, r.Summary, err)
	}
}

func TestSleepEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := act(t, ctx, steptest.New(), "sleep", map[string]cty.Value{"for": cty.StringVal("1h")})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestNoteKeepsValuesOfAnyType(t *testing.T) {
	values := cty.ObjectVal(map[string]cty.Value{
		"pids": cty.TupleVal([]cty.Value{cty.NumberIntVal(1), cty.StringVal("x")}),
		"none": cty.NullVal(cty.String),
	})
	d := definition(t, "note")
	args := steptest.Args(t, d, map[string]cty.Value{"values": values})
	r, err := d.Action(t.Context(), steptest.New().Env(), args)
	if err != nil || !r.Value.GetAttr("values").RawEquals(values) {
		t.Errorf("got %#v, %v", r.Value, err)
	}
	if declared := d.Result(args).Type(); !r.Value.Type().Equals(declared) {
		t.Errorf("declared %#v, is %#v", declared, r.Value.Type())
	}
}

func TestTheTypeOfANoteIsOpenWhileItsValuesAre(t *testing.T) {
	d := definition(t, "note")
	for _, args := range []cty.Value{
		cty.NilVal, cty.DynamicVal, cty.EmptyObjectVal,
		cty.ObjectVal(map[string]cty.Value{"values": cty.DynamicVal}),
	} {
		if a, _ := d.Result(args).Attr("values"); a.Type != cty.DynamicPseudoType {
			t.Errorf("%#v: %#v", args, a.Type)
		}
	}
	unknown := cty.ObjectVal(map[string]cty.Value{"values": cty.UnknownVal(cty.List(cty.Number))})
	if a, _ := d.Result(unknown).Attr("values"); !a.Type.Equals(cty.List(cty.Number)) {
		t.Errorf("unknown list of numbers: %#v", a.Type)
	}
}

func TestHealHandsFaultsToTheEngine(t *testing.T) {
	w := steptest.New()
	var healed []string
	w.OnHeal = func(s string) error {
		healed = append(healed, s)
		return nil
	}
	faults := []string{"action.cut", "action.slow[1]"}
	r, err := act(t, t.Context(), w, "heal", map[string]cty.Value{"faults": steptest.Strings(faults...)})
	if err != nil || !slices.Equal(healed, faults) || r.Summary != "action.cut, action.slow[1] healed" {
		t.Errorf("healed %v, %q, %v", healed, r.Summary, err)
	}
	w.OnHeal = func(string) error { return errors.New("still there") }
	if _, err := act(t, t.Context(), w, "heal", map[string]cty.Value{"faults": steptest.Strings("action.cut")}); err == nil {
		t.Error("a heal that failed passed")
	}
	if _, err := act(t, t.Context(), w, "heal", map[string]cty.Value{"faults": steptest.Strings()}); err == nil {
		t.Error("healing nothing passed")
	}
}

func TestStopWorkloadYieldsTheStatistics(t *testing.T) {
	w := steptest.New()
	captured := cty.Object(map[string]cty.Type{"pid": cty.List(cty.String)})
	statistics := cty.UnknownVal(schema.Statistics(captured).Type())
	w.Statistics = map[string]cty.Value{"workload.clients": statistics}
	d := definition(t, "stop_workload")
	args := steptest.Args(t, d, map[string]cty.Value{"workload": cty.StringVal("workload.clients")})
	r, err := d.Action(t.Context(), w.Env(), args)
	if err != nil || !r.Value.RawEquals(statistics) {
		t.Errorf("got %#v, %v", r.Value, err)
	}
	if errs := r.Value.Type().TestConformance(d.Result(args).Type()); errs != nil {
		t.Errorf("not of the declared type: %v", errs)
	}
}

// What is computed may come to nothing.
func TestASleepOfNoLengthGoesOnAtOnce(t *testing.T) {
	w := steptest.New()
	began := w.Clock.Now()
	r, err := act(t, t.Context(), w, "sleep", map[string]cty.Value{"for": cty.StringVal("0s")})
	if took := w.Clock.Now().Sub(began); err != nil || took != 0 || r.Summary != "0s" {
		t.Errorf("took %s, %q, %v", took, r.Summary, err)
	}
	a, _ := definition(t, "sleep").Type.Args.Attr("for")
	if err := a.Refuse(cty.StringVal("0s")); err != nil {
		t.Error(err)
	}
	if err := a.Refuse(cty.StringVal("-1s")); err == nil {
		t.Error("a length below nothing was taken")
	}
}

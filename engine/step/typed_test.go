package step_test

import (
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/step"
	"github.com/scenario-run/scenario/engine/step/steptest"
)

type allIn struct {
	Head   step.Node         `scn:"head" only:"ray,role,head" doc:"The head."`
	Nodes  []step.Node       `scn:"nodes,required" doc:"Nodes."`
	Maybe  *step.Node        `scn:"maybe"`
	Faults []string          `scn:"faults" ref:"faults"`
	Signal string            `scn:"signal" default:"SIGKILL" check:"signal"`
	How    string            `scn:"how" enum:"drop,reject"`
	Count  int               `scn:"count" default:"3"`
	Ratio  *float64          `scn:"ratio"`
	On     bool              `scn:"on" default:"true"`
	Wait   time.Duration     `scn:"wait" default:"2s"`
	Limit  *time.Duration    `scn:"limit"`
	Match  *regexp.Regexp    `scn:"match"`
	Env    map[string]string `scn:"env" sensitive:"true"`
	Args   []string          `scn:"args"`
	Any    cty.Value         `scn:"any"`
}

func TestArgumentsOfAStructBecomeASchema(t *testing.T) {
	d := step.NewAction(schema.Type{Name: "all"}, func(context.Context, *step.Env, allIn) (step.Nothing, string, error) {
		return step.Nothing{}, "", nil
	})
	if d.Kind != schema.Action || d.Result != nil {
		t.Errorf("kind %q, with results: %t; want an action without", d.Kind, d.Result != nil)
	}
	want := cty.Object(map[string]cty.Type{
		"head": cty.String, "nodes": cty.List(cty.String), "maybe": cty.String, "faults": cty.List(cty.String),
		"signal": cty.String, "how": cty.String, "count": cty.Number, "ratio": cty.Number, "on": cty.Bool,
		"wait": cty.String, "limit": cty.String, "match": cty.String, "env": cty.Map(cty.String),
		"args": cty.List(cty.String), "any": cty.DynamicPseudoType,
	})
	if got := d.Args.Type(); !got.Equals(want) {
		t.Errorf("type of the arguments:\n%#v\nwant\n%#v", got, want)
	}
	attr := func(name string) schema.Attr {
		a, ok := d.Args.Attr(name)
		if !ok {
			t.Fatalf("no argument %s", name)
		}
		return a
	}
	if a := attr("head"); a.Ref != schema.RefNode || a.OnlyNode != (schema.OnlyNode{Kind: "ray", Arg: "role", Value: "head"}) || a.Doc != "The head." {
		t.Errorf("head: %+v", a)
	}
	if a := attr("nodes"); a.Ref != schema.RefNodes || !a.Required {
		t.Errorf("nodes: %+v", a)
	}
	if a := attr("faults"); a.Ref != schema.RefFaults {
		t.Errorf("faults: %+v", a)
	}
	if a := attr("count"); !a.Default.RawEquals(cty.NumberIntVal(3)) {
		t.Errorf("default of count: %#v", a.Default)
	}
	if a := attr("on"); !a.Default.RawEquals(cty.True) {
		t.Errorf("default of on: %#v", a.Default)
	}
	if a := attr("how"); !slices.Equal(a.Enum, []string{"drop", "reject"}) {
		t.Errorf("how: %+v", a)
	}
	if a := attr("env"); !a.Sensitive {
		t.Error("env is not sensitive")
	}
	for name, bad := range map[string]string{"signal": "KILL", "wait": "soon", "limit": "-1s", "match": "("} {
		if attr(name).Refuse(cty.StringVal(bad)) == nil {
			t.Errorf("%s accepts %q", name, bad)
		}
	}
}

func TestArgumentsArriveInTheStruct(t *testing.T) {
	var got allIn
	d := step.NewAction(schema.Type{Name: "all"}, func(_ context.Context, _ *step.Env, in allIn) (step.Nothing, string, error) {
		got = in
		return step.Nothing{}, "done", nil
	})
	str := cty.StringVal
	args := map[string]cty.Value{
		"head": str("node.head"), "nodes": cty.ListVal([]cty.Value{str("node.a"), str("node.b")}),
		"maybe": cty.NullVal(cty.String), "faults": cty.NullVal(cty.List(cty.String)),
		"signal": str("SIGTERM"), "how": cty.NullVal(cty.String), "count": cty.NumberIntVal(7),
		"ratio": cty.NumberFloatVal(0.5), "on": cty.False, "wait": str("1m30s"), "limit": str("250ms"), "match": str("^a+$"),
		"env": cty.MapVal(map[string]cty.Value{"A": str("1")}), "args": cty.ListValEmpty(cty.String),
		"any": cty.TupleVal([]cty.Value{cty.True, str("x")}),
	}
	r, err := d.Action(t.Context(), steptest.New().Env(), cty.ObjectVal(args))
	if err != nil {
		t.Fatal(err)
	}
	if r.Summary != "done" || !r.Value.RawEquals(cty.EmptyObjectVal) {
		t.Errorf("result %+v", r)
	}
	if got.Head != "node.head" || !slices.Equal(got.Nodes, []step.Node{"node.a", "node.b"}) || got.Maybe != nil || got.Faults != nil {
		t.Errorf("references: %+v", got)
	}
	if got.Signal != "SIGTERM" || got.How != "" || got.Count != 7 || *got.Ratio != 0.5 || got.On {
		t.Errorf("scalars: %+v", got)
	}
	if got.Wait != 90*time.Second || *got.Limit != 250*time.Millisecond || !got.Match.MatchString("aa") {
		t.Errorf("parsed strings: %+v", got)
	}
	if got.Env["A"] != "1" || len(got.Args) != 0 || !got.Any.RawEquals(args["any"]) {
		t.Errorf("collections: %+v", got)
	}
}

type app struct {
	Status  string `scn:"status"`
	Message *int   `scn:"message"`
}

type allOut struct {
	Nodes []step.Node    `scn:"nodes" doc:"What was hit."`
	Apps  map[string]app `scn:"apps"`
	Took  time.Duration  `scn:"took_seconds"`
	At    time.Time      `scn:"at"`
	Never time.Time      `scn:"never"`
	Pids  []int          `scn:"pids"`
	None  *string        `scn:"none"`
	JSON  cty.Value      `scn:"json"`
	Empty cty.Value      `scn:"empty"`
}

func TestAStructOfResultsBecomesAValueOfItsDeclaredType(t *testing.T) {
	d := step.NewProbe(schema.Type{Name: "all"}, func(context.Context, *step.Env, step.Nothing) (allOut, error) {
		return allOut{
			Nodes: []step.Node{"node.a"},
			Apps:  map[string]app{"default": {Status: "RUNNING"}},
			Took:  1500 * time.Millisecond,
			At:    time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC),
			JSON:  cty.ObjectVal(map[string]cty.Value{"x": cty.True}),
		}, nil
	})
	w := steptest.New(steptest.Node{Address: "node.a"})
	got, err := d.Probe(t.Context(), w.Env(), cty.EmptyObjectVal)
	if err != nil {
		t.Fatal(err)
	}
	appType := cty.Object(map[string]cty.Type{"status": cty.String, "message": cty.Number})
	want := cty.ObjectVal(map[string]cty.Value{
		"nodes":        cty.ListVal([]cty.Value{w.Env().Nodes.Value("node.a")}),
		"apps":         cty.MapVal(map[string]cty.Value{"default": cty.ObjectVal(map[string]cty.Value{"status": cty.StringVal("RUNNING"), "message": cty.NullVal(cty.Number)})}),
		"took_seconds": cty.NumberFloatVal(1.5),
		"at":           cty.StringVal("2026-01-02T03:04:05.000006Z"),
		"never":        cty.NullVal(cty.String),
		"pids":         cty.ListValEmpty(cty.Number),
		"none":         cty.NullVal(cty.String),
		"json":         cty.ObjectVal(map[string]cty.Value{"x": cty.True}),
		"empty":        cty.NullVal(cty.DynamicPseudoType),
	})
	if !got.RawEquals(want) {
		t.Errorf("got\n%#v\nwant\n%#v", got, want)
	}
	declared := d.Result(cty.EmptyObjectVal).Type()
	if errs := got.Type().TestConformance(declared); errs != nil {
		t.Errorf("the value is not of the declared type: %v", errs)
	}
	if apps, _ := d.Result(cty.EmptyObjectVal).Attr("apps"); !apps.Type.Equals(cty.Map(appType)) {
		t.Errorf("type of apps: %#v", apps.Type)
	}
}

func TestAHandWrittenResultIsKept(t *testing.T) {
	shape := func(args cty.Value) schema.Object {
		return schema.Object{Attrs: []schema.Attr{{Name: "values", Type: args.GetAttr("values").Type()}}}
	}
	type in struct {
		Values cty.Value `scn:"values,required"`
	}
	d := step.NewAction(schema.Type{Name: "note", Result: shape}, func(_ context.Context, _ *step.Env, in in) (cty.Value, string, error) {
		return cty.ObjectVal(map[string]cty.Value{"values": in.Values}), "", nil
	})
	args := cty.ObjectVal(map[string]cty.Value{"values": cty.TupleVal([]cty.Value{cty.True})})
	r, err := d.Action(t.Context(), steptest.New().Env(), args)
	if err != nil || !r.Value.RawEquals(args) {
		t.Errorf("got %#v, %v", r.Value, err)
	}
	if got, _ := d.Result(args).Attr("values"); !got.Type.Equals(cty.Tuple([]cty.Type{cty.Bool})) {
		t.Errorf("declared type %#v", got.Type)
	}
}

func TestArgumentsThatDoNotFitTogetherFailTheStep(t *testing.T) {
	d := step.NewProbe(schema.Type{Name: "x", Check: func(cty.Value) error { return errors.New("a and b exclude each other") }},
		func(context.Context, *step.Env, step.Nothing) (step.Nothing, error) {
			t.Error("was asked")
			return step.Nothing{}, nil
		})
	_, err := d.Probe(t.Context(), steptest.New().Env(), cty.EmptyObjectVal)
	var e *step.Error
	if !errors.As(err, &e) || e.Verdict != step.Failed || e.Error() != "a and b exclude each other" {
		t.Errorf("got %v", err)
	}
}

// trap is a fault that keeps what its functions were given.
type trap struct{ seen []string }

type trapIntent struct {
	Node step.Node `json:"node"`
	Pid  int       `json:"pid"`
}

type trapIn struct {
	Node step.Node `scn:"node,required"`
}

type trapOut struct {
	Pid int `scn:"pid"`
}

func (f *trap) Intent(_ context.Context, _ *step.Env, in trapIn) (trapIntent, []step.Node, error) {
	return trapIntent{in.Node, 7}, []step.Node{in.Node}, nil
}

func (f *trap) Inject(_ context.Context, _ *step.Env, i trapIntent) error {
	f.seen = append(f.seen, "inject "+string(i.Node))
	return nil
}

func (f *trap) Observe(_ context.Context, _ *step.Env, i trapIntent) (step.Effect[trapOut], error) {
	return step.Effect[trapOut]{Out: trapOut{i.Pid}, Summary: "hit", Hits: []string{"pid 7"}}, nil
}

func (f *trap) Heal(_ context.Context, _ *step.Env, i trapIntent) error {
	f.seen = append(f.seen, "heal "+string(i.Node))
	return nil
}

func (f *trap) Verify(context.Context, *step.Env, trapIntent) error { return errors.New("still there") }

func TestAFaultWorksByItsIntentAlone(t *testing.T) {
	f := &trap{}
	d := step.NewFault[trapIn, trapIntent, trapOut](schema.Type{Name: "trap"}, f)
	if d.Kind != schema.Fault {
		t.Fatalf("kind %q", d.Kind)
	}
	env := steptest.New(steptest.Node{Address: "node.a"}).Env()
	intent, err := d.Fault.Intent(t.Context(), env, cty.ObjectVal(map[string]cty.Value{"node": cty.StringVal("node.a")}))
	if err != nil {
		t.Fatal(err)
	}
	written, err := json.Marshal(intent)
	if err != nil {
		t.Fatal(err)
	}
	var read step.Intent
	if err := json.Unmarshal(written, &read); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(read.Nodes, []string{"node.a"}) {
		t.Errorf("nodes of the intent: %v", read.Nodes)
	}
	if err := errors.Join(d.Fault.Inject(t.Context(), env, read), d.Fault.Heal(t.Context(), env, read)); err != nil {
		t.Error(err)
	}
	if want := []string{"inject node.a", "heal node.a"}; !slices.Equal(f.seen, want) {
		t.Errorf("saw %v, want %v", f.seen, want)
	}
	got, err := d.Fault.Observe(t.Context(), env, read)
	if err != nil || got.Summary != "hit" || !got.Value.RawEquals(cty.ObjectVal(map[string]cty.Value{"pid": cty.NumberIntVal(7)})) {
		t.Errorf("observed %+v, %v", got, err)
	}
	if err := d.Fault.Verify(t.Context(), env, read); err == nil || err.Error() != "still there" {
		t.Errorf("verify: %v", err)
	}
}

func TestAStructThatCanNotBeAnArgumentPanicsAtOnce(t *testing.T) {
	for name, build := range map[string]func(){
		"channel": func() {
			probe[struct {
				C chan int `scn:"c"`
			}]()
		},
		"bad option": func() {
			probe[struct {
				C int `scn:"c,optional"`
			}]()
		},
		"bad check": func() {
			probe[struct {
				C string `scn:"c" check:"nice"`
			}]()
		},
		"bad default": func() {
			probe[struct {
				C int `scn:"c" default:"many"`
			}]()
		},
		"list of any": func() {
			probe[struct {
				C []cty.Value `scn:"c"`
			}]()
		},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("did not panic")
				}
			}()
			build()
		})
	}
}

func probe[In any]() {
	step.NewProbe(schema.Type{Name: "x"}, func(context.Context, *step.Env, In) (step.Nothing, error) { return step.Nothing{}, nil })
}

func TestJSONBecomesAValue(t *testing.T) {
	v, err := step.JSONValue([]byte(`{"a":[1,"x",null]}`))
	if err != nil {
		t.Fatal(err)
	}
	if got := v.GetAttr("a").Index(cty.NumberIntVal(1)); !got.RawEquals(cty.StringVal("x")) {
		t.Errorf("got %#v", got)
	}
	if _, err := step.JSONValue([]byte(`[1e99999999]`)); err == nil {
		t.Error("a number that would fill the memory was taken")
	}
	if _, err := step.JSONValue([]byte(`{`)); err == nil {
		t.Error("half of an object is no JSON")
	}
}

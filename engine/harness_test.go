package engine

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/lang"
	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/event"
	"github.com/scenario-run/scenario/engine/plan"
	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/runtime/fake"
	"github.com/scenario-run/scenario/engine/step"
)

// scene builds a scenario by hand: its plan, and a registry in which every
// step, probe and workload has a type of its own.
type scene struct {
	name     string
	also     []string // names of further scenarios that are the same
	timeout  time.Duration
	cleanup  time.Duration
	nodes    []*lang.Node
	vertices []*plan.Vertex
	probes   []*lang.Probe
	outputs  []*lang.Output
	secrets  []string
	defs     []step.Definition
	last     string // ID of the last step, which the next one waits for
	fake     fake.Options
	placed   *fake.Runtime // while it runs
	opts     Options
	planned  *plan.Plan    // in place of all of the above
	forget   bool          // keep no events
	linger   time.Duration // how long what was left alone may go on after the run
}

func newScene() *scene { return &scene{name: "s", timeout: 10 * time.Minute, cleanup: 2 * time.Minute} }

type action = func(ctx context.Context, env *step.Env) (step.Result, error)

func nothing(context.Context, *step.Env) (step.Result, error) { return step.Result{}, nil }

func says(summary string) action {
	return func(context.Context, *step.Env) (step.Result, error) { return step.Result{Summary: summary}, nil }
}

func fails(err error) action {
	return func(context.Context, *step.Env) (step.Result, error) { return step.Result{}, err }
}

func sleeps(d time.Duration) action {
	return func(ctx context.Context, env *step.Env) (step.Result, error) {
		return step.Result{}, env.Clock.Sleep(ctx, d)
	}
}

func hangs(ctx context.Context, _ *step.Env) (step.Result, error) {
	<-ctx.Done()
	return step.Result{}, context.Cause(ctx)
}

// emptyBody evaluates to an object without attributes.
func emptyBody() *lang.Body { return valueBody(cty.EmptyObjectVal) }

func valueBody(v cty.Value) *lang.Body {
	return lang.NewBody(hcl.Range{}, nil, nil, func(lang.Scope) (cty.Value, hcl.Diagnostics) { return v, nil })
}

func edge(on string, need lang.Need) plan.Edge {
	return plan.Edge{On: on, Need: need, Cause: plan.ByOrder}
}

func (s *scene) add(v *plan.Vertex) *plan.Vertex {
	s.vertices = append(s.vertices, v)
	return v
}

// after adds a step that waits for those of the given IDs only.
func (s *scene) after(st *lang.Step, waits ...plan.Edge) *lang.Step {
	if st.Meta.Attempts == 0 {
		st.Meta.Attempts = 1
	}
	s.add(&plan.Vertex{ID: st.Address, Kind: plan.StepVertex, Step: st, Waits: waits})
	if !st.Meta.Background {
		s.last = st.Address
	}
	return st
}

// then adds a step that waits for the one before it.
func (s *scene) then(st *lang.Step, waits ...plan.Edge) *lang.Step {
	if s.last != "" {
		waits = append([]plan.Edge{edge(s.last, lang.NeedFinished)}, waits...)
	}
	return s.after(st, waits...)
}

// background adds a step that the next one does not wait for.
func (s *scene) background(st *lang.Step) *lang.Step {
	st.Meta.Background = true
	return s.then(st)
}

// action declares an action step and its type.
func (s *scene) action(name string, run action) *lang.Step {
	t := schema.Type{Kind: schema.Action, Name: "do_" + name}
	s.defs = append(s.defs, step.Definition{Type: t, Action: func(ctx context.Context, env *step.Env, _ cty.Value) (step.Result, error) {
		return run(ctx, env)
	}})
	return &lang.Step{Address: "action." + name, Kind: lang.ActionStep, Name: name, Type: t, Body: emptyBody(), Result: schema.StepAttrs.Type()}
}

// fault declares a fault step and its type.
func (s *scene) fault(name string, f step.Fault, args cty.Value, takes ...schema.Resource) *lang.Step {
	t := schema.Type{Kind: schema.Fault, Name: "break_" + name, Takes: takes}
	s.defs = append(s.defs, step.Definition{Type: t, Fault: f})
	return &lang.Step{
		Address: "action." + name, Kind: lang.ActionStep, Name: name, Type: t, Body: valueBody(args),
		Result: schema.StepAttrs.And(schema.FaultAttrs).Type(),
	}
}

// assertion declares an assert step whose condition is what eval says.
func (s *scene) assertion(name string, a lang.Assert, eval func(lang.Scope) (cty.Value, hcl.Diagnostics), refs []lang.Ref, windows ...lang.Window) *lang.Step {
	a.Condition = lang.NewExpr(hcl.Range{Filename: "s.hcl", Start: hcl.Pos{Line: 2, Column: 15}, End: hcl.Pos{Line: 2, Column: 30}}, refs, windows, eval)
	return &lang.Step{Address: "assert." + name, Kind: lang.AssertStep, Name: name, Assert: &a, Result: schema.StepAttrs.Type()}
}

// node adds a node with its provisioning. args are attributes of its block.
func (s *scene) node(name string, args map[string]cty.Value) {
	if len(s.nodes) == 0 {
		s.add(&plan.Vertex{ID: "image.x", Kind: plan.ImageVertex, Pull: "x"})
		s.add(&plan.Vertex{ID: "network.default", Kind: plan.NetworkVertex})
	}
	attrs := map[string]cty.Value{"image": cty.StringVal("x")}
	for k, v := range args {
		attrs[k] = v
	}
	n := &lang.Node{Address: "node." + name, Name: name, Host: name, Body: valueBody(cty.ObjectVal(attrs))}
	s.nodes = append(s.nodes, n)
	s.add(&plan.Vertex{ID: "create." + name, Kind: plan.CreateVertex, Node: n, Waits: []plan.Edge{
		edge("image.x", lang.NeedFinished), edge("network.default", lang.NeedFinished),
	}})
	s.add(&plan.Vertex{ID: "node." + name, Kind: plan.NodeVertex, Node: n, Waits: []plan.Edge{edge("create."+name, lang.NeedFinished)}})
	s.last = "node." + name
}

func (s *scene) inCleanup(st *lang.Step) {
	st.Meta.Attempts = max(1, st.Meta.Attempts)
	v := &plan.Vertex{ID: "cleanup/" + st.Address, Kind: plan.StepVertex, Step: st, Cleanup: true}
	if n := len(s.vertices); n > 0 && s.vertices[n-1].Cleanup {
		v.Waits = []plan.Edge{edge(s.vertices[n-1].ID, lang.NeedFinished)}
	}
	s.add(v)
}

func (s *scene) variant() Variant {
	if s.planned != nil {
		return Variant{Plan: s.planned, JSON: []byte("{}\n"), Repeat: "scenario run s.hcl"}
	}
	return Variant{Plan: &plan.Plan{
		Variant: &lang.Variant{
			Scenario: &lang.Scenario{Name: s.name, Timeout: s.timeout, CleanupTimeout: s.cleanup, File: "s.hcl"},
			Nodes:    s.nodes, Probes: s.probes, Outputs: s.outputs, Secrets: s.secrets,
		},
		Vertices: s.vertices,
	}, JSON: []byte("{}\n"), Repeat: "scenario run s.hcl"}
}

// played is how a scene went.
type played struct {
	Result
	err    error
	events []event.Event
	place  *fake.Runtime
	dir    string
}

// play runs a scene in a bubble of its own, where time is not real. No
// goroutine may outlive it.
func (s *scene) play(t testing.TB, dir string) (p played) {
	s.within(t, func() {
		p = s.run(dir)
		time.Sleep(s.linger)
	})
	return p
}

func (s *scene) within(t testing.TB, f func()) {
	switch t := t.(type) {
	case *testing.T:
		synctest.Test(t, func(*testing.T) { f() })
	default:
		f()
	}
}

func (s *scene) run(dir string) (p played) {
	p.place = fake.New(s.fake)
	s.placed = p.place
	p.dir = dir
	opts := s.opts
	opts.Registry = step.NewRegistry(s.defs)
	opts.Runtime = p.place
	opts.Dir, opts.RunID, opts.Owner = dir, "r1", Owner()
	if opts.Source == nil {
		opts.Source = func(string) []byte { return []byte("assert \"x\" {\n  condition = something\n}\n") }
	}
	var mu sync.Mutex
	opts.Sinks = append(opts.Sinks, event.SinkFunc(func(e event.Event) error {
		mu.Lock()
		defer mu.Unlock()
		if !s.forget {
			p.events = append(p.events, e)
		}
		return nil
	}))
	p.Result, p.err = Run(context.Background(), opts, s.variants()...)
	return p
}

// variants are those of the scene: one, unless also names more of the kind.
func (s *scene) variants() []Variant {
	all := []Variant{s.variant()}
	for _, name := range s.also {
		v := s.variant()
		v.Plan.Variant.Scenario.Name = name
		all = append(all, v)
	}
	return all
}

// of returns the bodies of one type.
func of[B event.Body](p played) (all []B) {
	for _, e := range p.events {
		if b, ok := e.Body.(B); ok {
			all = append(all, b)
		}
	}
	return all
}

func (p played) step(t testing.TB, id string) event.StepFinished {
	t.Helper()
	for _, f := range of[event.StepFinished](p) {
		if f.Step == id {
			return f
		}
	}
	t.Fatalf("%s never finished; events:\n%s", id, p.text())
	return event.StepFinished{}
}

func (p played) variantCause() string {
	if len(p.Variants) == 0 || p.Variants[0].Cause == nil {
		return ""
	}
	return p.Variants[0].Cause.Message
}

// text is the log of the run, for a failing test.
func (p played) text() string {
	b, err := os.ReadFile(filepath.Join(p.dir, "events.ndjson"))
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// expect checks the run's exit code and that nothing was left.
func (p played) expect(t testing.TB, code int) {
	t.Helper()
	if p.ExitCode != code {
		t.Errorf("exit code %d, want %d; cause: %s\n%s", p.ExitCode, code, p.variantCause(), p.text())
	}
	p.expectEmpty(t)
}

func (p played) expectEmpty(t testing.TB) {
	t.Helper()
	if nodes, networks, volumes := p.place.Present(); len(nodes)+len(networks)+len(volumes) > 0 {
		t.Errorf("left behind: %v %v %v", nodes, networks, volumes)
	}
}

func (p played) expectCause(t testing.TB, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(p.variantCause(), part) {
			t.Errorf("cause %q does not say %q", p.variantCause(), part)
		}
	}
}

// order is the events as short words, for comparison.
func (p played) order() (words []string) {
	for _, e := range p.events {
		switch b := e.Body.(type) {
		case event.PhaseStarted:
			words = append(words, "phase "+b.Phase)
		case event.StepStarted:
			words = append(words, fmt.Sprintf("start %s", b.Step))
		case event.StepFinished:
			words = append(words, fmt.Sprintf("%s %s", b.State, b.Step))
		case event.FaultChanged:
			words = append(words, fmt.Sprintf("fault %s %s", b.Step, b.State))
		case event.NodeChanged:
			words = append(words, fmt.Sprintf("%s %s", b.Node, b.State))
		}
	}
	return words
}

func expectOrder(t testing.TB, got []string, want ...string) {
	t.Helper()
	at := -1
	for _, w := range want {
		i := slices.Index(got[at+1:], w)
		if i < 0 {
			t.Errorf("%q is missing, or not where it should be, in:\n%s", w, strings.Join(got, "\n"))
			return
		}
		at += 1 + i
	}
}

type diagnostics = hcl.Diagnostics

func regexpOf(s string) *regexp.Regexp { return regexp.MustCompile(s) }

func exprOf(v cty.Value) *lang.Expr {
	return lang.NewExpr(hcl.Range{}, nil, nil, func(lang.Scope) (cty.Value, hcl.Diagnostics) { return v, nil })
}

func acceptsOn80(runtime.NodeSpec) fake.Script {
	return fake.Script{Serve: map[string]func(net.Conn){"80": func(c net.Conn) { c.Close() }}}
}

package lang

import (
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/diag"
)

// steps makes the instances of steps at a place, in source order.
func (x *expansion) steps(decls []*decl, at *place) []*Step {
	var all []*Step
	for _, d := range decls {
		var any *Step // that stands for those that aren't known
		x.all(d, at, func(i *instance) {
			s := x.step(i)
			if !i.phantom {
				all = append(all, s)
				return
			}
			any = s
		})
		if d.broken || x.instancesOf(d, at).failed {
			all = append(all, unclear(d, at, any))
		}
	}
	return all
}

// unclear is the step of a declaration of which it isn't known what it does.
func unclear(d *decl, at *place, any *Step) *Step {
	s := &Step{Address: at.prefix + d.address(), Kind: StepKind(d.root), Name: d.name, Range: d.rng, Meta: Meta{Attempts: 1}, Unclear: true}
	if any != nil {
		s.Meta.After, s.Refs = any.Meta.After, any.Refs
	}
	return s
}

func (x *expansion) step(i *instance) *Step {
	d := i.decl
	c := x.check(i)
	s := &Step{
		Address: i.address, Declaration: i.set.address(), Kind: StepKind(d.root), Name: d.name, Key: i.key, Type: d.typ, Range: d.rng,
		Result: x.resultType(i), Uses: i.place.usedAt(),
	}
	var rec recorder
	before := len(x.sink.diags)
	s.Meta = x.meta(i, &rec)
	s.Unclear = hcl.Diagnostics(x.sink.diags[before:]).HasErrors()
	switch s.Kind {
	case AssertStep:
		s.Assert = x.assert(i, &rec)
	case RepeatStep:
		x.repeat(i, s, &rec)
	default:
		s.Body = x.bodyOf(i, d.args, &c.rec)
		s.Of = d.args.types()
		rec.merge(&c.rec)
	}
	switch {
	case s.Assert != nil:
		x.outlives(i, s, cty.ObjectVal(map[string]cty.Value{"hold": cty.StringVal(s.Assert.Hold.String())}))
	case s.Body != nil && c.args.Type().IsObjectType():
		x.outlives(i, s, c.args)
	}
	if d.def != nil {
		x.expandUse(i, s, c)
	}
	if s.Meta.When != nil {
		rec.merge(&recorder{refs: s.Meta.When.refs, windows: s.Meta.When.windows})
	}
	s.Refs = inSourceOrder(rec.refs)
	return s
}

// merge takes over references as they are.
func (r *recorder) merge(other *recorder) {
	for _, x := range other.refs {
		r.ref(x)
	}
	for _, w := range other.windows {
		r.window(w)
	}
}

func inSourceOrder(refs []Ref) []Ref {
	slices.SortStableFunc(refs, func(a, b Ref) int {
		if a.Range.Filename != b.Range.Filename {
			return strings.Compare(a.Range.Filename, b.Range.Filename)
		}
		return a.Range.Start.Byte - b.Range.Start.Byte
	})
	return refs
}

// meta evaluates a step's meta-arguments.
func (x *expansion) meta(i *instance, rec *recorder) Meta {
	b := i.decl.meta
	m := Meta{Attempts: 1}
	if len(b.attrs) == 0 && len(b.blocks) == 0 {
		return m
	}
	f := x.of(i, rec)
	early := &body{file: b.file, rng: b.rng, blocks: b.blocks, attrs: map[string]*hclsyntax.Attribute{}}
	early.schema.Blocks = b.schema.Blocks
	for _, a := range b.schema.Attrs {
		switch a.Name {
		case "after", "when", "count", "for_each":
			continue
		}
		early.schema.Attrs = append(early.schema.Attrs, a)
		if attr := b.attrs[a.Name]; attr != nil {
			early.attrs[a.Name] = attr
		}
	}
	args := x.earlyOf(f, early)
	m.Description, m.Tags = text(args, "description"), texts(args, "tags")
	m.Background = truth(args, "background")
	if args.Type().HasAttribute("on_failure") {
		m.Continue = text(args, "on_failure") == "continue"
	}
	if args.Type().HasAttribute("timeout") {
		m.Timeout = duration(args, "timeout")
		if a := b.attrs["timeout"]; a != nil {
			m.TimeoutAt = a.Expr.Range()
		}
	}
	if args.Type().HasAttribute("retry") {
		attempts(&m, args)
	}
	if a := b.attrs["after"]; a != nil {
		refs, diags := f.writtenList(afterArg, a.Expr)
		x.sink.add(diags...)
		m.After = []Ref{}
		for _, r := range refs {
			m.After = append(m.After, r.ref)
			rec.ref(r.ref)
		}
	}
	m.When = x.exprOf(f, b, "when")
	return m
}

func attempts(m *Meta, args cty.Value) {
	if r := args.GetAttr("retry"); !r.IsNull() {
		m.Attempts = wholeOf(r.GetAttr("attempts"), 1)
		m.Backoff = duration(r, "backoff")
	}
	if e := args.GetAttr("expect_error"); !e.IsNull() {
		if re, err := regexp.Compile(text(e, "match")); err == nil { // else it has been reported
			m.ExpectError = re
		}
	}
}

func wholeOf(v cty.Value, otherwise int) int {
	if v.IsNull() || !v.IsKnown() {
		return otherwise
	}
	n, _ := v.AsBigFloat().Int64()
	return int(n)
}

// earlyOf evaluates arguments that must be known before anything runs.
func (x *expansion) earlyOf(f frame, b *body) cty.Value {
	before := len(x.sink.diags)
	f.rec = nil
	v, _ := f.arguments(b)
	if !hcl.Diagnostics(x.sink.diags[before:]).HasErrors() && !f.dead {
		x.allKnown(f, b, v)
	}
	return v
}

var assertTimes = []string{"within", "every", "hold"}

func (x *expansion) assert(i *instance, rec *recorder) *Assert {
	b := i.decl.args
	f := x.of(i, rec).mayBeDead(isFalse(x.whenOf(i)))
	a := &Assert{Condition: x.exprOf(f, b, "condition"), ErrorMessage: x.exprOf(f, b, "error_message")}
	if c := b.attrs["condition"]; c != nil {
		x.sameWhatever(i, f, c.Expr)
	}
	times := &body{file: b.file, rng: b.rng, attrs: map[string]*hclsyntax.Attribute{}}
	for _, name := range assertTimes {
		attr, _ := b.schema.Attr(name)
		times.schema.Attrs = append(times.schema.Attrs, attr)
		if given := b.attrs[name]; given != nil {
			times.attrs[name] = given
		}
	}
	args := x.earlyOf(f, times)
	a.Within, a.Every, a.Hold = duration(args, "within"), duration(args, "every"), duration(args, "hold")
	if w := b.attrs["within"]; w != nil {
		a.WithinAt = w.Expr.Range()
	}
	x.tooSeldom(b, a)
	for _, e := range []*Expr{a.Condition, a.ErrorMessage} {
		if e != nil {
			rec.merge(&recorder{refs: e.refs, windows: e.windows})
		}
	}
	if t := b.attrs["throughout"]; t != nil {
		a.Throughout = x.throughout(f, i, t)
	}
	return a
}

// outlasts says that what a step does goes on when the step is done: a workload's
// traffic, and a fault without for.
func (d *decl) outlasts() bool {
	return d.root == rootWorkload || d.isFault() && d.args.attrs["for"] == nil
}

func (x *expansion) throughout(f frame, i *instance, t *hclsyntax.Attribute) *Ref {
	inst, d := f.written(t.Expr, "a step", "Write it as throughout = action.NAME.")
	if d != nil {
		x.sink.add(d)
		return nil
	}
	if inst == nil {
		return nil
	}
	lasting := inst.decl.outlasts() || inst.decl.meta.attrs["background"] != nil
	// One that stands below, or is this one, is the plan's to report.
	if !lasting && i.decl.meta.attrs["after"] == nil && inst.decl.standsAbove(i.decl) {
		x.sink.add(diag.New(diag.Contradiction, t.Expr.Range(), inst.address+" is over before this starts",
			"Set background = true there, or say in after what this waits for.", diag.Also(inst.decl.rng, "declared here")))
	}
	r := Ref{Kind: RefKind(inst.decl.root), Name: inst.decl.name, Address: inst.address, Need: activeOrStarted(NeedActive, inst.decl), Range: t.Expr.Range()}
	f.rec.ref(r)
	return &r
}

// repeat makes the steps of every round: each is a place of its own, so that
// names inside mean the steps of the same round. Of a repeat by time it makes
// the first two.
func (x *expansion) repeat(i *instance, s *Step, rec *recorder) {
	d := i.decl
	inner := func(round cty.Value, prefix string) []*Step {
		return x.steps(d.steps, x.inside(i, prefix, round))
	}
	attr := d.args.attrs["times"]
	n, ok := 0, false
	if attr != nil {
		arg, _ := repeatArgs.Attr("times")
		arg.Check = nil
		n, ok = x.wholeNumber(x.of(i, &i.set.rec), attr.Expr, arg, maxRounds, "rounds")
	}
	if s.For = x.lasting(i); s.For > 0 {
		n, ok = 2, true
		s.round = func(n int) (Round, hcl.Diagnostics) { return x.laterRound(i, n) }
	}
	if n == 0 || !ok || i.phantom {
		inner(cty.UnknownVal(cty.Number), i.address+"[?]/") // checked all the same
		s.Unclear = s.Unclear || !ok
		return
	}
	round := func(r int) {
		s.Rounds = append(s.Rounds, inner(cty.NumberIntVal(int64(r)), roundPrefix(i, r)))
	}
	if s.For > 0 {
		round(0)
	} else {
		x.firstOf(i, n, attr.Expr.Range(), func() { round(0) }, rootRepeat)
	}
	for r := 1; r < n && !x.spent.crowded; r++ {
		round(r)
	}
	s.Steps = s.Rounds[0]
	if s.For == 0 {
		s.Times = n
	}
}

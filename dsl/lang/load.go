package lang

import (
	"fmt"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/diag"
	"github.com/scenario-run/scenario/dsl/source"
)

// loaded is what Expand needs of a scenario.
type loaded struct {
	p        *program
	vars     map[string]cty.Value
	variants map[string]map[string]cty.Value // matrix values by key
	// only is the expansion of a scenario without a matrix, which Load has made
	// in order to check it.
	only *Variant
	// kept are variants that Load has made in order to check them, until they are
	// asked for.
	kept map[string]*Variant
	// wrong says that Load has reported errors.
	wrong bool
}

// Load decodes, binds and checks a scenario: all its files, and all its
// variants. It is there in spite of errors, as far as it is clear what is
// meant, so that the rest can be checked too; the diagnostics are in the order
// of the files.
func Load(set *source.Set, opts Options) (*Scenario, hcl.Diagnostics) {
	p, diags := decode(set, opts)
	return p.load(diags)
}

// load checks what has been decoded.
func (p *program) load(diags hcl.Diagnostics) (*Scenario, hcl.Diagnostics) {
	s := &sink{diags: diags}
	scenario, l := prepare(p, s)
	checkVariants(scenario, l, s)
	diags = diag.Sort(s.diags, fileNames(p.set)...)
	l.wrong = diags.HasErrors()
	return scenario, diags
}

// Expand makes every instance of one variant. Load has checked them all, so
// that there is nothing left to report, but for a key that isn't one. After
// errors the variant has what is clear, and what isn't as steps that are
// Unclear.
func (s *Scenario) Expand(key string) (*Variant, hcl.Diagnostics) {
	l := s.loaded
	if _, ok := l.variants[key]; !ok {
		return nil, hcl.Diagnostics{diag.New(diag.UnknownName, s.Range, fmt.Sprintf("no variant %q", key), list("There are", s.VariantKeys), diag.DidYouMean(key, s.VariantKeys))}
	}
	if l.only != nil {
		return l.only, nil
	}
	if v := l.kept[key]; v != nil {
		delete(l.kept, key)
		return v, nil
	}
	problems := &sink{}
	v := expand(s, l, key, problems, nil, newEffort(l.p.mostEffort, nil))
	diags := diag.Sort(problems.diags, fileNames(l.p.set)...)
	switch {
	case l.wrong:
		return v, nil // Load has said so
	case diags.HasErrors():
		return nil, diags
	}
	return v, diags
}

func fileNames(set *source.Set) []string {
	var names []string
	for _, f := range set.Files {
		names = append(names, f.Name)
	}
	return names
}

// prepare works out what all variants share: variables, the scenario block and
// the matrix.
func prepare(p *program, s *sink) (*Scenario, *loaded) {
	p.funcs = newFunctions(p.set, p.opts.Seed)
	scenario := &Scenario{File: p.set.Root.Name, Timeout: 10 * time.Minute, CleanupTimeout: 2 * time.Minute, Seed: p.opts.Seed}
	l := &loaded{p: p, vars: map[string]cty.Value{}, kept: map[string]*Variant{}}
	scenario.loaded = l
	x := newExpansion(p, l.vars, nil, s, p.effort)
	scenario.Variables = x.variables()
	x.scenarioBlock(scenario)
	if scenario.Seed == nil {
		scenario.Seed = p.opts.DrawnSeed
	}
	seed := scenario.Seed
	if seed == nil {
		seed = p.opts.DrawnSeed
	}
	p.funcs = newFunctions(p.set, seed)
	scenario.VariantKeys, l.variants = x.variants()
	return scenario, l
}

// scenarioBlock reads what the scenario block says.
func (x *expansion) scenarioBlock(s *Scenario) {
	d := x.p.scenario
	if d == nil || d.args == nil {
		return
	}
	s.Name, s.Range = d.name, d.rng
	args := x.early(d, d.args)
	s.Description = text(args, "description")
	s.Tags = texts(args, "tags")
	s.Timeout = duration(args, "timeout")
	s.CleanupTimeout = duration(args, "cleanup_timeout")
	if seed := args.GetAttr("seed"); s.Seed == nil && seed.IsKnown() && !seed.IsNull() {
		n, _ := seed.AsBigFloat().Int64()
		s.Seed = &n
	}
}

// early evaluates a block's arguments, all of which must be known before
// anything runs.
func (x *expansion) early(d *decl, b *body) cty.Value {
	f := x.checker(d.file, x.top, nil)
	before := len(x.sink.diags)
	var rec recorder
	f.rec = &rec
	v, _ := f.arguments(b)
	if !hcl.Diagnostics(x.sink.diags[before:]).HasErrors() {
		x.allKnown(f, b, v)
	}
	return v
}

// allKnown reports arguments that are known later only.
func (x *expansion) allKnown(f frame, b *body, v cty.Value) {
	for _, a := range b.schema.Attrs {
		attr := b.attrs[a.Name]
		if attr == nil || v.GetAttr(a.Name).IsWhollyKnown() {
			continue
		}
		var rec recorder
		quiet, _ := f.silently()
		quiet.rec = &rec
		if quiet.value(attr.Expr); rec.empty() || openIn(rec.refs) {
			continue // it comes from what has been reported, or is known where a define is used
		}
		x.sink.add(tooLate(a.Name, attr.Expr, rec.refs))
	}
	for _, n := range b.schema.Blocks {
		for i, nested := range b.blocks[n.Name] {
			inner := v.GetAttr(n.Name)
			if n.Repeated {
				inner = inner.Index(cty.NumberIntVal(int64(i)))
			}
			x.allKnown(f, nested, inner)
		}
	}
}

// text, texts, truth and duration read arguments that have been checked; what
// is null or couldn't be evaluated is zero.
func text(args cty.Value, name string) string {
	v := args.GetAttr(name)
	if v.IsNull() || !v.IsKnown() {
		return ""
	}
	return v.AsString()
}

func texts(args cty.Value, name string) []string {
	v := args.GetAttr(name)
	if v.IsNull() || !v.IsWhollyKnown() {
		return nil
	}
	var all []string
	for _, el := range v.AsValueSlice() {
		if !el.IsNull() {
			all = append(all, el.AsString())
		}
	}
	return all
}

func truth(args cty.Value, name string) bool {
	v := args.GetAttr(name)
	return !v.IsNull() && v.IsKnown() && v.True()
}

func duration(args cty.Value, name string) time.Duration {
	d, err := time.ParseDuration(text(args, name))
	if err != nil {
		return 0 // reported, or left out
	}
	return d
}

package lang

import (
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/diag"
	"github.com/scenario-run/scenario/dsl/schema"
)

// expand checks a variant and makes its instances. With part it makes only
// those of the declarations that it says, in order to check them.
func expand(s *Scenario, l *loaded, key string, problems *sink, part func(*decl) bool, t *effort) *Variant {
	x := newExpansion(l.p, l.vars, l.variants[key], problems, t)
	if x.p.scenario != nil { // one that is lacking has no limit to keep
		x.limit = s.Timeout
	}
	for _, v := range s.Variables {
		if v.Sensitive {
			x.secret(v.Value)
		}
	}
	v := &Variant{Scenario: s, Key: key, Gaps: l.p.gaps, x: x}
	for _, d := range chosen(l.p.images, part) {
		v.Images = append(v.Images, x.image(d))
	}
	x.subnets(chosen(l.p.networks, part))
	for _, d := range chosen(l.p.networks, part) {
		args := x.early(d, d.args)
		n := &Network{Name: d.name, Subnet: text(args, "subnet"), Internal: truth(args, "internal"), Driver: text(args, "driver"), Range: d.rng}
		if a := d.args.attrs["subnet"]; a != nil {
			n.SubnetAt = a.Expr.Range()
		}
		v.Networks = append(v.Networks, n)
	}
	for _, d := range chosen(l.p.volumes, part) {
		args := x.early(d, d.args)
		size, _ := schema.ParseSize(text(args, "size")) // checked; 0 when left out
		v.Volumes = append(v.Volumes, &Volume{Name: d.name, Size: size, Range: d.rng})
	}
	v.Nodes = x.nodes(chosen(l.p.nodes, part))
	x.checkDefines(part)
	v.Probes = x.probes(chosen(l.p.probes, part), x.top)
	v.Steps = x.steps(chosen(l.p.steps, part), x.top)
	if c := l.p.cleanup; c != nil && len(chosen([]*decl{c}, part)) > 0 {
		v.Cleanup = x.steps(c.steps, newPlace(x.top, c.inner, "cleanup/", cty.NilVal))
	}
	v.Probes = append(v.Probes, x.innerProbes...)
	v.Outputs = x.outputs(chosen(l.p.outputs, part))
	x.unusedLocals(chosen(l.p.locals, part))
	// From here on nothing is worked out any more: evaluations may run side by
	// side.
	for _, i := range x.byAddress {
		x.planned(i)
	}
	if s.Types == nil {
		s.Types = x.definedTypes()
	}
	v.Secrets = x.secretTexts()
	problems.diags = x.inTheEnd(problems.diags)
	return v
}

// secretTexts are the texts that must not be shown, the longest first, so that
// one that contains another is replaced whole.
func (x *expansion) secretTexts() (all []string) {
	for text := range x.secrets {
		all = append(all, text)
	}
	slices.SortFunc(all, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	return all
}

func (x *expansion) image(d *decl) *Image {
	args := x.early(d, d.args)
	img := &Image{Name: d.name, Pull: text(args, "pull"), Range: d.rng}
	build := args.GetAttr("build")
	if build.IsNull() {
		return img
	}
	img.Build = &Build{Context: text(build, "context"), Dockerfile: text(build, "dockerfile"), Target: text(build, "target")}
	if m := build.GetAttr("args"); !m.IsNull() && m.IsWhollyKnown() {
		img.Build.Args = map[string]string{}
		for k, v := range m.AsValueMap() {
			if !v.IsNull() {
				img.Build.Args[k] = v.AsString()
			}
		}
	}
	x.contextOf(d, img.Build)
	return img
}

// contextOf makes the path of a build's context one that can be opened.
func (x *expansion) contextOf(d *decl, b *Build) {
	attr := d.args.blocks["build"][0].attrs["context"]
	if attr == nil || b.Context == "" {
		return
	}
	path, err := x.p.set.Resolve(d.file, b.Context)
	if err != nil {
		x.sink.add(diag.New(diag.Outside, attr.Expr.Range(), err.Error(), ""))
		return
	}
	if why := notDirectory(path); why != "" {
		x.sink.add(diag.New(diag.NoFile, attr.Expr.Range(), "the build context "+b.Context+" "+why, "The path is relative to the file that says it."))
		return
	}
	b.Context = path
	if why := notFile(path, b.Dockerfile); why != "" {
		at := attr.Expr.Range()
		if a := d.args.blocks["build"][0].attrs["dockerfile"]; a != nil {
			at = a.Expr.Range()
		}
		x.sink.add(diag.New(diag.NoFile, at, "the build context has no "+b.Dockerfile, why))
	}
}

// all calls do for each instance of a declaration, or for one that stands for
// them if there are none or if their number isn't known, so that the block is
// checked in any case.
func (x *expansion) all(d *decl, at *place, do func(*instance)) {
	if d.broken && d.args == nil {
		return // there is nothing to check
	}
	set := x.instancesOf(d, at)
	if len(set.list) == 0 || set.failed {
		do(x.phantom(set))
		return
	}
	attr, _ := d.multiple()
	for n, i := range set.list {
		one := func() { x.whose(i, func() { do(i) }) }
		switch {
		case n == 0 && attr != nil:
			before := x.effort.least()
			x.firstOf(i, len(set.list), attr.Expr.Range(), one, rootEach, rootCount)
			x.foresee(set, before-x.effort.least())
		case n == 0 || !x.spent.crowded:
			one()
		}
	}
}

func (x *expansion) probes(decls []*decl, at *place) []*Probe {
	var all []*Probe
	for _, d := range decls {
		x.all(d, at, func(i *instance) {
			c := x.check(i)
			p := &Probe{Address: i.address, Declaration: i.set.address(), Name: d.name, Key: i.key, Type: d.typ, Range: d.rng,
				Uses: i.place.usedAt(), Body: x.bodyOf(i, d.args, &c.rec)}
			if d.def != nil {
				x.expandProbe(i, p, c)
			}
			if !i.phantom {
				all = append(all, p)
			}
		})
	}
	return all
}

// bodyOf makes a body of arguments that have been checked.
func (x *expansion) bodyOf(i *instance, b *body, rec *recorder) *Body {
	var u *use
	if i.decl.def != nil {
		u = x.check(i).use
	}
	some := func(names []string) func(Scope) (cty.Value, hcl.Diagnostics) {
		return evaluator(func(s Scope) (cty.Value, hcl.Diagnostics) {
			return x.runner(i.decl.file, i.place, i, s).argumentsNamed(b, names)
		})
	}
	return &Body{refs: rec.refs, windows: rec.windows, rng: b.rng, some: some, eval: evaluator(func(s Scope) (cty.Value, hcl.Diagnostics) {
		f := x.runner(i.decl.file, i.place, i, s)
		v, diags := f.arguments(b)
		if u != nil && !diags.HasErrors() {
			diags = f.validateUse(u, v)
		}
		return v, diags
	})}
}

// exprOf checks one argument of a block and makes an expression of it.
func (x *expansion) exprOf(f frame, b *body, name string) *Expr {
	a, ok := b.schema.Attr(name)
	attr := b.attrs[name]
	if !ok || attr == nil {
		return nil
	}
	var rec recorder
	f.rec = &rec
	_, diags := f.oneArgument(b, a)
	x.sink.add(diags...)
	run := func(s Scope) frame { return x.runner(f.file, f.place, f.inst, s) }
	return &Expr{
		refs: rec.refs, windows: rec.windows, rng: attr.Expr.Range(),
		eval: evaluator(func(s Scope) (cty.Value, hcl.Diagnostics) { return run(s).oneArgument(b, a) }),
		explain: func(s Scope) []Part {
			return run(s).explain(attr.Expr, f.file.Src)
		},
	}
}

func (x *expansion) outputs(decls []*decl) []*Output {
	var all []*Output
	for _, d := range decls {
		if d.args == nil {
			continue
		}
		f := x.checker(d.file, x.top, nil)
		b := d.args
		o := &Output{Name: d.name, Range: d.rng}
		rest := &body{file: b.file, rng: b.rng, attrs: map[string]*hclsyntax.Attribute{}}
		for _, name := range []string{"description", "sensitive"} {
			attr, _ := b.schema.Attr(name)
			rest.schema.Attrs = append(rest.schema.Attrs, attr)
			if given := b.attrs[name]; given != nil {
				rest.attrs[name] = given
			}
		}
		args := x.earlyOf(f, rest)
		o.Description, o.Sensitive = text(args, "description"), truth(args, "sensitive")
		if o.Value = x.exprOf(f, b, "value"); o.Value != nil {
			all = append(all, o)
		}
	}
	return all
}

// unusedLocals checks locals that nothing uses; those that others use come
// last, since the use says whether they are evaluated at all.
func (x *expansion) unusedLocals(decls []*decl) {
	used := map[string]bool{}
	for _, d := range x.p.locals {
		for _, t := range d.expr.Variables() {
			if a, ok := second(t); ok && t.RootName() == rootLocal {
				used[a] = true
			}
		}
	}
	last := slices.Clone(decls)
	slices.SortStableFunc(last, func(a, b *decl) int {
		switch {
		case used[a.name] == used[b.name]:
			return 0
		case used[b.name]:
			return -1
		}
		return 1
	})
	for _, d := range last {
		if x.locals[localKey{d, x.top, false}] == nil && x.locals[localKey{d, x.top, true}] == nil {
			x.local(d, x.top, false, d.rng)
		}
	}
}

// second is the name after the root of a reference.
func second(t hcl.Traversal) (string, bool) {
	if len(t) < 2 {
		return "", false
	}
	a, ok := t[1].(hcl.TraverseAttr)
	return a.Name, ok
}

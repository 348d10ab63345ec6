package lang

import (
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/diag"
	"github.com/scenario-run/scenario/dsl/schema"
)

// use is the inside of an instance whose type is defined in a file. One that
// stands for all uses, to check a define by itself, is open: it has params of
// the types that the define says, with no values.
type use struct {
	def    *define
	inst   *instance // nil if open
	place  *place
	params map[string]*given
}

// given is what a use gives for a param.
type given struct {
	param  *param
	value  cty.Value // as expressions see it while checking
	rec    recorder  // what it leans on
	hidden bool      // it has a sensitive part
	open   bool      // it hangs on a param of a define that is checked by itself
	stands *instance // of an open use: for what is referred to
}

// useOf returns the use that a place is inside of, or nil.
func (p *place) useOf() *use {
	for ; p != nil; p = p.parent {
		if p.use != nil {
			return p.use
		}
	}
	return nil
}

// address is where its params are found in a Scope.
func (u *use) address() string { return u.inst.address + "/" + rootParam }

// newUse makes the inside of an instance, with what it gives for the params.
func (x *expansion) newUse(i *instance, params map[string]*given) *use {
	def := i.decl.def
	u := &use{def: def, inst: i, params: params}
	u.place = newPlace(nil, def.inner, i.address+"/", cty.NilVal)
	u.place.use, u.place.dead = u, i.place.dead
	return u
}

// openUse is the use of a define that stands for all.
func (x *expansion) openUse(d *define) *use {
	u := &use{def: d, params: map[string]*given{}}
	u.place = newPlace(nil, d.inner, "define."+d.name+"/", cty.NilVal)
	u.place.use = u
	for name, p := range d.params {
		g := &given{param: p, open: true, value: cty.UnknownVal(seenType(p.attr))}
		if p.attr.Ref == schema.RefWorkload || p.attr.Ref == schema.RefStep || p.attr.Ref == schema.RefFault {
			g.stands = x.standIn(p)
			g.value = x.planned(g.stands)
		}
		u.params[name] = g
	}
	return u
}

// standIn is an instance that stands for what any use may refer to.
func (x *expansion) standIn(p *param) *instance {
	d := &decl{root: rootAction, name: p.attr.Name, rng: p.rng, named: p.rng}
	switch p.attr.Ref {
	case schema.RefWorkload:
		d.root = rootWorkload
	case schema.RefFault:
		d.typ.Kind = schema.Fault
	}
	set := &instances{decl: d, place: x.top}
	i := &instance{set: set, decl: d, place: x.top, phantom: true}
	set.list = []*instance{i}
	args := cty.ObjectVal(map[string]cty.Value{"capture": cty.UnknownVal(cty.Map(cty.String))})
	i.checked = &checked{args: args}
	i.checked.own = x.ownResults(i, i.checked)
	return i
}

// giveParams evaluates what a use gives for the params of its define. It
// returns the arguments as the engine has them.
func (x *expansion) giveParams(f frame, i *instance) (map[string]*given, cty.Value) {
	b := i.decl.args
	params := map[string]*given{}
	args := map[string]cty.Value{}
	for _, a := range b.schema.Attrs {
		g := &given{param: i.decl.def.params[a.Name]}
		one := f
		one.rec = &g.rec
		v, diags := one.oneArgument(b, a)
		f.sink.add(diags...)
		f.rec.merge(&g.rec)
		args[a.Name] = v
		g.value = x.seen(a, v)
		g.open = openIn(g.rec.refs)
		if attr := b.attrs[a.Name]; attr != nil {
			quiet, _ := f.silently()
			quiet.rec = nil
			if written, _ := quiet.value(attr.Expr); a.ValueType() == a.Type && written.HasMarkDeep(sensitive) {
				g.hidden, g.value = true, g.value.Mark(sensitive)
			}
		}
		params[a.Name] = g
	}
	return params, cty.ObjectVal(args)
}

// seen is a value of a param as expressions see it while checking: nodes in
// place of their addresses.
func (x *expansion) seen(a schema.Attr, v cty.Value) cty.Value {
	unknown := cty.UnknownVal(seenType(a))
	switch {
	case a.Ref != schema.RefNode && a.Ref != schema.RefNodes:
		return v
	case v.IsNull():
		return cty.NullVal(seenType(a))
	case !v.IsWhollyKnown():
		return unknown
	}
	nodes := []cty.Value{}
	for _, address := range addressesIn(v) {
		i := x.instance(address)
		if i == nil {
			return unknown
		}
		nodes = append(nodes, x.planned(i))
	}
	switch {
	case a.Ref == schema.RefNode && len(nodes) == 1:
		return nodes[0]
	case a.Ref == schema.RefNode:
		return unknown
	case len(nodes) == 0:
		return cty.ListValEmpty(schema.NodeType)
	}
	return cty.ListVal(nodes)
}

func addressesIn(v cty.Value) []string {
	if v.Type() == cty.String {
		return []string{v.AsString()}
	}
	var all []string
	for _, el := range v.AsValueSlice() {
		all = append(all, el.AsString())
	}
	return all
}

// problemKey is how the same problem is known again.
type problemKey struct {
	rng     hcl.Range
	summary string
}

func keyOf(d *hcl.Diagnostic) problemKey { return problemKey{*d.Subject, d.Summary} }

// alone checks a define by itself, whether it is used or not, and returns what
// is wrong with it.
func (x *expansion) alone(d *define) *sink {
	if s := x.defines[d]; s != nil {
		return s
	}
	s := &sink{}
	x.defines[d] = s
	if d.broken {
		return s
	}
	outer, stack, spent, times := x.sink, x.stack, x.spent, x.alones.times
	x.sink, x.stack, x.spent = s, nil, x.alones
	x.alones.times = 1
	defer func() { x.sink, x.stack, x.spent, x.alones.times = outer, stack, spent, times }()
	u := x.openUse(d)
	x.validateAlone(u)
	x.contents(u)
	x.resultTypes[d] = objectOf(d.result, x.results(u, &recorder{}))
	for _, l := range d.locals {
		x.local(l, u.place, false, l.rng)
	}
	return s
}

// doInside does something inside a use. What is wrong in this one says where it
// is.
func (x *expansion) doInside(u *use, do func()) {
	outer := x.sink
	x.sink = &sink{}
	do()
	found := x.sink.diags
	x.sink = outer
	for _, d := range x.ofThis(u, found) {
		outer.add(diag.With(d, diag.Also(u.inst.decl.rng, "used here")))
	}
}

// ofThis are the problems of one use: those that a define has by itself are
// reported once for all.
func (x *expansion) ofThis(u *use, diags hcl.Diagnostics) hcl.Diagnostics {
	if len(diags) == 0 {
		return nil
	}
	return without(diags, x.alone(u.def).diags)
}

// content is what a use comes to.
type content struct {
	steps  []*Step
	probes []*Probe
}

// contents makes what is inside a use.
func (x *expansion) contents(u *use) content {
	return content{probes: x.probes(u.def.probes, u.place), steps: x.steps(u.def.steps, u.place)}
}

// results evaluates what a use yields.
func (x *expansion) results(u *use, rec *recorder) map[string]cty.Value {
	all := map[string]cty.Value{}
	b := u.def.result
	if b == nil {
		return all
	}
	f := x.checker(u.def.file, u.place, rec)
	f.dead = u.place.dead
	for _, a := range b.schema.Attrs {
		v, _ := f.value(b.attrs[a.Name].Expr)
		f.x.secrecy(a, v)
		all[a.Name], _ = v.UnmarkDeep()
	}
	return all
}

// resultsOf makes a body of what a use yields.
func (x *expansion) resultsOf(u *use, rec *recorder) *Body {
	b := u.def.result
	if b == nil {
		return nil
	}
	return &Body{refs: rec.refs, windows: rec.windows, rng: b.rng, eval: evaluator(func(s Scope) (cty.Value, hcl.Diagnostics) {
		return x.runner(u.def.file, u.place, nil, s).arguments(b)
	})}
}

// expandUse makes the inside of a step whose type is defined in a file.
func (x *expansion) expandUse(i *instance, s *Step, c *checked) {
	u := c.use
	if u == nil { // steps in a circle, reported
		return
	}
	s.Define = &Define{Name: i.decl.def.name, Range: i.decl.def.rng}
	if x.tooDeep(i) {
		return
	}
	x.doInside(u, func() {
		inner := x.contents(u)
		s.Inside = inner.steps
		if !i.phantom {
			x.innerProbes = append(x.innerProbes, inner.probes...)
		}
	})
	s.Results = x.resultsOf(u, &c.results)
}

// usedAt are the uses that a place is inside of, the innermost first.
func (p *place) usedAt() []Use {
	var all []Use
	for u := p.useOf(); u != nil && u.inst != nil; u = u.inst.place.useOf() {
		all = append(all, Use{Address: u.inst.address, Range: u.inst.decl.rng})
	}
	return all
}

// objectOf is the shape of what a result block yields, which has been evaluated.
func objectOf(b *body, values map[string]cty.Value) schema.Object {
	var o schema.Object
	if b == nil {
		return o
	}
	for _, a := range b.schema.Attrs {
		if v, ok := values[a.Name]; ok {
			o.Attrs = append(o.Attrs, schema.Attr{Name: a.Name, Type: v.Type()})
		}
	}
	return o
}

// openIn says that what refers to these hangs on a param of a define that is
// checked by itself: its value is known where it is used.
func openIn(refs []Ref) bool {
	return slices.ContainsFunc(refs, func(r Ref) bool { return r.open })
}

// isOpen says that a place is inside of a define that is checked by itself.
func (p *place) isOpen() bool {
	for u := p.useOf(); u != nil; u = u.inst.place.useOf() {
		if u.inst == nil {
			return true
		}
	}
	return false
}

// checkDefines checks the defines of a part by themselves.
func (x *expansion) checkDefines(part func(*decl) bool) {
	for _, d := range x.p.defines {
		if part == nil || part(d.decl) {
			x.sink.add(x.alone(d).diags...)
		}
	}
}

// definedTypes are the types that the files define, in the order in which they
// stand there.
func (x *expansion) definedTypes() []schema.Type {
	var all []schema.Type
	for _, d := range x.p.defines {
		if d.broken {
			continue
		}
		x.alone(d)
		t := d.schemaType()
		results := x.resultTypes[d]
		t.Result = func(cty.Value) schema.Object { return results }
		all = append(all, t)
	}
	return all
}

// expandProbe makes the inside of a probe whose type is defined in a file.
func (x *expansion) expandProbe(i *instance, p *Probe, c *checked) {
	if c.use == nil || x.tooDeep(i) {
		return
	}
	x.doInside(c.use, func() {
		inner := x.contents(c.use)
		if !i.phantom {
			x.innerProbes = append(x.innerProbes, inner.probes...)
		}
	})
	p.Define = &Define{Name: i.decl.def.name, Range: i.decl.def.rng}
	p.Results = x.resultsOf(c.use, &c.results)
}

// checkUse checks the arguments of a use, and what it yields with them.
func (x *expansion) checkUse(f frame, i *instance, c *checked) {
	var params map[string]*given
	params, c.args = x.giveParams(f, i)
	if i.decl.def.broken {
		return // what is inside isn't clear, or has no end
	}
	c.use = x.newUse(i, params)
	c.use.place.dead = f.dead
	f.sink.add(x.ofThis(c.use, f.validateUse(c.use, c.args))...)
	x.doInside(c.use, func() { c.yields = x.results(c.use, &c.results) })
	if i.decl.root == rootProbe {
		c.rec.merge(&c.results)
	}
}

func holdsNodes(t cty.Type) bool {
	return t.Equals(schema.NodeType) || t.Equals(cty.List(schema.NodeType))
}

// mayBeSkipped says that a step may bring no results.
func (i *instance) mayBeSkipped() bool {
	return i.decl.meta != nil && i.decl.meta.attrs["when"] != nil
}

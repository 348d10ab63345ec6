package lang

import (
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/diag"
	"github.com/scenario-run/scenario/dsl/schema"
)

// instanceValue evaluates a reference to a node, a probe or a step.
func (f frame) instanceValue(t hcl.Traversal, name hcl.TraverseAttr, rng hcl.Range) (cty.Value, hcl.Diagnostics) {
	d, diags := f.declared(t.RootName(), name, t[0].SourceRange())
	if d == nil {
		return f.always(diags[0])
	}
	if d.broken {
		return cty.DynamicVal, nil
	}
	rest := t[2:]
	if d := f.indexOfNamed(d, rest, rng); d != nil {
		return f.always(d)
	}
	set := f.x.instancesOf(d, f.place)
	if set.failed && !set.open {
		return cty.DynamicVal, nil
	}
	inst, rest, diags := f.choose(set, rest, rng)
	if diags.HasErrors() {
		return cty.DynamicVal, diags
	}
	f.record(set, inst, rest, rng)
	if d := f.ofSkipped(inst, rest, rng); d != nil {
		return cty.DynamicVal, hcl.Diagnostics{d}
	}
	var v cty.Value
	if inst == nil {
		v = f.whole(set)
	} else {
		v = f.single(inst)
	}
	return f.follow(f.onlyType(v), rest, true)
}

// ofSkipped reports that something is taken of a result that is null, since it
// is known early that the step is skipped.
func (f frame) ofSkipped(inst *instance, rest hcl.Traversal, rng hcl.Range) *hcl.Diagnostic {
	if inst == nil || len(rest) < 2 || !f.checking() || f.dead || !f.x.isSkipped(inst) {
		return nil
	}
	a, ok := rest[0].(hcl.TraverseAttr)
	if !ok || !slices.ContainsFunc(f.x.check(inst).own, func(r schema.Attr) bool { return r.Name == a.Name }) {
		return nil
	}
	return diag.New(diag.NullValue, rng, inst.decl.address()+" is skipped, so that its results are null", "Give what uses them the same when.",
		diag.Also(inst.decl.meta.attrs["when"].SrcRange, "when is false"))
}

// indexOfNamed reports repeat.NAME.index, which isn't there: the number of a
// round is known inside of it only, without a name.
func (f frame) indexOfNamed(d *decl, rest hcl.Traversal, rng hcl.Range) *hcl.Diagnostic {
	if d.root != rootRepeat || len(rest) == 0 {
		return nil
	}
	a, ok := rest[len(rest)-1].(hcl.TraverseAttr)
	if !ok || a.Name != "index" {
		return nil
	}
	innermost := true
	for p := f.place; p != nil; p = p.parent {
		switch {
		case p.round == cty.NilVal:
		case p.inst.decl == d && innermost:
			return diag.New(diag.NotAllowedHere, rng, "the number of the round is repeat.index, without a name", "Write it as repeat.index.")
		case p.inst.decl == d:
			return diag.New(diag.NotAllowedHere, rng, "only the innermost repeat has an index here, as repeat.index",
				"To use the number of an outer round, make a define of what is inside, and give it repeat.index as a param.")
		default:
			innermost = false
		}
	}
	return diag.New(diag.UnknownAttribute, nameRange(a), d.address()+` has no attribute "index"`,
		"The number of a round is repeat.index, inside of it. How many there were is "+d.address()+".rounds.")
}

// choose finds the instance that a reference names: nil for all of them.
func (f frame) choose(set *instances, rest hcl.Traversal, rng hcl.Range) (*instance, hcl.Traversal, hcl.Diagnostics) {
	if !set.many {
		if len(rest) > 0 {
			if i, ok := rest[0].(hcl.TraverseIndex); ok && (i.Key.Type() == cty.Number || meansInstance(set.decl, i, rest)) {
				return nil, nil, hcl.Diagnostics{diag.New(diag.BadIndex, i.SrcRange, set.decl.address()+" is one, not several",
					"It has neither count nor for_each.")}
			}
		}
		return set.list[0], rest, nil
	}
	if len(rest) == 0 {
		return nil, rest, nil
	}
	if set.open {
		return f.chooseOpen(set, rest)
	}
	var key cty.Value
	var at hcl.Range
	switch step := rest[0].(type) {
	case hcl.TraverseIndex:
		key, at = step.Key, step.SrcRange
	case hcl.TraverseAttr:
		if !set.object {
			return nil, nil, hcl.Diagnostics{diag.New(diag.BadIndex, step.SrcRange, set.decl.address()+" is "+plural(len(set.list), "instance")+"; say which",
				"Such as "+set.decl.address()+"[0]."+step.Name+", or for all of them [for x in "+set.decl.address()+" : x."+step.Name+"].")}
		}
		key, at = cty.StringVal(step.Name), nameRange(step)
	default:
		return nil, rest, nil
	}
	if inst := set.find(key); inst != nil {
		return inst, rest[1:], nil
	}
	if f.dead {
		return f.x.phantom(set), rest[1:], nil
	}
	return nil, nil, hcl.Diagnostics{f.noInstance(set, key, at)}
}

// meansInstance says that a key of something that is one is meant to choose one
// of several: of a node, whose attributes have none, and where more follows.
func meansInstance(d *decl, key hcl.TraverseIndex, rest hcl.Traversal) bool {
	if key.Key.Type() != cty.String || key.Key.IsNull() || !key.Key.IsKnown() || d.root != rootNode || len(rest) < 2 {
		return false
	}
	return !schema.NodeType.HasAttribute(key.Key.AsString()) && diag.Suggest(key.Key.AsString(), attributeNames(schema.NodeType)) == ""
}

// chooseOpen is choose while the number of instances isn't known.
func (f frame) chooseOpen(set *instances, rest hcl.Traversal) (*instance, hcl.Traversal, hcl.Diagnostics) {
	if step, ok := rest[0].(hcl.TraverseAttr); ok && !set.object && set.by == "count" {
		return nil, nil, hcl.Diagnostics{diag.New(diag.BadIndex, step.SrcRange, set.decl.address()+" is several; say which",
			"Such as "+set.decl.address()+"[0]."+step.Name+", or for all of them [for x in "+set.decl.address()+" : x."+step.Name+"].")}
	}
	return f.x.phantom(set), rest[1:], nil
}

func (f frame) noInstance(set *instances, key cty.Value, at hcl.Range) *hcl.Diagnostic {
	detail := set.decl.address() + " has " + plural(len(set.list), "instance") + "."
	var o []diag.Option
	if set.object {
		var keys []string
		for _, i := range set.list {
			keys = append(keys, i.key.AsString())
		}
		detail = list("Its keys are", sorted(keys))
		if key.Type() == cty.String {
			o = append(o, diag.DidYouMean(key.AsString(), keys))
		}
	} else if n := len(set.list); n > 0 {
		detail += " Indices run from 0 to " + indexText(n-1) + "."
	}
	return diag.New(diag.NoInstance, at, "there is no "+set.decl.address()+"["+keyText(key)+"]", detail, o...)
}

// record notes what a reference leans on.
func (f frame) record(set *instances, inst *instance, rest hcl.Traversal, rng hcl.Range) {
	if f.rec == nil {
		return
	}
	r := Ref{Kind: RefKind(set.decl.root), Name: set.decl.name, Range: rng}
	if len(rest) > 0 {
		if a, ok := rest[0].(hcl.TraverseAttr); ok {
			r.Attr = a.Name
		}
	}
	r.Need = needOf(set.decl, r.Attr)
	f.recordRef(set, inst, r)
}

func (f frame) recordRef(set *instances, inst *instance, r Ref) {
	if f.rec == nil {
		return
	}
	if inst != nil && inst.phantom {
		inst = nil
	}
	if inst == nil {
		r.Address, r.Whole = set.address(), true
	} else {
		r.Address = inst.address
	}
	f.rec.ref(r)
	if set.decl.root != rootProbe {
		return
	}
	probes := set.list
	if inst != nil {
		probes = []*instance{inst}
	}
	for _, p := range probes {
		f.rec.through(&f.x.check(p).rec, r.Range)
	}
}

func needOf(d *decl, attr string) Need {
	switch {
	case !d.isStep():
		return NeedNothing
	case attr == "state" || attr == "started_at":
		return NeedStarted
	}
	return NeedFinished
}

// whole is the value of all instances: a tuple, or an object by key. Lists and
// maps would not do, since instances may differ in type.
func (f frame) whole(set *instances) cty.Value {
	if f.checking() && set.value != cty.NilVal {
		return set.value
	}
	if set.open {
		one := f.x.planned(f.x.phantom(set)).Type()
		if set.object {
			return cty.UnknownVal(cty.Map(one))
		}
		return cty.UnknownVal(cty.List(one))
	}
	var v cty.Value
	if set.object {
		m := make(map[string]cty.Value, len(set.list))
		for _, i := range set.list {
			m[i.key.AsString()] = f.single(i)
		}
		v = cty.ObjectVal(m)
	} else {
		l := make([]cty.Value, len(set.list))
		for n, i := range set.list {
			l[n] = f.single(i)
		}
		v = cty.TupleVal(l)
	}
	if f.checking() {
		set.value = v
	}
	return v
}

// single is the value of one instance: as far as it is known early while
// checking, as the scope says later.
func (f frame) single(i *instance) cty.Value {
	planned := f.x.planned(i)
	if f.checking() {
		return planned
	}
	v := f.scope.Instance(i.address)
	if v == cty.NilVal || !v.IsKnown() {
		return cty.UnknownVal(planned.Type())
	}
	if i.decl.root == rootAction && !v.IsNull() {
		return f.withNodes(i.decl.typ, i, v)
	}
	return v
}

// withNodes replaces addresses of nodes in a result by the nodes.
func (f frame) withNodes(t schema.Type, i *instance, v cty.Value) cty.Value {
	attrs := f.x.check(i).nodeAttrs
	if len(attrs) == 0 || !v.Type().IsObjectType() {
		return v
	}
	m := v.AsValueMap()
	for _, name := range attrs {
		if a, ok := m[name]; ok {
			m[name] = f.nodesOf(a)
		}
	}
	return cty.ObjectVal(m)
}

// nodesOf turns an address, or a list of them, into nodes.
func (f frame) nodesOf(v cty.Value) cty.Value {
	switch t := v.Type(); {
	case t == cty.String && v.IsNull():
		return cty.NullVal(schema.NodeType)
	case t == cty.String && !v.IsKnown():
		return cty.UnknownVal(schema.NodeType)
	case t == cty.String:
		return f.scope.Instance(v.AsString())
	case t.Equals(cty.List(cty.String)) && v.IsNull():
		return cty.NullVal(cty.List(schema.NodeType))
	case t.Equals(cty.List(cty.String)) && !v.IsKnown():
		return cty.UnknownVal(cty.List(schema.NodeType))
	case t.Equals(cty.List(cty.String)):
		var all []cty.Value
		for _, a := range v.AsValueSlice() {
			all = append(all, f.nodesOf(a))
		}
		if len(all) == 0 {
			return cty.ListValEmpty(schema.NodeType)
		}
		return cty.ListVal(all)
	}
	return v
}

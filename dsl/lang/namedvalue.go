package lang

import (
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/diag"
)

// variable is var.NAME.
func (f frame) variable(name hcl.TraverseAttr, rest hcl.Traversal, rng hcl.Range) (cty.Value, hcl.Diagnostics) {
	d, diags := f.declared(rootVar, name, rng)
	if d == nil {
		return f.always(diags[0])
	}
	v, ok := f.x.vars[d.name]
	if !ok {
		return cty.DynamicVal, nil
	}
	return f.follow(f.onlyType(v), rest, false)
}

// localValue is local.NAME: its expression, evaluated anew.
func (f frame) localValue(name hcl.TraverseAttr, rest hcl.Traversal, rng hcl.Range) (cty.Value, hcl.Diagnostics) {
	d, diags := f.declared(rootLocal, name, rng)
	switch {
	case d == nil:
		return f.always(diags[0])
	case d.broken || f.x.circular[d]:
		return cty.DynamicVal, nil
	}
	at := f.placeOf(d)
	if !f.checking() {
		v, diags := f.running(d, at)
		if diags.HasErrors() {
			return v, diags
		}
		return f.follow(v, rest, false)
	}
	l := f.x.local(d, at, f.dead, rng)
	if at == f.x.top && f.place.useOf() != nil && len(l.rec.refs) > 0 {
		return f.always(diag.New(diag.NotVisible, rng, d.address()+" leans on "+l.rec.refs[0].Address+", which is not visible inside "+f.place.useOf().def.called(),
			takeAsParam, diag.Also(d.named, "declared here")))
	}
	f.rec.through(&l.rec, rng)
	return f.follow(f.onlyType(l.value), rest, false)
}

// placeOf is where a local lives, as seen from here.
func (f frame) placeOf(d *decl) *place {
	if own := f.place.holding(d.scope); own.scope == d.scope {
		return own
	}
	return f.x.top
}

// running evaluates a local once for an evaluation that runs: where each local
// uses another twice, there are as many ways to the last as no time is enough for.
func (f frame) running(d *decl, at *place) (cty.Value, hcl.Diagnostics) {
	k := localKey{d: d, at: at}
	if was, ok := f.done[k]; ok {
		return was.value, was.diags
	}
	inner := f.x.runner(d.file, at, nil, f.scope)
	inner.effort, inner.done, inner.own = f.effort, f.done, f.own
	v, diags := inner.value(d.expr)
	f.done[k] = evaluated{v, diags}
	return v, diags
}

// local works out a local at a place: at the top, or inside a use.
func (x *expansion) local(d *decl, where *place, dead bool, at hcl.Range) *local {
	k := localKey{d, where, dead}
	if l := x.locals[k]; l != nil && !l.busy {
		return l
	}
	l := &local{busy: true, value: cty.DynamicVal}
	if !x.enter(k, d.address(), at) {
		return l
	}
	defer x.leave()
	x.locals[k] = l
	f := x.checker(d.file, where, &l.rec)
	f.dead = dead || where.dead
	l.value, _ = f.value(d.expr)
	l.busy = false
	return l
}

// matrixValue is matrix.AXIS.
func (f frame) matrixValue(name hcl.TraverseAttr, rest hcl.Traversal, from hcl.Range) (cty.Value, hcl.Diagnostics) {
	at := hcl.RangeBetween(from, name.SrcRange)
	if f.x.p.perhaps.has(rootMatrix, name.Name) && (f.x.matrix == nil || f.x.matrix[name.Name] == cty.NilVal) {
		return cty.DynamicVal, nil
	}
	if f.x.p.matrix == nil {
		return f.always(diag.New(diag.UnknownName, at, `no matrix axis named "`+name.Name+`"`, "There is no matrix block."))
	}
	if f.x.matrix == nil {
		return f.always(diag.New(diag.ValueCycle, at, "the matrix depends on itself", "Its axes may use variables and locals."))
	}
	v, ok := f.x.matrix[name.Name]
	if !ok {
		var axes []string
		for n := range f.x.matrix {
			axes = append(axes, n)
		}
		return f.always(diag.New(diag.UnknownName, at, `no matrix axis named "`+name.Name+`"`, list("There are", sorted(axes)), diag.DidYouMean(name.Name, axes)))
	}
	return f.follow(f.onlyType(v), rest, false)
}

// scenarioValue is scenario.name and scenario.run_id.
func (f frame) scenarioValue(name hcl.TraverseAttr, rest hcl.Traversal) (cty.Value, hcl.Diagnostics) {
	v := cty.StringVal("")
	switch name.Name {
	case "name":
		if f.x.p.scenario != nil {
			v = cty.StringVal(f.x.p.scenario.name)
		}
	case "run_id":
		// Unknown while checking, whether a run has begun or not: what is checked
		// must not depend on it.
		v = cty.UnknownVal(cty.String).RefineNotNull()
		f.rec.isLate()
		if !f.checking() && f.x.p.opts.RunID != "" {
			v = cty.StringVal(f.x.p.opts.RunID)
		}
	default:
		names := []string{"name", "run_id"}
		return f.always(diag.New(diag.UnknownAttribute, nameRange(name), `scenario has no attribute "`+name.Name+`"`, list("There are", names), diag.DidYouMean(name.Name, names)))
	}
	return f.follow(f.onlyType(v), rest, true)
}

// eachValue is each.key, each.value and count.index.
func (f frame) eachValue(root string, name hcl.TraverseAttr, rest hcl.Traversal, rng hcl.Range) (cty.Value, hcl.Diagnostics) {
	with := map[string]string{rootEach: "for_each", rootCount: "count"}[root]
	inst := f.instanceBy(with)
	if inst == nil {
		return f.always(diag.New(diag.NotAllowedHere, rng, root+" has a meaning only in a block with "+with, ""))
	}
	if inst == f.inst {
		*f.own++
	}
	names := map[string][]string{rootEach: {"key", "value"}, rootCount: {"index"}}[root]
	switch name.Name {
	case "key", "index":
		if root == rootEach && name.Name == "key" || root == rootCount && name.Name == "index" {
			return f.follow(f.onlyType(inst.key), rest, false)
		}
	case "value":
		if root == rootEach {
			return f.element(inst, rest, rng)
		}
	}
	return f.always(diag.New(diag.UnknownAttribute, nameRange(name), root+` has no attribute "`+name.Name+`"`, list("It has", names), diag.DidYouMean(name.Name, names)))
}

// instanceBy is what each or count mean here: the block's own instance, or that
// of the innermost group around it which has for_each or count.
func (f frame) instanceBy(with string) *instance {
	if f.inst != nil && f.inst.set.by == with {
		return f.inst
	}
	for p := f.place; p != nil; p = p.parent {
		if p.inst != nil && p.inst.set.by == with {
			return p.inst
		}
	}
	return nil
}

// element is each.value. Where for_each names a declaration, it is a reference
// to the instance with the same key.
func (f frame) element(inst *instance, rest hcl.Traversal, rng hcl.Range) (cty.Value, hcl.Diagnostics) {
	outer := f
	outer.inst, outer.place, outer.file = nil, inst.place, inst.decl.file
	if t := outer.elementRef(inst, rng); t != nil {
		return outer.traverse(slices.Concat(t, rest), rng)
	}
	if f.checking() {
		f.rec.through(&inst.set.rec, rng)
		return f.follow(f.onlyType(inst.value), rest, inst.set.typed)
	}
	if inst.value.IsWhollyKnown() {
		return f.follow(inst.value, rest, false)
	}
	outer.ctx = &hcl.EvalContext{}
	all, diags := outer.value(inst.set.over)
	if diags.HasErrors() {
		return cty.DynamicVal, diags
	}
	v, diags := f.at(all, inst.key, rng, false)
	if diags.HasErrors() {
		return cty.DynamicVal, diags
	}
	return f.follow(v, rest, false)
}

// elementRef is the reference that an element of for_each is, if it is one: to
// an instance of the declaration that for_each names, or written in a list.
func (f frame) elementRef(inst *instance, rng hcl.Range) hcl.Traversal {
	if inst.phantom {
		return nil
	}
	if alias := inst.set.alias; alias != nil {
		return slices.Concat(alias, hcl.Traversal{hcl.TraverseIndex{Key: inst.key, SrcRange: rng}})
	}
	list, ok := inst.set.over.(*hclsyntax.TupleConsExpr)
	if !ok || inst.set.object {
		return nil
	}
	n, _ := inst.key.AsBigFloat().Int64()
	if n < 0 || int(n) >= len(list.Exprs) {
		return nil
	}
	f.ctx = &hcl.EvalContext{}
	if t, ok := f.flat(list.Exprs[n]); ok && len(t) > 1 {
		return t
	}
	return nil
}

// repeatIndex is the number of the round, from 0.
func (f frame) repeatIndex(rng hcl.Range) (cty.Value, hcl.Diagnostics) {
	for p := f.place; p != nil; p = p.parent {
		if p.round != cty.NilVal {
			return f.onlyType(p.round), nil
		}
	}
	return f.always(diag.New(diag.NotAllowedHere, rng, "repeat.index has a meaning only inside a repeat", ""))
}

// resource is the value of an image, a network or a volume: what it is called.
func (x *expansion) resource(d *decl) cty.Value {
	if d.root == rootImage && d.args != nil {
		if a := d.args.attrs["pull"]; a != nil {
			f := x.checker(d.file, x.top, nil)
			quiet, _ := f.silently()
			// It may be asked for by several evaluations that run; what it takes was
			// counted where the image itself was checked.
			quiet.effort, quiet.own = newEffort(x.p.mostEffort, nil), new(int)
			v, _ := quiet.value(a.Expr)
			if v, _ = v.Unmark(); v.Type() == cty.String && v.IsKnown() && !v.IsNull() {
				return v
			}
			return cty.UnknownVal(cty.String)
		}
	}
	return cty.StringVal(d.address())
}

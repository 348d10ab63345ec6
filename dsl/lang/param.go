package lang

import (
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/diag"
	"github.com/scenario-run/scenario/dsl/schema"
)

// paramValue is param.NAME. A param that takes a step is that step: what it is
// asked for is looked up where the use stands. Of any other it is the value
// that the arguments had when the use started.
func (f frame) paramValue(name hcl.TraverseAttr, rest hcl.Traversal, from, rng hcl.Range) (cty.Value, hcl.Diagnostics) {
	g, u, d := f.givenFor(name, from)
	if d != nil {
		return f.always(d)
	}
	if g == nil {
		return cty.DynamicVal, nil // reported
	}
	hard := g.param.attr.Type != cty.DynamicPseudoType
	if f.args != cty.NilVal { // of a validation
		v := f.args.GetAttr(name.Name)
		if !f.checking() {
			v = f.paramNodes(g, v)
		} else {
			v = f.x.seen(g.param.attr, v)
		}
		return f.follow(f.onlyType(v), rest, hard)
	}
	if takesStep(g.param.attr.Ref) {
		return f.paramStep(g, u, rest, rng)
	}
	if f.checking() {
		f.recordParam(g, u, rng)
		return f.follow(f.onlyType(g.value), rest, hard)
	}
	if u.inst.decl.root == rootProbe {
		v, diags := f.givenNow(g, u)
		if diags.HasErrors() {
			return cty.DynamicVal, diags
		}
		return f.follow(f.paramNodes(g, v), rest, hard)
	}
	v := cty.UnknownVal(g.param.attr.ValueType())
	if all := f.scope.Instance(u.address()); all != cty.NilVal && all.Type().IsObjectType() && all.IsKnown() && all.Type().HasAttribute(name.Name) {
		v = all.GetAttr(name.Name)
	}
	return f.follow(f.paramNodes(g, v), rest, hard)
}

// givenNow evaluates once what the use of a probe gives for a param: where each
// of those inside each other uses it twice, no time is enough.
func (f frame) givenNow(g *given, u *use) (cty.Value, hcl.Diagnostics) {
	if was, ok := f.done[g]; ok {
		return was.value, was.diags
	}
	v, diags := f.outside(u).oneArgument(u.inst.decl.args, g.param.attr)
	f.done[g] = evaluated{v, diags}
	return v, diags
}

// takesStep says that a param is a reference that is written, not a value.
func takesStep(r schema.Ref) bool {
	return r == schema.RefStep || r == schema.RefFault || r == schema.RefWorkload
}

// paramNodes is a param's value as expressions see it at run time.
func (f frame) paramNodes(g *given, v cty.Value) cty.Value {
	if r := g.param.attr.Ref; r == schema.RefNode || r == schema.RefNodes {
		return f.nodesOf(v)
	}
	if g.hidden {
		return v.Mark(sensitive)
	}
	return v
}

// givenFor finds what is given for a param here. It is nil, without a word, if
// the param is broken.
func (f frame) givenFor(name hcl.TraverseAttr, from hcl.Range) (*given, *use, *hcl.Diagnostic) {
	u := f.place.useOf()
	if u == nil {
		return nil, nil, diag.New(diag.NotAllowedHere, hcl.RangeBetween(from, name.SrcRange), "param has a meaning only inside a define", "")
	}
	if g := u.params[name.Name]; g != nil {
		return g, u, nil
	}
	if u.def.inner.find(rootParam, name.Name) != nil {
		return nil, u, nil
	}
	var names []string
	for n := range u.def.params {
		names = append(names, n)
	}
	return nil, u, diag.New(diag.UnknownName, hcl.RangeBetween(from, name.SrcRange), u.def.called()+` has no param "`+name.Name+`"`,
		list("There are", sorted(names)), diag.DidYouMean(name.Name, names))
}

// recordParam notes what a param's value leans on. The use has waited for its
// arguments by the time that its inside starts, so that only the nodes count,
// which are looked at anew. A probe asks for all of it each time.
func (f frame) recordParam(g *given, u *use, rng hcl.Range) {
	if f.rec == nil {
		return
	}
	if u.inst != nil && u.inst.decl.root == rootProbe {
		f.rec.through(&g.rec, rng)
		return
	}
	for _, r := range g.rec.refs {
		if r.Kind == NodeRef {
			r.Range = rng
			f.rec.ref(r)
		}
	}
	r := Ref{Kind: ParamRef, Name: g.param.attr.Name, Range: rng, open: g.open}
	if u.inst != nil {
		r.Address = u.address()
	}
	f.rec.ref(r)
}

// outside returns the frame of the block that uses a define: of what it gives.
func (f frame) outside(u *use) frame {
	f.file, f.place, f.inst = u.inst.decl.file, u.inst.place, u.inst
	f.ctx = &hcl.EvalContext{}
	f.only = nil
	return f
}

// paramStep evaluates what is asked of a step that a param refers to.
func (f frame) paramStep(g *given, u *use, rest hcl.Traversal, rng hcl.Range) (cty.Value, hcl.Diagnostics) {
	if g.stands != nil {
		return f.follow(f.onlyType(g.value), rest, true)
	}
	attr := u.inst.decl.args.attrs[g.param.attr.Name]
	if attr == nil {
		return cty.NullVal(cty.DynamicPseudoType), nil
	}
	out := f.outside(u)
	t, ok := out.flat(attr.Expr)
	if !ok {
		return cty.DynamicVal, nil // reported
	}
	return out.traverse(slices.Concat(t, rest), rng)
}

// paramReference resolves a reference to a step that a param takes.
func (f frame) paramReference(t hcl.Traversal, e hcl.Range, want, how string) (*instances, *instance, *hcl.Diagnostic) {
	name, _ := t[1].(hcl.TraverseAttr)
	g, u, d := f.givenFor(name, t[0].SourceRange())
	if d != nil || g == nil {
		return nil, nil, d
	}
	if len(t) > 2 {
		return nil, nil, diag.New(diag.NotReference, t[2:].SourceRange(), want+" is named here, without an attribute", "Write param."+name.Name+" alone.")
	}
	if is := g.param.attr.Ref; !fits(is, want) {
		takes := refWord(is)
		if takes == "" {
			takes = "a value"
		}
		return nil, nil, diag.New(diag.WrongTargetKind, e, "param."+name.Name+" is "+takes+", not "+strings.TrimPrefix(want, "not "), how,
			diag.Also(g.param.rng, "its type is given here"))
	}
	if g.stands != nil {
		return g.stands.set, g.stands, nil
	}
	attr := u.inst.decl.args.attrs[name.Name]
	if attr == nil {
		return nil, nil, diag.New(diag.NullValue, e, want+" is needed here, and the use leaves "+name.Name+" out", "")
	}
	return f.outside(u).reference(attr.Expr, want, how)
}

// fits says that what a param takes can stand where something is wanted.
func fits(is schema.Ref, want string) bool {
	switch want {
	case "a workload":
		return is == schema.RefWorkload
	case "a fault":
		return is == schema.RefFault
	}
	return takesStep(is)
}

// validateAlone checks the validations of a define's params by their types.
func (x *expansion) validateAlone(u *use) {
	args := map[string]cty.Value{}
	for name, g := range u.params {
		args[name] = cty.UnknownVal(plainType(g.param.attr.ValueType()))
	}
	for _, g := range u.params {
		x.sink.add(x.validations(x.checker(u.def.file, u.place, nil), g, cty.ObjectVal(args), u.def.rng)...)
	}
}

// validateUse holds the arguments of a use against the validations, as far as
// they are known.
func (f frame) validateUse(u *use, args cty.Value) hcl.Diagnostics {
	in := f
	in.file, in.place, in.inst = u.def.file, u.place, nil
	in.ctx = &hcl.EvalContext{}
	var diags hcl.Diagnostics
	for _, a := range u.inst.decl.args.schema.Attrs {
		at := u.inst.decl.rng
		if attr := u.inst.decl.args.attrs[a.Name]; attr != nil {
			at = attr.Expr.Range()
		}
		diags = append(diags, f.x.validations(in, u.params[a.Name], args, at)...)
	}
	return diags
}

// validations holds a param's value against its validation blocks.
func (x *expansion) validations(f frame, g *given, args cty.Value, at hcl.Range) hcl.Diagnostics {
	var diags hcl.Diagnostics
	f.args, f.only, f.purpose = args, []string{rootParam, rootVar}, "a validation"
	for _, b := range g.param.validations {
		condition, _ := b.schema.Attr("condition")
		message, _ := b.schema.Attr("error_message")
		met, more := f.oneArgument(b, condition)
		diags = append(diags, more...)
		said, more := f.oneArgument(b, message)
		diags = append(diags, more...)
		if diags.HasErrors() || !isFalse(met) {
			continue
		}
		detail := ""
		if said.IsKnown() && !said.IsNull() {
			detail = said.AsString()
		}
		diags = append(diags, diag.New(diag.ValidationFailed, at, `"`+g.param.attr.Name+`" is refused`, detail, diag.Also(b.rng, "by this validation")))
	}
	return diags
}

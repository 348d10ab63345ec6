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

// arguments evaluates a block's arguments to an object of its schema's type.
// What can't be evaluated is unknown in it. While checking, diagnostics go to
// the sink.
func (f frame) arguments(b *body) (cty.Value, hcl.Diagnostics) {
	var diags hcl.Diagnostics
	all := make(map[string]cty.Value, len(b.schema.Attrs)+len(b.schema.Blocks))
	for _, a := range b.schema.Attrs {
		v, more := f.oneArgument(b, a)
		diags = append(diags, more...)
		all[a.Name] = v
	}
	for _, n := range b.schema.Blocks {
		v, more := f.nestedArguments(b, n)
		diags = append(diags, more...)
		all[n.Name] = v
	}
	if f.checking() {
		f.sink.add(diags...)
		diags = nil
	}
	return cty.ObjectVal(all), diags
}

// argumentsNamed evaluates some of a block's arguments to an object of those.
func (f frame) argumentsNamed(b *body, names []string) (cty.Value, hcl.Diagnostics) {
	var diags hcl.Diagnostics
	some := make(map[string]cty.Value, len(names))
	for _, a := range b.schema.Attrs {
		if !slices.Contains(names, a.Name) {
			continue
		}
		v, more := f.oneArgument(b, a)
		diags = append(diags, more...)
		some[a.Name] = v
	}
	return cty.ObjectVal(some), diags
}

func (f frame) nestedArguments(b *body, n schema.Block) (cty.Value, hcl.Diagnostics) {
	t := plainType(n.Body.Type())
	var diags hcl.Diagnostics
	var list []cty.Value
	for _, nested := range b.blocks[n.Name] {
		v, more := f.arguments(nested)
		diags = append(diags, more...)
		if n.Of != "" {
			f.together(nested.typ, nested, v)
			v = cty.ObjectVal(map[string]cty.Value{"type": cty.StringVal(nested.typ.Name), "args": v})
		}
		list = append(list, v)
	}
	switch {
	case n.Of != "":
		return cty.TupleVal(list), diags
	case !n.Repeated && len(list) == 0:
		return cty.NullVal(t), diags
	case !n.Repeated:
		return list[0], diags
	case len(list) == 0:
		return cty.ListValEmpty(t), diags
	case !cty.CanListVal(list): // attributes of any type that differ
		return cty.TupleVal(list), diags
	}
	return cty.ListVal(list), diags
}

func (f frame) oneArgument(b *body, a schema.Attr) (cty.Value, hcl.Diagnostics) {
	attr := b.attrs[a.Name]
	unknown := cty.UnknownVal(plainType(a.ValueType()))
	if attr == nil {
		switch {
		case a.OnlyNode != (schema.OnlyNode{}):
			return f.onlyNode(a, b)
		case a.Required:
			return unknown, nil // reported
		}
		return f.left(a), nil
	}
	e := attr.Expr
	switch a.Ref {
	case schema.RefStep, schema.RefWorkload, schema.RefFault:
		want := refWord(a.Ref)
		inst, d := f.written(e, want, a.Doc)
		if d != nil {
			return unknown, hcl.Diagnostics{d}
		}
		if inst == nil {
			return unknown, nil
		}
		f.recordRef(inst.set, inst, Ref{Kind: RefKind(inst.decl.root), Name: inst.decl.name, Need: activeOrStarted(f.needOf(b, a), inst.decl), Range: e.Range()})
		return cty.StringVal(inst.address), nil
	case schema.RefSteps, schema.RefFaults:
		return f.stepList(a, e)
	}
	return f.ofAny(e, a.Name, func(f frame) (cty.Value, hcl.Diagnostics) { return f.given(b, a, e) })
}

// given is an argument as it is written.
func (f frame) given(b *body, a schema.Attr, e hclsyntax.Expression) (cty.Value, hcl.Diagnostics) {
	unknown := cty.UnknownVal(plainType(a.ValueType()))
	v, diags := f.value(e)
	if d := f.readThrough(e, v); d != nil {
		diags = append(diags, d)
	}
	if diags.HasErrors() {
		return unknown, diags
	}
	if a.TakesNodes() {
		return f.nodes(a, b, e, v)
	}
	return f.argument(a, e, v)
}

// needOf is needOfArg. What a define takes only has to be there when its use
// starts; what is done with it inside says how far it must be.
func (f frame) needOf(b *body, a schema.Attr) Need {
	if f.inst != nil && f.inst.decl.def != nil && b == f.inst.decl.args {
		return NeedStarted
	}
	return needOfArg(a)
}

// needOfArg is how far a step must be that an argument names.
func needOfArg(a schema.Attr) Need {
	if a.Ref == schema.RefFaults || a.Name == "throughout" {
		return NeedActive
	}
	return NeedFinished
}

// stepList evaluates an argument that lists steps, written as references, to
// their addresses.
func (f frame) stepList(a schema.Attr, e hclsyntax.Expression) (cty.Value, hcl.Diagnostics) {
	refs, diags := f.writtenList(a, e)
	if diags.HasErrors() {
		return cty.UnknownVal(cty.List(cty.String)), diags
	}
	var all []cty.Value
	for _, r := range refs {
		f.recordRef(r.set, r.inst, r.ref)
		if r.inst != nil {
			all = append(all, cty.StringVal(r.inst.address))
			continue
		}
		for _, i := range r.set.list {
			all = append(all, cty.StringVal(i.address))
		}
	}
	return f.someOf(a, e, all)
}

// someOf is the list of what an argument refers to. What is known to be nothing
// is refused: a fault that hits no node passes, and says nothing.
func (f frame) someOf(a schema.Attr, e hclsyntax.Expression, addresses []cty.Value) (cty.Value, hcl.Diagnostics) {
	switch {
	case len(addresses) > 0:
		return cty.ListVal(addresses), nil
	case a.MayBeEmpty || f.dead:
		return cty.ListValEmpty(cty.String), nil
	}
	what, detail := "node", "Look at what it is computed from."
	if a.Ref == schema.RefFaults {
		what = "fault"
	}
	if t, ok := e.(*hclsyntax.TupleConsExpr); ok && len(t.Exprs) == 0 {
		detail = "A step that may have nothing to do says so with when."
	}
	return cty.UnknownVal(a.ValueType()), hcl.Diagnostics{diag.New(diag.InvalidValue, e.Range(), `"`+a.Name+`" names no `+what, detail)}
}

// listed is one element of a list of references.
type listed struct {
	set  *instances
	inst *instance // nil: all
	ref  Ref
}

func (f frame) writtenList(a schema.Attr, e hclsyntax.Expression) ([]listed, hcl.Diagnostics) {
	want, example := "a step", "action.NAME"
	if a.Ref == schema.RefFaults {
		want, example = "a fault", "action.FAULT"
	}
	use := "Write it as " + a.Name + " = [" + example + "]."
	tuple, ok := e.(*hclsyntax.TupleConsExpr)
	if !ok {
		return nil, hcl.Diagnostics{diag.New(diag.NotReference, e.Range(), `"`+a.Name+`" takes a list of references in brackets`, use)}
	}
	var all []listed
	var diags hcl.Diagnostics
	for _, el := range tuple.Exprs {
		set, inst, d := f.reference(el, want, use)
		if d != nil {
			diags = append(diags, d)
			continue
		}
		if set == nil {
			continue
		}
		r := Ref{Kind: RefKind(set.decl.root), Name: set.decl.name, Need: activeOrStarted(needOfArg(a), set.decl), Range: el.Range()}
		r.Address, r.Whole = set.address(), inst == nil
		if inst != nil {
			r.Address = inst.address
		}
		all = append(all, listed{set, inst, r})
	}
	return all, diags
}

// nodes turns node objects, in any nesting of lists, into their addresses.
func (f frame) nodes(a schema.Attr, b *body, e hclsyntax.Expression, v cty.Value) (cty.Value, hcl.Diagnostics) {
	v, _ = v.UnmarkDeep()
	unknown := cty.UnknownVal(a.ValueType())
	if v.IsNull() {
		if a.OnlyNode != (schema.OnlyNode{}) {
			return f.onlyNode(a, b)
		}
		if a.Required {
			return unknown, hcl.Diagnostics{diag.New(diag.NullValue, e.Range(), `"`+a.Name+`" is null`, "A node is required.")}
		}
		return cty.NullVal(a.ValueType()), nil
	}
	if len(a.Enum) > 0 && v.Type() == cty.String { // a word in place of a node, such as "host"
		return f.argument(schema.Attr{Name: a.Name, Type: cty.String, Enum: a.Enum}, e, v)
	}
	list, known, d := nodeAddresses(a, e, v, nil)
	if d != nil {
		return unknown, hcl.Diagnostics{d}
	}
	t := v.Type()
	if a.Ref == schema.RefNodeSets {
		return nodeSets(a, e, v, known)
	}
	if a.Ref == schema.RefNode {
		if !t.Equals(schema.NodeType) && t != cty.DynamicPseudoType {
			return unknown, hcl.Diagnostics{diag.New(diag.WrongType, e.Range(), `"`+a.Name+`" takes one node, this is `+typeName(t), "Choose one, such as node.NAME[0].")}
		}
		if !known || len(list) != 1 {
			return unknown, nil
		}
		return list[0], nil
	}
	if d := twice(a, b, e); d != nil {
		return unknown, hcl.Diagnostics{d}
	}
	if !known {
		return unknown, nil
	}
	if f.checking() { // what is chosen while running may overlap
		if d := again(a, e, v); d != nil {
			return unknown, hcl.Diagnostics{d}
		}
	}
	return f.someOf(a, e, list)
}

// nodeSets keeps the outermost lists of nodes apart. What v holds are nodes.
func nodeSets(a schema.Attr, e hclsyntax.Expression, v cty.Value, known bool) (cty.Value, hcl.Diagnostics) {
	if v.Type().Equals(schema.NodeType) {
		return cty.UnknownVal(a.ValueType()), hcl.Diagnostics{diag.New(diag.WrongType, e.Range(), `"`+a.Name+`" takes lists of nodes, this is one node`,
			"Write it as "+a.Name+" = [[node.A, …], [node.B, …]].")}
	}
	if !known {
		return cty.UnknownVal(a.ValueType()), nil
	}
	sets := []cty.Value{}
	for it := v.ElementIterator(); it.Next(); {
		_, el := it.Element()
		set := cty.ListValEmpty(cty.String)
		if list, _, _ := nodeAddresses(a, e, el, nil); len(list) > 0 { // checked as a part of v
			set = cty.ListVal(list)
		}
		sets = append(sets, set)
	}
	if len(sets) == 0 {
		return cty.ListValEmpty(cty.List(cty.String)), nil
	}
	return cty.ListVal(sets), nil
}

func nodeAddresses(a schema.Attr, e hclsyntax.Expression, v cty.Value, path cty.Path) (list []cty.Value, known bool, d *hcl.Diagnostic) {
	t := v.Type()
	switch {
	case v.IsNull():
		return nil, false, diag.New(diag.NullValue, narrow(e, path), `"`+a.Name+`" takes nodes, this is null`, "")
	case t.Equals(schema.NodeType):
		if !v.IsKnown() {
			return nil, false, nil
		}
		address := v.GetAttr("address")
		return []cty.Value{address}, address.IsKnown(), nil
	case t == cty.DynamicPseudoType:
		return nil, false, nil
	case t.IsListType() || t.IsSetType():
		if !v.IsKnown() {
			_, _, d = nodeAddresses(a, e, cty.UnknownVal(t.ElementType()), append(path, cty.IndexStep{Key: cty.Zero}))
			return nil, false, d
		}
	case t.IsTupleType():
		if !v.IsKnown() {
			return nil, false, nil
		}
	default:
		detail := "A node is named by a reference, such as node.NAME."
		return nil, false, diag.New(diag.WrongType, narrow(e, path), `"`+a.Name+`" takes nodes, this is `+typeName(t), detail)
	}
	known = true
	i := int64(0)
	for it := v.ElementIterator(); it.Next(); i++ {
		_, el := it.Element()
		more, ok, d := nodeAddresses(a, e, el, append(path[:len(path):len(path)], cty.IndexStep{Key: cty.NumberIntVal(i)}))
		if d != nil {
			return nil, false, d
		}
		known = known && ok
		list = append(list, more...)
	}
	return list, known, nil
}

type onlyKey struct{ schema.OnlyNode }

// onlyNode is the default of an argument that is the scenario's only node of a
// kind and role.
func (f frame) onlyNode(a schema.Attr, b *body) (cty.Value, hcl.Diagnostics) {
	var found []string
	var inst *instance
	for _, i := range f.x.nodesInRole(a.OnlyNode) {
		inst = i
		found = append(found, i.address)
	}
	if len(found) != 1 && f.place.isOpen() {
		return cty.UnknownVal(a.ValueType()), nil // each use says what it finds
	}
	if len(found) != 1 {
		detail := "There is no " + a.OnlyNode.Kind + " node with " + a.OnlyNode.Arg + ` = "` + a.OnlyNode.Value + `".`
		if len(found) > 1 {
			detail = "It is left out, and there are several: " + strings.Join(found, ", ") + "."
		}
		return cty.UnknownVal(a.ValueType()), hcl.Diagnostics{diag.New(diag.NoDefaultNode, b.rng, `"`+a.Name+`" is needed here`, detail)}
	}
	f.recordRef(inst.set, inst, Ref{Kind: NodeRef, Name: inst.decl.name, Range: b.rng})
	if a.Ref == schema.RefNodes {
		return cty.ListVal([]cty.Value{cty.StringVal(inst.address)}), nil
	}
	return cty.StringVal(inst.address), nil
}

// nodesInRole lists the nodes of a kind in whose block an argument has a value.
func (x *expansion) nodesInRole(o schema.OnlyNode) []*instance {
	k := onlyKey{o}
	if found, ok := x.onlyNodes[k]; ok {
		return found
	}
	var found []*instance
	for _, d := range x.p.nodes {
		if d.kind == nil || d.kindT.Name != o.Kind {
			continue
		}
		a, ok := d.kindT.Args.Attr(o.Arg)
		if !ok {
			continue
		}
		for _, i := range x.instancesOf(d, x.top).list {
			f := x.checker(d.file, x.top, nil)
			f.inst = i
			quiet, _ := f.silently()
			v, diags := quiet.oneArgument(d.kind, a)
			if !diags.HasErrors() && v.Type() == cty.String && v.IsKnown() && !v.IsNull() && v.AsString() == o.Value {
				found = append(found, i)
			}
		}
	}
	x.onlyNodes[k] = found
	return found
}

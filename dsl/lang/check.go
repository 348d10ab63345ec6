package lang

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/diag"
	"github.com/scenario-run/scenario/dsl/schema"
)

// checked is what checking an instance's arguments found out.
type checked struct {
	args cty.Value
	rec  recorder
	// own are the results beside those that every step has.
	own []schema.Attr
	// nodeAttrs are results that are addresses of nodes; expressions see nodes.
	nodeAttrs []string
	when      cty.Value // of a step
	busy      bool

	use     *use                 // of one whose type is defined in a file
	results recorder             // what its results lean on
	yields  map[string]cty.Value // its results as far as they are known early
}

// check evaluates the arguments of a probe or a step with unknown results of
// what they lean on. The types of its own results may depend on them.
func (x *expansion) check(i *instance) *checked {
	if i.checked != nil && !i.checked.busy {
		return i.checked
	}
	c := &checked{args: cty.DynamicVal, when: cty.NilVal, busy: true}
	if i.checked != nil {
		// Steps in a circle are the plan's to report, with the reasons why each
		// waits for the other; a probe has no place in it.
		if i.decl.root == rootProbe {
			x.enter(i, i.address, i.decl.rng)
		}
		return c
	}
	i.checked = c
	if i.decl.args != nil && i.decl.root != rootRepeat && i.decl.root != rootAssert {
		if !x.enter(i, i.address, i.decl.rng) {
			i.checked = nil
			return c
		}
		x.whose(i, func() { x.checkArguments(i, c) })
		x.leave()
	}
	c.own = x.ownResults(i, c)
	c.busy = false
	return c
}

func (x *expansion) checkArguments(i *instance, c *checked) {
	f := x.of(i, &c.rec)
	if i.decl.isStep() {
		c.when = x.whenOf(i)
		f = f.mayBeDead(isFalse(c.when))
	}
	if i.decl.def != nil {
		x.checkUse(f, i, c)
		return
	}
	c.args, _ = f.arguments(i.decl.args)
	f.together(i.decl.typ, i.decl.args, c.args)
}

// together reports what is wrong with the arguments of a type as a whole.
func (f frame) together(t schema.Type, b *body, args cty.Value) {
	if t.Check == nil || b.gaps || !f.checking() {
		return
	}
	if err := t.Check(args); err != nil {
		f.sink.add(diag.New(diag.InvalidValue, b.rng, t.Name+": "+err.Error(), ""))
	}
}

// of returns the frame to check something of an instance.
func (x *expansion) of(i *instance, rec *recorder) frame {
	f := x.checker(i.decl.file, i.place, rec)
	f.inst = i
	f.dead = i.phantom && !i.set.open || i.place.dead
	return f
}

// whenOf is a step's when as far as it is known early. What is wrong with it
// is reported where the step is built.
func (x *expansion) whenOf(i *instance) cty.Value {
	a := i.decl.meta.attrs["when"]
	if a == nil {
		return cty.True
	}
	shared := len(i.set.list) > 1 && !i.phantom
	if shared && i.set.when != cty.NilVal {
		return i.set.when
	}
	if i.inWhen { // a circle: the order of the steps tells of it
		return cty.UnknownVal(cty.Bool)
	}
	i.inWhen = true
	defer func() { i.inWhen = false }()
	quiet, _ := x.of(i, nil).silently()
	used := x.ownUsed
	v, _ := quiet.value(a.Expr)
	v, _ = v.Unmark()
	if shared && x.ownUsed == used {
		i.set.when = v
	}
	return v
}

// isSkipped says that it is known early that an action is skipped, so that its
// results are null.
func (x *expansion) isSkipped(i *instance) bool {
	return i.decl.root == rootAction && i.decl.meta != nil && i.decl.meta.attrs["when"] != nil && isFalse(x.whenOf(i))
}

func isFalse(v cty.Value) bool {
	return v != cty.NilVal && v.Type() == cty.Bool && v.IsKnown() && !v.IsNull() && v.False()
}

func isTrue(v cty.Value) bool {
	return v != cty.NilVal && v.Type() == cty.Bool && v.IsKnown() && !v.IsNull() && v.True()
}

// What every fault and every repeat has.
var (
	faultAttrs  = schema.StepAttrs.And(schema.FaultAttrs)
	repeatAttrs = schema.StepAttrs.And(schema.RepeatAttrs)
)

// baseResult is what every step has.
func baseResult(d *decl) schema.Object {
	switch {
	case d.isFault():
		return faultAttrs
	case d.root == rootRepeat:
		return repeatAttrs
	case d.isStep():
		return schema.StepAttrs
	}
	return schema.Object{}
}

// ownResults are what an instance's type adds to what every step has.
func (x *expansion) ownResults(i *instance, c *checked) []schema.Attr {
	var own schema.Object
	if i.decl.root == rootWorkload {
		own = schema.Statistics(captured(c.args))
	}
	if c.use != nil {
		return own.And(objectOf(c.use.def.result, c.yields)).Attrs
	}
	if i.decl.typ.Result == nil || i.decl.broken {
		return own.Attrs
	}
	args := c.args
	if args == cty.DynamicVal {
		args = cty.UnknownVal(plainType(i.decl.args.schema.Type()))
	}
	base := baseResult(i.decl)
	for _, a := range i.decl.typ.Result(args).Attrs {
		_, inBase := base.Attr(a.Name)
		if _, taken := own.Attr(a.Name); taken || inBase {
			continue
		}
		if a.Ref == schema.RefNode || a.Ref == schema.RefNodes {
			c.nodeAttrs = append(c.nodeAttrs, a.Name)
		}
		own.Attrs = append(own.Attrs, a)
	}
	return own.Attrs
}

// captured is the type of what a workload captures: a list of strings for each
// name.
func captured(args cty.Value) cty.Type {
	if args.Type().IsObjectType() && args.Type().HasAttribute("capture") {
		c := args.GetAttr("capture")
		switch {
		case c.IsNull():
			return cty.EmptyObject
		case !c.IsKnown() || !c.CanIterateElements():
			return cty.DynamicPseudoType
		}
		attrs := map[string]cty.Type{}
		for it := c.ElementIterator(); it.Next(); {
			k, _ := it.Element()
			attrs[k.AsString()] = cty.List(cty.String)
		}
		return cty.Object(attrs)
	}
	return cty.EmptyObject
}

// statistics is the type of a window over a workload.
func (x *expansion) statistics(workload *instance) cty.Type {
	return plainType(schema.Statistics(captured(x.check(workload).args)).Type())
}

// planned is an instance's value as far as it is known before anything runs.
func (x *expansion) planned(i *instance) cty.Value {
	if i.plan != cty.NilVal {
		return i.plan
	}
	if i.decl.root == rootNode {
		i.plan = plannedNode(i)
		return i.plan
	}
	c := x.check(i)
	switch {
	case c.busy: // a circle
		return cty.DynamicVal
	case i.decl.def != nil && i.decl.def.opaque:
		i.plan = cty.DynamicVal
		return i.plan
	}
	base := baseResult(i.decl).Attrs
	m := make(map[string]cty.Value, len(base)+len(c.own))
	for _, attrs := range [][]schema.Attr{base, c.own} {
		for _, a := range attrs {
			m[a.Name] = cty.UnknownVal(seenType(a))
			if a.Ref == schema.RefNodes {
				m[a.Name] = x.givenNodes(c.args, a.Name)
			}
			if v, ok := c.yields[a.Name]; ok && holdsNodes(v.Type()) && !i.mayBeSkipped() {
				m[a.Name] = v // which nodes is known early
			}
		}
	}
	if x.isSkipped(i) {
		m["state"] = cty.StringVal("skipped")
		for _, a := range c.own {
			m[a.Name] = cty.NullVal(seenType(a))
		}
	}
	if _, ok := m["address"]; ok && !i.phantom {
		m["address"] = cty.StringVal(i.address)
	}
	i.plan = cty.ObjectVal(m)
	return i.plan
}

// givenNodes is a result that lists the nodes which the argument of the same
// name has named: as an action on nodes returns them. So it is known early if
// that is.
func (x *expansion) givenNodes(args cty.Value, name string) cty.Value {
	unknown := cty.UnknownVal(cty.List(schema.NodeType))
	if !args.Type().IsObjectType() || !args.Type().HasAttribute(name) {
		return unknown
	}
	given := args.GetAttr(name)
	if given.IsNull() || !given.IsWhollyKnown() || !given.CanIterateElements() || given.LengthInt() == 0 {
		return unknown
	}
	var nodes []cty.Value
	for _, address := range given.AsValueSlice() {
		i := x.instance(address.AsString())
		if i == nil {
			return unknown
		}
		nodes = append(nodes, x.planned(i))
	}
	return cty.ListVal(nodes)
}

// seenType is the type in which expressions see a result.
func seenType(a schema.Attr) cty.Type {
	switch a.Ref {
	case schema.RefNode:
		return schema.NodeType
	case schema.RefNodes:
		return cty.List(schema.NodeType)
	}
	return plainType(a.ValueType())
}

// resultType is the type in which the engine keeps a step's value. Unless that
// has nodes, which are addresses to the engine, it is what expressions see.
func (x *expansion) resultType(i *instance) cty.Type {
	c := x.check(i)
	if len(c.nodeAttrs) == 0 && c.use == nil && !c.busy {
		return x.planned(i).Type()
	}
	attrs := map[string]cty.Type{}
	for _, list := range [][]schema.Attr{baseResult(i.decl).Attrs, c.own} {
		for _, a := range list {
			attrs[a.Name] = plainType(a.ValueType())
		}
	}
	return cty.Object(attrs)
}

func plannedNode(i *instance) cty.Value {
	m := map[string]cty.Value{}
	for name, t := range schema.NodeType.AttributeTypes() {
		m[name] = cty.UnknownVal(t)
	}
	if !i.phantom {
		m["name"] = cty.StringVal(i.decl.name)
		m["address"] = cty.StringVal(i.address)
		m["host"] = cty.StringVal(i.host())
	}
	return cty.ObjectVal(m)
}

// host is a node's name on its networks: letters, digits and hyphens only,
// since some clients refuse others.
func (i *instance) host() string {
	name := i.decl.name
	if i.key != cty.NilVal && !i.phantom {
		k := keyText(i.key)
		if i.key.Type() == cty.String {
			k = i.key.AsString()
		}
		name += "-" + k
	}
	b := []byte(name)
	for n, c := range b {
		ok := c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z'
		if !ok {
			b[n] = '-'
		}
	}
	return string(b)
}

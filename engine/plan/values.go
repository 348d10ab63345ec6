package plan

import (
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/lang"
	"github.com/scenario-run/scenario/dsl/schema"
)

// unknowns is the Scope of planning: what the language knows before anything
// has run, and without that of nodes the names, of all else the type.
type unknowns struct {
	planned lang.Scope
	others  map[string]cty.Value
}

func newUnknowns(v *lang.Variant) unknowns {
	u := unknowns{planned: v.Planned(), others: map[string]cty.Value{}}
	for _, n := range v.Nodes {
		attrs := map[string]cty.Value{}
		for name, t := range schema.NodeType.AttributeTypes() {
			attrs[name] = cty.UnknownVal(t)
		}
		attrs["address"] = cty.StringVal(n.Address)
		attrs["name"] = cty.StringVal(n.Name)
		attrs["host"] = cty.StringVal(n.Host)
		u.others[n.Address] = cty.ObjectVal(attrs)
	}
	u.addSteps(v.Steps)
	u.addSteps(v.Cleanup)
	return u
}

func (u unknowns) addSteps(steps []*lang.Step) {
	for _, s := range steps {
		if s.Result != cty.NilType && !isThere(u.planned.Instance(s.Address)) {
			u.others[s.Address] = cty.UnknownVal(s.Result)
		}
		for _, round := range s.Rounds {
			u.addSteps(round)
		}
		u.addSteps(s.Inside)
	}
}

// Instance returns what is known of a node or step.
func (u unknowns) Instance(address string) cty.Value {
	if v := u.planned.Instance(address); isThere(v) {
		return v
	}
	if v, ok := u.others[address]; ok {
		return v
	}
	return cty.DynamicVal
}

func isThere(v cty.Value) bool { return v != cty.NilVal && v != cty.DynamicVal }

// Window returns nothing that is known.
func (unknowns) Window(lang.Window) cty.Value { return cty.DynamicVal }

// evaluate returns the arguments as far as they are known while planning.
// Whether they are right has been checked; what can't be evaluated is unknown.
func (b *builder) evaluate(body *lang.Body) cty.Value {
	if body == nil {
		return cty.DynamicVal
	}
	return knownOf(body.Eval(b.scope))
}

// some is evaluate for some of the arguments.
func (b *builder) some(body *lang.Body, names ...string) cty.Value {
	if body == nil {
		return cty.DynamicVal
	}
	return knownOf(body.Some(b.scope, names...))
}

func knownOf(v cty.Value, diags hcl.Diagnostics) cty.Value {
	if diags.HasErrors() || v == cty.NilVal {
		return cty.DynamicVal
	}
	v, _ = v.UnmarkDeep()
	return v
}

// arguments are those of a step, evaluated once.
func (b *builder) arguments(s *lang.Step) cty.Value {
	v, ok := b.args[s]
	if !ok {
		v = b.evaluate(s.Body)
		b.args[s] = v
	}
	return v
}

// targets are the nodes that a step acts on, as far as they are known, each
// once.
func (b *builder) targets(s *lang.Step) []string {
	var all []string
	for _, nodes := range b.nodeArguments(s) {
		for _, address := range texts(nodes) {
			if !slices.Contains(all, address) && len(b.nodesOf(address)) > 0 {
				all = append(all, address)
			}
		}
	}
	return all
}

// allTargetsKnown says that targets are all that there will be.
func (b *builder) allTargetsKnown(s *lang.Step) bool {
	return !slices.ContainsFunc(b.nodeArguments(s), func(nodes cty.Value) bool { return !nodes.IsWhollyKnown() })
}

// nodeArguments are the values of all arguments of a step that take nodes, in
// the nested blocks too whose labels name types.
func (b *builder) nodeArguments(s *lang.Step) []cty.Value {
	if !takesNodes(s.Type) {
		return nil // as of most: what they take needn't be worked out
	}
	args := b.arguments(s)
	all := nodesIn(s.Type, args)
	for _, block := range s.Type.Args.Blocks {
		nested := attr(args, block.Name)
		if block.Of == "" || !nested.IsKnown() || nested.IsNull() {
			continue
		}
		for _, given := range nested.AsValueSlice() {
			name := texts(attr(given, "type"))
			for _, t := range s.Of {
				if slices.Contains(name, t.Name) {
					all = append(all, nodesIn(t, attr(given, "args"))...)
					break
				}
			}
		}
	}
	return all
}

// takesNodes says that a type has arguments that take nodes, or nested blocks
// whose labels name types which may.
func takesNodes(t schema.Type) bool {
	return slices.ContainsFunc(t.Args.Attrs, schema.Attr.TakesNodes) ||
		slices.ContainsFunc(t.Args.Blocks, func(b schema.Block) bool { return b.Of != "" })
}

func nodesIn(t schema.Type, args cty.Value) (all []cty.Value) {
	for _, a := range t.Args.Attrs {
		if a.TakesNodes() {
			all = append(all, attr(args, a.Name))
		}
	}
	return all
}

// attr returns an attribute of an object, unknown if it has none.
func attr(object cty.Value, name string) cty.Value {
	if object.Type().IsObjectType() && object.IsKnown() && !object.IsNull() && object.Type().HasAttribute(name) {
		return object.GetAttr(name)
	}
	return cty.DynamicVal
}

// texts are the strings that are known in a value: itself, or its elements.
func texts(v cty.Value) []string {
	if !v.IsKnown() || v.IsNull() {
		return nil
	}
	if v.Type() == cty.String {
		return []string{v.AsString()}
	}
	if !v.CanIterateElements() {
		return nil
	}
	var all []string
	for it := v.ElementIterator(); it.Next(); {
		_, e := it.Element()
		all = append(all, texts(e)...)
	}
	return all
}

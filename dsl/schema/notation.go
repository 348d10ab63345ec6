package schema

import (
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"
)

// Notation writes a type as a file would, which is stable: "string",
// "list(number)", "object({ name = string, tag = optional(string) })". A node
// is "node".
func Notation(t cty.Type) string {
	switch {
	case t == cty.NilType || t == cty.DynamicPseudoType:
		return "any"
	case t == cty.String:
		return "string"
	case t == cty.Number:
		return "number"
	case t == cty.Bool:
		return "bool"
	case t.Equals(NodeType):
		return "node"
	case t.IsListType():
		return "list(" + Notation(t.ElementType()) + ")"
	case t.IsSetType():
		return "set(" + Notation(t.ElementType()) + ")"
	case t.IsMapType():
		return "map(" + Notation(t.ElementType()) + ")"
	case t.IsTupleType():
		var elems []string
		for _, e := range t.TupleElementTypes() {
			elems = append(elems, Notation(e))
		}
		return "tuple([" + strings.Join(elems, ", ") + "])"
	case t.IsObjectType():
		return objectNotation(t)
	}
	return t.FriendlyName()
}

func objectNotation(t cty.Type) string {
	var attrs []string
	for name, a := range t.AttributeTypes() {
		text := Notation(a)
		if t.AttributeOptional(name) {
			text = "optional(" + text + ")"
		}
		attrs = append(attrs, name+" = "+text)
	}
	if len(attrs) == 0 {
		return "object({})"
	}
	slices.Sort(attrs)
	return "object({ " + strings.Join(attrs, ", ") + " })"
}

// Notation writes what an argument takes, or the type of a result. References
// are called by what they refer to: "node", "list(node)", "list(fault)".
func (a Attr) Notation() string {
	switch a.Ref {
	case RefNodes:
		return "list(node)"
	case RefNodeSets:
		return "list(list(node))"
	case RefSteps:
		return "list(step)"
	case RefFaults:
		return "list(fault)"
	case RefNode, RefStep, RefWorkload:
		return string(a.Ref)
	}
	return Notation(a.Type)
}

package lang

import (
	"slices"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
)

// fewElements are converted soon enough by cty, which compares the type of each
// element of a tuple with that of each other.
const fewElements = 64

// sequence makes a list or a set of a long tuple, and a map of a large object,
// where one is wanted, with each element converted by itself. What can't be made
// so stays as it is, for cty to say why.
func sequence(v cty.Value, want cty.Type) cty.Value {
	t := v.Type()
	if !want.IsCollectionType() || !t.IsTupleType() && !t.IsObjectType() {
		return v
	}
	plain, marks := v.Unmark()
	if !plain.IsKnown() || plain.IsNull() || plain.LengthInt() <= fewElements || want.IsMapType() != t.IsObjectType() {
		return v
	}
	keys, values := entries(plain)
	elem, ok := elementsAs(values, want.ElementType())
	if !ok {
		return v
	}
	for i, el := range values {
		got, err := convert.Convert(sequence(el, elem), elem)
		if err != nil || !got.Type().Equals(elem) {
			return v
		}
		values[i] = got
	}
	return gathered(want, keys, values).WithMarks(marks)
}

// elementsAs is the type that all elements can have: the one wanted, or, for any,
// that of them all.
func elementsAs(values []cty.Value, want cty.Type) (cty.Type, bool) {
	if !want.HasDynamicTypes() {
		return plainType(want), true
	}
	var types []cty.Type
	for _, v := range values {
		t := v.Type()
		if slices.ContainsFunc(types, t.Equals) {
			continue
		}
		if types = append(types, t); len(types) > fewElements {
			return cty.NilType, false
		}
	}
	elem, _ := convert.UnifyUnsafe(types)
	if want != cty.DynamicPseudoType || elem == cty.NilType || elem.HasDynamicTypes() {
		return cty.NilType, false
	}
	return elem, true
}

func gathered(want cty.Type, keys, values []cty.Value) cty.Value {
	switch {
	case want.IsListType():
		return cty.ListVal(values)
	case want.IsSetType():
		return cty.SetVal(values)
	}
	m := make(map[string]cty.Value, len(values))
	for i, k := range keys {
		m[k.AsString()] = values[i]
	}
	return cty.MapVal(m)
}

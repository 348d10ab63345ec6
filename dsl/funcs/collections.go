package funcs

import (
	"slices"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
	ctyjson "github.com/zclconf/go-cty/cty/json"
)

// allTrueFunc and anyTrueFunc look at each element, since one may decide
// although others are unknown.
var (
	allTrueFunc = boolsFunc("Whether all of a list are true; so is an empty one.", cty.True)
	anyTrueFunc = boolsFunc("Whether one of a list is true; of an empty one, none is.", cty.False)
)

// boolsFunc is the fold of a list of bools that starts with empty, and that
// the opposite of empty decides.
func boolsFunc(description string, empty cty.Value) function.Function {
	return function.New(&function.Spec{
		Description: description,
		Params:      []function.Parameter{{Name: "list", Type: cty.List(cty.Bool)}},
		Type:        function.StaticReturnType(cty.Bool),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			result := empty
			for it := args[0].ElementIterator(); it.Next(); {
				_, v := it.Element()
				switch {
				case !v.IsKnown():
					result = cty.UnknownVal(cty.Bool)
				case v.IsNull():
					return cty.NilVal, function.NewArgErrorf(0, "an element is null")
				case v.False() == empty.True():
					return v, nil
				}
			}
			return result, nil
		},
	})
}

var sumFunc = function.New(&function.Spec{
	Description: "The sum of a list of numbers; 0 of an empty one.",
	Params:      []function.Parameter{{Name: "list", Type: cty.List(cty.Number)}},
	Type:        function.StaticReturnType(cty.Number),
	Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
		total := cty.Zero
		for it := args[0].ElementIterator(); it.Next(); {
			_, v := it.Element()
			if v.IsKnown() && v.IsNull() {
				return cty.NilVal, function.NewArgErrorf(0, "an element is null")
			}
			total = total.Add(v)
		}
		return total, nil
	},
})

var lengthFunc = function.New(&function.Spec{
	Description: "How many elements a list, map or object has, or characters a string.",
	Params:      []function.Parameter{{Name: "value", Type: cty.DynamicPseudoType, AllowDynamicType: true, AllowUnknown: true}},
	Type: func(args []cty.Value) (cty.Type, error) {
		t := args[0].Type()
		if t != cty.DynamicPseudoType && t != cty.String && !t.IsObjectType() && !t.IsTupleType() && !t.IsCollectionType() {
			return cty.NilType, function.NewArgErrorf(0, "a %s has no length", t.FriendlyName())
		}
		return cty.Number, nil
	},
	Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
		v := args[0]
		switch t := v.Type(); {
		case t.IsTupleType():
			return cty.NumberIntVal(int64(len(t.TupleElementTypes()))), nil
		case t.IsObjectType():
			return cty.NumberIntVal(int64(len(t.AttributeTypes()))), nil
		case !v.IsKnown():
			return cty.UnknownVal(cty.Number).Refine().NotNull().NumberRangeLowerBound(cty.Zero, true).NewValue(), nil
		case t == cty.String:
			return stdlib.Strlen(v)
		default:
			return stdlib.Length(v)
		}
	},
})

// distinctFunc finds each element by its text: to compare it with all others
// takes a minute for a hundred thousand.
var distinctFunc = function.New(&function.Spec{
	Description: stdlib.DistinctFunc.Description(),
	Params:      stdlib.DistinctFunc.Params(),
	Type:        func(args []cty.Value) (cty.Type, error) { return args[0].Type(), nil },
	Impl: func(args []cty.Value, ret cty.Type) (cty.Value, error) {
		if !args[0].IsWhollyKnown() {
			return cty.UnknownVal(ret), nil
		}
		seen := map[string][]cty.Value{}
		var list []cty.Value
		for it := args[0].ElementIterator(); it.Next(); {
			_, v := it.Element()
			text, err := ctyjson.Marshal(v, v.Type())
			if err != nil {
				return cty.NilVal, function.NewArgError(0, err)
			}
			same := seen[string(text)]
			if slices.ContainsFunc(same, func(other cty.Value) bool { return other.Equals(v).True() }) {
				continue
			}
			seen[string(text)] = append(same, v)
			list = append(list, v)
		}
		if len(list) == 0 {
			return cty.ListValEmpty(ret.ElementType()), nil
		}
		return cty.ListVal(list), nil
	},
})

var oneFunc = function.New(&function.Spec{
	Description: "The only element of a list, or null if it is empty.",
	Params:      []function.Parameter{{Name: "list", Type: cty.DynamicPseudoType}},
	Type: func(args []cty.Value) (cty.Type, error) {
		t := args[0].Type()
		if t.IsTupleType() {
			switch elems := t.TupleElementTypes(); len(elems) {
			case 0:
				return cty.DynamicPseudoType, nil
			case 1:
				return elems[0], nil
			default:
				return cty.NilType, function.NewArgErrorf(0, "there are %d elements where at most one is wanted", len(elems))
			}
		}
		return elementType(t)
	},
	Impl: func(args []cty.Value, ret cty.Type) (cty.Value, error) {
		if !args[0].Length().IsKnown() {
			return cty.UnknownVal(ret), nil
		}
		switch n := args[0].LengthInt(); n {
		case 0:
			return cty.NullVal(ret), nil
		case 1:
			it := args[0].ElementIterator()
			it.Next()
			_, v := it.Element()
			return v, nil
		default:
			return cty.NilVal, function.NewArgErrorf(0, "there are %d elements where at most one is wanted", n)
		}
	},
})

// elementType returns the type of the elements of a list or set.
func elementType(t cty.Type) (cty.Type, error) {
	if !t.IsListType() && !t.IsSetType() {
		return cty.NilType, function.NewArgErrorf(0, "a list is wanted, not a %s", t.FriendlyName())
	}
	return t.ElementType(), nil
}

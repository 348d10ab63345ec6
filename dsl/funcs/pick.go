package funcs

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	"github.com/zclconf/go-cty/cty/function"
)

// pickFunc chooses an element by the seed and the keys: the same for the same
// seed, keys and number of elements, whatever else the file holds.
func pickFunc(seed *int64) function.Function {
	return function.New(&function.Spec{
		Description: "An element of a list, chosen by the seed and the keys: the same seed gives the same choice.",
		Params:      []function.Parameter{{Name: "list", Type: cty.DynamicPseudoType}},
		VarParam:    &function.Parameter{Name: "key", Type: cty.DynamicPseudoType},
		Type:        func(args []cty.Value) (cty.Type, error) { return pickedType(args[0].Type()) },
		Impl: func(args []cty.Value, ret cty.Type) (cty.Value, error) {
			if !args[0].Length().IsKnown() {
				return cty.UnknownVal(ret), nil
			}
			n := args[0].LengthInt()
			if n == 0 {
				return cty.NilVal, function.NewArgErrorf(0, "there is nothing to pick from an empty list")
			}
			if seed == nil {
				return cty.UnknownVal(ret), nil
			}
			at, err := draw(*seed, args[1:], n)
			if err != nil {
				return cty.NilVal, err
			}
			it := args[0].ElementIterator()
			for range at + 1 {
				it.Next()
			}
			_, v := it.Element()
			return convert.Convert(v, ret)
		},
	})
}

// pickedType is the type that all elements have in common; of a tuple of
// different ones it is known once the choice is.
func pickedType(t cty.Type) (cty.Type, error) {
	if !t.IsTupleType() {
		return elementType(t)
	}
	elems := t.TupleElementTypes()
	if len(elems) == 0 {
		return cty.DynamicPseudoType, nil
	}
	common, _ := convert.Unify(elems)
	if common == cty.NilType {
		return cty.DynamicPseudoType, nil
	}
	return common, nil
}

// draw returns a number below n. Each key counts with its length, so that
// ("a", "bc") and ("ab", "c") differ.
func draw(seed int64, keys []cty.Value, n int) (int, error) {
	h := sha256.New()
	var word [8]byte
	put := func(x uint64) {
		binary.BigEndian.PutUint64(word[:], x)
		h.Write(word[:])
	}
	put(uint64(seed))
	for i, k := range keys {
		text, err := convert.Convert(k, cty.String)
		if err != nil || text.IsNull() {
			return 0, function.NewArgError(i+1, errors.New("a key is a string, number or bool"))
		}
		put(uint64(len(text.AsString())))
		h.Write([]byte(text.AsString()))
	}
	// 64 bits are so many more than n that the remainder favours nobody.
	return int(binary.BigEndian.Uint64(h.Sum(nil)) % uint64(n)), nil
}

package lang

import (
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/schema"
)

func mismatch(name string, want, got cty.Type) string {
	return `"` + name + `" takes ` + typeName(want) + ", this is " + typeName(got)
}

// pathText writes the way to a part of a value as references have it.
func pathText(path cty.Path) string {
	var b strings.Builder
	for _, step := range path {
		switch s := step.(type) {
		case cty.GetAttrStep:
			b.WriteString("." + s.Name)
		case cty.IndexStep:
			b.WriteString("[" + keyText(s.Key) + "]")
		}
	}
	return b.String()
}

func conversionHint(want cty.Type) string {
	switch want {
	case cty.Number:
		return "tonumber(…) makes a number of a string."
	case cty.Bool:
		return "tobool(…) makes a bool of a string."
	}
	return ""
}

// typeName names a type for a person, with its article.
func typeName(t cty.Type) string {
	switch {
	case t == cty.NilType || t == cty.DynamicPseudoType:
		return "a value"
	case t.IsTupleType() || t.IsListType():
		return "a list" + of(t)
	case t.IsSetType():
		return "a set" + of(t)
	case t.IsMapType():
		return "a map" + of(t)
	}
	if n := noun(t); n != "" {
		return article(n)
	}
	return t.FriendlyName()
}

// noun is the word for a type that one word says enough of, or "".
func noun(t cty.Type) string {
	switch {
	case t.IsPrimitiveType() || t.Equals(schema.NodeType):
		return schema.Notation(t)
	case t.IsObjectType():
		return "object"
	}
	return ""
}

// of says what the elements of a type are, if all are the same and one word says
// it.
func of(t cty.Type) string {
	var el cty.Type
	if t.IsTupleType() {
		all := t.TupleElementTypes()
		if len(all) == 0 || slices.ContainsFunc(all, func(x cty.Type) bool { return !x.Equals(all[0]) }) {
			return ""
		}
		el = all[0]
	} else {
		el = t.ElementType()
	}
	if n := noun(el); n != "" {
		return " of " + n + "s"
	}
	return ""
}

// keyText writes an instance's key as references have it: 0, "a".
func keyText(k cty.Value) string {
	switch {
	case k == cty.NilVal || k.IsNull() || !k.IsKnown():
		return "?"
	case k.Type() == cty.String:
		return strconv.Quote(k.AsString())
	case k.Type() == cty.Number:
		if n, accuracy := k.AsBigFloat().Int64(); accuracy == big.Exact {
			return strconv.FormatInt(n, 10) // as most are; the other way takes long
		}
		return k.AsBigFloat().Text('f', -1)
	}
	return "?"
}

func indexText(i int) string { return strconv.Itoa(i) }

// mostDigits is how long a number may be in a message before it is rounded.
const mostDigits = 20

// numberText writes a number for a message.
func numberText(v cty.Value) string {
	f := v.AsBigFloat()
	if exponent := f.MantExp(nil); exponent < 64 && exponent > -64 {
		if text := f.Text('f', -1); len(text) <= mostDigits {
			return text
		}
	}
	return f.Text('g', 6)
}

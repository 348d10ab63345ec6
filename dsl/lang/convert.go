package lang

import (
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"github.com/scenario-run/scenario/dsl/diag"
	"github.com/scenario-run/scenario/dsl/schema"
)

// mostMisfits is how many parts of one value are told that don't fit.
const mostMisfits = 20

// misfit is a part of a value that isn't of the type that is wanted.
type misfit struct {
	path   cty.Path
	got    cty.Type
	wanted cty.Type
	why    string // where the types alone don't say it
}

// converted makes a value one of an argument's type. What is wrong with all the
// parts that can't be made so is told.
func converted(a schema.Attr, e hclsyntax.Expression, v cty.Value) (got cty.Value, bad []misfit, diags hcl.Diagnostics) {
	for _, d := range surplus(v.Type(), a.Type, nil) {
		diags = append(diags, diag.New(diag.UnknownArgument, keyRange(e, d.path, d.name), `"`+a.Name+pathText(d.path)+`" has no "`+d.name+`"`,
			list("It takes", d.takes), diag.DidYouMean(d.name, d.takes)))
	}
	if len(diags) > 0 {
		return cty.NilVal, nil, diags
	}
	if d := tooLongForNumber(e, v, a.Type); d != nil {
		return cty.NilVal, nil, hcl.Diagnostics{d}
	}
	bad = uncertain(v, a.Type, nil)
	if len(bad) == 0 {
		got, err := convert.Convert(sequence(v, a.Type), a.Type)
		if err == nil {
			return got, nil, nil
		}
		bad = misfits(v, a.Type, nil, err)
	}
	for _, m := range bad[:min(len(bad), mostMisfits)] {
		code := diag.WrongType
		if m.wanted == cty.Bool {
			code = diag.NotBool
		}
		diags = append(diags, diag.New(code, narrow(e, m.path), mismatch(a.Name+pathText(m.path), m.wanted, m.got), m.why))
	}
	return cty.NilVal, bad, diags
}

// amongOthers says what is wrong with those elements of a list, a set or a map
// that could be converted.
func amongOthers(a schema.Attr, e hclsyntax.Expression, v cty.Value, bad []misfit) hcl.Diagnostics {
	if len(bad) == 0 || !a.Type.IsCollectionType() || !a.Type.ElementType().IsPrimitiveType() || !v.IsKnown() || !v.CanIterateElements() {
		return nil
	}
	rest, err := cty.Transform(v, func(path cty.Path, part cty.Value) (cty.Value, error) {
		if slices.ContainsFunc(bad, func(m misfit) bool { return m.path.Equals(path) }) {
			return cty.NullVal(a.Type.ElementType()), nil // which is told of as null, and nothing else
		}
		return part, nil
	})
	if err != nil {
		return nil
	}
	if rest, err = convert.Convert(sequence(rest, a.Type), a.Type); err != nil {
		return nil // it is the whole that doesn't fit
	}
	return append(nullsBeside(a, e, v, bad), refused(a, e, rest)...)
}

// nullsBeside is nullsIn of a value of which other parts don't fit.
func nullsBeside(a schema.Attr, e hclsyntax.Expression, v cty.Value, bad []misfit) (diags hcl.Diagnostics) {
	for it := v.ElementIterator(); it.Next(); {
		k, el := it.Element()
		path := cty.Path{stepTo(v.Type(), k)}
		if el.IsNull() && !slices.ContainsFunc(bad, func(m misfit) bool { return m.path.Equals(path) }) {
			diags = append(diags, nullPart(a, e, path))
		}
	}
	return diags
}

func nullPart(a schema.Attr, e hclsyntax.Expression, path cty.Path) *hcl.Diagnostic {
	return diag.New(diag.NullValue, narrow(e, path), `"`+a.Name+pathText(path)+`" is null`, "A value is required.")
}

// misfits are the smallest parts of a value that can't be converted: the value
// itself, if there are none.
func misfits(v cty.Value, want cty.Type, path cty.Path, err error) (all []misfit) {
	t := v.Type()
	if v.IsKnown() && !v.IsNull() && v.CanIterateElements() && (want.IsCollectionType() || want.IsObjectType()) {
		for it := v.ElementIterator(); it.Next(); {
			k, el := it.Element()
			inner, ok := elementOf(want, k)
			if !ok {
				continue
			}
			if _, err := convert.Convert(el, inner); err != nil {
				all = append(all, misfits(el, inner, append(path[:len(path):len(path)], stepTo(t, k)), err)...)
			}
		}
	}
	if len(all) > 0 {
		return all
	}
	m := misfit{path: path, got: t, wanted: want}
	if want.IsObjectType() && t.IsObjectType() || t.IsPrimitiveType() && want.IsPrimitiveType() && v.IsKnown() {
		m.why = upperFirst(err.Error()) + "."
	}
	return []misfit{m}
}

// uncertain finds strings, not known yet, where numbers or bools are wanted. The
// conversion would be tried only when the values are there.
func uncertain(v cty.Value, want cty.Type, path cty.Path) (all []misfit) {
	t := v.Type()
	if (want == cty.Number || want == cty.Bool) && t == cty.String && !v.IsKnown() {
		return []misfit{{path, t, want, conversionHint(want)}}
	}
	if want.IsPrimitiveType() || !v.IsKnown() || v.IsNull() {
		return nil
	}
	if !want.IsCollectionType() && !want.IsObjectType() && !want.IsTupleType() || !v.CanIterateElements() {
		return nil
	}
	for it := v.ElementIterator(); it.Next(); {
		k, el := it.Element()
		if inner, ok := elementOf(want, k); ok {
			all = append(all, uncertain(el, inner, append(path[:len(path):len(path)], stepTo(t, k)))...)
		}
	}
	return all
}

func elementOf(t cty.Type, key cty.Value) (cty.Type, bool) {
	switch {
	case t.IsCollectionType():
		return t.ElementType(), true
	case t.IsObjectType() && key.Type() == cty.String && key.IsKnown() && t.HasAttribute(key.AsString()):
		return t.AttributeType(key.AsString()), true
	}
	return cty.NilType, false
}

// dropped is an attribute that a conversion to an object type would drop without a
// word.
type dropped struct {
	path  cty.Path // to the object
	name  string
	takes []string
}

// surplus finds what is dropped.
func surplus(got, want cty.Type, path cty.Path) (all []dropped) {
	into := func(got, want cty.Type, step cty.PathStep) {
		all = append(all, surplus(got, want, append(path[:len(path):len(path)], step))...)
	}
	switch {
	case got.IsObjectType() && want.IsObjectType():
		for _, n := range attributeNames(got) {
			if want.HasAttribute(n) {
				into(got.AttributeType(n), want.AttributeType(n), cty.GetAttrStep{Name: n})
				continue
			}
			all = append(all, dropped{path, n, attributeNames(want)})
		}
	case got.IsObjectType() && want.IsMapType():
		for _, n := range attributeNames(got) {
			into(got.AttributeType(n), want.ElementType(), cty.GetAttrStep{Name: n})
		}
	case got.IsTupleType() && (want.IsListType() || want.IsSetType()):
		for i, t := range got.TupleElementTypes() {
			into(t, want.ElementType(), cty.IndexStep{Key: cty.NumberIntVal(int64(i))})
		}
	}
	return all[:min(len(all), mostMisfits)]
}

func attributeNames(t cty.Type) []string {
	var names []string
	for n := range t.AttributeTypes() {
		names = append(names, n)
	}
	return sorted(names)
}

package lang

import (
	"errors"
	"slices"
	"strconv"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/diag"
	"github.com/scenario-run/scenario/dsl/schema"
)

// sensitive marks values that must not be shown.
const sensitive = mark("sensitive")

type mark string

// argument holds a value against what an argument takes: converted, checked,
// without marks.
func (f frame) argument(a schema.Attr, e hclsyntax.Expression, v cty.Value) (cty.Value, hcl.Diagnostics) {
	hidden := a.Sensitive || v.HasMarkDeep(sensitive)
	switch {
	case hidden && a.InPlan:
		return cty.UnknownVal(plainType(a.Type)), hcl.Diagnostics{inPlan(a.Name, e)}
	case hidden && f.checking():
		f.x.secrecy(a, v)
	case hidden:
		f.confide(a, v)
	}
	v, _ = v.UnmarkDeep()
	unknown := cty.UnknownVal(plainType(a.Type))
	if v.IsNull() {
		switch {
		case a.Type == cty.DynamicPseudoType:
			return v, nil // any value will do
		case a.Required:
			return unknown, hcl.Diagnostics{diag.New(diag.NullValue, e.Range(), `"`+a.Name+`" is null`, "A value is required.")}
		}
		return f.left(a), nil
	}
	if a.Fill != nil {
		v = a.Fill(v)
	}
	if d := withoutUnit(a, e, v); d != nil && !hidden {
		return unknown, hcl.Diagnostics{d}
	}
	got, bad, diags := converted(a, e, v)
	switch {
	case len(diags) > 0 && hidden:
		return unknown, diags
	case len(diags) > 0:
		return unknown, append(diags, amongOthers(a, e, v, bad)...)
	}
	if diags = append(nullsIn(a, e, got), refused(a, e, got)...); len(diags) == 0 {
		got, diags = f.hostFile(a, e, got)
	}
	switch {
	case len(diags) == 0:
		return got, nil
	case hidden:
		return unknown, hcl.Diagnostics{diag.New(diag.InvalidValue, e.Range(), `"`+a.Name+`" can't have this value, which is sensitive`, list("It is one of", a.Enum))}
	}
	return unknown, diags
}

// nullsIn reports what is null in a list or map of strings, numbers or bools:
// it would count as an empty one.
func nullsIn(a schema.Attr, e hclsyntax.Expression, v cty.Value) (diags hcl.Diagnostics) {
	if !v.Type().IsCollectionType() || !v.Type().ElementType().IsPrimitiveType() || !v.IsKnown() {
		return nil
	}
	for it := v.ElementIterator(); it.Next(); {
		k, el := it.Element()
		if el.IsNull() {
			diags = append(diags, nullPart(a, e, cty.Path{stepTo(v.Type(), k)}))
		}
	}
	return diags
}

// refused says what is wrong with a value of an argument's type.
func refused(a schema.Attr, e hclsyntax.Expression, v cty.Value) hcl.Diagnostics {
	if len(a.Enum) > 0 && v.Type() == cty.String && v.IsKnown() && !slices.Contains(a.Enum, v.AsString()) {
		return hcl.Diagnostics{diag.New(diag.NotOneOf, e.Range(), `"`+a.Name+`" can't be `+strconv.Quote(v.AsString()),
			list("It is one of", a.Enum), diag.DidYouMean(v.AsString(), a.Enum))}
	}
	if !v.IsWhollyKnown() {
		return nil
	}
	err := a.Refuse(v)
	if err == nil {
		return nil
	}
	errs := []error{err}
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		errs = several.Unwrap()
	}
	var diags hcl.Diagnostics
	for _, err := range errs {
		at := e.Range()
		var o []diag.Option
		if part := (*schema.PartError)(nil); errors.As(err, &part) {
			at = partRange(e, part)
			o = append(o, diag.DidYouMean(partText(v, part), part.Known))
		}
		diags = append(diags, diag.New(diag.InvalidValue, at, a.Name+": "+err.Error(), "", o...))
	}
	return diags
}

// left is the value of an argument that is left out.
func (f frame) left(a schema.Attr) cty.Value {
	if a.Default != cty.NilVal {
		return a.Default
	}
	return cty.NullVal(plainType(a.ValueType()))
}

// plainType is a type as values have it: without optional attributes.
func plainType(t cty.Type) cty.Type {
	if !hasOptional(t) {
		return t // as most are; a copy of a deep type costs
	}
	return t.WithoutOptionalAttributesDeep()
}

func hasOptional(t cty.Type) bool {
	switch {
	case t.IsCollectionType():
		return hasOptional(t.ElementType())
	case t.IsTupleType():
		return slices.ContainsFunc(t.TupleElementTypes(), hasOptional)
	case t.IsObjectType():
		if len(t.OptionalAttributes()) > 0 {
			return true
		}
		for _, a := range t.AttributeTypes() {
			if hasOptional(a) {
				return true
			}
		}
	}
	return false
}

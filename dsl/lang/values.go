package lang

import (
	"errors"
	"math/big"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

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
	got, d := converted(a, e, v)
	if d != nil {
		return unknown, hcl.Diagnostics{d}
	}
	diags := append(nullsIn(a, e, got), refused(a, e, got)...)
	if diags == nil {
		got, diags = f.hostFile(a, e, got)
	}
	switch {
	case diags == nil:
		return got, nil
	case hidden:
		return unknown, hcl.Diagnostics{diag.New(diag.InvalidValue, e.Range(), `"`+a.Name+`" can't have this value, which is sensitive`, list("It is one of", a.Enum))}
	}
	return unknown, diags
}

// converted makes a value one of an argument's type.
func converted(a schema.Attr, e hclsyntax.Expression, v cty.Value) (cty.Value, *hcl.Diagnostic) {
	wrong := func(path cty.Path, got, wanted cty.Type, why string) (cty.Value, *hcl.Diagnostic) {
		code := diag.WrongType
		if wanted == cty.Bool {
			code = diag.NotBool
		}
		return cty.NilVal, diag.New(code, narrow(e, path), mismatch(a.Name+pathText(path), wanted, got), why)
	}
	if path, got, wanted := needsCare(v, a.Type, nil); wanted != cty.NilType {
		return wrong(path, got, wanted, conversionHint(wanted))
	}
	if at, name, takes := surplus(v.Type(), a.Type, nil); name != "" {
		return cty.NilVal, diag.New(diag.UnknownArgument, keyRange(e, at, name), `"`+a.Name+pathText(at)+`" has no "`+name+`"`,
			list("It takes", takes), diag.DidYouMean(name, takes))
	}
	if d := tooLongForNumber(e, v, a.Type); d != nil {
		return cty.NilVal, d
	}
	got, err := convert.Convert(sequence(v, a.Type), a.Type)
	if err != nil {
		return wrong(blame(v, a.Type, nil, err))
	}
	return got, nil
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
			path := cty.Path{stepTo(v.Type(), k)}
			diags = append(diags, diag.New(diag.NullValue, narrow(e, path), `"`+a.Name+pathText(path)+`" is null`, "A value is required."))
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

// partRange finds the place of a part that a check finds fault with.
func partRange(e hclsyntax.Expression, part *schema.PartError) hcl.Range {
	if to, key, ok := keyOfPart(part); ok {
		return keyRange(e, to, key)
	}
	return narrow(e, part.Path)
}

// keyOfPart is the key that is to blame, and the way to what has it.
func keyOfPart(part *schema.PartError) (to cty.Path, key string, ok bool) {
	last := len(part.Path) - 1
	if !part.OfKey || last < 0 {
		return nil, "", false
	}
	step, ok := part.Path[last].(cty.GetAttrStep)
	return part.Path[:last], step.Name, ok
}

// partText is what is written there.
func partText(v cty.Value, part *schema.PartError) string {
	if _, key, ok := keyOfPart(part); ok {
		return key
	}
	el, err := part.Path.Apply(v)
	if err != nil || el.Type() != cty.String || el.IsNull() || !el.IsKnown() {
		return ""
	}
	return el.AsString()
}

// blame finds the smallest part of a value that can't be converted, and says
// why where its type alone doesn't.
func blame(v cty.Value, want cty.Type, path cty.Path, err error) (at cty.Path, got, wanted cty.Type, why string) {
	t := v.Type()
	if v.IsKnown() && !v.IsNull() && v.CanIterateElements() && (want.IsCollectionType() || want.IsObjectType()) {
		for it := v.ElementIterator(); it.Next(); {
			k, el := it.Element()
			inner, ok := elementOf(want, k)
			if !ok {
				continue
			}
			if _, err := convert.Convert(el, inner); err != nil {
				return blame(el, inner, append(path[:len(path):len(path)], stepTo(t, k)), err)
			}
		}
	}
	if want.IsObjectType() && t.IsObjectType() || t.IsPrimitiveType() && want.IsPrimitiveType() && v.IsKnown() {
		why = upperFirst(err.Error()) + "."
	}
	return path, t, want, why
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

// needsCare finds a string, not known yet, where a number or a bool is wanted.
// The conversion would be tried only when the value is there.
func needsCare(v cty.Value, want cty.Type, path cty.Path) (cty.Path, cty.Type, cty.Type) {
	none := func() (cty.Path, cty.Type, cty.Type) { return nil, cty.NilType, cty.NilType }
	t := v.Type()
	if (want == cty.Number || want == cty.Bool) && t == cty.String && !v.IsKnown() {
		return path, t, want
	}
	if want == cty.Bool && t == cty.String || want.IsPrimitiveType() || !v.IsKnown() || v.IsNull() {
		return none()
	}
	if !want.IsCollectionType() && !want.IsObjectType() && !want.IsTupleType() || !v.CanIterateElements() {
		return none()
	}
	for it := v.ElementIterator(); it.Next(); {
		k, el := it.Element()
		inner, ok := elementOf(want, k)
		if !ok {
			continue
		}
		if p, got, w := needsCare(el, inner, append(slices.Clone(path), stepTo(t, k))); w != cty.NilType {
			return p, got, w
		}
	}
	return none()
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

func stepTo(t cty.Type, key cty.Value) cty.PathStep {
	if t.IsObjectType() {
		return cty.GetAttrStep{Name: key.AsString()}
	}
	return cty.IndexStep{Key: key}
}

// surplus finds an attribute that a conversion to an object type would drop
// without a word.
func surplus(got, want cty.Type, path cty.Path) (at cty.Path, name string, takes []string) {
	switch {
	case got.IsObjectType() && want.IsObjectType():
		for _, n := range attributeNames(got) {
			if !want.HasAttribute(n) {
				return path, n, attributeNames(want)
			}
			if at, name, takes = surplus(got.AttributeType(n), want.AttributeType(n), append(slices.Clone(path), cty.GetAttrStep{Name: n})); name != "" {
				return at, name, takes
			}
		}
	case got.IsObjectType() && want.IsMapType():
		for _, n := range attributeNames(got) {
			if at, name, takes = surplus(got.AttributeType(n), want.ElementType(), append(slices.Clone(path), cty.GetAttrStep{Name: n})); name != "" {
				return at, name, takes
			}
		}
	case got.IsTupleType() && (want.IsListType() || want.IsSetType()):
		for i, t := range got.TupleElementTypes() {
			if at, name, takes = surplus(t, want.ElementType(), append(slices.Clone(path), cty.IndexStep{Key: cty.NumberIntVal(int64(i))})); name != "" {
				return at, name, takes
			}
		}
	}
	return nil, "", nil
}

func attributeNames(t cty.Type) []string {
	var names []string
	for n := range t.AttributeTypes() {
		names = append(names, n)
	}
	return sorted(names)
}

// narrow finds the place of a part of a value in the expression that it was
// written with.
func narrow(e hclsyntax.Expression, path cty.Path) hcl.Range {
	for _, step := range path {
		if p, ok := e.(*hclsyntax.ParenthesesExpr); ok {
			e = p.Expression
		}
		next := within(e, step)
		if next == nil {
			break
		}
		e = next
	}
	return e.Range()
}

// keyRange finds the place of a key.
func keyRange(e hclsyntax.Expression, path cty.Path, name string) hcl.Range {
	for _, step := range path {
		if next := within(e, step); next != nil {
			e = next
		}
	}
	if o, ok := e.(*hclsyntax.ObjectConsExpr); ok {
		for _, i := range o.Items {
			if literalKey(i.KeyExpr) == name {
				return i.KeyExpr.Range()
			}
		}
	}
	return e.Range()
}

func within(e hclsyntax.Expression, step cty.PathStep) hclsyntax.Expression {
	switch s := step.(type) {
	case cty.GetAttrStep:
		return item(e, s.Name)
	case cty.IndexStep:
		if s.Key.Type() == cty.String {
			return item(e, s.Key.AsString())
		}
		if t, ok := e.(*hclsyntax.TupleConsExpr); ok && s.Key.Type() == cty.Number {
			if i, _ := s.Key.AsBigFloat().Int64(); i >= 0 && int(i) < len(t.Exprs) {
				return t.Exprs[i]
			}
		}
	}
	return nil
}

func item(e hclsyntax.Expression, name string) hclsyntax.Expression {
	o, ok := e.(*hclsyntax.ObjectConsExpr)
	if !ok {
		return nil
	}
	for _, i := range o.Items {
		if literalKey(i.KeyExpr) == name {
			return i.ValueExpr
		}
	}
	return nil
}

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
	case t == cty.String:
		return "a string"
	case t == cty.Number:
		return "a number"
	case t == cty.Bool:
		return "a bool"
	case t.Equals(schema.NodeType):
		return "a node"
	case t.IsTupleType() || t.IsListType():
		return "a list" + of(t)
	case t.IsSetType():
		return "a set" + of(t)
	case t.IsMapType():
		return "a map" + of(t)
	case t.IsObjectType():
		return "an object"
	}
	return t.FriendlyName()
}

func of(t cty.Type) string {
	var el cty.Type
	if t.IsTupleType() {
		all := t.TupleElementTypes()
		if len(all) == 0 {
			return ""
		}
		for _, x := range all {
			if !x.Equals(all[0]) {
				return ""
			}
		}
		el = all[0]
	} else {
		el = t.ElementType()
	}
	switch {
	case el == cty.String:
		return " of strings"
	case el == cty.Number:
		return " of numbers"
	case el == cty.Bool:
		return " of bools"
	case el.Equals(schema.NodeType):
		return " of nodes"
	case el.IsObjectType():
		return " of objects"
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

// mostSubnetBits leaves room for the gateway, the nodes and what asks them.
const mostSubnetBits = 28

func checkSubnet(v cty.Value) error {
	p, err := netip.ParsePrefix(v.AsString())
	switch {
	case err != nil:
		return errors.New(strconv.Quote(v.AsString()) + " is not a subnet; write it as 10.20.0.0/24")
	case p.Masked() != p:
		return errors.New(strconv.Quote(v.AsString()) + " is an address in a subnet; the subnet is " + p.Masked().String())
	case !p.Addr().Is4():
		return errors.New("a subnet is of IPv4 addresses")
	case p.Bits() > mostSubnetBits:
		return errors.New(strconv.Quote(v.AsString()) + " has too few addresses; a subnet is /" + indexText(mostSubnetBits) + " or larger")
	}
	return nil
}

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

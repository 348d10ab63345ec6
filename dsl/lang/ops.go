package lang

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"github.com/scenario-run/scenario/dsl/diag"
)

func (f frame) binary(e *hclsyntax.BinaryOpExpr) (cty.Value, hcl.Diagnostics) {
	switch e.Op {
	case hclsyntax.OpEqual, hclsyntax.OpNotEqual:
		return f.equality(e)
	case hclsyntax.OpLogicalAnd, hclsyntax.OpLogicalOr:
		return f.logical(e)
	}
	c := *e
	l, diags := f.value(e.LHS)
	told := f.textsOf(e)
	r, more := f.value(e.RHS)
	diags = append(diags, more...)
	if diags.HasErrors() {
		return cty.UnknownVal(e.Op.Type), diags
	}
	if d := f.textsAdded(e, l, r); d != nil {
		return cty.DynamicVal, hcl.Diagnostics{d}
	}
	if told >= 0 && r.Type() != cty.Bool && (r.Type().IsPrimitiveType() || r == cty.DynamicVal) {
		f.sink.diags[told] = f.addedTexts(e)
		return cty.DynamicVal, nil // one more text of those
	}
	bad := f.wantNumber(e.LHS, l)
	bad = append(bad, f.wantNumber(e.RHS, r)...)
	if len(bad) > 0 {
		return cty.UnknownVal(e.Op.Type), bad
	}
	l, r = f.onlyType(l), f.onlyType(r)
	if e.Op == hclsyntax.OpModulo && isZero(r) {
		return cty.UnknownVal(e.Op.Type), hcl.Diagnostics{diag.New(diag.WrongOperand, e.SrcRange, "a division by zero", "It has no remainder.")}
	}
	if e.Op == hclsyntax.OpDivide && isZero(r) {
		return cty.UnknownVal(e.Op.Type), hcl.Diagnostics{diag.New(diag.WrongOperand, e.SrcRange, "a division by zero", "It would be infinite, and every comparison with it pointless.")}
	}
	c.LHS, c.RHS = known(e.LHS, l), known(e.RHS, r)
	if v, ok := f.inOrder(e.Op, l, r); ok {
		return v, nil
	}
	v, diags := c.Value(f.ctx)
	return v, append(diags, problem(f.sameOrder(e, v))...)
}

// textsAdded reports a + between texts, which a template joins.
func (f frame) textsAdded(e *hclsyntax.BinaryOpExpr, l, r cty.Value) *hcl.Diagnostic {
	if e.Op != hclsyntax.OpAdd {
		return nil
	}
	s, t := l.Type(), r.Type()
	if s == cty.String && t == cty.String || s == cty.Number && isText(e.RHS, r) || isText(e.LHS, l) && t == cty.Number {
		return f.addedTexts(e)
	}
	return nil
}

// isText says that an expression is a text in quotes, and not one of a number.
func isText(e hclsyntax.Expression, v cty.Value) bool {
	if _, quoted := e.(*hclsyntax.TemplateExpr); !quoted || v.Type() != cty.String {
		return false
	}
	_, err := convert.Convert(v, cty.Number)
	return err != nil || !v.IsKnown()
}

// addedTexts reports a sum of texts.
func (f frame) addedTexts(e *hclsyntax.BinaryOpExpr) *hcl.Diagnostic {
	return diag.New(diag.WrongOperand, e.SrcRange, "+ adds numbers, and these are texts", `Texts are joined in a template: "`+f.summands(e)+`".`)
}

// textsOf finds what has just been reported of the left side of a sum, if that is
// a sum of texts: of a + b + c all are told at once. It is -1 without it.
func (f frame) textsOf(e *hclsyntax.BinaryOpExpr) int {
	if e.Op != hclsyntax.OpAdd || !isSum(e.LHS) || !f.checking() || len(f.sink.diags) == 0 {
		return -1
	}
	last := len(f.sink.diags) - 1
	if d := f.sink.diags[last]; diag.CodeOf(d) != diag.WrongOperand || *d.Subject != e.LHS.Range() {
		return -1
	}
	return last
}

// summands are the parts of a sum as they stand in a template.
func (f frame) summands(e hclsyntax.Expression) string {
	if b, ok := e.(*hclsyntax.BinaryOpExpr); ok && isSum(e) {
		return f.summands(b.LHS) + f.inTemplate(b.RHS)
	}
	return f.inTemplate(e)
}

// inTemplate is an expression as it stands in a template.
func (f frame) inTemplate(e hclsyntax.Expression) string {
	text := f.source(e.Range())
	if t, ok := e.(*hclsyntax.TemplateExpr); ok && t.IsStringLiteral() && len(text) > 1 && text[0] == '"' {
		return text[1 : len(text)-1]
	}
	return "${" + text + "}"
}

func isSum(e hclsyntax.Expression) bool {
	b, ok := e.(*hclsyntax.BinaryOpExpr)
	return ok && b.Op == hclsyntax.OpAdd
}

func isZero(v cty.Value) bool {
	v, _ = v.Unmark()
	return v.Type() == cty.Number && v.IsKnown() && !v.IsNull() && v.AsBigFloat().Sign() == 0
}

// logical evaluates both sides while checking, the right one by type only if
// the left one decides.
func (f frame) logical(e *hclsyntax.BinaryOpExpr) (cty.Value, hcl.Diagnostics) {
	c := *e
	if !f.checking() {
		c.LHS, c.RHS = f.child(e.LHS), f.child(e.RHS)
		return c.Value(f.ctx)
	}
	operator := "&&"
	if e.Op == hclsyntax.OpLogicalOr {
		operator = "||"
	}
	l, _ := f.value(e.LHS)
	if d := f.wantBool(e.LHS, l, operator); d != nil {
		f.sink.add(d)
		l = cty.UnknownVal(cty.Bool)
	}
	plain, _ := l.Unmark()
	decided := isFalse(plain)
	if e.Op == hclsyntax.OpLogicalOr {
		decided = isTrue(plain)
	}
	r, _ := f.mayBeDead(decided).value(e.RHS)
	if d := f.wantBool(e.RHS, r, operator); d != nil {
		f.sink.add(d)
		r = cty.UnknownVal(cty.Bool)
	}
	c.LHS, c.RHS = known(e.LHS, l), known(e.RHS, r)
	return c.Value(f.ctx)
}

func (f frame) unary(e *hclsyntax.UnaryOpExpr) (cty.Value, hcl.Diagnostics) {
	c := *e
	if !f.checking() {
		c.Val = f.child(e.Val)
		return c.Value(f.ctx)
	}
	v, _ := f.value(e.Val)
	var bad hcl.Diagnostics
	if e.Op == hclsyntax.OpLogicalNot {
		if d := f.wantBool(e.Val, v, "!"); d != nil {
			bad = append(bad, d)
		}
	} else {
		bad = f.wantNumber(e.Val, v)
	}
	if len(bad) > 0 {
		f.sink.add(bad...)
		return cty.UnknownVal(e.Op.Type), nil
	}
	c.Val = known(e.Val, f.onlyType(v))
	return c.Value(f.ctx)
}

// wantBool reports an operand that can't be true or false. hcl would take the
// string "true" as well, and find out about others only when it is known.
func (f frame) wantBool(e hclsyntax.Expression, v cty.Value, of string) *hcl.Diagnostic {
	t := v.Type()
	if t == cty.Bool || t == cty.DynamicPseudoType {
		return nil
	}
	return diag.New(diag.NotBool, e.Range(), of+" needs true or false, this is "+typeName(t), "")
}

func (f frame) wantNumber(e hclsyntax.Expression, v cty.Value) hcl.Diagnostics {
	t := v.Type()
	if v.IsNull() && !f.dead {
		return hcl.Diagnostics{diag.New(diag.NullValue, e.Range(), "a number is needed here, this is null", whyNull)}
	}
	if t == cty.Number || t == cty.DynamicPseudoType {
		return nil
	}
	detail := ""
	if t == cty.String {
		detail = "tonumber(…) makes a number of a string."
	}
	return hcl.Diagnostics{diag.New(diag.WrongOperand, e.Range(), "a number is needed here, this is "+typeName(t), detail)}
}

// equality is == and !=: lists and tuples, objects and maps are compared
// element by element, and what can't be equal because of its type is an error
// instead of a silent false.
func (f frame) equality(e *hclsyntax.BinaryOpExpr) (cty.Value, hcl.Diagnostics) {
	if d := f.bindsCloser(e); d != nil {
		return cty.UnknownVal(cty.Bool), hcl.Diagnostics{d}
	}
	l, diags := f.value(e.LHS)
	r, more := f.value(e.RHS)
	diags = append(diags, more...)
	for _, v := range []cty.Value{l, r} {
		if d := f.readThrough(e, v); d != nil {
			diags = append(diags, d)
		}
	}
	if diags.HasErrors() {
		return cty.UnknownVal(cty.Bool), diags
	}
	l, lMarks := l.UnmarkDeep()
	r, rMarks := r.UnmarkDeep()
	if why := incomparable(l, r); why != "" {
		return cty.UnknownVal(cty.Bool), append(diags, diag.New(diag.NeverEqual, e.SrcRange, why, "The result would be the same whatever happens."))
	}
	if len(lMarks) == 0 && len(rMarks) == 0 {
		if d := f.sameAnyway(e, l, r); d != nil {
			return cty.UnknownVal(cty.Bool), append(diags, d)
		}
	}
	eq := equal(f.onlyType(l), f.onlyType(r))
	if e.Op == hclsyntax.OpNotEqual {
		eq = eq.Not()
	}
	return eq.WithMarks(lMarks, rMarks), diags
}

// incomparable says why two values can't be equal because of their types.
func incomparable(a, b cty.Value) string {
	if a.IsNull() || b.IsNull() {
		return ""
	}
	return incomparableTypes(a.Type(), b.Type())
}

func incomparableTypes(a, b cty.Type) string {
	if a == cty.DynamicPseudoType || b == cty.DynamicPseudoType {
		return ""
	}
	x, y := shapeOf(a), shapeOf(b)
	if x != y {
		return typeName(a) + " and " + typeName(b) + " are never equal"
	}
	switch x {
	case "sequence", "set":
		if a.IsTupleType() && b.IsTupleType() {
			return incomparableTuples(a.TupleElementTypes(), b.TupleElementTypes())
		}
		for _, s := range elementTypes(a) {
			for _, t := range elementTypes(b) {
				if why := incomparableTypes(s, t); why != "" {
					return "elements: " + why
				}
			}
		}
	case "mapping":
		if a.IsObjectType() && b.IsObjectType() {
			for _, name := range attributeNames(a) {
				if !b.HasAttribute(name) {
					continue
				}
				if why := incomparableTypes(a.AttributeType(name), b.AttributeType(name)); why != "" {
					return `attribute "` + name + `": ` + why
				}
			}
		}
	}
	return ""
}

// incomparableTuples compares element by element. How many there are may hang
// on the variant, so that different lengths are no mistake.
func incomparableTuples(a, b []cty.Type) string {
	if len(a) != len(b) {
		return ""
	}
	for i := range a {
		if why := incomparableTypes(a[i], b[i]); why != "" {
			return "elements: " + why
		}
	}
	return ""
}

func shapeOf(t cty.Type) string {
	switch {
	case t.IsListType(), t.IsTupleType():
		return "sequence"
	case t.IsSetType():
		return "set"
	case t.IsMapType(), t.IsObjectType():
		return "mapping"
	}
	return t.FriendlyName()
}

func elementTypes(t cty.Type) []cty.Type {
	if t.IsTupleType() {
		return t.TupleElementTypes()
	}
	return []cty.Type{t.ElementType()}
}

// equal compares values of comparable types.
func equal(a, b cty.Value) cty.Value {
	if a.IsNull() || b.IsNull() {
		return bothNull(a, b)
	}
	if !a.IsKnown() || !b.IsKnown() {
		return cty.UnknownVal(cty.Bool)
	}
	x, y := shapeOf(a.Type()), shapeOf(b.Type())
	switch {
	case x != y:
		return cty.False
	case x == "sequence":
		if a.LengthInt() != b.LengthInt() {
			return cty.False
		}
		var parts []cty.Value
		bs := b.AsValueSlice()
		for i, el := range a.AsValueSlice() {
			parts = append(parts, equal(el, bs[i]))
		}
		return allTrue(parts)
	case x == "mapping":
		as, bs := a.AsValueMap(), b.AsValueMap()
		if len(as) != len(bs) {
			return cty.False
		}
		var parts []cty.Value
		for k, el := range as {
			other, ok := bs[k]
			if !ok {
				return cty.False
			}
			parts = append(parts, equal(el, other))
		}
		return allTrue(parts)
	}
	return a.Equals(b)
}

// allTrue is false if one part is, whatever is unknown.
func allTrue(parts []cty.Value) cty.Value {
	all := cty.True
	for _, p := range parts {
		if isFalse(p) {
			return cty.False
		}
		if !p.IsKnown() {
			all = cty.UnknownVal(cty.Bool)
		}
	}
	return all
}

func bothNull(a, b cty.Value) cty.Value {
	if a.IsNull() && b.IsNull() {
		return cty.True
	}
	other := a
	if a.IsNull() {
		other = b
	}
	if other.IsKnown() || other.Range().DefinitelyNotNull() {
		return cty.False
	}
	return cty.UnknownVal(cty.Bool)
}

package lang

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/diag"
)

// eval evaluates one node. Its children are evaluated by the frame, what
// becomes of their values is hcl's business.
func (f frame) eval(e hclsyntax.Expression) (cty.Value, hcl.Diagnostics) {
	switch e := e.(type) {
	case *hclsyntax.ParenthesesExpr:
		return f.value(e.Expression)
	case *hclsyntax.TemplateWrapExpr:
		return f.value(e.Wrapped)
	case *hclsyntax.ScopeTraversalExpr:
		return f.traverse(e.Traversal, e.SrcRange)
	case *hclsyntax.RelativeTraversalExpr:
		if t, ok := f.flat(e); ok {
			return f.traverse(t, e.SrcRange)
		}
		v, diags := f.value(e.Source)
		if diags.HasErrors() {
			return v, diags
		}
		v, more := f.follow(v, e.Traversal, f.typed(e.Source))
		return v, append(diags, more...)
	case *hclsyntax.IndexExpr:
		return f.index(e)
	case *hclsyntax.FunctionCallExpr:
		return f.call(e)
	case *hclsyntax.ConditionalExpr:
		return f.conditional(e)
	case *hclsyntax.BinaryOpExpr:
		return f.binary(e)
	case *hclsyntax.UnaryOpExpr:
		return f.unary(e)
	case *hclsyntax.ForExpr:
		return f.forExpr(e)
	case *hclsyntax.SplatExpr:
		c := *e
		c.Source, c.Each = f.child(e.Source), f.child(e.Each)
		return c.Value(f.ctx)
	case *hclsyntax.TupleConsExpr:
		c := *e
		c.Exprs = f.children(e.Exprs)
		return c.Value(f.ctx)
	case *hclsyntax.ObjectConsExpr:
		return f.object(e)
	case *hclsyntax.ObjectConsKeyExpr:
		return f.key(e)
	case *hclsyntax.TemplateExpr:
		c := *e
		c.Parts = f.children(e.Parts)
		return c.Value(f.ctx)
	case *hclsyntax.TemplateJoinExpr:
		c := *e
		c.Tuple = f.child(e.Tuple)
		return c.Value(f.ctx)
	default: // literals, and the item of a splat
		return e.Value(f.ctx)
	}
}

func (f frame) object(e *hclsyntax.ObjectConsExpr) (cty.Value, hcl.Diagnostics) {
	c := *e
	c.Items = make([]hclsyntax.ObjectConsItem, len(e.Items))
	var diags hcl.Diagnostics
	seen := map[string]hcl.Range{}
	for i, item := range e.Items {
		c.Items[i] = hclsyntax.ObjectConsItem{KeyExpr: f.child(item.KeyExpr), ValueExpr: f.child(item.ValueExpr)}
		if !f.checking() {
			continue
		}
		if name := literalKey(item.KeyExpr); name != "" {
			if first, twice := seen[name]; twice {
				diags = append(diags, diag.New(diag.DuplicateValue, item.KeyExpr.Range(), `key "`+name+`" stands twice`, "",
					diag.Also(first, "first given here")))
			}
			seen[name] = item.KeyExpr.Range()
		}
	}
	v, more := c.Value(f.ctx)
	return v, append(diags, aboutKeys(e, more)...)
}

// aboutKeys puts what hcl says of a null key where the key is.
func aboutKeys(e *hclsyntax.ObjectConsExpr, diags hcl.Diagnostics) hcl.Diagnostics {
	var all hcl.Diagnostics
	for _, d := range diags {
		if d.Summary == "Null value as key" && d.Subject != nil {
			for _, item := range e.Items {
				if item.ValueExpr.Range() == *d.Subject {
					c := *d
					c.Subject = rangeOfKey(item).Ptr()
					d = &c
				}
			}
		}
		all = append(all, d)
	}
	return all
}

// rangeOfKey is the range of a key without the parentheses around it.
func rangeOfKey(item hclsyntax.ObjectConsItem) hcl.Range {
	k, ok := item.KeyExpr.(*hclsyntax.ObjectConsKeyExpr)
	if !ok {
		return item.KeyExpr.Range()
	}
	if p, ok := k.Wrapped.(*hclsyntax.ParenthesesExpr); ok {
		return p.Expression.Range()
	}
	return k.Wrapped.Range()
}

// literalKey returns the key of an object that is written as a word or as a
// plain string.
func literalKey(e hclsyntax.Expression) string {
	k, ok := e.(*hclsyntax.ObjectConsKeyExpr)
	if !ok || k.ForceNonLiteral {
		return ""
	}
	if name := hcl.ExprAsKeyword(k.Wrapped); name != "" {
		return name
	}
	return literalString(k.Wrapped)
}

// literalString returns the text of a string without interpolation.
func literalString(e hclsyntax.Expression) string {
	t, ok := e.(*hclsyntax.TemplateExpr)
	if !ok || !t.IsStringLiteral() {
		return ""
	}
	v, diags := t.Value(nil)
	if diags.HasErrors() {
		return ""
	}
	return v.AsString()
}

func (f frame) key(e *hclsyntax.ObjectConsKeyExpr) (cty.Value, hcl.Diagnostics) {
	if !e.ForceNonLiteral {
		if t, ok := e.Wrapped.(*hclsyntax.ScopeTraversalExpr); (ok && len(t.Traversal) > 1) || hcl.ExprAsKeyword(e.Wrapped) != "" {
			return e.Value(f.ctx)
		}
	}
	return f.value(e.Wrapped)
}

// conditional evaluates both arms while checking, the one that is known not to
// be taken by type only.
func (f frame) conditional(e *hclsyntax.ConditionalExpr) (cty.Value, hcl.Diagnostics) {
	c := *e
	if !f.checking() {
		c.Condition, c.TrueResult, c.FalseResult = f.child(e.Condition), f.child(e.TrueResult), f.child(e.FalseResult)
		return c.Value(f.ctx)
	}
	cond, _ := f.value(e.Condition)
	if d := f.wantBool(e.Condition, cond, "a condition"); d != nil {
		f.sink.add(d)
		cond = cty.UnknownVal(cty.Bool)
	}
	plain, _ := cond.Unmark()
	onTrue, _ := f.mayBeDead(isFalse(plain)).value(e.TrueResult)
	onFalse, _ := f.mayBeDead(isTrue(plain)).value(e.FalseResult)
	c.Condition, c.TrueResult, c.FalseResult = known(e.Condition, cond), known(e.TrueResult, onTrue), known(e.FalseResult, onFalse)
	v, diags := c.Value(f.ctx)
	for _, d := range diags {
		if d.Summary == "Inconsistent conditional result types" {
			return v, hcl.Diagnostics{diag.New(diag.WrongType, hcl.RangeBetween(e.TrueResult.Range(), e.FalseResult.Range()),
				"the arms of ?: are "+typeName(onTrue.Type())+" and "+typeName(onFalse.Type()), "Both must be of one type.")}
		}
	}
	return v, diags
}

// forExpr evaluates the body for an unknown element too, where there is none
// to try it with: errors in it would show up only when it is too late.
func (f frame) forExpr(e *hclsyntax.ForExpr) (cty.Value, hcl.Diagnostics) {
	c := *e
	if !f.checking() {
		c.CollExpr, c.ValExpr = f.child(e.CollExpr), f.child(e.ValExpr)
		if e.KeyExpr != nil {
			c.KeyExpr = f.child(e.KeyExpr)
		}
		if e.CondExpr != nil {
			c.CondExpr = f.child(e.CondExpr)
		}
		return c.Value(f.ctx)
	}
	f.hidesRoot(e)
	coll, _ := f.value(e.CollExpr)
	c.CollExpr = known(e.CollExpr, coll)
	for _, el := range elements(coll) {
		f.forBody(e, el[0], el[1])
	}
	// What the body says has been reported now; hcl's own loop only computes.
	quiet, _ := f.silently()
	c.ValExpr = quiet.child(e.ValExpr)
	if e.KeyExpr != nil {
		c.KeyExpr = quiet.child(e.KeyExpr)
	}
	if e.CondExpr != nil {
		c.CondExpr = quiet.child(e.CondExpr)
	}
	return c.Value(f.ctx)
}

// elements returns keys and values to check the body of a for with.
func elements(coll cty.Value) [][2]cty.Value {
	coll, marks := coll.Unmark()
	ty := coll.Type()
	if coll.IsKnown() && !coll.IsNull() && coll.CanIterateElements() && coll.LengthInt() > 0 {
		var all [][2]cty.Value
		for it := coll.ElementIterator(); it.Next(); {
			k, v := it.Element()
			all = append(all, [2]cty.Value{k.WithMarks(marks), v.WithMarks(marks)})
		}
		return all
	}
	switch {
	case ty.IsListType():
		return [][2]cty.Value{{cty.UnknownVal(cty.Number), cty.UnknownVal(ty.ElementType())}}
	case ty.IsMapType():
		return [][2]cty.Value{{cty.UnknownVal(cty.String), cty.UnknownVal(ty.ElementType())}}
	case ty.IsSetType():
		return [][2]cty.Value{{cty.UnknownVal(ty.ElementType()), cty.UnknownVal(ty.ElementType())}}
	}
	return [][2]cty.Value{{cty.DynamicVal, cty.DynamicVal}}
}

func (f frame) forBody(e *hclsyntax.ForExpr, key, val cty.Value) {
	vars := map[string]cty.Value{e.ValVar: val}
	if e.KeyVar != "" {
		vars[e.KeyVar] = key
	}
	body := f.with(vars)
	if e.CondExpr != nil {
		cond, _ := body.value(e.CondExpr)
		if d := f.wantBool(e.CondExpr, cond, "an if"); d != nil {
			f.sink.add(d)
		}
		cond, _ = cond.Unmark()
		body = body.mayBeDead(isFalse(cond))
	}
	if e.KeyExpr != nil {
		body.value(e.KeyExpr)
	}
	body.value(e.ValExpr)
}

// variableRange finds the place of a for's variable, which hcl doesn't keep: it
// stands between the bracket and the collection.
func (f frame) variableRange(e *hclsyntax.ForExpr, name string) hcl.Range {
	between := hcl.Range{Filename: e.OpenRange.Filename, Start: e.OpenRange.End, End: e.CollExpr.Range().Start}
	if e.OpenRange.Filename != f.file.Name || !between.CanSliceBytes(f.file.Src) {
		return e.OpenRange
	}
	tokens, _ := hclsyntax.LexExpression(between.SliceBytes(f.file.Src), between.Filename, between.Start)
	for _, t := range tokens {
		if t.Type == hclsyntax.TokenIdent && string(t.Bytes) == name {
			return t.Range
		}
	}
	return e.OpenRange
}

func (f frame) hidesRoot(e *hclsyntax.ForExpr) {
	for _, name := range []string{e.KeyVar, e.ValVar} {
		for _, r := range allRoots {
			if r == name {
				f.sink.add(diag.New(diag.HidesRoot, f.variableRange(e, name), `the variable "`+name+`" hides `+name+".… inside this for",
					"Give it another name.", diag.AsWarning()))
			}
		}
	}
}

package lang

import (
	"slices"

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
		v, diags := c.Value(f.ctx)
		return v, aboutParts(diags)
	case *hclsyntax.TemplateJoinExpr:
		c := *e
		c.Tuple = f.child(e.Tuple)
		v, diags := c.Value(f.ctx)
		return v, aboutParts(diags)
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
		onTrue, onFalse := f.child(e.TrueResult), f.child(e.FalseResult)
		l, more := onTrue.Value(f.ctx)
		r, evenMore := onFalse.Value(f.ctx)
		l, r, d := f.arms(e, l, r)
		if d != nil || f.effort.isOver() {
			return cty.DynamicVal, problem(d)
		}
		c.Condition, c.TrueResult, c.FalseResult = f.child(e.Condition), fixed(e.TrueResult, l, more), fixed(e.FalseResult, r, evenMore)
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
	onTrue, onFalse, d := f.arms(e, onTrue, onFalse)
	if d != nil || f.effort.isOver() {
		return cty.DynamicVal, problem(d)
	}
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

// arms are the arms of a conditional, where cty would take too long to find a
// type for both.
func (f frame) arms(e *hclsyntax.ConditionalExpr, l, r cty.Value) (cty.Value, cty.Value, *hcl.Diagnostic) {
	s, t := l.Type(), r.Type()
	switch {
	case s.IsTupleType() && t.IsTupleType() && s.Length() != t.Length():
		any := cty.List(cty.DynamicPseudoType)
		l, r = sequence(l, any), sequence(r, any)
	case s.IsObjectType() && t.IsObjectType() && !slices.Equal(attributeNames(s), attributeNames(t)):
		any := cty.Map(cty.DynamicPseudoType)
		l, r = sequence(l, any), sequence(r, any)
	default:
		return l, r, nil
	}
	for _, v := range []cty.Value{l, r} {
		if v.Type().IsCollectionType() {
			continue
		}
		if d := f.amongEachOther(e, v); d != nil {
			return l, r, d
		}
	}
	return l, r, nil
}

// forExpr evaluates the body for an unknown element too, where there is none
// to try it with: errors in it would show up only when it is too late.
func (f frame) forExpr(e *hclsyntax.ForExpr) (cty.Value, hcl.Diagnostics) {
	c := *e
	if !f.checking() {
		c.CollExpr, c.ValExpr = f.child(e.CollExpr), f.bounded(e)
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
	f.loops = f.loopOf(e)
	var rounds []forRound
	made := 0
	for _, el := range elements(coll) {
		r := f.forBody(e, el[0], el[1])
		rounds = append(rounds, r)
		if made += r.made(); made > maxElements {
			return cty.DynamicVal, hcl.Diagnostics{tooLarge(e)}
		}
		if f.effort.isOver() {
			return cty.DynamicVal, nil // which has been reported
		}
	}
	return f.computed(e, coll, rounds)
}

// bounded is the value of a for's body while running, until there are too many.
func (f frame) bounded(e *hclsyntax.ForExpr) hclsyntax.Expression {
	made := 0
	return thunk{Expression: e.ValExpr, ask: func(ctx *hcl.EvalContext) (cty.Value, hcl.Diagnostics) {
		if made > maxElements {
			return cty.DynamicVal, nil // which has been reported
		}
		inner := f
		inner.ctx = ctx
		v, diags := inner.value(e.ValExpr)
		if made += 1 + weigh(v).elements; made > maxElements {
			return cty.DynamicVal, append(diags, tooLarge(e))
		}
		return v, diags
	}}
}

// computed lets hcl make a for's value of what its body came to.
func (f frame) computed(e *hclsyntax.ForExpr, coll cty.Value, rounds []forRound) (cty.Value, hcl.Diagnostics) {
	c := *e
	c.CollExpr = known(e.CollExpr, coll)
	at := -1
	// hcl asks for a condition, if there is one, then for a key, if there is one,
	// then for a value; and before all for a condition without any element.
	c.ValExpr = inTurn(e.ValExpr, func() cty.Value {
		if e.KeyExpr == nil && e.CondExpr == nil {
			at++
		}
		return rounds[at].val
	})
	if e.KeyExpr != nil {
		c.KeyExpr = inTurn(e.KeyExpr, func() cty.Value {
			if e.CondExpr == nil {
				at++
			}
			return rounds[at].key
		})
	}
	if e.CondExpr != nil {
		asked := false
		c.CondExpr = thunk{Expression: e.CondExpr, ask: func(ctx *hcl.EvalContext) (cty.Value, hcl.Diagnostics) {
			if !asked {
				asked = true
				quiet, _ := f.silently()
				quiet.ctx = ctx
				return quiet.value(e.CondExpr)
			}
			at++
			return rounds[at].cond, nil
		}}
	}
	return c.Value(f.ctx)
}

// forRound is what the body of a for comes to for an element.
type forRound struct{ cond, key, val cty.Value }

// made is how much of a value it adds.
func (r forRound) made() int {
	if plain, _ := r.cond.Unmark(); r.cond != cty.NilVal && isFalse(plain) {
		return 0
	}
	return 1 + weigh(r.val).elements
}

func inTurn(e hclsyntax.Expression, next func() cty.Value) hclsyntax.Expression {
	return thunk{Expression: e, ask: func(*hcl.EvalContext) (cty.Value, hcl.Diagnostics) { return next(), nil }}
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

func (f frame) forBody(e *hclsyntax.ForExpr, key, val cty.Value) (r forRound) {
	vars := map[string]cty.Value{e.ValVar: val}
	if e.KeyVar != "" {
		vars[e.KeyVar] = key
	}
	body := f.with(vars)
	if e.CondExpr != nil {
		cond, _ := body.value(e.CondExpr)
		r.cond = cond
		if d := f.wantBool(e.CondExpr, cond, "an if"); d != nil {
			f.sink.add(d)
		}
		cond, _ = cond.Unmark()
		body = body.mayBeDead(isFalse(cond))
	}
	if e.KeyExpr != nil {
		r.key, _ = body.value(e.KeyExpr)
	}
	r.val, _ = body.value(e.ValExpr)
	return r
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

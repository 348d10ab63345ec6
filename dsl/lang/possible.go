package lang

import (
	"slices"
	"sync"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/funcs"
)

// An expression that is unknown while checking may all the same be known to be
// one of a few texts: a state, whatever it is put through before it is compared.
// What follows finds them by how the expression is written. It errs on one side
// only: nil means that it could be anything.

const (
	// mostPossible is how many texts are few.
	mostPossible = 64
	// longestPossible is how long such a text may be, in bytes.
	longestPossible = 256
	// mostKinds is of how many types the elements of a collection may be.
	mostKinds = 8
)

// possible are the texts that an expression can come to: nil if they aren't few.
func (f frame) possible(e hclsyntax.Expression) []string {
	switch e := e.(type) {
	case *hclsyntax.ParenthesesExpr:
		return f.possible(e.Expression)
	case *hclsyntax.TemplateWrapExpr:
		return f.possible(e.Wrapped)
	case *hclsyntax.TemplateExpr:
		return joinedTexts(f.ofEach(e.Parts))
	case *hclsyntax.LiteralValueExpr:
		return shortText(e.Val)
	case *hclsyntax.ConditionalExpr:
		return anyOf(f.possible, e.TrueResult, e.FalseResult)
	case *hclsyntax.FunctionCallExpr:
		return f.possibleOfCall(e)
	case *hclsyntax.IndexExpr:
		if _, fixed := f.flat(e); !fixed {
			return f.possibleElements(e.Collection)
		}
	case *hclsyntax.ScopeTraversalExpr:
		if l, ok := f.loops.of(e.Traversal); ok {
			return l.elements(e.Traversal.RootName())
		}
		if inner, of, ok := f.behindLocal(e.Traversal); ok {
			return f.x.remember(possibleKey{of, inner.place, false}, func() []string { return inner.possible(of) })
		}
	}
	return f.choices(e)
}

// possibleElements are the texts that the elements of a collection can be.
func (f frame) possibleElements(e hclsyntax.Expression) []string {
	switch e := e.(type) {
	case *hclsyntax.ParenthesesExpr:
		return f.possibleElements(e.Expression)
	case *hclsyntax.TupleConsExpr:
		return anyOf(f.possible, e.Exprs...)
	case *hclsyntax.ObjectConsExpr:
		values := make([]hclsyntax.Expression, len(e.Items))
		for i, item := range e.Items {
			values[i] = item.ValueExpr
		}
		return anyOf(f.possible, values...)
	case *hclsyntax.ForExpr:
		return f.possibleOfFor(e)
	case *hclsyntax.SplatExpr:
		if each, ok := e.Each.(*hclsyntax.RelativeTraversalExpr); ok && each.Source == hclsyntax.Expression(e.Item) {
			quiet, _ := f.unheard()
			of, _ := quiet.value(e.Source)
			return anyOf(func(el [2]cty.Value) []string { return quiet.choicesOf(el[1], each.Traversal) }, kindsOf(of)...)
		}
	case *hclsyntax.ConditionalExpr:
		return anyOf(f.possibleElements, e.TrueResult, e.FalseResult)
	case *hclsyntax.FunctionCallExpr:
		switch {
		case e.ExpandFinal || len(e.Args) == 0:
		case slices.Contains([]string{"concat", "coalescelist", "setunion"}, e.Name):
			return anyOf(f.possibleElements, e.Args...)
		case slices.Contains([]string{"tolist", "toset", "distinct", "reverse", "sort", "compact", "slice", "values", "setintersection", "setsubtract"}, e.Name):
			return f.possibleElements(e.Args[0])
		}
	case *hclsyntax.ScopeTraversalExpr:
		if inner, of, ok := f.behindLocal(e.Traversal); ok {
			return f.x.remember(possibleKey{of, inner.place, true}, func() []string { return inner.possibleElements(of) })
		}
	}
	return nil
}

// possibleOfFor are the texts in the list, or behind the keys, that a for makes.
func (f frame) possibleOfFor(e *hclsyntax.ForExpr) []string {
	quiet, _ := f.unheard()
	coll, _ := quiet.value(e.CollExpr)
	loop := quiet.loopOf(e)
	return anyOf(func(el [2]cty.Value) []string {
		vars := map[string]cty.Value{e.ValVar: el[1]}
		if e.KeyVar != "" {
			vars[e.KeyVar] = el[0]
		}
		body := quiet.with(vars)
		body.loops = loop
		return body.possible(e.ValExpr)
	}, kindsOf(coll)...)
}

// kindsOf are unknown keys and elements of a collection, one for each type that
// there is.
func kindsOf(coll cty.Value) (kinds [][2]cty.Value) {
	for _, el := range elements(coll) {
		kind := [2]cty.Value{cty.UnknownVal(el[0].Type()), cty.UnknownVal(el[1].Type())}
		if !slices.ContainsFunc(kinds, func(k [2]cty.Value) bool { return k[1].Type().Equals(kind[1].Type()) }) {
			kinds = append(kinds, kind)
		}
		if len(kinds) > mostKinds {
			return nil
		}
	}
	return kinds
}

// possibleOfCall are the texts that a function returns: one of its arguments as
// it is, or what it makes of each of those that they can be.
func (f frame) possibleOfCall(e *hclsyntax.FunctionCallExpr) []string {
	if e.ExpandFinal {
		return nil
	}
	switch e.Name {
	case "try", "coalesce":
		return anyOf(f.possible, e.Args...)
	case "one", "element":
		if len(e.Args) > 0 {
			return f.possibleElements(e.Args[0])
		}
	}
	fn, ok := f.x.p.funcs.in(f.file)[e.Name]
	if !ok || !funcs.IsPure(e.Name) {
		return nil
	}
	var all []string
	for _, args := range f.ofEach(e.Args) {
		if !f.effort.take(1 + funcs.Work(e.Name, args)) {
			return nil
		}
		v, err := fn.Call(args)
		text := shortText(v)
		if err != nil || text == nil {
			return nil
		}
		all = append(all, text...)
	}
	return few(all)
}

// ofEach are all that several expressions can be together, each of which is one
// of a few texts, or written as a value: nil if they are many.
func (f frame) ofEach(es []hclsyntax.Expression) [][]cty.Value {
	all := [][]cty.Value{nil}
	for _, e := range es {
		var longer [][]cty.Value
		for _, v := range f.alternatives(e) {
			for _, before := range all {
				longer = append(longer, append(slices.Clone(before), v))
			}
		}
		if all = longer; len(all) == 0 || len(all) > mostPossible {
			return nil
		}
	}
	return all
}

func (f frame) alternatives(e hclsyntax.Expression) (all []cty.Value) {
	for _, text := range f.possible(e) {
		all = append(all, cty.StringVal(text))
	}
	if l, ok := e.(*hclsyntax.LiteralValueExpr); ok && all == nil {
		all = []cty.Value{l.Val}
	}
	return all
}

// joinedTexts are the texts that templates come to.
func joinedTexts(templates [][]cty.Value) []string {
	var all []string
	for _, parts := range templates {
		text := ""
		for _, v := range parts {
			if v.IsNull() || v.Type() != cty.String {
				return nil
			}
			text += v.AsString()
		}
		if len(text) > longestPossible {
			return nil
		}
		all = append(all, text)
	}
	return few(all)
}

func shortText(v cty.Value) []string {
	if v == cty.NilVal || v.IsMarked() || v.Type() != cty.String || v.IsNull() || !v.IsKnown() || len(v.AsString()) > longestPossible {
		return nil
	}
	return []string{v.AsString()}
}

// anyOf are the texts that one of several things can be.
func anyOf[T any](possible func(T) []string, of ...T) []string {
	var all []string
	for _, one := range of {
		more := possible(one)
		if len(more) == 0 {
			return nil
		}
		if all = few(append(all, more...)); all == nil {
			return nil
		}
	}
	return all
}

// few are texts each once, in the order in which they come; nil if they are many.
func few(all []string) []string {
	var once []string
	for _, text := range all {
		if !slices.Contains(once, text) {
			once = append(once, text)
		}
		if len(once) > mostPossible {
			return nil
		}
	}
	return once
}

// behindLocal is the expression that a local stands for, with the frame that it
// is in.
func (f frame) behindLocal(t hcl.Traversal) (frame, hclsyntax.Expression, bool) {
	if len(t) != 2 || t.RootName() != rootLocal {
		return f, nil, false
	}
	name, ok := t[1].(hcl.TraverseAttr)
	if !ok {
		return f, nil, false
	}
	d, _ := f.declared(rootLocal, name, t[0].SourceRange())
	if d == nil || d.broken || d.expr == nil || f.x.circular[d] {
		return f, nil, false
	}
	inner, _ := f.x.checker(d.file, f.placeOf(d), nil).silently()
	inner.effort = f.effort
	return inner, d.expr, true
}

// unheard is a frame for looking at something that is checked aloud elsewhere.
func (f frame) unheard() (frame, *sink) {
	quiet, problems := f.silently()
	quiet.rec, quiet.own = nil, new(int)
	return quiet, problems
}

// possibleKey is the expression of a local, at a place, or its elements.
type possibleKey struct {
	e        hclsyntax.Expression
	at       *place
	elements bool
}

// remember works out once what a local can be: where each uses another twice,
// there are as many ways to the last as no time is enough for.
func (x *expansion) remember(k possibleKey, work func() []string) []string {
	if known, ok := x.possibles[k]; ok {
		return known
	}
	x.possibles[k] = nil // of one that leads back to itself
	x.possibles[k] = work()
	return x.possibles[k]
}

// loop is a for whose variables an expression sees.
type loop struct {
	outer    *loop
	key, val string
	over     func() []string // the texts that its elements can be
}

func (f frame) loopOf(e *hclsyntax.ForExpr) *loop {
	return &loop{outer: f.loops, key: e.KeyVar, val: e.ValVar, over: sync.OnceValue(func() []string { return f.possibleElements(e.CollExpr) })}
}

// of finds the for of which a reference is a variable.
func (l *loop) of(t hcl.Traversal) (*loop, bool) {
	for ; l != nil && len(t) == 1; l = l.outer {
		if name := t.RootName(); name == l.key || name == l.val {
			return l, true
		}
	}
	return nil, false
}

// elements are the texts that a variable of the for can be.
func (l *loop) elements(variable string) []string {
	if variable != l.val {
		return nil
	}
	return l.over()
}

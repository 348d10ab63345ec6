package lang

import (
	"math/bits"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/diag"
	"github.com/scenario-run/scenario/dsl/funcs"
)

// A few characters of expressions can ask for any amount of work: loops inside
// each other multiply, and so do values made of each other. What may be done is
// counted, so that it ends, and on any machine at the same place. Both limits
// are far above what a scenario needs.
const (
	// maxElements is how many elements a value may have, those of its elements
	// included.
	maxElements = funcs.MaxElements
	// maxEffort is how much may be done to evaluate what a variant says: parts of
	// expressions that are evaluated, and elements and pieces of text that are made
	// or read by them. The bytes of its files are added, so that what is written out
	// is never too much, and something for each instance.
	maxEffort      = 1_000_000
	instanceEffort = 30
	// variantsEffort is how many times as much may be done for all variants.
	variantsEffort = 4
	// pieceOfText counts as one, in bytes.
	pieceOfText = 64
)

// effort is what may still be done to evaluate.
type effort struct {
	left  int
	of    *effort // what this is a part of, or nil
	ended bool
}

func newEffort(most int, of *effort) *effort { return &effort{left: most, of: of} }

// noEffort is that of which nothing is left, and that has been told.
func noEffort() *effort { return &effort{left: -1, ended: true} }

// grant adds to what may be done.
func (t *effort) grant(n int) {
	for ; t != nil; t = t.of {
		t.left += n
	}
}

// take says whether there was enough left.
func (t *effort) take(n int) bool {
	for ; t != nil; t = t.of {
		if t.left -= n; t.left < 0 {
			return false
		}
	}
	return true
}

// least is how much may still be done, here and in what this is a part of.
func (t *effort) least() int {
	left := t.left
	for ; t != nil; t = t.of {
		left = min(left, t.left)
	}
	return left
}

// isOver says that nothing may be done any more.
func (t *effort) isOver() bool {
	for ; t != nil; t = t.of {
		if t.left < 0 {
			return true
		}
	}
	return false
}

// giveUp lets nothing be done any more.
func (t *effort) giveUp() { t.left, t.ended = -1, true }

// end notes that there was not enough. It says whether that was known.
func (t *effort) end() (known bool) {
	for ; t != nil; t = t.of {
		known = known || t.ended
		t.ended = t.left < 0
	}
	return known
}

// spend takes from what may still be done. From its end on nothing is evaluated
// any more; that is an error, once.
func (f frame) spend(e hclsyntax.Expression, n int) (ok bool, d *hcl.Diagnostic) {
	if f.effort.take(n) {
		return true, nil
	}
	if f.effort.end() {
		return false, nil
	}
	d = diag.New(diag.TooMany, e.Range(), "it takes too much to evaluate this",
		"With all before it, it comes to more than "+indexText(maxEffort)+" parts of expressions, elements and pieces of text. Loops inside each other multiply; so does what stands in a block that is there many times.")
	if f.checking() {
		f.x.whole.add(d) // wherever it stands, in try() too
		return false, nil
	}
	return false, d
}

// made holds a value against what expressions may make.
func (f frame) made(e hclsyntax.Expression, v cty.Value) *hcl.Diagnostic {
	if v == cty.NilVal || !makes(e) {
		return nil
	}
	w := weigh(v)
	_, d := f.spend(e, w.elements/elementsMade+w.pieces)
	if w.elements > maxElements {
		return tooLarge(e)
	}
	return d
}

// elementsMade are as many as it takes no longer to look at than to evaluate a
// part of an expression.
const elementsMade = 4

// readThrough counts a value that is gone through, and mostly copied.
func (f frame) readThrough(e hclsyntax.Expression, v cty.Value) *hcl.Diagnostic {
	w := weigh(v)
	_, d := f.spend(e, w.elements+w.pieces)
	return d
}

// amongEachOther counts elements of different types of which each is compared
// with each other, to find a type for them all.
func (f frame) amongEachOther(e hclsyntax.Expression, v cty.Value) *hcl.Diagnostic {
	t, n := v.Type(), 0
	switch {
	case t.IsTupleType():
		n = t.Length()
	case t.IsObjectType():
		n = len(t.AttributeTypes())
	case t.IsCollectionType() && v.IsKnown() && !v.IsNull():
		plain, _ := v.Unmark()
		n = plain.LengthInt()
	}
	_, d := f.spend(e, n*n/comparisons)
	return d
}

// comparisons of types are as many as it takes to evaluate a part of an
// expression.
const comparisons = 8

func tooLarge(e hclsyntax.Expression) *hcl.Diagnostic {
	return diag.New(diag.TooMany, e.Range(), "a value of more than "+indexText(maxElements)+" elements",
		"Those inside others count too: what is made for each of 1,000 elements is there 1,000 times.")
}

// effortOf is what it takes to evaluate a part of an expression by itself. Calls
// and templates convert what they are given.
func effortOf(e hclsyntax.Expression) int {
	switch e.(type) {
	case *hclsyntax.FunctionCallExpr, *hclsyntax.TemplateExpr, *hclsyntax.TemplateJoinExpr:
		return 4
	}
	return 1
}

// makes says that an expression makes a value, in place of choosing one that is
// there.
func makes(e hclsyntax.Expression) bool {
	switch e.(type) {
	case *hclsyntax.ScopeTraversalExpr, *hclsyntax.RelativeTraversalExpr, *hclsyntax.IndexExpr, *hclsyntax.ParenthesesExpr,
		*hclsyntax.TemplateWrapExpr, *hclsyntax.LiteralValueExpr, *hclsyntax.AnonSymbolExpr, *hclsyntax.ObjectConsKeyExpr:
		return false
	}
	return true
}

// weight is what a value consists of: elements, and theirs, and pieces of text.
type weight struct{ elements, pieces int }

// weigh goes through a value. It stops where that is too large.
func weigh(v cty.Value) weight {
	var w weight
	w.value(v)
	return w
}

func (w *weight) value(v cty.Value) {
	t := v.Type()
	if t.IsPrimitiveType() && t != cty.String {
		return
	}
	v, _ = v.Unmark()
	switch {
	case !v.IsKnown() || v.IsNull():
		w.typ(t)
	case t == cty.String:
		w.pieces += len(v.AsString()) / pieceOfText
	case t.IsSetType() && t.ElementType().IsPrimitiveType():
		// Its elements were counted before they came to be in it. They are sorted by
		// whoever goes through them.
		n := v.LengthInt()
		w.elements, w.pieces = w.elements+n, w.pieces+n*bits.Len(uint(n))
	case holdsOthers(t):
		w.elements += v.LengthInt()
		for it := v.ElementIterator(); w.elements <= maxElements && it.Next(); {
			_, el := it.Element()
			w.value(el)
		}
	}
}

// typ counts what a value without elements has in its type: that is gone through
// as well.
func (w *weight) typ(t cty.Type) {
	switch {
	case t.IsCollectionType():
		w.typ(t.ElementType())
	case t.IsTupleType():
		w.elements += t.Length()
		for _, el := range t.TupleElementTypes() {
			if w.elements > maxElements {
				return
			}
			w.typ(el)
		}
	case t.IsObjectType():
		attrs := t.AttributeTypes()
		w.elements += len(attrs)
		for _, el := range attrs {
			if w.elements > maxElements {
				return
			}
			w.typ(el)
		}
	}
}

func holdsOthers(t cty.Type) bool { return t.IsCollectionType() || t.IsTupleType() || t.IsObjectType() }

package lang

import (
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// explain shows what a condition came to: the operands of its comparisons, and
// in them the references that they are made of, with their values. The
// smallest part that decided is marked.
func (f frame) explain(e hclsyntax.Expression, src []byte) []Part {
	w := &explainer{frame: f, src: src}
	w.operands(e)
	w.decide(e)
	slices.SortStableFunc(w.parts, func(a, b Part) int {
		if a.Range.Start.Byte != b.Range.Start.Byte {
			return a.Range.Start.Byte - b.Range.Start.Byte
		}
		return b.Range.End.Byte - a.Range.End.Byte // the whole before its parts
	})
	return w.parts
}

type explainer struct {
	frame
	src   []byte
	parts []Part
}

// part evaluates an expression and shows it, once.
func (w *explainer) part(e hclsyntax.Expression) *Part {
	rng := e.Range()
	for i := range w.parts {
		if w.parts[i].Range == rng {
			return &w.parts[i]
		}
	}
	p := Part{Range: rng}
	if rng.CanSliceBytes(w.src) {
		p.Text = string(rng.SliceBytes(w.src))
	}
	v, diags := w.evaluated(e)
	p.Value = v
	if diags.HasErrors() {
		p.Err = message(diags)
	}
	w.parts = append(w.parts, p)
	at := len(w.parts) - 1
	if null := w.nullBefore(e, diags); null != nil {
		w.part(null)
	}
	return &w.parts[at]
}

// nullBefore is the part of a reference that is null, where an attribute or an
// element is taken of it; nil if that is not what is wrong.
func (w *explainer) nullBefore(e hclsyntax.Expression, diags hcl.Diagnostics) hclsyntax.Expression {
	t, ok := e.(*hclsyntax.ScopeTraversalExpr)
	if !ok || !diags.HasErrors() {
		return nil
	}
	for n := len(t.Traversal) - 1; n > 1; n-- {
		to := t.Traversal[:n]
		shorter := &hclsyntax.ScopeTraversalExpr{Traversal: to, SrcRange: hcl.RangeBetween(to[0].SourceRange(), to[n-1].SourceRange())}
		if v, diags := w.value(shorter); !diags.HasErrors() {
			if v, _ = v.Unmark(); v.IsNull() {
				return shorter
			}
			return nil
		}
	}
	return nil
}

func (w *explainer) evaluated(e hclsyntax.Expression) (cty.Value, hcl.Diagnostics) {
	v, diags := w.value(e)
	hidden := v.HasMarkDeep(sensitive)
	v, _ = v.UnmarkDeep()
	if hidden && !diags.HasErrors() {
		v = cty.StringVal("(sensitive)")
	}
	return v, adopt(e.Range(), diags)
}

func message(diags hcl.Diagnostics) string {
	for _, d := range diags {
		if d.Severity == hcl.DiagError {
			return strings.TrimSuffix(d.Summary+": "+d.Detail, ": ")
		}
	}
	return ""
}

// operands shows the operands of comparisons below logical operators.
func (w *explainer) operands(e hclsyntax.Expression) {
	switch e := e.(type) {
	case *hclsyntax.ParenthesesExpr:
		w.operands(e.Expression)
		return
	case *hclsyntax.UnaryOpExpr:
		w.operands(e.Val)
		return
	case *hclsyntax.BinaryOpExpr:
		w.operands(e.LHS)
		w.operands(e.RHS)
		return
	case *hclsyntax.ConditionalExpr:
		w.operands(e.Condition)
		w.operands(e.TrueResult)
		w.operands(e.FalseResult)
		return
	}
	if w.constant(e) {
		return
	}
	w.part(e)
	w.inside(e)
}

// constant says whether an expression says the same in every run.
func (w *explainer) constant(e hclsyntax.Expression) bool {
	found := false
	w.references(e, func(hclsyntax.Expression) { found = true })
	return !found
}

// inside shows the references that an operand is made of, such as the argument
// of length().
func (w *explainer) inside(e hclsyntax.Expression) {
	w.references(e, func(ref hclsyntax.Expression) {
		if ref.Range() != e.Range() {
			w.part(ref)
		}
	})
}

// references calls do for each outermost reference to what a run brings that
// doesn't hang on the variable of a for.
func (w *explainer) references(e hclsyntax.Expression, do func(hclsyntax.Expression)) {
	switch e := e.(type) {
	case *hclsyntax.ScopeTraversalExpr:
		root := e.Traversal.RootName()
		if _, local := w.local(root); !local && (hasInstances(root) || root == rootLocal || root == rootEach || root == rootParam) {
			do(e)
		}
		return
	case *hclsyntax.RelativeTraversalExpr:
		found := false
		w.references(e.Source, func(hclsyntax.Expression) { found = true })
		if found && !calls(e.Source) {
			do(e)
			return
		}
		w.references(e.Source, do)
		return
	case *hclsyntax.FunctionCallExpr:
		if isWindow(e.Name) {
			do(e)
			return
		}
		for _, a := range e.Args {
			w.references(a, do)
		}
		return
	case *hclsyntax.ForExpr:
		w.references(e.CollExpr, func(hclsyntax.Expression) { do(e) })
		return
	case *hclsyntax.IndexExpr:
		w.references(e.Collection, func(hclsyntax.Expression) { do(e) })
		return
	case *hclsyntax.SplatExpr:
		w.references(e.Source, func(hclsyntax.Expression) { do(e) })
		return
	}
	for _, c := range childrenOf(e) {
		w.references(c, do)
	}
}

// calls says whether an attribute is taken of what a function other than a
// window returns.
func calls(e hclsyntax.Expression) bool {
	c, ok := e.(*hclsyntax.FunctionCallExpr)
	return ok && !isWindow(c.Name)
}

// childrenOf lists the expressions right below one.
func childrenOf(e hclsyntax.Expression) []hclsyntax.Expression {
	switch e := e.(type) {
	case *hclsyntax.ParenthesesExpr:
		return []hclsyntax.Expression{e.Expression}
	case *hclsyntax.TemplateWrapExpr:
		return []hclsyntax.Expression{e.Wrapped}
	case *hclsyntax.TemplateExpr:
		return e.Parts
	case *hclsyntax.TemplateJoinExpr:
		return []hclsyntax.Expression{e.Tuple}
	case *hclsyntax.BinaryOpExpr:
		return []hclsyntax.Expression{e.LHS, e.RHS}
	case *hclsyntax.UnaryOpExpr:
		return []hclsyntax.Expression{e.Val}
	case *hclsyntax.ConditionalExpr:
		return []hclsyntax.Expression{e.Condition, e.TrueResult, e.FalseResult}
	case *hclsyntax.TupleConsExpr:
		return e.Exprs
	case *hclsyntax.ObjectConsExpr:
		var all []hclsyntax.Expression
		for _, i := range e.Items {
			all = append(all, i.ValueExpr)
		}
		return all
	}
	return nil
}

// outcome is how a condition, or a part of one, came out.
type outcome int

const (
	isTruth outcome = iota
	isUnknown
	failed
	isFalsehood
)

func (w *explainer) outcome(e hclsyntax.Expression) outcome {
	v, diags := w.evaluated(e)
	switch {
	case diags.HasErrors():
		return failed
	case v.Type() != cty.Bool || v.IsNull():
		return failed
	case !v.IsKnown():
		return isUnknown
	case v.True():
		return isTruth
	}
	return isFalsehood
}

// decide marks the smallest part that made the whole false, unknown or
// impossible to evaluate.
func (w *explainer) decide(e hclsyntax.Expression) {
	came := w.outcome(e)
	if came == isTruth {
		return
	}
	smallest := w.smallest(e, came)
	p := w.part(smallest)
	p.Decisive = true
}

func (w *explainer) smallest(e hclsyntax.Expression, came outcome) hclsyntax.Expression {
	switch e := e.(type) {
	case *hclsyntax.ParenthesesExpr:
		return w.smallest(e.Expression, came)
	case *hclsyntax.BinaryOpExpr:
		switch e.Op {
		case hclsyntax.OpLogicalAnd, hclsyntax.OpLogicalOr:
			l, r := w.outcome(e.LHS), w.outcome(e.RHS)
			switch {
			case e.Op == hclsyntax.OpLogicalOr && came == isFalsehood:
				return e // both are false, neither alone decided
			case l == came:
				return w.smallest(e.LHS, came)
			case r == came:
				return w.smallest(e.RHS, came)
			}
			return e
		}
		return w.culprit(e, came, e.LHS, e.RHS)
	case *hclsyntax.ConditionalExpr:
		switch w.outcome(e.Condition) {
		case isTruth:
			return w.smallest(e.TrueResult, came)
		case isFalsehood:
			return w.smallest(e.FalseResult, came)
		}
		return e
	}
	return e
}

// culprit is the operand of a comparison that has no value, if there is one.
func (w *explainer) culprit(e hclsyntax.Expression, came outcome, operands ...hclsyntax.Expression) hclsyntax.Expression {
	if came == isFalsehood {
		return e
	}
	for _, o := range operands {
		v, diags := w.evaluated(o)
		if came == failed && (diags.HasErrors() || v.IsNull()) {
			return o
		}
		if came == isUnknown && !v.IsKnown() {
			return o
		}
	}
	return e
}

package lang

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"

	"github.com/scenario-run/scenario/dsl/diag"
	"github.com/scenario-run/scenario/dsl/funcs"
	"github.com/scenario-run/scenario/dsl/source"
)

// special are the functions that look at how their arguments are written.
var special = []string{string(During), string(Between), string(Since), "try", "can"}

func isWindow(name string) bool {
	return name == string(During) || name == string(Between) || name == string(Since)
}

func (f frame) call(e *hclsyntax.FunctionCallExpr) (cty.Value, hcl.Diagnostics) {
	if v, ok := f.likeCall(e); ok {
		return v, nil
	}
	switch {
	case isWindow(e.Name):
		return f.windowCall(e)
	case e.Name == "try":
		return f.try(e)
	case e.Name == "can":
		return f.can(e)
	}
	table := f.x.p.funcs.in(f.file)
	fn, ok := table[e.Name]
	if e.Name == "templatefile" {
		work := funcs.Work
		if f.runs() {
			work = funcs.UsualWork
		}
		fn = f.x.p.funcs.template(f.file, f.effort.take, work)
	}
	if !ok {
		return f.unknownFunction(e, table)
	}
	if d := arity(e, fn); d != nil {
		return f.always(d)
	}
	ctx := f.ctx.NewChild()
	ctx.Functions = map[string]function.Function{e.Name: fn}
	c := *e
	c.Args = make([]hclsyntax.Expression, len(e.Args))
	var given []cty.Value
	var diags hcl.Diagnostics
	hidden := false
	for i, a := range e.Args {
		v, more := f.value(a)
		diags = append(diags, more...)
		if d := f.readThrough(a, v); d != nil {
			diags = append(diags, d)
		}
		hidden = hidden || v.HasMarkDeep(sensitive)
		if expanded := e.ExpandFinal && i == len(e.Args)-1; !expanded {
			p := parameter(fn, i)
			diags = append(diags, needsConversion(a, v, p)...)
			d := tooLongForNumber(a, v, takenAs(e.Name, p))
			if d != nil {
				diags = append(diags, d)
			}
			if v, d = f.asTaken(e.Name, p, a, v); d != nil {
				diags = append(diags, d)
			}
			v = f.onlyType(v)
		} else if d := f.amongEachOther(a, v); d != nil {
			diags = append(diags, d)
		}
		c.Args[i] = known(a, v)
		given = append(given, passed(e, i, v)...)
	}
	match := f.timed(e.Name, given)
	if n := funcs.Work(e.Name, given); match == nil && n > 0 && !diags.HasErrors() {
		if _, d := f.spend(e, n); d != nil {
			diags = append(diags, d)
		}
	}
	if diags.HasErrors() || f.effort.isOver() { // the latter has been reported
		return cty.DynamicVal, diags
	}
	if d := f.lookupOfNothing(e, c.Args); d != nil {
		return f.always(d)
	}
	if e.Name == "contains" {
		if diags := f.neverContained(e, c.Args); len(diags) > 0 {
			return cty.UnknownVal(cty.Bool), diags
		}
	}
	v, diags := match.during(e, func() (cty.Value, hcl.Diagnostics) { return c.Value(ctx) })
	if f.effort.isOver() { // in a template
		_, d := f.spend(e, 0)
		return cty.DynamicVal, problem(d)
	}
	if e.Name == "pick" {
		f.rec.isLate()
	}
	return f.onlyType(v), adoptCall(e, diags, hidden)
}

// lookupOfNothing reports lookup(action.NAME, "attribut", …): what a declaration
// yields has the same attributes each time, so that the default is all it returns.
func (f frame) lookupOfNothing(e *hclsyntax.FunctionCallExpr, args []hclsyntax.Expression) *hcl.Diagnostic {
	if e.Name != "lookup" || len(args) < 2 || !f.typed(e.Args[0]) {
		return nil
	}
	of, _ := args[0].Value(f.ctx)
	key, _ := args[1].Value(f.ctx)
	d := f.noAttribute(of, key, e.Args[1].Range())
	if d != nil {
		d.Summary = f.source(e.Args[0].Range()) + strings.TrimPrefix(d.Summary, "this")
	}
	return d
}

// passed are the arguments that one that is written comes to: those of a list
// with … behind it are its elements.
func passed(e *hclsyntax.FunctionCallExpr, i int, v cty.Value) []cty.Value {
	plain, _ := v.Unmark()
	if !e.ExpandFinal || i < len(e.Args)-1 || !plain.IsKnown() || plain.IsNull() || !plain.CanIterateElements() {
		return []cty.Value{v}
	}
	return plain.AsValueSlice()
}

func parameter(fn function.Function, i int) *function.Parameter {
	if params := fn.Params(); i < len(params) {
		return &params[i]
	}
	return fn.VarParam()
}

// conversions are the functions that make something else of any value, where
// that may take long.
var conversions = map[string]cty.Type{
	"tonumber": cty.Number, "tolist": cty.List(cty.DynamicPseudoType), "tomap": cty.Map(cty.DynamicPseudoType), "toset": cty.Set(cty.DynamicPseudoType),
}

// takenAs is the type of a parameter, or that which a function is there to make.
func takenAs(name string, p *function.Parameter) cty.Type {
	if want, converts := conversions[name]; converts || p == nil {
		return want
	}
	return p.Type
}

// asTaken is a value as a function takes it, where cty would take too long to
// convert it.
func (f frame) asTaken(name string, p *function.Parameter, e hclsyntax.Expression, v cty.Value) (cty.Value, *hcl.Diagnostic) {
	want := takenAs(name, p)
	if want == cty.NilType || !want.IsCollectionType() {
		return v, nil
	}
	if v = sequence(v, want); v.Type().IsCollectionType() {
		return v, nil
	}
	return v, f.amongEachOther(e, v)
}

// needsConversion reports a string, not known yet, where a number or a bool is
// needed: hcl would find out only when it is too late.
func needsConversion(e hclsyntax.Expression, v cty.Value, p *function.Parameter) hcl.Diagnostics {
	if p == nil || v.Type() != cty.String || v.IsKnown() {
		return nil
	}
	if p.Type != cty.Number && p.Type != cty.Bool {
		return nil
	}
	return hcl.Diagnostics{diag.New(diag.WrongCall, e.Range(), "argument "+p.Name+": "+typeName(p.Type)+" is needed, this is a string", conversionHint(p.Type))}
}

func (f frame) unknownFunction(e *hclsyntax.FunctionCallExpr, table map[string]function.Function) (cty.Value, hcl.Diagnostics) {
	if f.checking() {
		for _, a := range e.Args {
			f.value(a)
		}
	}
	names := slices.Clone(special)
	for n := range table {
		names = append(names, n)
	}
	return f.always(diag.New(diag.UnknownFunction, e.NameRange, `no function named "`+e.Name+`"`, "", diag.DidYouMean(e.Name, sorted(names))))
}

// arity reports a wrong number of arguments.
func arity(e *hclsyntax.FunctionCallExpr, fn function.Function) *hcl.Diagnostic {
	want, given := len(fn.Params()), len(e.Args)
	if e.ExpandFinal {
		return nil // known when the last is
	}
	switch {
	case fn.VarParam() == nil && given != want:
		return diag.New(diag.WrongCall, e.Range(), e.Name+" takes "+plural(want, "argument")+butGiven(given), signature(e.Name, fn))
	case given < want:
		return diag.New(diag.WrongCall, e.Range(), e.Name+" takes at least "+plural(want, "argument")+butGiven(given), signature(e.Name, fn))
	}
	return nil
}

func signature(name string, fn function.Function) string {
	var params []string
	for _, p := range fn.Params() {
		params = append(params, p.Name)
	}
	if p := fn.VarParam(); p != nil {
		params = append(params, p.Name+"…")
	}
	return "Write it as " + name + "(" + strings.Join(params, ", ") + ")."
}

// adoptCall words hcl's complaints about a call like ours. What is wrong with
// a sensitive value is not said, since that would show it.
func adoptCall(e *hclsyntax.FunctionCallExpr, diags hcl.Diagnostics, hidden bool) hcl.Diagnostics {
	var all hcl.Diagnostics
	for _, d := range diags {
		if x, ok := d.Extra.(hclsyntax.FunctionCallDiagExtra); ok && diag.CodeOf(d) == "" {
			d = callProblem(e, d, x.FunctionCallError())
			if hidden {
				d.Summary, d.Detail = e.Name+" can't be called with this value, which is sensitive", ""
			}
		}
		all = append(all, d)
	}
	return all
}

func callProblem(e *hclsyntax.FunctionCallExpr, d *hcl.Diagnostic, err error) *hcl.Diagnostic {
	at := e.Range()
	var argErr function.ArgError
	switch {
	case errors.As(err, &argErr) && argErr.Index < len(e.Args):
		at = e.Args[argErr.Index].Range()
	case err != nil && len(e.Args) == 1 && !e.ExpandFinal:
		at = e.Args[0].Range() // there is no other to blame
	case d.Subject != nil && err == nil:
		at = wholeArgument(e, *d.Subject)
	}
	if verb := (*funcs.VerbError)(nil); errors.As(err, &verb) {
		return diag.New(diag.WrongCall, withinText(e.Args[0], verb.From, verb.To), e.Name+": "+verb.Error(), "")
	}
	if fileErr := (*funcs.FileError)(nil); errors.As(err, &fileErr) {
		if len(e.Args) > 0 {
			at = e.Args[0].Range() // the path
		}
		if source.IsOutside(fileErr.Err) { // which names the path
			return diag.New(diag.NoFile, at, e.Name+": "+fileErr.Err.Error(), "")
		}
		return diag.New(diag.NoFile, at, e.Name+": "+fileErr.Error(), "The path is relative to the file that says it.")
	}
	if err == nil {
		return diag.New(diag.WrongCall, at, e.Name+": "+lowerFirst(strings.TrimSuffix(d.Detail, ".")), "")
	}
	return diag.New(diag.WrongCall, at, e.Name+": "+callError(err), "")
}

// callError is what a function says is wrong. What the functions of cty say of
// regular expressions is put as arguments have it.
func callError(err error) string {
	if what, ok := strings.CutPrefix(err.Error(), "invalid regexp pattern: "); ok {
		why, part, _ := cutLast(what, " in ")
		return "not a regular expression: " + why + " in " + strconv.Quote(part)
	}
	return err.Error()
}

// wholeArgument is the argument that hcl points into.
func wholeArgument(e *hclsyntax.FunctionCallExpr, at hcl.Range) hcl.Range {
	for _, a := range e.Args {
		if r := a.Range(); r.Start.Byte <= at.Start.Byte && at.End.Byte <= r.End.Byte {
			return r
		}
	}
	return at
}

// try returns the first argument that can be evaluated. While checking, what
// is not known yet may turn out either way.
func (f frame) try(e *hclsyntax.FunctionCallExpr) (cty.Value, hcl.Diagnostics) {
	if len(e.Args) == 0 {
		return f.always(diag.New(diag.WrongCall, e.Range(), "try needs an argument", ""))
	}
	var first hcl.Diagnostics
	result, decided := cty.DynamicVal, false
	for _, a := range e.Args {
		v, diags := f.attempt(a)
		if diags.HasErrors() {
			first = append(first, diags...)
			if f.effort.isOver() {
				return cty.DynamicVal, first
			}
			continue
		}
		if !f.checking() {
			return v, nil
		}
		if !decided {
			result, decided = v, true
			if !v.IsWhollyKnown() {
				result = cty.DynamicVal
			}
		}
	}
	if decided {
		return result, nil
	}
	if f.effort.isOver() {
		return cty.DynamicVal, first // it has been reported while checking
	}
	return cty.DynamicVal, hcl.Diagnostics{diag.New(diag.CannotEvaluate, e.Range(), "none of the arguments of try can be evaluated", first[0].Summary+".")}
}

func (f frame) can(e *hclsyntax.FunctionCallExpr) (cty.Value, hcl.Diagnostics) {
	if len(e.Args) != 1 {
		return f.always(diag.New(diag.WrongCall, e.Range(), "can takes one argument", ""))
	}
	v, diags := f.attempt(e.Args[0])
	if f.effort.isOver() {
		return cty.DynamicVal, diags
	}
	if diags.HasErrors() {
		return cty.False, nil
	}
	if f.checking() && !v.IsWhollyKnown() {
		return cty.UnknownVal(cty.Bool), nil
	}
	return cty.True, nil
}

// attempt evaluates an expression and returns its diagnostics while checking
// too, but for those that are mistakes in any case.
func (f frame) attempt(e hclsyntax.Expression) (cty.Value, hcl.Diagnostics) {
	if !f.checking() {
		return f.value(e)
	}
	tolerant := f
	tolerant.sink = &sink{}
	v, _ := tolerant.value(e)
	return v, tolerant.sink.diags
}

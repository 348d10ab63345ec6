package lang

import (
	"errors"
	"strconv"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/ext/typeexpr"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"github.com/scenario-run/scenario/dsl/diag"
	"github.com/scenario-run/scenario/dsl/funcs"
	"github.com/scenario-run/scenario/dsl/syntax"
)

// said is a value of a variable as somebody wrote it.
type said struct {
	value cty.Value
	what  string // "the default"
	at    hcl.Range
	expr  hclsyntax.Expression // nil: there is none to look into
}

// fit converts a value to a variable's type.
func (x *expansion) fit(d *decl, want cty.Type, defaults *typeexpr.Defaults, s said) (cty.Value, bool) {
	refuse := func(at hcl.Range, summary, detail string, options ...diag.Option) (cty.Value, bool) {
		if at.Filename != d.rng.Filename {
			options = append(options, diag.Also(d.rng, "declared here"))
		}
		x.sink.add(diag.New(diag.WrongValue, at, summary, detail, options...))
		return cty.DynamicVal, false
	}
	more := surplus(s.value.Type(), want, nil)
	for _, m := range more {
		at := s.at
		if s.expr != nil {
			at = keyRange(s.expr, m.path, m.name)
		}
		refuse(at, `variable "`+d.name+pathText(m.path)+`" has no "`+m.name+`"`, list("It takes", m.takes), diag.DidYouMean(m.name, m.takes))
	}
	if len(more) > 0 {
		return cty.DynamicVal, false
	}
	v := s.value
	if defaults != nil && !v.IsNull() {
		v = defaults.Apply(v)
	}
	got, err := convert.Convert(sequence(v, want), want)
	if err == nil {
		if path, out := funcs.NumberOutOfRange(got); out {
			at := s.at
			if s.expr != nil {
				at = narrow(s.expr, path)
			}
			return refuse(at, `variable "`+d.name+pathText(path)+`" takes no such number`, funcs.NumberRange)
		}
		return got, true
	}
	at := s.at
	var pathErr cty.PathError
	if errors.As(err, &pathErr) && s.expr != nil {
		at = narrow(s.expr, pathErr.Path)
	}
	takes, is := typeName(want), typeName(v.Type())
	if takes == is { // which part of it is wrong, the reason says
		return refuse(at, s.what+` of variable "`+d.name+`" is not of its type`, upperFirst(err.Error())+".")
	}
	return refuse(at, `variable "`+d.name+`" takes `+takes+", "+s.what+" is "+is, upperFirst(err.Error())+".")
}

// fromOutside reads a value that a person gives with the command.
func (x *expansion) fromOutside(d *decl, given *Value, want cty.Type, defaults *typeexpr.Defaults, hidden bool) (cty.Value, bool) {
	if given.Expr == nil && want.IsPrimitiveType() {
		v, err := convert.Convert(cty.StringVal(given.Text), want)
		if err == nil {
			return x.fit(d, want, nil, said{value: v, what: "the value", at: given.Range})
		}
		is := strconv.Quote(given.Text)
		if hidden {
			is = "the value given"
		}
		x.sink.add(diag.New(diag.WrongValue, given.Range, `variable "`+d.name+`" takes `+typeName(want)+", not "+is, "",
			meantOutside(given, want, hidden), diag.Also(d.rng, "declared here")))
		return cty.DynamicVal, false
	}
	unreadable := func(why string) (cty.Value, bool) {
		x.sink.add(diag.New(diag.WrongValue, given.Range, `the value of variable "`+d.name+`" can't be read`,
			outsideHint(want, why), meantOutside(given, want, hidden), diag.Also(d.rng, "declared here")))
		return cty.DynamicVal, false
	}
	e := given.Expr
	if e == nil {
		parsed, diags := syntax.ParseExpression([]byte(given.Text), given.Range.Filename, given.Range.Start)
		if diags.HasErrors() {
			return unreadable("It isn't an expression.")
		}
		e = parsed
	}
	v, diags := e.Value(nil)
	if diags.HasErrors() {
		return unreadable("It must be a plain value, without references and functions.")
	}
	native, _ := e.(hclsyntax.Expression)
	return x.fit(d, want, defaults, said{value: v, what: "the value", at: e.Range(), expr: native})
}

func outsideHint(want cty.Type, why string) string {
	hint := "It takes " + typeName(want) + ", written as in a file."
	if want == cty.DynamicPseudoType {
		hint = `It has no type, so its value is written as in a file: a string stands in quotes.`
	}
	return strings.TrimSpace(why + " " + hint)
}

// otherBools are words that other tools take for true and false.
var otherBools = map[string]string{"yes": "true", "on": "true", "y": "true", "no": "false", "off": "false", "n": "false"}

// meantOutside suggests what a text that a variable can't take was likely to
// mean: one of its quotes was the shell's, say. A secret suggests nothing.
func meantOutside(given *Value, want cty.Type, hidden bool) diag.Option {
	text := strings.TrimSpace(given.Text)
	switch {
	case hidden || given.Expr != nil || text == "":
	case want == cty.Bool:
		word := strings.ToLower(text)
		if meant, ok := otherBools[word]; ok {
			word = meant
		}
		if word == "true" || word == "false" {
			return diag.Hint("did you mean " + word + "?")
		}
	case want == cty.DynamicPseudoType && !strings.ContainsAny(text, "\"[]{}"):
		return diag.Hint("did you mean a string: " + outsideForm(given, strconv.Quote(text)) + "?")
	case (want.IsListType() || want.IsSetType()) && want.ElementType().IsPrimitiveType():
		return diag.Hint("did you mean " + outsideForm(given, listOf(strings.Trim(text, "[]"), want.ElementType())) + "?")
	}
	return diag.Hint("")
}

// listOf writes words between commas as a list.
func listOf(text string, el cty.Type) string {
	var all []string
	for word := range strings.SplitSeq(text, ",") {
		word = strings.Trim(strings.TrimSpace(word), `"`)
		if el == cty.String {
			word = strconv.Quote(word)
		}
		all = append(all, word)
	}
	return "[" + strings.Join(all, ", ") + "]"
}

// outsideForm is how a value is given: on a command line with the quotes that
// keep its own from the shell.
func outsideForm(given *Value, value string) string {
	if given.From != "--var" || strings.Contains(value, "'") {
		return value
	}
	return "--var '" + given.Name + "=" + value + "'"
}

package lang

import (
	"slices"
	"strconv"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/diag"
)

// variables gives every variable its value: the strongest of those from
// outside, or its default.
func (x *expansion) variables() []Variable {
	given := x.given()
	var all []Variable
	var valued []*decl
	for _, d := range x.p.vars {
		if d.args == nil || x.p.top.find(rootVar, d.name) != d {
			continue
		}
		v, ok := x.oneVariable(d, given[d.name])
		x.vars[d.name] = v.Value
		if v.Sensitive {
			x.secret(v.Value)
			x.vars[d.name] = v.Value.Mark(sensitive)
			x.tooShort(d, v.Value, given[d.name])
		}
		if ok {
			all = append(all, v)
			valued = append(valued, d)
		}
	}
	for _, d := range valued {
		x.validate(d, given[d.name])
	}
	return all
}

// tooShort warns of a secret that can't be told from other text.
func (x *expansion) tooShort(d *decl, v cty.Value, given *Value) {
	if v.Type() != cty.String && v.Type() != cty.Number {
		return
	}
	at := d.rng
	if given != nil {
		at = given.Range
	} else if a := d.args.attrs["default"]; a != nil {
		at = a.Expr.Range()
	}
	for _, text := range secretTexts(v) {
		if len(text) < ShortestSecret {
			x.sink.add(diag.New(diag.ShortSecret, at, `the value of "`+d.name+`" is too short to be hidden in free text`,
				"With less than "+strconv.Itoa(ShortestSecret)+" characters it is hidden only where it stands alone, not in logs and messages.", diag.AsWarning()))
		}
	}
}

// given sorts out the values from outside: the last one of a name counts.
func (x *expansion) given() map[string]*Value {
	all := map[string]*Value{}
	var names []string
	for _, d := range x.p.vars {
		names = append(names, d.name)
	}
	for i := range x.p.opts.Values {
		v := &x.p.opts.Values[i]
		if x.p.top.find(rootVar, v.Name) != nil {
			all[v.Name] = v
			continue
		}
		if !v.Lenient {
			at := v.NameRange
			if at.Filename == "" {
				at = v.Range
			}
			x.sink.add(diag.New(diag.UndeclaredVariable, at, `no variable named "`+v.Name+`"`, list("There are", sorted(names)), diag.DidYouMean(v.Name, names)))
		}
	}
	return all
}

func (x *expansion) oneVariable(d *decl, given *Value) (Variable, bool) {
	result := Variable{Name: d.name, Value: cty.DynamicVal, From: "default"}
	want, defaults, ok := x.typeOf(d)
	if !ok {
		return result, false
	}
	result.Value = cty.UnknownVal(want)
	f := x.checker(d.file, x.top, nil)
	f.only, f.purpose = []string{}, "a variable's block"
	for _, name := range []string{"sensitive", "description"} {
		attr, _ := variableArgs.Attr(name)
		v, diags := f.oneArgument(d.args, attr)
		x.sink.add(diags...)
		if name == "sensitive" {
			result.Sensitive = isTrue(v)
		}
	}
	// The default is checked even if it isn't used.
	fallback, hasDefault := cty.DynamicVal, false
	if a := d.args.attrs["default"]; a != nil {
		v, _ := f.value(a.Expr)
		fallback, hasDefault = x.fit(d, want, defaults, said{value: v, what: "the default", at: a.Expr.Range(), expr: a.Expr})
		if v == cty.DynamicVal {
			hasDefault = true // reported
		}
	}
	switch {
	case given != nil:
		v, ok := x.fromOutside(d, given, want, defaults, result.Sensitive)
		result.From = given.From
		if ok {
			result.Value = v
		}
		return result, ok
	case hasDefault:
		result.Value = fallback
		return result, true
	case d.args.attrs["default"] != nil:
		return result, false
	case d.broken:
		return result, false
	}
	x.sink.add(diag.New(diag.NoValue, d.rng, `variable "`+d.name+`" has no value`,
		"It has no default. Give one with --var "+d.name+"=VALUE, SCENARIO_VAR_"+d.name+" or --var-file."))
	return result, false
}

// validate holds a variable's value against its validation blocks.
func (x *expansion) validate(d *decl, given *Value) {
	for _, b := range d.args.blocks["validation"] {
		f := x.checker(d.file, x.top, nil)
		f.only, f.purpose = []string{rootVar}, "a validation"
		condition, _ := b.schema.Attr("condition")
		message, _ := b.schema.Attr("error_message")
		met, diags := f.oneArgument(b, condition)
		x.sink.add(diags...)
		said, diags := f.oneArgument(b, message)
		x.sink.add(diags...)
		x.validatesAnother(d, b)
		x.saysNothing(b, said)
		if !met.IsKnown() || met.IsNull() || met.True() {
			continue
		}
		at := d.rng
		if a := d.args.attrs["default"]; a != nil {
			at = a.Expr.Range()
		}
		if given != nil {
			at = given.Range
		}
		summary := `variable "` + d.name + `" is refused`
		detail := ""
		switch {
		case x.saysSecret(b.attrs["error_message"]):
			detail = "What its message says is hidden, since it uses a sensitive value."
		case said.IsKnown() && !said.IsNull():
			detail = said.AsString()
		}
		x.sink.add(diag.New(diag.ValidationFailed, at, summary, detail, diag.Also(b.rng, "by this validation")))
	}
}

// saysSecret says that an argument uses a sensitive variable.
func (x *expansion) saysSecret(a *hclsyntax.Attribute) bool {
	return a != nil && slices.ContainsFunc(hclsyntax.Variables(a.Expr), func(t hcl.Traversal) bool {
		name, ok := second(t)
		return ok && t.RootName() == rootVar && x.vars[name] != cty.NilVal && x.vars[name].HasMarkDeep(sensitive)
	})
}

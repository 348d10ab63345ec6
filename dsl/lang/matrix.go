package lang

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"github.com/scenario-run/scenario/dsl/diag"
)

// axis is a line of the matrix.
type axis struct {
	name   string
	rng    hcl.Range
	values []cty.Value
}

// combination is a variant: a value for each axis, in the order of the axes.
type combination []cty.Value

// variants lists the keys of the variants, and their values by key. Without a
// matrix, or with one that is wrong, there is one without values.
func (x *expansion) variants() ([]string, map[string]map[string]cty.Value) {
	one := map[string]map[string]cty.Value{"": nil}
	d := x.p.matrix
	if d == nil {
		return []string{""}, one
	}
	axes, ok := x.axes(d)
	if !ok {
		return []string{""}, map[string]map[string]cty.Value{"": unknownAxes(axes)}
	}
	n := 1
	for _, a := range axes {
		n *= len(a.values)
		if n > maxVariants {
			x.sink.add(diag.New(diag.TooMany, d.rng, "more than "+indexText(maxVariants)+" variants", "Make several scenarios of it."))
			return []string{""}, map[string]map[string]cty.Value{"": unknownAxes(axes)}
		}
	}
	all := x.included(d, axes, x.excluded(d, axes, product(axes)))
	if len(all) == 0 {
		x.sink.add(diag.New(diag.AllExcluded, d.rng, "every combination of the matrix is excluded", ""))
		return []string{""}, map[string]map[string]cty.Value{"": unknownAxes(axes)}
	}
	var keys []string
	byKey := map[string]map[string]cty.Value{}
	for _, c := range all {
		k := c.key(axes)
		if byKey[k] != nil {
			continue
		}
		values := map[string]cty.Value{}
		for i, a := range axes {
			values[a.name] = c[i]
		}
		keys = append(keys, k)
		byKey[k] = values
	}
	return keys, byKey
}

// unknownAxes lets the rest of a file be checked when its matrix is wrong.
func unknownAxes(axes []axis) map[string]cty.Value {
	m := map[string]cty.Value{}
	for _, a := range axes {
		m[a.name] = cty.DynamicVal
	}
	return m
}

// axes reads the lists of the matrix.
func (x *expansion) axes(d *decl) ([]axis, bool) {
	ok := true
	var all []axis
	for _, a := range attrsInOrder(d.block.Body) {
		ax := axis{name: a.Name, rng: a.NameRange}
		if !nameSyntax.MatchString(a.Name) {
			x.sink.add(diag.New(diag.BadName, a.NameRange, `"`+a.Name+`" is not a name`, "A name begins with a lower case letter; lower case letters, digits and underscores follow."))
			ok = false
		}
		var good bool
		ax.values, good = x.axisValues(d, a)
		ok = ok && good
		all = append(all, ax)
	}
	for _, b := range d.block.Body.Blocks {
		if b.Type != "exclude" && b.Type != "include" {
			known := []string{"exclude", "include"}
			x.sink.add(diag.New(diag.UnknownBlock, b.TypeRange, `matrix has no block "`+b.Type+`"`, list("Blocks in it:", known), diag.DidYouMean(b.Type, known)))
			ok = false
		}
		for _, inner := range b.Body.Blocks {
			x.sink.add(diag.New(diag.UnknownBlock, inner.TypeRange, b.Type+" holds no blocks", "Write it as "+b.Type+" { AXIS = VALUE }."))
			ok = false
		}
		if len(b.Labels) > 0 {
			x.sink.add(diag.New(diag.WrongLabels, b.LabelRanges[0], b.Type+" takes no label", ""))
		}
	}
	if len(all) == 0 {
		x.sink.add(diag.New(diag.EmptyAxis, d.rng, "a matrix without axes", "Write each as NAME = [VALUE, …]."))
		ok = false
	}
	return all, ok
}

func (x *expansion) axisValues(d *decl, a *hclsyntax.Attribute) ([]cty.Value, bool) {
	f := x.checker(d.file, x.top, nil)
	v, ok := f.knownEarly(`axis "`+a.Name+`"`, a.Expr)
	if !ok {
		return nil, false
	}
	t := v.Type()
	if v.IsNull() || !t.IsTupleType() && !t.IsListType() && !t.IsSetType() {
		x.sink.add(diag.New(diag.WrongType, a.Expr.Range(), `axis "`+a.Name+`" takes a list, this is `+typeName(t), "Write it as "+a.Name+" = [VALUE, …]."))
		return nil, false
	}
	values := v.AsValueSlice()
	if len(values) == 0 {
		x.sink.add(diag.New(diag.EmptyAxis, a.Expr.Range(), `axis "`+a.Name+`" has no values`, "No variant would be run."))
		return nil, false
	}
	seen := map[string]bool{}
	for i, el := range values {
		at := narrow(a.Expr, cty.Path{cty.IndexStep{Key: cty.NumberIntVal(int64(i))}})
		if el.IsNull() || !el.Type().IsPrimitiveType() {
			x.sink.add(diag.New(diag.WrongType, at, "a value of an axis is a string, a number or a bool", "It becomes part of the variant's name."))
			return nil, false
		}
		name := axisText(el)
		if why := noPartOfAName(name); why != "" {
			x.sink.add(diag.New(diag.InvalidValue, at, "a value of an axis "+why, "It becomes part of the variant's name."))
			return nil, false
		}
		if seen[name] {
			x.sink.add(diag.New(diag.DuplicateValue, at, `axis "`+a.Name+`" has `+name+" twice", ""))
			ok = false
		}
		seen[name] = true
	}
	return values, ok
}

// noPartOfAName says what keeps a value of an axis from being part of a variant's
// name, which stands in lists and is chosen with --variant; empty if nothing does.
func noPartOfAName(value string) string {
	switch {
	case value == "":
		return "can't be empty"
	case strings.ContainsAny(value, ",=[]"):
		return "can't contain , = [ or ]"
	case strings.TrimSpace(value) != value:
		return "can't begin or end with a blank"
	}
	for _, r := range value {
		if !unicode.IsPrint(r) {
			return fmt.Sprintf("can't contain U+%04X, which isn't seen", r)
		}
	}
	return ""
}

func axisText(v cty.Value) string {
	s, err := convert.Convert(v, cty.String)
	if err != nil {
		return "?"
	}
	return s.AsString()
}

func product(axes []axis) []combination {
	all := []combination{nil}
	for _, a := range axes {
		var next []combination
		for _, c := range all {
			for _, v := range a.values {
				next = append(next, append(c[:len(c):len(c)], v))
			}
		}
		all = next
	}
	return all
}

func (c combination) key(axes []axis) string {
	var parts []string
	for i, a := range axes {
		parts = append(parts, a.name+"="+axisText(c[i]))
	}
	return strings.Join(parts, ",")
}

// excluded drops what an exclude block matches.
func (x *expansion) excluded(d *decl, axes []axis, all []combination) []combination {
	for _, b := range d.block.Body.Blocks {
		if b.Type != "exclude" {
			continue
		}
		want, ok := x.axisBlock(d, b, axes)
		if !ok {
			continue
		}
		var kept []combination
		for _, c := range all {
			if !c.matches(want) {
				kept = append(kept, c)
			}
		}
		if len(kept) == len(all) {
			x.sink.add(diag.New(diag.BadAxis, headerOf(b), "exclude matches no combination", "Another exclude may have dropped it before."))
		}
		all = kept
	}
	return all
}

// included adds combinations that the product doesn't have.
func (x *expansion) included(d *decl, axes []axis, all []combination) []combination {
	have := map[string]bool{}
	for _, c := range all {
		have[c.key(axes)] = true
	}
	for _, b := range d.block.Body.Blocks {
		if b.Type != "include" {
			continue
		}
		want, ok := x.axisBlock(d, b, axes)
		if !ok {
			continue
		}
		var c combination
		for i, a := range axes {
			if want[i] == cty.NilVal {
				x.sink.add(diag.New(diag.BadAxis, headerOf(b), `include doesn't say "`+a.name+`"`, "A combination that is added has a value for each axis.", diag.Also(a.rng, "the axis")))
				ok = false
				continue
			}
			c = append(c, want[i])
		}
		if !ok {
			continue
		}
		if have[c.key(axes)] {
			x.sink.add(diag.New(diag.DuplicateValue, headerOf(b), "the combination is there already", c.key(axes)))
			continue
		}
		have[c.key(axes)] = true
		all = append(all, c)
	}
	if len(all) > maxVariants {
		x.sink.add(diag.New(diag.TooMany, d.rng, "more than "+indexText(maxVariants)+" variants", "Make several scenarios of it."))
		return all[:1]
	}
	return all
}

// axisBlock reads the values of an exclude or include block, by axis;
// cty.NilVal where it names none.
func (x *expansion) axisBlock(d *decl, b *hclsyntax.Block, axes []axis) ([]cty.Value, bool) {
	want := make([]cty.Value, len(axes))
	ok := true
	for _, a := range attrsInOrder(b.Body) {
		i := -1
		var names []string
		for n, ax := range axes {
			names = append(names, ax.name)
			if ax.name == a.Name {
				i = n
			}
		}
		if i < 0 {
			x.sink.add(diag.New(diag.BadAxis, a.NameRange, `the matrix has no axis "`+a.Name+`"`, list("There are", names), diag.DidYouMean(a.Name, names)))
			ok = false
			continue
		}
		v, good := x.checker(d.file, x.top, nil).knownEarly(a.Name, a.Expr)
		if !good {
			ok = false
			continue
		}
		if v.IsNull() || !v.Type().IsPrimitiveType() {
			x.sink.add(diag.New(diag.WrongType, a.Expr.Range(), "a value of an axis is a string, a number or a bool", ""))
			ok = false
			continue
		}
		if b.Type == "exclude" && !x.onAxis(axes[i], v, a) {
			ok = false
			continue
		}
		if why := noPartOfAName(axisText(v)); b.Type == "include" && why != "" {
			x.sink.add(diag.New(diag.InvalidValue, a.Expr.Range(), "a value of an axis "+why, "It becomes part of the variant's name."))
			ok = false
			continue
		}
		want[i] = v
	}
	if len(b.Body.Attributes) == 0 {
		x.sink.add(diag.New(diag.BadAxis, headerOf(b), b.Type+" names no axis", "Write it as "+b.Type+" { AXIS = VALUE }."))
		ok = false
	}
	return want, ok
}

func (x *expansion) onAxis(ax axis, v cty.Value, a *hclsyntax.Attribute) bool {
	var texts []string
	for _, el := range ax.values {
		if axisText(el) == axisText(v) {
			return true
		}
		texts = append(texts, axisText(el))
	}
	x.sink.add(diag.New(diag.BadAxis, a.Expr.Range(), `axis "`+ax.name+`" has no value `+axisText(v), list("Its values are", texts), diag.DidYouMean(axisText(v), texts)))
	return false
}

func (c combination) matches(want []cty.Value) bool {
	for i, w := range want {
		if w != cty.NilVal && axisText(w) != axisText(c[i]) {
			return false
		}
	}
	return true
}

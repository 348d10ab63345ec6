package lang

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/diag"
)

// follow takes attributes and elements of a value. hard says that its type
// comes from a declaration.
func (f frame) follow(v cty.Value, rest hcl.Traversal, hard bool) (cty.Value, hcl.Diagnostics) {
	for _, step := range rest {
		var diags hcl.Diagnostics
		switch step := step.(type) {
		case hcl.TraverseAttr:
			v, diags = f.attribute(v, step, hard)
		case hcl.TraverseIndex:
			v, diags = f.at(v, step.Key, step.SrcRange, hard)
		default:
			v, diags = step.TraversalStep(v)
		}
		if diags.HasErrors() {
			return cty.DynamicVal, diags
		}
	}
	return v, nil
}

// noAttribute reports an attribute of an object that is written as an index, or
// as the key of lookup: nil if it has it, or it isn't known which it is.
func (f frame) noAttribute(of, key cty.Value, at hcl.Range) *hcl.Diagnostic {
	of, _ = of.Unmark()
	key, _ = key.Unmark()
	if !of.Type().IsObjectType() || key.Type() != cty.String || key.IsNull() || !key.IsKnown() || of.Type().HasAttribute(key.AsString()) {
		return nil
	}
	names := attributeNames(of.Type())
	return diag.New(diag.UnknownAttribute, at, f.before(at)+` has no attribute "`+key.AsString()+`"`, list("There are", names), diag.DidYouMean(key.AsString(), names))
}

func (f frame) attribute(v cty.Value, a hcl.TraverseAttr, hard bool) (cty.Value, hcl.Diagnostics) {
	t := v.Type()
	if t.IsObjectType() && !t.HasAttribute(a.Name) {
		if f.dead && !hard {
			return cty.DynamicVal, nil
		}
		names := attributeNames(t)
		if v.HasMark(sensitive) {
			names = nil // what is hidden may be in them
		}
		d := diag.New(diag.UnknownAttribute, nameRange(a), f.before(nameRange(a))+` has no attribute "`+a.Name+`"`,
			list("There are", names), diag.DidYouMean(a.Name, names))
		if hard {
			return f.always(d)
		}
		return cty.DynamicVal, hcl.Diagnostics{d}
	}
	if !t.IsObjectType() && !t.IsMapType() && t != cty.DynamicPseudoType && !v.IsNull() {
		detail := ""
		if t.IsListType() || t.IsTupleType() {
			detail = "Choose an element, such as [0]." + a.Name + ", or write [for x in … : x." + a.Name + "]."
		}
		d := diag.New(diag.UnknownAttribute, nameRange(a), f.before(nameRange(a))+" is "+typeName(t)+", which has no attributes", detail)
		if hard {
			return f.always(d)
		}
		return cty.DynamicVal, hcl.Diagnostics{d}
	}
	got, diags := hcl.GetAttr(v, a.Name, &a.SrcRange)
	if !diags.HasErrors() {
		return got, nil
	}
	if f.dead && (v.IsNull() || t.IsMapType()) {
		return cty.DynamicVal, nil
	}
	code := diag.UnknownAttribute
	if v.IsNull() {
		code = diag.NullValue
	}
	return cty.DynamicVal, adoptAs(code, a.SrcRange, diags)
}

// before is what stands before an attribute in the source: the reference that
// it is taken of, as far back as it is written without a break.
func (f frame) before(at hcl.Range) string {
	src := f.file.Src
	end := at.Start.Byte - 1 // the dot
	if at.Filename != f.file.Name || end < 1 || end >= len(src) {
		return "this"
	}
	if src[end+1] == '[' {
		end++
	} else if src[end] != '.' {
		return "this"
	}
	start := end
	for start > 0 {
		switch c := src[start-1]; {
		case c == '.', c == '_', c == '*' && start > 1 && src[start-2] == '.', c >= '0' && c <= '9', c >= 'a' && c <= 'z':
			start--
			continue
		case c == ']':
			if at := openingBracket(src[:start-1]); at > 0 {
				start = at
				continue
			}
		}
		break
	}
	if start == end || src[start] == '.' || src[start] == '[' { // of what a call returns
		return "this"
	}
	return string(src[start:end])
}

// openingBracket finds the bracket of an index that a text ends with, without
// the closing one; -1 if it doesn't stand on the same line.
func openingBracket(src []byte) int {
	open := 1
	for i := len(src) - 1; i >= 0 && src[i] != '\n'; i-- {
		switch src[i] {
		case ']':
			open++
		case '[':
			open--
		}
		if open == 0 {
			return i
		}
	}
	return -1
}

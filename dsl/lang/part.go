package lang

import (
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/schema"
)

// partRange finds the place of a part that a check finds fault with.
func partRange(e hclsyntax.Expression, part *schema.PartError) hcl.Range {
	if to, key, ok := keyOfPart(part); ok {
		return keyRange(e, to, key)
	}
	return narrow(e, part.Path)
}

// keyOfPart is the key that is to blame, and the way to what has it.
func keyOfPart(part *schema.PartError) (to cty.Path, key string, ok bool) {
	last := len(part.Path) - 1
	if !part.OfKey || last < 0 {
		return nil, "", false
	}
	step, ok := part.Path[last].(cty.GetAttrStep)
	return part.Path[:last], step.Name, ok
}

// partText is what is written there.
func partText(v cty.Value, part *schema.PartError) string {
	if _, key, ok := keyOfPart(part); ok {
		return key
	}
	el, err := part.Path.Apply(v)
	if err != nil || el.Type() != cty.String || el.IsNull() || !el.IsKnown() {
		return ""
	}
	return el.AsString()
}

func stepTo(t cty.Type, key cty.Value) cty.PathStep {
	if t.IsObjectType() {
		return cty.GetAttrStep{Name: key.AsString()}
	}
	return cty.IndexStep{Key: key}
}

// narrow finds the place of a part of a value in the expression that it was
// written with.
func narrow(e hclsyntax.Expression, path cty.Path) hcl.Range {
	for _, step := range path {
		if p, ok := e.(*hclsyntax.ParenthesesExpr); ok {
			e = p.Expression
		}
		next := within(e, step)
		if next == nil {
			break
		}
		e = next
	}
	return e.Range()
}

// keyRange finds the place of a key.
func keyRange(e hclsyntax.Expression, path cty.Path, name string) hcl.Range {
	for _, step := range path {
		if next := within(e, step); next != nil {
			e = next
		}
	}
	if o, ok := e.(*hclsyntax.ObjectConsExpr); ok {
		for _, i := range o.Items {
			if literalKey(i.KeyExpr) == name {
				return i.KeyExpr.Range()
			}
		}
	}
	return e.Range()
}

func within(e hclsyntax.Expression, step cty.PathStep) hclsyntax.Expression {
	switch s := step.(type) {
	case cty.GetAttrStep:
		return item(e, s.Name)
	case cty.IndexStep:
		if s.Key.Type() == cty.String {
			return item(e, s.Key.AsString())
		}
		if t, ok := e.(*hclsyntax.TupleConsExpr); ok && s.Key.Type() == cty.Number {
			if i, _ := s.Key.AsBigFloat().Int64(); i >= 0 && int(i) < len(t.Exprs) {
				return t.Exprs[i]
			}
		}
	}
	return nil
}

func item(e hclsyntax.Expression, name string) hclsyntax.Expression {
	o, ok := e.(*hclsyntax.ObjectConsExpr)
	if !ok {
		return nil
	}
	for _, i := range o.Items {
		if literalKey(i.KeyExpr) == name {
			return i.ValueExpr
		}
	}
	return nil
}

// withinText is the range of bytes of a string, where it is written as it is; of
// any other it is all of it.
func withinText(e hclsyntax.Expression, from, to int) hcl.Range {
	t, ok := e.(*hclsyntax.TemplateExpr)
	if !ok || !t.IsStringLiteral() {
		return e.Range()
	}
	rng, text := t.Parts[0].Range(), literalString(e)
	if rng.End.Byte-rng.Start.Byte != len(text) || rng.Start.Line != rng.End.Line || to > len(text) {
		return e.Range()
	}
	rng.End = moved(rng.Start, text[:to])
	rng.Start = moved(rng.Start, text[:from])
	return rng
}

// moved is the place behind a text of one line.
func moved(from hcl.Pos, text string) hcl.Pos {
	from.Byte += len(text)
	from.Column += utf8.RuneCountInString(text)
	return from
}

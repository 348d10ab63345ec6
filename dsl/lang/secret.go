package lang

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/schema"
)

// secrecy notes what in an argument's value must not be shown.
func (x *expansion) secrecy(a schema.Attr, v cty.Value) {
	for _, part := range secretParts(a, v) {
		x.secret(part)
	}
}

// confide tells the scope what in an argument's value must not be shown: what
// is computed while running could not be known before.
func (f frame) confide(a schema.Attr, v cty.Value) {
	c, ok := f.scope.(Confidant)
	if !ok {
		return
	}
	for _, part := range secretParts(a, v) {
		c.Confide(secretTexts(part)...)
	}
}

// secretParts are the parts of an argument's value that must not be shown.
func secretParts(a schema.Attr, v cty.Value) (parts []cty.Value) {
	if a.Sensitive {
		return []cty.Value{v}
	}
	plain, marked := v.UnmarkDeepWithPaths()
	for _, m := range marked {
		if part, err := m.Path.Apply(plain); err == nil {
			parts = append(parts, part)
		}
	}
	return parts
}

// secret notes the texts in a value that must not be shown.
func (x *expansion) secret(v cty.Value) {
	for _, text := range secretTexts(v) {
		x.secrets[text] = true
	}
}

// secretTexts are the texts in a value, as far as it is known.
func secretTexts(v cty.Value) (texts []string) {
	v, _ = v.UnmarkDeep()
	_ = cty.Walk(v, func(_ cty.Path, v cty.Value) (bool, error) { // never fails, since the function doesn't
		if v.IsNull() || !v.IsKnown() {
			return false, nil
		}
		switch v.Type() {
		case cty.String:
			if text := v.AsString(); text != "" {
				texts = append(texts, text)
			}
		case cty.Number:
			texts = append(texts, v.AsBigFloat().Text('f', -1))
		}
		return true, nil
	})
	return texts
}

// ShortestSecret is the least length of a text that is replaced wherever it
// turns up. A shorter one would blot out half of all output, and be told by it;
// it is hidden where it stands as a value of its own.
const ShortestSecret = 4

package steptest

import (
	"testing"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"github.com/scenario-run/scenario/engine/step"
)

// Args are the arguments of a definition as the engine hands them over: those
// given are converted and checked, the others are their defaults or null.
// References are addresses.
func Args(t testing.TB, d step.Definition, given map[string]cty.Value) cty.Value {
	t.Helper()
	attrs := map[string]cty.Value{}
	for _, a := range d.Args.Attrs {
		v, has := given[a.Name]
		switch {
		case has:
			converted, err := convert.Convert(v, a.ValueType())
			if err != nil {
				t.Fatalf("argument %s of %s: %v", a.Name, d.Name, err)
			}
			if !converted.IsNull() {
				if err := a.Refuse(converted); err != nil {
					t.Fatalf("argument %s of %s: %v", a.Name, d.Name, err)
				}
			}
			attrs[a.Name] = converted
		case a.Default != cty.NilVal:
			attrs[a.Name] = a.Default
		case a.Required:
			t.Fatalf("argument %s of %s is missing", a.Name, d.Name)
		default:
			attrs[a.Name] = cty.NullVal(a.ValueType())
		}
	}
	for name := range given {
		if _, has := d.Args.Attr(name); !has {
			t.Fatalf("%s has no argument %s", d.Name, name)
		}
	}
	args := cty.ObjectVal(attrs)
	if d.Check != nil {
		if err := d.Check(args); err != nil {
			t.Fatalf("arguments of %s: %v", d.Name, err)
		}
	}
	return args
}

// Strings is a list of strings, such as the addresses of nodes.
func Strings(list ...string) cty.Value {
	if len(list) == 0 {
		return cty.ListValEmpty(cty.String)
	}
	values := make([]cty.Value, len(list))
	for i, s := range list {
		values[i] = cty.StringVal(s)
	}
	return cty.ListVal(values)
}

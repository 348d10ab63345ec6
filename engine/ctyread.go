package engine

import (
	"maps"
	"slices"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/schema"
)

// attr is an attribute of an object; NilVal if it has none of that name.
func attr(v cty.Value, name string) cty.Value {
	if v == cty.NilVal || v.IsNull() || !v.Type().IsObjectType() || !v.Type().HasAttribute(name) {
		return cty.NilVal
	}
	return v.GetAttr(name)
}

// has says that an attribute is there and has a value.
func has(v cty.Value) bool { return v != cty.NilVal && v.IsKnown() && !v.IsNull() }

func str(v cty.Value, name string) string {
	if a := attr(v, name); has(a) {
		return a.AsString()
	}
	return ""
}

func num(v cty.Value, name string) float64 {
	a := attr(v, name)
	if !has(a) {
		return 0
	}
	f, _ := a.AsBigFloat().Float64()
	return f
}

func truth(v cty.Value, name string) bool {
	a := attr(v, name)
	return has(a) && a.True()
}

// duration reads an attribute that the schema has checked.
func duration(v cty.Value, name string, otherwise time.Duration) time.Duration {
	text := str(v, name)
	if text == "" {
		return otherwise
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		return otherwise
	}
	return d
}

func size(v cty.Value, name string, otherwise int64) (int64, error) {
	text := str(v, name)
	if text == "" {
		return otherwise, nil
	}
	return schema.ParseSize(text)
}

func list(v cty.Value) []cty.Value {
	if !has(v) {
		return nil
	}
	return v.AsValueSlice()
}

func strs(v cty.Value) []string {
	var all []string
	for _, e := range list(v) {
		all = append(all, e.AsString())
	}
	return all
}

func pairs(v cty.Value) map[string]string {
	if !has(v) {
		return nil
	}
	m := map[string]string{}
	for k, e := range v.AsValueMap() {
		if !e.IsNull() {
			m[k] = e.AsString()
		}
	}
	return m
}

func merged(under, over map[string]string) map[string]string {
	m := map[string]string{}
	maps.Copy(m, under)
	maps.Copy(m, over)
	return m
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

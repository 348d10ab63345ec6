package format_test

import (
	"fmt"
	"reflect"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// tree is what was parsed, without the places.
func tree(body *hclsyntax.Body) any { return strip(reflect.ValueOf(body)) }

var (
	rangeType = reflect.TypeFor[hcl.Range]()
	posType   = reflect.TypeFor[hcl.Pos]()
	valueType = reflect.TypeFor[cty.Value]()
	typeType  = reflect.TypeFor[cty.Type]()
)

func strip(v reflect.Value) any {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return nil
		}
		return strip(v.Elem())
	case reflect.Struct:
		return stripStruct(v)
	case reflect.Slice, reflect.Array:
		var all []any
		for i := range v.Len() {
			all = append(all, strip(v.Index(i)))
		}
		return all
	case reflect.Map:
		all := map[string]any{}
		for _, k := range v.MapKeys() {
			all[fmt.Sprint(k)] = strip(v.MapIndex(k))
		}
		return all
	default:
		return fmt.Sprint(v)
	}
}

func stripStruct(v reflect.Value) any {
	switch v.Type() {
	case rangeType, posType:
		return nil
	case valueType:
		return v.Interface().(cty.Value).GoString()
	case typeType:
		return v.Interface().(cty.Type).GoString()
	}
	all := map[string]any{"": v.Type().String()}
	for i := range v.NumField() {
		if f := v.Type().Field(i); f.IsExported() {
			all[f.Name] = strip(v.Field(i))
		}
	}
	return all
}

package step

import (
	"fmt"
	"reflect"
	"regexp"
	"time"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/gocty"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/scenario-run/scenario/dsl/funcs"
)

// JSONValue is JSON text as a value: objects, tuples and primitives. It fails
// where jsondecode would: what a node answers is no more to be trusted than
// what a file says.
func JSONValue(text []byte) (cty.Value, error) { return funcs.JSONValue(text) }

// ValueJSON is a known value as JSON text.
func ValueJSON(v cty.Value) ([]byte, error) {
	return ctyjson.Marshal(v, v.Type())
}

// decode fills In from an object of arguments.
func decode[In any](args cty.Value) (in In, err error) {
	if reflect.TypeFor[In]() == valueType {
		return any(args).(In), nil
	}
	return in, decodeStruct(args, reflect.ValueOf(&in).Elem())
}

func decodeStruct(v cty.Value, into reflect.Value) error {
	for _, f := range fieldsOf(into.Type()) {
		if !v.Type().HasAttribute(f.name) {
			return fmt.Errorf("argument %q is missing", f.name)
		}
		if err := decodeValue(v.GetAttr(f.name), into.FieldByIndex(f.Index)); err != nil {
			return fmt.Errorf("argument %q: %w", f.name, err)
		}
	}
	return nil
}

func decodeValue(v cty.Value, into reflect.Value) error {
	t := into.Type()
	switch {
	case t == valueType:
		into.Set(reflect.ValueOf(v))
		return nil
	case v.IsNull():
		return nil
	case t == durationType:
		d, err := time.ParseDuration(v.AsString())
		into.SetInt(int64(d))
		return err
	case t == regexpType:
		re, err := regexp.Compile(v.AsString())
		into.Set(reflect.ValueOf(re))
		return err
	}
	switch t.Kind() {
	case reflect.Pointer:
		into.Set(reflect.New(t.Elem()))
		return decodeValue(v, into.Elem())
	case reflect.Struct:
		return decodeStruct(v, into)
	case reflect.Slice:
		into.Set(reflect.MakeSlice(t, v.LengthInt(), v.LengthInt()))
		for i, e := range v.AsValueSlice() {
			if err := decodeValue(e, into.Index(i)); err != nil {
				return fmt.Errorf("element %d: %w", i, err)
			}
		}
		return nil
	case reflect.Map:
		into.Set(reflect.MakeMap(t))
		for k, e := range v.AsValueMap() {
			elem := reflect.New(t.Elem()).Elem()
			if err := decodeValue(e, elem); err != nil {
				return fmt.Errorf("element %q: %w", k, err)
			}
			into.SetMapIndex(reflect.ValueOf(k).Convert(t.Key()), elem)
		}
		return nil
	default:
		return gocty.FromCtyValue(v, into.Addr().Interface())
	}
}

// encode makes the value of a result.
func encode[Out any](env *Env, out Out) (cty.Value, error) {
	v := reflect.ValueOf(&out).Elem()
	if v.Type() == valueType {
		return any(out).(cty.Value), nil
	}
	return encodeStruct(env, v)
}

func encodeStruct(env *Env, v reflect.Value) (cty.Value, error) {
	attrs := map[string]cty.Value{}
	for _, f := range fieldsOf(v.Type()) {
		a, err := encodeValue(env, v.FieldByIndex(f.Index))
		if err != nil {
			return cty.NilVal, fmt.Errorf("result %q: %w", f.name, err)
		}
		attrs[f.name] = a
	}
	return cty.ObjectVal(attrs), nil
}

func encodeValue(env *Env, v reflect.Value) (cty.Value, error) {
	t := v.Type()
	switch {
	case t == valueType:
		value := v.Interface().(cty.Value)
		if value == cty.NilVal {
			return cty.NullVal(cty.DynamicPseudoType), nil
		}
		return value, nil
	case t == nodeType:
		return env.Nodes.Value(v.String()), nil
	case t == durationType:
		return cty.NumberFloatVal(time.Duration(v.Int()).Seconds()), nil
	case t == timeType:
		at := v.Interface().(time.Time)
		if at.IsZero() {
			return cty.NullVal(cty.String), nil
		}
		return cty.StringVal(at.Format(time.RFC3339Nano)), nil
	}
	switch t.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return cty.NullVal(ctyType("", t, result)), nil
		}
		return encodeValue(env, v.Elem())
	case reflect.Struct:
		return encodeStruct(env, v)
	case reflect.Slice:
		return encodeSlice(env, v)
	case reflect.Map:
		return encodeMap(env, v)
	default:
		return gocty.ToCtyValue(v.Interface(), ctyType("", t, result))
	}
}

// A nil slice is an empty list: a result without elements, not one without a
// value.
func encodeSlice(env *Env, v reflect.Value) (cty.Value, error) {
	elems := make([]cty.Value, v.Len())
	for i := range elems {
		e, err := encodeValue(env, v.Index(i))
		if err != nil {
			return cty.NilVal, fmt.Errorf("element %d: %w", i, err)
		}
		elems[i] = e
	}
	if len(elems) == 0 {
		return cty.ListValEmpty(ctyType("", v.Type().Elem(), result)), nil
	}
	return cty.ListVal(elems), nil
}

func encodeMap(env *Env, v reflect.Value) (cty.Value, error) {
	elems := make(map[string]cty.Value, v.Len())
	for it := v.MapRange(); it.Next(); {
		e, err := encodeValue(env, it.Value())
		if err != nil {
			return cty.NilVal, fmt.Errorf("element %q: %w", it.Key(), err)
		}
		elems[it.Key().String()] = e
	}
	if len(elems) == 0 {
		return cty.MapValEmpty(ctyType("", v.Type().Elem(), result)), nil
	}
	return cty.MapVal(elems), nil
}

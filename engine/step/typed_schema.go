package step

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"time"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"github.com/scenario-run/scenario/dsl/schema"
)

var (
	valueType    = reflect.TypeFor[cty.Value]()
	nodeType     = reflect.TypeFor[Node]()
	durationType = reflect.TypeFor[time.Duration]()
	timeType     = reflect.TypeFor[time.Time]()
	regexpType   = reflect.TypeFor[*regexp.Regexp]()
)

// direction says which way values go: the types of arguments and results
// differ for nodes and times.
type direction int

const (
	argument direction = iota
	result
)

// field is one tagged field of a struct.
type field struct {
	reflect.StructField
	name     string
	required bool
}

func fieldsOf(t reflect.Type) []field {
	var fields []field
	for _, f := range reflect.VisibleFields(t) {
		tag, ok := f.Tag.Lookup("scn")
		if !ok {
			continue
		}
		name, option, _ := strings.Cut(tag, ",")
		if !f.IsExported() || name == "" || (option != "" && option != "required") {
			panic(fmt.Sprintf("step: field %s of %s: bad tag %q", f.Name, t, tag))
		}
		fields = append(fields, field{f, name, option == "required"})
	}
	return fields
}

func argsOf(t schema.Type, in reflect.Type) schema.Object {
	o := schema.Object{Blocks: t.Args.Blocks}
	for _, f := range fieldsOf(in) {
		a, byHand := t.Args.Attr(f.name)
		if !byHand {
			a = argOf(t.Name, f)
		}
		o.Attrs = append(o.Attrs, a)
	}
	for _, a := range t.Args.Attrs {
		if _, has := o.Attr(a.Name); !has {
			o.Attrs = append(o.Attrs, a)
		}
	}
	return o
}

func resultOf(owner string, t reflect.Type) schema.Object {
	var o schema.Object
	for _, f := range fieldsOf(t) {
		o.Attrs = append(o.Attrs, schema.Attr{
			Name: f.name,
			Type: ctyType(owner, f.Type, result),
			Doc:  f.Tag.Get("doc"),
			// The docs of a struct's own fields would be lost in its type.
			Fields: resultFields(owner, f.Type),
		})
	}
	return o
}

// resultFields are the fields of a struct, or of the structs in a list or map.
func resultFields(owner string, t reflect.Type) []schema.Attr {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		return resultFields(owner, t.Elem())
	case reflect.Struct:
		if t == valueType || t == timeType || t == regexpType.Elem() {
			return nil
		}
		return resultOf(owner, t).Attrs
	default:
		return nil
	}
}

func argOf(owner string, f field) schema.Attr {
	a := schema.Attr{
		Name:      f.name,
		Required:  f.required,
		Doc:       f.Tag.Get("doc"),
		Ref:       refOf(f),
		Format:    formatOf(owner, f),
		Sensitive: f.Tag.Get("sensitive") == "true",
		Each:      f.Tag.Get("each") == "true",
		Lasts:     f.Tag.Get("lasts") == "true",
	}
	if a.Ref == schema.NoRef {
		a.Type = ctyType(owner, f.Type, argument)
	}
	if e := f.Tag.Get("enum"); e != "" {
		a.Enum = strings.Split(e, ",")
	}
	if d, ok := f.Tag.Lookup("default"); ok {
		v, err := convert.Convert(cty.StringVal(d), a.Type)
		if err != nil {
			panic(fmt.Sprintf("step: default of %s of %s: %v", f.name, owner, err))
		}
		a.Default = v
	}
	if only := strings.Split(f.Tag.Get("only"), ","); len(only) == 3 {
		a.OnlyNode = schema.OnlyNode{Kind: only[0], Arg: only[1], Value: only[2]}
	}
	return a
}

func refOf(f field) schema.Ref {
	if r := f.Tag.Get("ref"); r != "" {
		return schema.Ref(r)
	}
	switch t := f.Type; {
	case t == nodeType, t.Kind() == reflect.Pointer && t.Elem() == nodeType:
		return schema.RefNode
	case t.Kind() == reflect.Slice && t.Elem() == nodeType:
		return schema.RefNodes
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Slice && t.Elem().Elem() == nodeType:
		return schema.RefNodeSets
	default:
		return schema.NoRef
	}
}

func formatOf(owner string, f field) schema.Format {
	tag, given := f.Tag.Lookup("check")
	switch {
	case given:
	case f.Type == durationType, f.Type == reflect.PointerTo(durationType):
		return schema.Duration
	case f.Type == regexpType:
		return schema.Regexp
	default:
		return schema.NoFormat
	}
	if _, ok := schema.Format(tag).Info(); !ok {
		panic(fmt.Sprintf("step: %s of %s: no check %q", f.name, owner, tag))
	}
	return schema.Format(tag)
}

func ctyType(owner string, t reflect.Type, dir direction) cty.Type {
	switch {
	case t == valueType:
		return cty.DynamicPseudoType
	case t == nodeType && dir == result:
		return schema.NodeType
	case t == durationType && dir == result:
		return cty.Number
	case t == durationType, t == regexpType && dir == argument, t == timeType && dir == result:
		return cty.String
	}
	switch t.Kind() {
	case reflect.String:
		return cty.String
	case reflect.Bool:
		return cty.Bool
	case reflect.Int, reflect.Int64, reflect.Float64:
		return cty.Number
	case reflect.Pointer:
		return ctyType(owner, t.Elem(), dir)
	case reflect.Slice:
		return cty.List(elementType(owner, t, dir))
	case reflect.Map:
		if t.Key().Kind() == reflect.String {
			return cty.Map(elementType(owner, t, dir))
		}
	case reflect.Struct:
		attrs := map[string]cty.Type{}
		for _, f := range fieldsOf(t) {
			attrs[f.name] = ctyType(owner, f.Type, dir)
		}
		if len(attrs) > 0 {
			return cty.Object(attrs)
		}
	}
	panic(fmt.Sprintf("step: %s: a field can't be of type %s", owner, t))
}

// elementType refuses what could differ between elements: lists and maps of
// cty have one type of element. A cty.Value can hold a tuple instead.
func elementType(owner string, t reflect.Type, dir direction) cty.Type {
	e := ctyType(owner, t.Elem(), dir)
	if e.HasDynamicTypes() {
		panic(fmt.Sprintf("step: %s: elements of %s can differ in type; use a cty.Value for the whole", owner, t))
	}
	return e
}

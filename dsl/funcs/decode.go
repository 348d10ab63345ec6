package funcs

import (
	"errors"
	"fmt"
	"strings"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
)

// maxDepth is how deep what is decoded may be nested: decoding is recursive,
// and slow long before the stack ends.
const maxDepth = 200

// decoder is a function that refuses to decode what is nested too deeply or
// comes to too many elements. Outline tells both of the text, about.
func decoder(decode function.Function, outline func(text string) (depth, elements int)) function.Function {
	return function.New(&function.Spec{
		Description: decode.Description(),
		Params:      decode.Params(),
		Type: func(args []cty.Value) (cty.Type, error) {
			if text, ok := knownText(args[0]); ok {
				if err := fits(outline(text)); err != nil {
					return cty.NilType, function.NewArgError(0, err)
				}
			}
			t, err := decode.ReturnTypeForValues(args)
			if err != nil && (err.Error() == "EOF" || err.Error() == "unexpected EOF") {
				err = function.NewArgErrorf(0, "the text ends too early")
			}
			if err == nil && typeElements(t, MaxElements) > MaxElements {
				// YAML's aliases make much of little.
				err = function.NewArgError(0, tooManyDecoded())
			}
			return t, err
		},
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			v, err := decode.Call(args)
			if err != nil {
				return cty.NilVal, err
			}
			if _, found := NumberOutOfRange(v); found {
				return cty.NilVal, function.NewArgError(0, errors.New("a number in it is beyond 1e300, or nearer to 0 than 1e-300"))
			}
			return v, nil
		},
	})
}

// JSONValue is JSON text as a value of objects, tuples and primitives, within
// what jsondecode takes.
func JSONValue(text []byte) (cty.Value, error) {
	return decoder(stdlib.JSONDecodeFunc, outlineJSON).Call([]cty.Value{cty.StringVal(string(text))})
}

func fits(depth, elements int) error {
	switch {
	case depth > maxDepth:
		return fmt.Errorf("nested more than %d levels deep", maxDepth)
	case elements > MaxElements:
		return tooManyDecoded()
	}
	return nil
}

func tooManyDecoded() error { return fmt.Errorf("more than %d elements", MaxElements) }

// typeElements counts the elements in a type, up to one more than the most.
func typeElements(t cty.Type, most int) int {
	n := 0
	add := func(el cty.Type) bool {
		if n++; n <= most {
			n += typeElements(el, most-n)
		}
		return n <= most
	}
	switch {
	case t.IsTupleType():
		for _, el := range t.TupleElementTypes() {
			if !add(el) {
				break
			}
		}
	case t.IsObjectType():
		for _, el := range t.AttributeTypes() {
			if !add(el) {
				break
			}
		}
	case t.IsCollectionType():
		return typeElements(t.ElementType(), most)
	}
	return n
}

// outlineJSON is the depth of JSON and the number of its elements.
func outlineJSON(text string) (depth, elements int) { return outline(text, true) }

// outlineYAML is outlineJSON for YAML, in which a quote may be one or not: the
// depth is that of brackets outside of quotes. What its lines come to may be
// much less than elements, so that there may be several times as many.
func outlineYAML(text string) (depth, elements int) {
	if strings.Count(text, "[")+strings.Count(text, "{") > deepestStack {
		if depth = unquotedDepth(text); depth > deepestStack {
			return depth, 0
		}
	}
	depth, _ = outline(text, false)
	lines := strings.Count(text, "\n")
	return depth, lines/linesOfElement + strings.Count(text, ",")/linesOfElement
}

// deepestStack is how deep what is decoded may be nested if quotes are passed
// over, so that the program's own stack doesn't end.
const deepestStack = 5_000

// unquotedDepth is the depth of brackets, be they in quotes or not.
func unquotedDepth(text string) (deepest int) {
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '[', '{':
			depth++
		case ']', '}':
			depth = max(depth-1, 0)
		}
		deepest = max(deepest, depth)
	}
	return deepest
}

// linesOfElement is how many lines or commas of YAML may be text.
const linesOfElement = 4

// outline goes through brackets in JSON or YAML outside of strings, and YAML's
// dashes on one line.
func outline(text string, json bool) (deepest, elements int) {
	depth, dashes := 0, 0
	quoted := false
	for i := 0; i < len(text); i++ {
		if quoted && text[i] != '"' {
			if text[i] == '\\' {
				i++
			}
			continue
		}
		switch text[i] {
		case '"':
			quoted = !quoted
		case '[', '{':
			depth++
			elements++
		case ']', '}':
			depth = max(depth-1, 0)
		case ',':
			elements++
		case '-', '?':
			if !json {
				dashes++
			}
		case ' ':
		default:
			dashes = 0
		}
		deepest = max(deepest, depth, dashes)
	}
	return deepest, elements
}

// outlineCSV is how many fields and rows there are.
func outlineCSV(text string) (depth, elements int) {
	quoted := false
	for i := range len(text) {
		switch text[i] {
		case '"':
			quoted = !quoted
		case ',':
			if !quoted {
				elements++
			}
		case '\n':
			if !quoted {
				elements += 2
			}
		}
	}
	return 1, elements
}

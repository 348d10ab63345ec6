package funcs

import (
	"fmt"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

// maxDepth is how deep what is decoded may be nested: decoding is recursive,
// and slow long before the stack ends.
const maxDepth = 200

// shallow is a decoder that refuses a text that is nested too deeply.
func shallow(decode function.Function) function.Function {
	check := func(args []cty.Value) error {
		text := args[0]
		if text.Type() != cty.String || text.IsNull() || !text.IsKnown() || nesting(text.AsString()) <= maxDepth {
			return nil
		}
		return function.NewArgError(0, fmt.Errorf("nested more than %d levels deep", maxDepth))
	}
	return function.New(&function.Spec{
		Description: decode.Description(),
		Params:      decode.Params(),
		Type: func(args []cty.Value) (cty.Type, error) {
			if err := check(args); err != nil {
				return cty.NilType, err
			}
			return decode.ReturnTypeForValues(args)
		},
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			if err := check(args); err != nil {
				return cty.NilVal, err
			}
			return decode.Call(args)
		},
	})
}

// nesting is the depth of brackets in JSON or YAML outside of strings, or of
// YAML's dashes on one line.
func nesting(text string) int {
	deepest, depth, dashes := 0, 0, 0
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
		case ']', '}':
			depth = max(depth-1, 0)
		case '-', '?':
			dashes++
		case ' ':
		default:
			dashes = 0
		}
		deepest = max(deepest, depth, dashes)
	}
	return deepest
}

package funcs

import (
	"fmt"
	"regexp"
	"strconv"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

// What a function may make of a few characters: enough for any scenario, and
// little enough for any machine.
const (
	maxCombinations = 100_000
	maxWidth        = 10_000 // of what format and indent fill up
)

// bounded is a function that refuses arguments of which it would make too much.
func bounded(f function.Function, refuse func(args []cty.Value) error) function.Function {
	return function.New(&function.Spec{
		Description: f.Description(),
		Params:      f.Params(),
		VarParam:    f.VarParam(),
		Type: func(args []cty.Value) (cty.Type, error) {
			if err := refuse(args); err != nil {
				return cty.DynamicPseudoType, err
			}
			return f.ReturnTypeForValues(args)
		},
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) { return f.Call(args) },
	})
}

// tooManyCombinations refuses lists whose product fills the memory.
func tooManyCombinations(lists []cty.Value) error {
	n := 1
	for _, l := range lists {
		l, _ = l.Unmark()
		if !l.IsKnown() || l.IsNull() || !l.CanIterateElements() {
			return nil
		}
		if n *= l.LengthInt(); n > maxCombinations {
			return fmt.Errorf("more than %d combinations", maxCombinations)
		}
	}
	return nil
}

var widths = regexp.MustCompile(`%[^a-zA-Z%]*`)
var digits = regexp.MustCompile(`[0-9]+`)

// tooWide refuses a format with a width or a precision that fills the memory.
func tooWide(args []cty.Value) error {
	text, ok := knownText(args[0])
	if !ok {
		return nil
	}
	for _, verb := range widths.FindAllString(text, -1) {
		for _, number := range digits.FindAllString(verb, -1) {
			if n, err := strconv.Atoi(number); err != nil || n > maxWidth {
				return function.NewArgErrorf(0, "a width of %s is more than %d", number, maxWidth)
			}
		}
	}
	return nil
}

// tooFar refuses an indentation that fills the memory.
func tooFar(args []cty.Value) error {
	n, _ := args[0].Unmark()
	if n.IsKnown() && !n.IsNull() && n.GreaterThan(cty.NumberIntVal(maxWidth)).True() {
		return function.NewArgErrorf(0, "more than %d spaces", maxWidth)
	}
	return nil
}

func knownText(v cty.Value) (string, bool) {
	v, _ = v.Unmark()
	if !v.IsKnown() || v.IsNull() || v.Type() != cty.String {
		return "", false
	}
	return v.AsString(), true
}

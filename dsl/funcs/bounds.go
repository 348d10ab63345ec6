package funcs

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

// What a function may make of a few characters: enough for any scenario, and
// little enough for any machine.
const (
	// MaxText is the longest text that an expression may make, in bytes.
	MaxText = 16 << 20
	// MaxElements is how many elements a value may have, those of its elements
	// included.
	MaxElements = 100_000

	maxWidth = 10_000 // of what format and indent fill up
	// maxListed is how long the texts of a list may be, together.
	maxListed = 4 * MaxText
)

// bounded is a function that refuses arguments of which it would make too much,
// before it makes anything.
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

// atMost is an error if a text would be longer than there may be one.
func atMost(bytes, most int) error {
	if bytes > most {
		return fmt.Errorf("a text of more than %d MiB", most>>20)
	}
	return nil
}

// tooManyCombinations refuses lists whose product fills the memory.
func tooManyCombinations(lists []cty.Value) error {
	n := 1
	for _, l := range lists {
		l, _ = l.Unmark()
		if !l.IsKnown() || l.IsNull() || !l.CanIterateElements() {
			return nil
		}
		if n *= l.LengthInt(); n > MaxElements {
			return fmt.Errorf("more than %d combinations", MaxElements)
		}
	}
	if n*len(lists) > MaxElements {
		return fmt.Errorf("%d combinations of %d elements are more than %d in all", n, len(lists), MaxElements)
	}
	return nil
}

// tooManyElements refuses lists that are too long together.
func tooManyElements(lists []cty.Value) error {
	n := 0
	for _, l := range lists {
		if l, _ = l.Unmark(); l.IsKnown() && !l.IsNull() && l.CanIterateElements() {
			n += l.LengthInt()
		}
	}
	if n > MaxElements {
		return fmt.Errorf("more than %d elements", MaxElements)
	}
	return nil
}

// tooManyParts refuses a text that a separator splits too often.
func tooManyParts(args []cty.Value) error {
	separator, known := knownText(args[0])
	text, ok := knownText(args[1])
	if known && ok && strings.Count(text, separator) >= MaxElements {
		return function.NewArgErrorf(1, "more than %d parts", MaxElements)
	}
	return nil
}

// tooLongTogether refuses texts that are too long once they are joined.
func tooLongTogether(args []cty.Value) error {
	separator, _ := knownText(args[0])
	bytes := 0
	for _, list := range args[1:] {
		if !list.IsKnown() || list.IsNull() {
			return nil
		}
		for it := list.ElementIterator(); it.Next(); {
			_, el := it.Element()
			text, _ := knownText(el)
			if bytes += len(text) + len(separator); bytes-len(separator) > MaxText {
				return atMost(bytes, MaxText)
			}
		}
	}
	return nil
}

var verbs = regexp.MustCompile(`%[^a-zA-Z%]*`)
var digits = regexp.MustCompile(`[0-9]+`)

// formatting is what can be told of a format without formatting anything.
type formatting struct {
	verbs  int
	width  int  // that all verbs are filled up to, together
	chosen bool // a verb says by its number which value it takes
}

// readFormat refuses a width or a precision that fills the memory.
func readFormat(text string) (formatting, error) {
	var f formatting
	for _, verb := range verbs.FindAllString(text, -1) {
		f.verbs++
		f.chosen = f.chosen || strings.Contains(verb, "[")
		for _, number := range digits.FindAllString(verb, -1) {
			n, err := strconv.Atoi(number)
			if err != nil || n > maxWidth {
				return f, function.NewArgErrorf(0, "a width of %s is more than %d", number, maxWidth)
			}
			f.width += n
		}
	}
	return f, nil
}

// times is how often a value may be written.
func (f formatting) times() int {
	if f.chosen {
		return max(f.verbs, 1)
	}
	return 1
}

// tooWide refuses a format that makes a text too long of its values.
func tooWide(args []cty.Value) error {
	text, ok := knownText(args[0])
	if !ok {
		return nil
	}
	f, err := readFormat(text)
	if err != nil {
		return err
	}
	bytes := len(text) + f.width
	for _, a := range args[1:] {
		bytes += f.times() * textSize(a)
	}
	return atMost(bytes, MaxText)
}

// tooWideEach is tooWide for a format that is filled in for each element of
// lists.
func tooWideEach(args []cty.Value) error {
	text, ok := knownText(args[0])
	if !ok {
		return nil
	}
	f, err := readFormat(text)
	if err != nil {
		return err
	}
	n := 1
	for _, a := range args[1:] {
		if isList(a) {
			n = max(n, a.LengthInt())
		}
	}
	bytes := n * (len(text) + f.width)
	for _, a := range args[1:] {
		size := f.times() * textSize(a)
		if !isList(a) {
			size *= n
		}
		bytes += size
	}
	return atMost(bytes, maxListed)
}

func isList(v cty.Value) bool {
	t := v.Type()
	return v.IsKnown() && !v.IsNull() && (t.IsListType() || t.IsSetType() || t.IsTupleType())
}

// tooFar refuses an indentation that fills the memory.
func tooFar(args []cty.Value) error {
	n, _ := args[0].Unmark()
	text, ok := knownText(args[1])
	switch {
	case !n.IsKnown() || n.IsNull():
		return nil
	case n.GreaterThan(cty.NumberIntVal(maxWidth)).True():
		return function.NewArgErrorf(0, "more than %d spaces", maxWidth)
	case !ok:
		return nil
	}
	spaces, _ := n.AsBigFloat().Int64()
	return atMost(len(text)+strings.Count(text, "\n")*int(spaces), MaxText)
}

// tooLongEncoded refuses a value whose texts alone make a text too long.
func tooLongEncoded(args []cty.Value) error { return atMost(textSize(args[0]), MaxText) }

func knownText(v cty.Value) (string, bool) {
	v, _ = v.Unmark()
	if !v.IsKnown() || v.IsNull() || v.Type() != cty.String {
		return "", false
	}
	return v.AsString(), true
}

// textOf is a text as far as it is known.
func textOf(v cty.Value) string {
	text, _ := knownText(v)
	return text
}

// textSize is how many bytes the texts in a value have, together.
func textSize(v cty.Value) int {
	v, _ = v.Unmark()
	switch {
	case !v.IsKnown() || v.IsNull():
		return 0
	case v.Type() == cty.String:
		return len(v.AsString())
	case !v.CanIterateElements():
		return 0
	}
	bytes := 0
	for it := v.ElementIterator(); it.Next() && bytes <= maxListed; {
		_, el := it.Element()
		bytes += textSize(el)
	}
	return bytes
}

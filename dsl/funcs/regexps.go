package funcs

import (
	"regexp"
	"regexp/syntax"
	"strings"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

// maxStates is how large a regular expression may be once its repetitions are
// written out: a few characters ask for a million.
const maxStates = 10_000

// tooComplex refuses a regular expression that takes too much to be compiled.
// What isn't one is left to be reported by what compiles it.
func tooComplex(args []cty.Value) error {
	if states(textOf(args[0])) > maxStates {
		return tooLarge(0)
	}
	return nil
}

// states is how large a regular expression is, about; 0 if it is none.
func states(pattern string) int {
	if len(pattern) > maxStates {
		return len(pattern)
	}
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return 0
	}
	return statesOf(re)
}

func statesOf(re *syntax.Regexp) int {
	n := 1
	if re.Op == syntax.OpLiteral {
		n = len(re.Rune)
	}
	for _, sub := range re.Sub {
		n += statesOf(sub)
	}
	if re.Op == syntax.OpRepeat {
		n *= max(re.Min, re.Max, 1)
	}
	return n
}

// tooManyMatches refuses a text in which a regular expression matches too often.
func tooManyMatches(args []cty.Value) error {
	if err := tooComplex(args); err != nil {
		return err
	}
	pattern, _ := knownText(args[0])
	text, ok := knownText(args[1])
	re, err := regexp.Compile(pattern)
	if !ok || err != nil {
		return nil
	}
	each := 1 + re.NumSubexp() // elements of a match
	if most := MaxElements / each; len(text) >= most && len(re.FindAllStringIndex(text, most+1)) > most {
		return function.NewArgErrorf(1, "more than %d matches", most)
	}
	return nil
}

// replaceMatches replaces what a regular expression matches, unless that makes
// too long a text.
func replaceMatches(str, pattern, by string) (cty.Value, error) {
	if states(pattern) > maxStates {
		return cty.NilVal, tooLarge(1)
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return cty.NilVal, function.NewArgError(1, err)
	}
	if err := tooLongReplaced(re, str, by); err != nil {
		return cty.NilVal, err
	}
	return cty.StringVal(re.ReplaceAllString(str, by)), nil
}

// tooLongReplaced says that a text would be too long with what matches replaced.
func tooLongReplaced(re *regexp.Regexp, str, by string) error {
	// A group stands for no more than what it matched, which is there once.
	most := func(matches int) int { return len(str)*(1+strings.Count(by, "$")) + matches*len(by) }
	if most(len(str)+1) <= MaxText {
		return nil
	}
	matches := 0
	re.ReplaceAllStringFunc(str, func(string) string { matches++; return "" }) // keeps no places
	return atMost(most(matches), MaxText)
}

// tooLongWithMatchesReplaced is that for regexreplace.
func tooLongWithMatchesReplaced(args []cty.Value) error {
	if states(textOf(args[1])) > maxStates {
		return tooLarge(1)
	}
	str, known := knownText(args[0])
	pattern, ok := knownText(args[1])
	by, also := knownText(args[2])
	re, err := regexp.Compile(pattern)
	if !known || !ok || !also || err != nil {
		return nil
	}
	return tooLongReplaced(re, str, by)
}

func tooLarge(arg int) error {
	return function.NewArgErrorf(arg, "too large a regular expression: it comes to more than %d states", maxStates)
}

// replaceText replaces a text, unless that makes too long a one.
func replaceText(str, substr, by string) (cty.Value, error) {
	if err := atMost(len(str)+strings.Count(str, substr)*(len(by)-len(substr)), MaxText); err != nil {
		return cty.NilVal, err
	}
	return cty.StringVal(strings.ReplaceAll(str, substr, by)), nil
}

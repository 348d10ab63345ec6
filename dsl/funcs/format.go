package funcs

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

// VerbError says which verb of a format is wrong.
type VerbError struct {
	// From and To are where the verb is in the format, in bytes.
	From, To int
	why      string
}

func (e *VerbError) Error() string { return e.why }

// badFormat refuses what is too much to format, and a format that its values
// don't fit, as far as they are known: how many there are always is.
func badFormat(f function.Function, tooMuch func(args []cty.Value) error) func(args []cty.Value) error {
	return func(args []cty.Value) error {
		format, ok := knownText(args[0])
		if !ok {
			return nil
		}
		if err := tooMuch(args); err != nil {
			return err
		}
		values, size := []cty.Value{cty.StringVal(format)}, len(format)
		for _, v := range args[1:] {
			if size += textSize(v); size > longestTried {
				return nil // which is told when it is formatted
			}
			if v, _ = v.UnmarkDeep(); !v.IsWhollyKnown() {
				v = anyValue
			}
			values = append(values, v)
		}
		_, err := f.Call(values)
		return verbError(err)
	}
}

// longestTried is how much is formatted beforehand, to find out what is wrong.
const longestTried = 64 << 10

// anyValue can be written by any verb: it is a string, a number and a bool.
var anyValue = cty.StringVal("0")

var (
	tooFewValues = regexp.MustCompile(`not enough arguments for ("(?:[^"\\]|\\.)*") at (\d+): need index (\d+) but have (\d+) total$`)
	wrongValue   = regexp.MustCompile(`unsupported value for ("(?:[^"\\]|\\.)*") at (\d+): (.*)$`)
	wrongVerb    = regexp.MustCompile(`unsupported format verb '.*' in ("(?:[^"\\]|\\.)*") at offset (\d+)$`)
	openVerb     = regexp.MustCompile(`invalid format string starting at offset \d+$`)
	tooMany      = regexp.MustCompile(`too many arguments; (?:no verbs|only \d+ used) (?:in|by) format string$`)
	noVerb       = regexp.MustCompile(`unrecognized format character ('.*') at offset (\d+)$`)
)

// verbError puts what cty says of a verb in our words, with its place.
func verbError(err error) error {
	if err == nil {
		return nil
	}
	if of := (function.ArgError{}); errors.As(err, &of) && tooMany.MatchString(err.Error()) {
		return function.NewArgErrorf(of.Index, "the format has no verb for this value")
	}
	if openVerb.MatchString(err.Error()) {
		return function.NewArgErrorf(0, "a verb is begun and not ended; a percent sign is written as %%%%")
	}
	for _, known := range []struct {
		says *regexp.Regexp
		why  func(m []string) string
	}{
		{tooFewValues, func(m []string) string { return m[1] + " takes value " + m[3] + ", and " + thereAre(m[4]) }},
		{wrongValue, func(m []string) string { return m[1] + " can't write its value: " + m[3] }},
		{wrongVerb, func(m []string) string { return m[1] + " is no verb; there are %s, %d, %f, %q, %t, %v and others" }},
		{noVerb, func(m []string) string { return m[1] + " is no verb; a percent sign is written as %%" }},
	} {
		m := known.says.FindStringSubmatch(err.Error())
		if m == nil {
			continue
		}
		at, errAt := strconv.Atoi(m[2])
		raw, errRaw := strconv.Unquote(m[1])
		if errAt != nil || errRaw != nil {
			return err
		}
		return &VerbError{From: at, To: at + len(raw), why: known.why(m)}
	}
	return err
}

func thereAre(n string) string {
	switch n {
	case "0":
		return "there is none"
	case "1":
		return "there is one"
	}
	return fmt.Sprintf("there are %s", n)
}

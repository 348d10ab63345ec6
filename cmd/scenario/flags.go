package main

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/scenario-run/scenario/dsl/diag"
)

// flagError says what is wrong with a flag: which it is, what was given, what
// it takes, and what was most likely meant.
func flagError(cmd *cobra.Command, err error) error {
	var missing *pflag.NotExistError
	var refused *pflag.InvalidValueError
	var bare *pflag.ValueRequiredError
	var misshapen *pflag.InvalidSyntaxError
	switch {
	case errors.As(err, &missing):
		return noFlag(cmd, missing)
	case errors.As(err, &refused):
		return wrongValue(cmd, refused)
	case errors.As(err, &bare):
		return withoutValue(cmd, bare.GetFlag())
	case errors.As(err, &misshapen):
		return usage("%s is not a flag", misshapen.GetSpecifiedFlag()).with(listOfFlags(cmd))
	}
	return (&exitError{code: exitUsage, err: err}).with(listOfFlags(cmd))
}

func listOfFlags(cmd *cobra.Command) string {
	return fmt.Sprintf(`"%s --help" lists the flags.`, cmd.CommandPath())
}

// noFlag is for a flag that the command doesn't have. A word behind one dash is
// read as letters, but is more likely to be a flag with a dash too few.
func noFlag(cmd *cobra.Command, missing *pflag.NotExistError) error {
	word, dashes := missing.GetSpecifiedName(), "--"
	if letters := missing.GetSpecifiedShortnames(); letters != "" {
		word, dashes = letters, "-"
	}
	e := usage("%s has no flag %s%s", cmd.CommandPath(), dashes, word)
	if len(word) == 1 {
		return e.with(listOfFlags(cmd))
	}
	if cmd.Flags().Lookup(word) != nil {
		return e.with(fmt.Sprintf("Did you mean --%s?", word))
	}
	if others := commandsWith(cmd.Root(), word); len(others) > 0 {
		return e.with(fmt.Sprintf("It is a flag of %s.", strings.Join(others, ", ")))
	}
	if near := diag.Suggest(word, flagNames(cmd)); near != "" {
		return e.with(fmt.Sprintf("Did you mean --%s?", near))
	}
	return e.with(listOfFlags(cmd))
}

func flagNames(cmd *cobra.Command) []string {
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	return names
}

// commandsWith are the commands that have a flag.
func commandsWith(root *cobra.Command, flag string) []string {
	var all []string
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() && c.Flags().Lookup(flag) != nil {
			all = append(all, c.CommandPath())
		}
	}
	return all
}

// wrongValue is for a value that a flag can't take.
func wrongValue(cmd *cobra.Command, refused *pflag.InvalidValueError) error {
	f, value := refused.GetFlag(), refused.GetValue()
	if meant := oneDash(cmd, f, value); meant != nil {
		return meant
	}
	if value == "" {
		return withoutValue(cmd, f)
	}
	e := usage("--%s %s: %s", f.Name, shellQuote(value), takes(f, refused))
	if f.Value.Type() == "duration" {
		if d := durationMeant(value); d != "" {
			return e.with(fmt.Sprintf("Did you mean %s?", d))
		}
	}
	return e
}

// takes says which values a flag has.
func takes(f *pflag.Flag, refused *pflag.InvalidValueError) string {
	tooLarge := errors.Is(refused, strconv.ErrRange)
	switch f.Value.Type() {
	case "int", "int64":
		if tooLarge {
			return "it is a whole number of at most 64 bits"
		}
		return "it is a whole number, such as 3"
	case "duration":
		return "it is a length of time with its unit, such as 30s, 10m or 1h30m"
	case "bool":
		return "it is true or false"
	}
	return refused.Unwrap().Error() // our own types say it
}

var looseDuration = regexp.MustCompile(`^([0-9]+) *(?:(s)(?:ec(?:ond)?s?)?|(m)(?:in(?:ute)?s?)?|(h)(?:(?:ou)?rs?)?)?$`)

// durationMeant is the duration that a text without a unit, or with one that is
// written out, most likely means.
func durationMeant(text string) string {
	m := looseDuration.FindStringSubmatch(strings.ToLower(strings.TrimSpace(text)))
	if m == nil {
		return ""
	}
	unit := m[2] + m[3] + m[4]
	if unit == "" {
		unit = "s"
	}
	return m[1] + unit
}

func withoutValue(cmd *cobra.Command, f *pflag.Flag) error {
	value, about := pflag.UnquoteUsage(f)
	return usage("--%s is given without a value", f.Name).with(fmt.Sprintf("%s --%s %s: %s.", cmd.CommandPath(), f.Name, value, about))
}

// oneDash is for a flag with a dash too few whose first letter is a flag too,
// which took the rest of its name for its value: -timeout.
func oneDash(cmd *cobra.Command, f *pflag.Flag, value string) error {
	word := f.Shorthand + value
	if f.Shorthand == "" || cmd.Flags().Lookup(word) == nil {
		return nil
	}
	return usage("-%s is read as -%s with the value %q", word, f.Shorthand, value).with(fmt.Sprintf("Did you mean --%s?", word))
}

// checkTexts refuses flags that were given no text, or one that is the rest of
// another flag's name.
func checkTexts(cmd *cobra.Command, _ []string) error {
	var wrong error
	cmd.Flags().Visit(func(f *pflag.Flag) {
		for _, text := range texts(f) {
			if wrong != nil {
				return
			}
			if wrong = oneDash(cmd, f, text); wrong == nil && text == "" {
				wrong = withoutValue(cmd, f)
			}
		}
	})
	return wrong
}

// texts are the values of a flag that takes text.
func texts(f *pflag.Flag) []string {
	if list, ok := f.Value.(pflag.SliceValue); ok {
		return list.GetSlice()
	}
	if f.Value.Type() == "string" {
		return []string{f.Value.String()}
	}
	return nil
}

// choice is a flag whose value is one of a few words.
type choice struct {
	value   string
	allowed []string
}

var _ pflag.Value = (*choice)(nil)

func oneOf(standard string, others ...string) *choice {
	return &choice{value: standard, allowed: append([]string{standard}, others...)}
}

func (c *choice) String() string { return c.value }
func (c *choice) Type() string   { return strings.Join(c.allowed, "|") }

// Set takes one of the words.
func (c *choice) Set(s string) error {
	if slices.Contains(c.allowed, s) {
		c.value = s
		return nil
	}
	if near := diag.Suggest(s, c.allowed); near != "" {
		return fmt.Errorf("it is one of %s; did you mean %q?", strings.Join(c.allowed, ", "), near)
	}
	return fmt.Errorf("it is one of %s", strings.Join(c.allowed, ", "))
}

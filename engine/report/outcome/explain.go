package outcome

import (
	"fmt"
	"regexp"
	"strings"
)

// escapes are the sequences by which programs colour their output.
var escapes = regexp.MustCompile(`\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])`)

// WithoutEscapes is a text without the sequences by which programs colour their
// output.
func WithoutEscapes(text string) string { return escapes.ReplaceAllString(text, "") }

// Explain is all that is known of why a variant did not pass, as plain text:
// each problem with its place, its excerpt and values, and the command that
// repeats the variant. Empty, if it passed.
func (v *Variant) Explain() string {
	problems := v.Problems()
	if len(problems) == 0 {
		return ""
	}
	var b strings.Builder
	for i, p := range problems {
		if i > 0 {
			b.WriteString("\n")
		}
		b.WriteString(p.Text())
	}
	if v.Finished != nil && len(v.Finished.Busy) > 0 {
		b.WriteString("\nthe machine was busy:\n")
		indented(&b, strings.Join(v.Finished.Busy, "\n"))
	}
	if v.Finished != nil && v.Finished.Repeat != "" {
		b.WriteString("\nagain: " + v.Finished.Repeat + "\n")
	}
	return b.String()
}

// Text is a problem as plain text.
func (p Problem) Text() string {
	var b strings.Builder
	if p.Where != "" {
		b.WriteString(p.Where + ": ")
	}
	b.WriteString(p.Cause.Message + "\n")
	if p.Cause.Unevaluated {
		b.WriteString("  An expression has no value: the file is wrong, or what it reads is not of the form that it expects.\n")
	}
	fmt.Fprintf(&b, "  at %s:%d:%d\n", p.Place.File, p.Place.Line, p.Place.Column)
	if x := p.Cause.Excerpt; x != nil {
		indented(&b, x.Text)
		for _, value := range x.Values {
			indented(&b, value.Expr+" = "+value.Text)
		}
	}
	indented(&b, p.Cause.Detail)
	indented(&b, p.Cause.Hint)
	return b.String()
}

func indented(b *strings.Builder, text string) {
	if text == "" {
		return
	}
	for line := range strings.Lines(strings.TrimRight(text, "\n")) {
		b.WriteString("    " + strings.TrimRight(line, "\n") + "\n")
	}
}

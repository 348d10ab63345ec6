package junit

import (
	"encoding/xml"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/scenario-run/scenario/engine/event"
	"github.com/scenario-run/scenario/engine/report/outcome"
)

// seconds is a duration in thousandths, so that totals are what their parts add
// up to, to the last digit that is shown.
type seconds int64

func toSeconds(s float64) seconds { return seconds(math.Round(s * 1000)) }

// MarshalXMLAttr writes it as 12.345.
func (s seconds) MarshalXMLAttr(name xml.Name) (xml.Attr, error) {
	return xml.Attr{Name: name, Value: fmt.Sprintf("%d.%03d", s/1000, s%1000)}, nil
}

// control are the sequences by which programs colour their output.
var control = regexp.MustCompile(`\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])`)

// plain leaves out what XML can't hold, and colours.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t', r == '\n', r >= 0x20 && r <= 0xD7FF, r >= 0xE000 && r <= 0xFFFD, r >= 0x10000 && r <= 0x10FFFF:
			return r
		default:
			return -1
		}
	}, strings.ToValidUTF8(control.ReplaceAllString(s, ""), ""))
}

// explain is all that is known of why a variant did not pass.
func explain(v *outcome.Variant, problems []outcome.Problem) string {
	var b strings.Builder
	for i, p := range problems {
		if i > 0 {
			b.WriteString("\n")
		}
		if p.Where != "" {
			b.WriteString(p.Where + ": ")
		}
		b.WriteString(p.Cause.Message + "\n")
		fmt.Fprintf(&b, "  at %s:%d:%d\n", p.Place.File, p.Place.Line, p.Place.Column)
		if x := p.Cause.Excerpt; x != nil {
			indented(&b, x.Text)
			for _, value := range x.Values {
				indented(&b, value.Expr+" = "+value.Text)
			}
		}
		indented(&b, p.Cause.Detail)
		indented(&b, p.Cause.Hint)
	}
	if v.Finished != nil && v.Finished.Repeat != "" {
		b.WriteString("\nagain: " + v.Finished.Repeat + "\n")
	}
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

// protocol is what the steps did, what the scenario reports, and the files that
// belong to it, in the form in which Jenkins and others attach them.
func protocol(run *outcome.Run, v *outcome.Variant) string {
	var b strings.Builder
	for _, s := range v.Steps {
		b.WriteString(stepLine(s) + "\n")
	}
	for _, o := range v.Outputs {
		fmt.Fprintf(&b, "output %s = %s\n", o.Name, o.Value)
	}
	if run.Started.Dir == "" || v.Started.Dir == "" {
		return b.String()
	}
	files := append([]string{"events.ndjson", filepath.Join(v.Started.Dir, "plan.json")}, v.Samples...)
	for _, f := range files {
		fmt.Fprintf(&b, "[[ATTACHMENT|%s]]\n", filepath.Join(run.Started.Dir, f))
	}
	return b.String()
}

func stepLine(s *outcome.Step) string {
	f := s.Finished
	if f == nil {
		return string(event.Pending) + "  " + s.Address
	}
	line := fmt.Sprintf("%s  %s  %.1fs", f.State, s.Address, f.Seconds)
	if f.Summary != "" {
		line += "  " + f.Summary
	}
	return line
}

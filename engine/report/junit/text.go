package junit

import (
	"encoding/xml"
	"fmt"
	"math"
	"path/filepath"
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

// plain leaves out what XML can't hold, and colours.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t', r == '\n', r >= 0x20 && r <= 0xD7FF, r >= 0xE000 && r <= 0xFFFD, r >= 0x10000 && r <= 0x10FFFF:
			return r
		default:
			return -1
		}
	}, strings.ToValidUTF8(outcome.WithoutEscapes(s), ""))
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

package timeline

import (
	"strings"

	"github.com/fatih/color"

	"github.com/scenario-run/scenario/engine/event"
)

// palette is the colours of one stream. The colour package's own switch is
// global; these are switched one by one.
type palette struct {
	good, bad, doubt, fault, dim, bold, accent *color.Color
}

func newPalette(on bool) palette {
	style := func(attrs ...color.Attribute) *color.Color {
		c := color.New(attrs...)
		if on {
			c.EnableColor()
		} else {
			c.DisableColor()
		}
		return c
	}
	return palette{
		good:   style(color.FgGreen),
		bad:    style(color.FgRed, color.Bold),
		doubt:  style(color.FgYellow),
		fault:  style(color.FgMagenta),
		dim:    style(color.Faint),
		bold:   style(color.Bold),
		accent: style(color.FgCyan),
	}
}

// look is how a state is drawn.
type look struct {
	glyph string
	word  string
	color *color.Color
}

func (p palette) look(s event.State) look {
	switch s {
	case event.Passed:
		return look{"✓", "PASSED", p.good}
	case event.Failed:
		return look{"✗", "FAILED", p.bad}
	case event.Error:
		return look{"✗", "ERROR", p.bad}
	case event.Inconclusive:
		return look{"?", "INCONCLUSIVE", p.doubt}
	case event.Skipped:
		return look{"-", "SKIPPED", p.dim}
	case event.Cancelled:
		return look{"-", "CANCELLED", p.doubt}
	default:
		return look{"…", string(s), p.dim}
	}
}

// diagnostic colours a line of printed diagnostics.
func (p palette) diagnostic(line string) string {
	trimmed := strings.TrimLeft(line, " 0123456789")
	switch {
	case strings.HasPrefix(line, "error"):
		return p.headline(p.bad, line)
	case strings.HasPrefix(line, "warning"), strings.HasPrefix(line, "note"):
		return p.headline(p.doubt, line)
	case strings.HasPrefix(trimmed, "-->"):
		return strings.Replace(line, "-->", p.accent.Sprint("-->"), 1)
	case strings.HasPrefix(trimmed, "|"):
		gutter, rest, _ := strings.Cut(line, "|")
		if strings.HasPrefix(strings.TrimLeft(rest, " "), "^") {
			rest = p.bad.Sprint(rest)
		}
		return p.dim.Sprint(gutter+"|") + rest
	default:
		return line
	}
}

// headline colours "error[SCN0203]" and makes what follows bold.
func (p palette) headline(c *color.Color, line string) string {
	level, rest, ok := strings.Cut(line, ":")
	if !ok {
		return c.Sprint(line)
	}
	return c.Sprint(level) + p.bold.Sprint(":"+rest)
}

const (
	faultGlyph   = "⚡" // two cells wide
	startedGlyph = "…"
	noteGlyph    = "·"
	warnGlyph    = "!"
)

var spinner = [...]string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}

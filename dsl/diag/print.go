package diag

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/fatih/color"
	"github.com/hashicorp/hcl/v2"
	"github.com/mattn/go-runewidth"
)

// Style is how diagnostics are written.
type Style struct {
	Color bool
	Width int // columns of the terminal; 0: details aren't wrapped
}

// Print writes diagnostics for a person, a blank line between two. Files are
// the texts that the diagnostics' ranges are in, by the ranges' file names;
// what isn't there is written without its source line.
func Print(w io.Writer, files map[string][]byte, diags hcl.Diagnostics, style Style) error {
	p := &printer{sources: newSources(files), style: style, paint: newPalette(style.Color)}
	for i, d := range diags {
		if i > 0 {
			p.out.WriteByte('\n')
		}
		p.diagnostic(d)
	}
	_, err := w.Write(p.out.Bytes())
	return err
}

type printer struct {
	out     bytes.Buffer
	sources *sources
	style   Style
	paint   palette
}

// palette has a painter of its own for each stream: fatih/color's globals say
// something about standard output only.
type palette struct{ err, warn, note, bold, dim *color.Color }

func newPalette(on bool) palette {
	painter := func(attrs ...color.Attribute) *color.Color {
		c := color.New(attrs...)
		if on {
			c.EnableColor()
			return c
		}
		c.DisableColor()
		return c
	}
	return palette{
		err:  painter(color.FgRed, color.Bold),
		warn: painter(color.FgYellow, color.Bold),
		note: painter(color.FgCyan, color.Bold),
		bold: painter(color.Bold),
		dim:  painter(color.FgHiBlack),
	}
}

func (p palette) of(severity string) *color.Color {
	switch severity {
	case "error":
		return p.err
	case "warning":
		return p.warn
	default:
		return p.note
	}
}

func (p *printer) diagnostic(d *hcl.Diagnostic) {
	x, severity := extra(d), severityOf(d)
	paint := p.paint.of(severity)
	head := severity
	if x.Code != "" {
		head += "[" + string(x.Code) + "]"
	}
	fmt.Fprintf(&p.out, "%s%s\n", paint.Sprint(head), p.paint.bold.Sprint(": "+printable(d.Summary)))
	p.place(place(d), forInstances(x.Instances), x.Hint, paint)
	for i, r := range x.Related {
		switch left := len(x.Related) - i; {
		case len(x.Related) > mostRelated && i == firstRelated:
			fmt.Fprintf(&p.out, "%s… and %d more\n", strings.Repeat(" ", numberWidth+1), left-lastRelated)
		case len(x.Related) <= mostRelated || i < firstRelated || left <= lastRelated:
			p.place(placed(r.Range), "", r.Text, p.paint.note)
		}
	}
	for _, line := range p.wrap(printable(d.Detail)) {
		fmt.Fprintf(&p.out, "%s%s\n", strings.Repeat(" ", numberWidth+1), line)
	}
}

// Of many further places the first and the last are shown: those on the way
// between say the same.
const (
	mostRelated  = 8
	firstRelated = 4
	lastRelated  = 3
)

// numberWidth is the room for a line's number before the bar.
const numberWidth = 5

// mostInstances are named one by one.
const mostInstances = 3

// forInstances says which instances of a block are meant.
func forInstances(addresses []string) string {
	n := len(addresses)
	switch {
	case n == 0:
		return ""
	case n > mostInstances:
		shown := mostInstances - 1
		return ", for " + strings.Join(addresses[:shown], ", ") + " and " + strconv.Itoa(n-shown) + " more"
	case n == 1:
		return ", for " + addresses[0]
	}
	return ", for " + strings.Join(addresses[:n-1], ", ") + " and " + addresses[n-1]
}

// place writes where something is and for what, and the line with a caret under
// it.
func (p *printer) place(rng hcl.Range, whose, hint string, paint *color.Color) {
	hint = printable(hint)
	arrow := p.paint.dim.Sprint("  --> ")
	fmt.Fprintf(&p.out, "%s%s:%d:%d", arrow, printable(rng.Filename), rng.Start.Line, rng.Start.Column)
	if in := p.sources.enclosing(rng); in != "" {
		fmt.Fprintf(&p.out, ", in %s", printable(in))
	}
	p.out.WriteString(printable(brief(whose)))
	p.out.WriteByte('\n')

	line, ok := p.sources.line(rng)
	if !ok {
		if hint != "" {
			fmt.Fprintf(&p.out, "%s%s\n", strings.Repeat(" ", numberWidth+1), paint.Sprint(hint))
		}
		return
	}
	bar := p.paint.dim.Sprint("|")
	gutter := len(fmt.Sprintf("%*d | ", numberWidth, rng.Start.Line))
	room := lineLimit
	if p.style.Width > 0 {
		room = max(p.style.Width-gutter, 20)
	}
	text, before, marked := line.fit(room)
	fmt.Fprintf(&p.out, "%s %s %s\n", p.paint.dim.Sprintf("%*d", numberWidth, rng.Start.Line), bar, text)

	blank := strings.Repeat(" ", gutter-3)
	carets := strings.Repeat(" ", before) + paint.Sprint(strings.Repeat("^", marked))
	if hint == "" {
		fmt.Fprintf(&p.out, "%s %s %s\n", blank, bar, carets)
		return
	}
	if before+marked+1+runewidth.StringWidth(hint) <= room || p.style.Width == 0 {
		fmt.Fprintf(&p.out, "%s %s %s %s\n", blank, bar, carets, paint.Sprint(hint))
		return
	}
	fmt.Fprintf(&p.out, "%s %s %s\n", blank, bar, carets)
	for _, part := range Wrap(hint, room) {
		fmt.Fprintf(&p.out, "%s %s %s\n", blank, bar, paint.Sprint(part))
	}
}

func (p *printer) wrap(text string) []string {
	if text == "" {
		return nil
	}
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if p.style.Width == 0 {
		return lines
	}
	var all []string
	for _, l := range lines {
		all = append(all, Wrap(l, max(p.style.Width-numberWidth-1, 20))...)
	}
	return all
}

// Wrap breaks a line between words, so that it fits into columns. What it is
// indented by, its continuations are as well; a word that is too long stays whole.
func Wrap(line string, room int) []string {
	indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
	var all []string
	current := ""
	for _, word := range strings.Fields(line) {
		switch {
		case current == "":
			current = indent + word
		case runewidth.StringWidth(current)+1+runewidth.StringWidth(word) <= room:
			current += " " + word
		default:
			all = append(all, current)
			current = indent + word
		}
	}
	return append(all, current)
}

func severityOf(d *hcl.Diagnostic) string {
	switch {
	case d.Severity == hcl.DiagError:
		return "error"
	case extra(d).Note:
		return "note"
	default:
		return "warning"
	}
}

package timeline

import (
	"fmt"
	"strings"

	"github.com/scenario-run/scenario/engine/event"
)

// drawExcerpt prints source with a caret under the part that decided, and the
// values of the parts.
func (t *Timeline) drawExcerpt(x event.Excerpt) {
	caret := x.Caret
	if caret.Line == 0 {
		caret = x.Place
	}
	t.print("    " + t.palette.accent.Sprint("-->") + fmt.Sprintf(" %s:%d:%d", clean(x.Place.File), caret.Line, caret.Column))
	source := strings.Split(strings.TrimRight(strings.ReplaceAll(x.Text, "\r\n", "\n"), "\n"), "\n")
	digits := len(fmt.Sprint(x.Place.Line + len(source) - 1))
	digits = max(digits, 4)
	gutter := 4 + digits + len(" | ")
	for i, l := range source {
		n := x.Place.Line + i
		line, from, to := under(l, n, caret)
		if room := t.room(gutter); room > 0 {
			line, from, to = window(line, from, to, room)
		}
		t.print(strings.TrimRight("    "+t.palette.dim.Sprintf("%*d |", digits, n)+" "+line, " "))
		if n == caret.Line && to > from {
			t.print("    " + strings.Repeat(" ", digits) + t.palette.dim.Sprint(" |") + " " +
				strings.Repeat(" ", from) + t.palette.bad.Sprint(strings.Repeat("^", to-from)))
		}
	}
	for _, v := range x.Values {
		text := clean(v.Expr) + " = " + clean(v.Text)
		t.paragraph(strings.Repeat(" ", gutter), text)
	}
}

// drawUse prints the header of a block that uses a define.
func (t *Timeline) drawUse(x event.Excerpt) {
	t.print("    " + t.palette.accent.Sprint("-->") + fmt.Sprintf(" %s:%d:%d", clean(x.Place.File), x.Place.Line, x.Place.Column) + ", used here")
	header, _, _ := strings.Cut(x.Text, "\n")
	digits := max(len(fmt.Sprint(x.Place.Line)), 4)
	line := clean(header)
	if room := t.room(4 + digits + len(" | ")); room > 0 {
		line = cut(line, room)
	}
	t.print(strings.TrimRight("    "+t.palette.dim.Sprintf("%*d |", digits, x.Place.Line)+" "+line, " "))
}

// under returns a source line as it is printed, and the cells of it that the
// caret covers.
func under(line string, n int, caret event.Place) (printed string, from, to int) {
	printed = clean(line)
	if n != caret.Line {
		return printed, 0, 0
	}
	runes := []rune(line)
	start := min(max(caret.Column-1, 0), len(runes))
	end := min(max(caret.EndColumn-1, start), len(runes))
	if caret.EndLine > caret.Line {
		end = len(runes)
	}
	// Measured after cleaning, which makes tabs wider; the marks keep spaces
	// at the ends from being trimmed.
	cells := func(r []rune) int { return width(clean(string(r)+"|")) - 1 }
	from, to = cells(runes[:start]), cells(runes[:end])
	return printed, from, max(to, from+1)
}

// window cuts a line to what is around the caret.
func window(line string, from, to, room int) (string, int, int) {
	if width(line) <= room {
		return line, from, to
	}
	// A cell at each end is for the ellipsis.
	shift := max(0, min(to-room+1, from-1))
	if shift > 0 {
		line = cells().TruncateLeft(line, shift+1, "…")
		from, to = from-shift, to-shift
	}
	return cut(line, room), max(from, 0), min(to, room)
}

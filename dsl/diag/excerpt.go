package diag

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
	"github.com/mattn/go-runewidth"
)

const (
	// lineLimit is how much of a line is shown where no terminal's width says
	// less: nobody reads a file that was written as one line.
	lineLimit = 200
	tabStop   = 4
)

// cell is what takes a place of its own on the screen: a character with the
// marks that are drawn on it.
type cell struct {
	text  string
	width int
}

// excerpt is a line of source in which a part is marked.
type excerpt struct {
	cells      []cell
	start, end int // the marked cells; end is after the last
}

// line returns the line that a range starts in. Of a range over several lines
// the first is marked up to its end.
func (s *sources) line(rng hcl.Range) (excerpt, bool) {
	if _, ok := s.text[rng.Filename]; !ok {
		return excerpt{}, false
	}
	begin, text, ok := s.nthLine(rng.Filename, rng.Start.Line)
	if !ok {
		return excerpt{}, false
	}
	from := rng.Start.Byte - begin
	to := rng.End.Byte - begin
	if from < 0 || from > len(text) {
		from = byteOfColumn(text, rng.Start.Column)
		to = from + 1
	}
	if rng.End.Line > rng.Start.Line {
		to = len(text)
	}
	s.body(rng.Filename) // which finds what is secret
	text, from, to = hide(text, begin, from, min(max(to, from), len(text)), s.secret[rng.Filename])
	return newExcerpt(text, from, to), true
}

func byteOfColumn(text []byte, column int) int {
	i := 0
	for range column - 1 {
		if i >= len(text) {
			break
		}
		_, n := utf8.DecodeRune(text[i:])
		i += n
	}
	return i
}

// longestExcerpt is how many bytes before and after the beginning of the marked
// part can come to be shown.
const longestExcerpt = 4096

func newExcerpt(text []byte, from, to int) excerpt {
	var e excerpt
	if begin := from - longestExcerpt; begin > 0 {
		for begin < from && !utf8.RuneStart(text[begin]) {
			begin++
		}
		text, from, to = text[begin:], from-begin, to-begin
	}
	if len(text) > from+longestExcerpt {
		text = text[:from+longestExcerpt]
		to = min(to, len(text))
	}
	column := 0
	e.start, e.end = -1, -1
	for i := 0; i < len(text); {
		if i >= from && e.start < 0 {
			e.start = len(e.cells)
		}
		if i >= to && e.end < 0 {
			e.end = len(e.cells)
		}
		r, n := utf8.DecodeRune(text[i:])
		shown := printableRune(r, text[i:i+n])
		if r == '\t' {
			shown = strings.Repeat(" ", tabStop-column%tabStop)
		}
		w := runewidth.StringWidth(shown)
		if last := len(e.cells) - 1; w == 0 && last >= 0 {
			e.cells[last].text += shown
		} else if shown != "" {
			e.cells = append(e.cells, cell{shown, w})
		}
		column += w
		i += n
	}
	if e.start < 0 {
		e.start = len(e.cells)
	}
	if e.end < 0 {
		e.end = len(e.cells)
	}
	return e
}

// fit returns the line cut to the room there is, with the marked part in
// sight: the text, the columns before the marked part, and its own columns, at
// least one.
func (e excerpt) fit(room int) (text string, before, marked int) {
	first, last := 0, len(e.cells)
	if e.width(0, last) > room {
		if e.width(0, e.end) >= room {
			// A third of the room goes to what is before the marked part.
			for first = e.start; first > 0 && e.width(first-1, e.start) <= room/3; first-- {
			}
		}
		cut := room - 1
		if first > 0 {
			cut--
		}
		for last = first; last < len(e.cells) && e.width(first, last+1) <= cut; last++ {
		}
	}
	var b strings.Builder
	if first > 0 {
		b.WriteString("…")
		before = 1
	}
	for _, c := range e.cells[first:last] {
		b.WriteString(c.text)
	}
	if last < len(e.cells) {
		b.WriteString("…")
	}
	before += e.width(first, e.start)
	marked = max(e.width(min(e.start, last), min(e.end, last)), 1)
	return strings.TrimRight(b.String(), " "), before, marked
}

func (e excerpt) width(from, to int) int {
	w := 0
	for _, c := range e.cells[from:to] {
		w += c.width
	}
	return w
}

// printable makes text safe to show: what comes from a file must not move the
// cursor or change colours. Lines stay.
func printable(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == '\n' {
			b.WriteByte('\n')
		} else {
			b.WriteString(printableRune(r, []byte(s[i:i+n])))
		}
		i += n
	}
	return b.String()
}

func printableRune(r rune, raw []byte) string {
	switch {
	case r == utf8.RuneError && len(raw) == 1:
		return fmt.Sprintf(`\x%02x`, raw[0])
	case r == '\ufeff': // a byte order mark
		return ""
	case r == ' ' || unicode.IsPrint(r) || unicode.Is(unicode.Mn, r) || r == '\u200d':
		return string(r)
	case unicode.Is(unicode.Zs, r):
		return " "
	case r < 0x80:
		return fmt.Sprintf(`\x%02x`, r)
	default:
		return fmt.Sprintf(`\u%04x`, r)
	}
}

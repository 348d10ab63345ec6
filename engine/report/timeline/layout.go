package timeline

import (
	"strings"

	"github.com/fatih/color"

	"github.com/scenario-run/scenario/engine/event"
)

// row is one line of the timeline, before it is laid out. A part that is empty
// takes its column all the same, except took.
type row struct {
	label string // in place of time, glyph, kind and name: "image.ray"
	at    string // when, "+5.1s"
	glyph string
	mark  *color.Color // of the glyph
	depth int          // in groups
	kind  string       // "start", "assert", "workload http"
	name  string
	text  string
	tint  *color.Color // of the text; nil: none
	took  string
}

// layout is where the columns are.
type layout struct {
	width      int // of the terminal; 0: lines are never cut
	kind, name int // widths of those columns, 0: the column is left out
	palette    palette
}

// Room for time and glyph before the columns, and where the last column ends
// at the latest.
const (
	lead     = len("+999.9s") + 1 + 2 + 1
	rightEnd = 100
	narrow   = 60 // below: no column for the kind of step
)

// fit fits columns, as wide as what is to stand in them, into a width.
func fit(width int, p palette, c columns) layout {
	l := layout{width: width, palette: p, kind: c.kind, name: c.name}
	if width > 0 && width < narrow {
		l.kind = 0
	}
	if width > 0 {
		l.name = min(l.name, max(10, (width-lead-l.kind)/2))
	}
	return l
}

// columns is how wide a variant's columns are where there is room.
type columns struct{ kind, name int }

func columnsFor(steps []event.Step) columns {
	var kinds, names []string
	for _, s := range steps {
		kinds = append(kinds, strings.Repeat(" ", 2*depth(s))+kindOf(s))
		names = append(names, stepName(s))
	}
	return columns{kind: widest(kinds, 8, 18) + 1, name: widest(names, 8, 24) + 1}
}

// with is as wide as both: what isn't in the plan may be wider than what is.
func (c columns) with(o columns) columns {
	return columns{max(c.kind, o.kind), max(c.name, o.name)}
}

func widest(texts []string, atLeast, atMost int) int {
	w := atLeast
	for _, t := range texts {
		w = max(w, width(t))
	}
	return min(w, atMost)
}

// line lays a row out, coloured.
func (l layout) line(r row) string {
	w := &rowWriter{layout: l, took: r.took}
	column := lead + l.kind + l.name + 1
	if r.label != "" {
		w.add(nil, "  ")
		w.add(l.palette.bold, cut(r.label, w.room()))
		column = lead + l.kind
	} else {
		w.head(r)
	}
	if r.text != "" {
		// The text stands in its column, or after what is longer than its own.
		gap := max(0, column-w.used)
		switch {
		case r.label != "":
			gap = max(2, gap)
		case r.name != "":
			gap = max(1, gap)
		case r.kind == "":
			gap = max(0, min(gap, w.room()-width(r.text)))
		}
		if text := clip(r.text, w.room()-gap); text != "" {
			w.add(nil, strings.Repeat(" ", gap))
			w.add(r.tint, text)
		}
	}
	w.end()
	return strings.TrimRight(w.b.String(), " ")
}

// rowWriter puts a line together and knows how many cells of it are used.
type rowWriter struct {
	layout
	b    strings.Builder
	used int
	took string
}

func (w *rowWriter) add(c *color.Color, text string) {
	w.b.WriteString(tinted(c, text))
	w.used += width(text)
}

// head writes the columns before the text.
func (w *rowWriter) head(r row) {
	w.add(w.palette.dim, padLeft(r.at, len("+999.9s")))
	w.add(nil, " ")
	w.add(r.mark, padLeft(r.glyph, 2))
	w.add(nil, strings.Repeat(" ", min(1+2*r.depth, max(0, w.room()))))
	if r.name == "" && w.kind == 0 {
		r.name = r.kind
	}
	if w.kind > 0 {
		w.add(nil, cell(r.kind, w.kind-2*r.depth, w.room()))
	}
	w.add(w.palette.bold, cutMiddle(r.name, w.room()))
}

// end writes the last column.
func (w *rowWriter) end() {
	if w.took == "" {
		return
	}
	end := rightEnd
	if w.width > 0 {
		end = min(end, w.width)
	}
	w.add(nil, strings.Repeat(" ", max(2, end-width(w.took)-w.used)))
	w.add(w.palette.dim, w.took)
}

// room is how many cells are left before the last column.
func (w *rowWriter) room() int {
	if w.width == 0 {
		return 1 << 20
	}
	room := w.width - w.used
	if w.took != "" {
		room -= 2 + width(w.took)
	}
	return room
}

// clip cuts a text that does not fit; one of which hardly anything would be
// left is left out.
func clip(text string, room int) string {
	if width(text) <= room {
		return text
	}
	if room < 4 {
		return ""
	}
	return cut(text, room)
}

// cell is a column's text and a space after it.
func cell(text string, w, room int) string {
	if width(text) >= w {
		return cut(text+" ", room)
	}
	return padRight(text, w)
}

func tinted(c *color.Color, text string) string {
	if c == nil || strings.TrimSpace(text) == "" {
		return text
	}
	return c.Sprint(text)
}

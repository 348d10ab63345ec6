package timeline

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"time"
)

// region is the part of the screen that is drawn again and again.
type region struct {
	drawn []string // the lines on the screen, without colours
	frame int
}

// maxRows is the most that the region takes, however high the terminal is.
const maxRows = 8

// compose writes the sequence that takes the old region away, prints what
// stays, and draws the new region below.
func (r *region) compose(b *bytes.Buffer, above []byte, live []string, width int) {
	if len(above) == 0 && len(live) == 0 && len(r.drawn) == 0 {
		return
	}
	if rows := r.rows(width); rows > 0 {
		fmt.Fprintf(b, "\r\x1b[%dA\x1b[J", rows)
	}
	b.Write(above)
	r.drawn = r.drawn[:0]
	for _, line := range live {
		b.WriteString(line)
		b.WriteByte('\n')
		r.drawn = append(r.drawn, sgr.ReplaceAllString(line, ""))
	}
}

// rows is how many rows the region takes on a screen of that width: after a
// terminal has become narrower, its lines are wrapped.
func (r *region) rows(width int) int {
	n := 0
	for _, line := range r.drawn {
		n += wrappedRows(line, width)
	}
	return n
}

// wrappedRows is how many rows a terminal makes of a line. A wide character
// that only half fits goes to the next row whole.
func wrappedRows(line string, limit int) int {
	if width(line) <= limit {
		return 1
	}
	rows, start := 1, 0
	for i, r := range line {
		if i > start && width(line[start:i]+string(r)) > limit {
			rows, start = rows+1, i
		}
	}
	return rows
}

var sgr = regexp.MustCompile("\x1b\\[[0-9;]*m")

// printedWidth is the width of a coloured line.
func printedWidth(s string) int { return width(sgr.ReplaceAllString(s, "")) }

// live returns the lines of what runs now: never more than maxRows, nor than
// leave three rows of the screen to what is finished.
func (t *Timeline) live(now time.Time, height int) []string {
	if len(t.running) == 0 {
		return nil
	}
	lines, last := t.liveLines(now)
	limit := max(1, min(maxRows, height-3))
	if len(lines) <= limit {
		return lines
	}
	more := len(lines) - (limit - 1)
	return append(lines[:limit-1], last.line(row{text: fmt.Sprintf("and %d more", more), tint: t.palette.dim}))
}

// liveLines are the lines of all that runs. Where that is more than one
// variant, each begins with its name.
func (t *Timeline) liveLines(now time.Time) (lines []string, last layout) {
	w, _ := t.size()
	for _, v := range t.running {
		last = t.layout(v)
		if len(t.running) > 1 {
			lines = append(lines, t.palette.dim.Sprint(cut(clean(title(v)), w)))
		}
		for _, r := range t.liveRows(v, now) {
			lines = append(lines, last.line(r))
		}
	}
	return lines, last
}

func (t *Timeline) liveRows(v *variant, now time.Time) []row {
	spin := spinner[t.region.frame%len(spinner)]
	elapsed := now.Sub(t.began)
	var rows []row
	for _, name := range v.images {
		rows = append(rows, row{glyph: spin, mark: t.palette.accent, kind: "image", name: name, text: clean(v.image[name]), tint: t.palette.dim})
	}
	for _, address := range v.running {
		s := v.step(address)
		if s.Kind == "group" {
			continue
		}
		text := clean(v.doing[address])
		if n := v.attempt[address]; n > 1 {
			text = strings.TrimSpace(fmt.Sprintf("attempt %d  %s", n, text))
		}
		rows = append(rows, row{
			glyph: spin, mark: t.palette.accent, depth: depth(s), kind: kindOf(s), name: stepName(s),
			text: text, tint: t.palette.dim, took: took(max(0, (elapsed - v.since[address]).Seconds())),
		})
	}
	if len(rows) > 0 {
		return rows
	}
	return t.waitingRows(v, spin)
}

// waitingRows say what the engine is at while no step runs.
func (t *Timeline) waitingRows(v *variant, spin string) []row {
	var rows []row
	if v.phase == "provision" {
		for _, n := range v.nodes {
			if s := v.node[n]; s == "starting" || s == "created" {
				rows = append(rows, row{glyph: spin, mark: t.palette.accent, kind: "node", name: short(n), text: s, tint: t.palette.dim})
			}
		}
	}
	if len(rows) == 0 && v.phase != "" && v.phase != "execute" {
		rows = append(rows, row{glyph: spin, mark: t.palette.accent, kind: v.phase})
	}
	return rows
}

package main

import (
	"strings"

	"github.com/mattn/go-runewidth"

	"github.com/scenario-run/scenario/dsl/diag"
)

// leastColumn is how narrow a column of prose may become: below that, a row is
// easier to read as a few lines.
const leastColumn = 24

// gap is what stands between two columns.
const gap = 2

// columns writes rows one below the other, the first with the names of the
// columns. In a width (0: any) the last column is wrapped; where there is no room
// for that, each row is folded: its first cell, and below it the others.
func columns(rows [][]string, width int) string {
	last := len(rows[0]) - 1
	widths := make([]int, last+1)
	for _, r := range rows {
		for i, cell := range r {
			widths[i] = max(widths[i], runewidth.StringWidth(cell))
		}
	}
	before := 0
	for _, w := range widths[:last] {
		before += w + gap
	}
	room := widths[last]
	if width > 0 && before+room > width {
		room = width - before
	}
	if room < min(widths[last], leastColumn) {
		return folded(rows[1:], width)
	}
	var b strings.Builder
	for _, r := range rows {
		var lead strings.Builder
		for i, cell := range r[:last] {
			lead.WriteString(runewidth.FillRight(cell, widths[i]+gap))
		}
		hanging(&b, lead.String(), before, r[last], room)
	}
	return b.String()
}

// hanging writes text behind a lead of so many columns, its further lines below
// its first.
func hanging(b *strings.Builder, lead string, indent int, text string, room int) {
	for i, line := range wrapped(text, room) {
		if i > 0 {
			lead = strings.Repeat(" ", indent)
		}
		b.WriteString(strings.TrimRight(lead+line, " ") + "\n")
	}
}

// wrapped is text in lines of a width, one at least; 0 is any width.
func wrapped(text string, width int) []string {
	if width <= 0 || runewidth.StringWidth(text) <= width {
		return []string{text}
	}
	return diag.Wrap(text, width)
}

// folded writes each row in lines of its own.
func folded(rows [][]string, width int) string {
	const indent = "    "
	var b strings.Builder
	for _, r := range rows {
		hanging(&b, "", len(indent), r[0], width)
		for _, cell := range r[1:] {
			if cell != "" {
				hanging(&b, indent, len(indent), cell, width-len(indent))
			}
		}
	}
	return b.String()
}

package markdown

import (
	"fmt"
	"html"
	"io"
	"strings"

	"github.com/scenario-run/scenario/engine/event"
	"github.com/scenario-run/scenario/engine/report/outcome"
)

// Limit is the most that GitHub takes of a step's summary; of a larger one it
// shows nothing.
const Limit = 1 << 20

// Write writes the page, in no more than so many bytes. What has no room is
// counted; where there is none even for that, nothing is written.
func Write(w io.Writer, run *outcome.Run, limit int) error {
	if limit < roomForMore {
		return nil
	}
	p := &page{limit: limit - roomForMore}
	p.add(heading(run))
	for _, row := range rows(run) {
		p.add(row)
	}
	for _, s := range sections(run) {
		p.add(s)
	}
	if p.left > 0 {
		fmt.Fprintf(&p.text, "\n… and %d more parts, which have no room here. The log has them all.\n", p.left)
	}
	_, err := io.WriteString(w, p.text.String())
	return err
}

// roomForMore is what is kept for the line that counts what is left out.
const roomForMore = 200

// page is what has been written, and how many parts had no room.
type page struct {
	text  strings.Builder
	limit int
	left  int
}

func (p *page) add(part string) {
	if p.left > 0 || p.text.Len()+len(part) > p.limit {
		p.left++
		return
	}
	p.text.WriteString(part)
}

func heading(run *outcome.Run) string {
	count := map[event.State]int{}
	for _, v := range run.Variants {
		state, _ := v.Result()
		count[state]++
	}
	var parts []string
	for _, s := range []event.State{event.Failed, event.Error, event.Inconclusive, event.Cancelled, event.Passed} {
		if n := count[s]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, s))
		}
	}
	if n := len(run.Invalid); n > 0 {
		parts = append(parts, fmt.Sprintf("%d invalid", n))
	}
	if len(parts) == 0 {
		parts = []string{"nothing was run"}
	}
	return "### scenario: " + strings.Join(parts, " · ") + "\n\n| | | took | |\n|---|---|--:|---|\n"
}

// mark is how a state looks in the table.
func mark(s event.State) string {
	switch s {
	case event.Passed:
		return "✅"
	case event.Failed:
		return "❌"
	case event.Cancelled, event.Skipped:
		return "⚪"
	default:
		return "⚠️"
	}
}

// rows are the lines of the table: what did not pass comes first.
func rows(run *outcome.Run) []string {
	var bad, good []string
	for _, f := range run.Invalid {
		bad = append(bad, row("❌", f.File, "", "invalid: "+outcome.Diagnostics(f)[0].Summary))
	}
	for _, v := range run.Variants {
		state, cause := v.Result()
		text := outputs(v)
		if cause != nil {
			text = string(state) + ": " + cause.Message
			if p := v.Problems(); len(p) > 0 && p[0].Where != "" {
				text = string(state) + ": " + p[0].Where + ": " + cause.Message
			}
		}
		line := row(mark(state), v.Key, fmt.Sprintf("%.1f s", v.Seconds()), text)
		if state == event.Passed {
			good = append(good, line)
		} else {
			bad = append(bad, line)
		}
	}
	return append(bad, good...)
}

func outputs(v *outcome.Variant) string {
	var all []string
	for _, o := range v.Outputs {
		all = append(all, o.Name+" = "+strings.TrimSpace(string(o.Value)))
	}
	return strings.Join(all, ", ")
}

func row(mark, name, took, text string) string {
	return "| " + mark + " | <code>" + cell(name) + "</code> | " + took + " | " + cell(text) + " |\n"
}

// longestCell is the most that is shown of a text in the table.
const longestCell = 300

// cell is a text as it stands in a table: on one line, with nothing in it that
// has a meaning in Markdown or HTML.
func cell(text string) string {
	text = strings.Join(strings.Fields(plain(text)), " ")
	if runes := []rune(text); len(runes) > longestCell {
		text = string(runes[:longestCell-1]) + "…"
	}
	var b strings.Builder
	for _, r := range text {
		if strings.ContainsRune("&<>\"'|`*_[]\\~@#:!", r) {
			fmt.Fprintf(&b, "&#%d;", r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// sections are the explanations of what did not pass.
func sections(run *outcome.Run) []string {
	var all []string
	for _, f := range run.Invalid {
		all = append(all, section(f.File, f.Text))
	}
	for _, v := range run.Variants {
		if state, _ := v.Result(); state != event.Passed && state != event.Cancelled {
			all = append(all, section(v.Key, v.Explain()))
		}
	}
	for _, l := range run.Left {
		all = append(all, section("left behind: "+l.What, l.Reason+"\n"+l.Command+"\n"))
	}
	return all
}

func section(title, text string) string {
	return "\n#### " + cell(title) + "\n\n<pre>" + html.EscapeString(plain(text)) + "</pre>\n"
}

// plain leaves out what no page can hold.
func plain(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(outcome.WithoutEscapes(text), "�"))
	return strings.TrimRight(text, "\n")
}

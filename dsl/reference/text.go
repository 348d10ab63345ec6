package reference

import (
	"io"
	"regexp"
	"strings"

	"github.com/fatih/color"
	"github.com/mattn/go-runewidth"
)

// Style is how topics are written for a terminal.
type Style struct {
	Color bool
	Width int // columns; 0: 80
}

const (
	usualWidth = 80
	leastWidth = 20
)

// writer lays text out.
type writer struct {
	out   strings.Builder
	width int
	paint palette
}

// palette has a painter for each kind of text.
type palette struct{ title, heading, word, dim *color.Color }

func newWriter(s Style) *writer {
	painter := func(attrs ...color.Attribute) *color.Color {
		c := color.New(attrs...)
		if s.Color {
			c.EnableColor()
			return c
		}
		c.DisableColor()
		return c
	}
	w := &writer{width: s.Width, paint: palette{
		title: painter(color.Bold), heading: painter(color.Bold), word: painter(color.FgCyan), dim: painter(color.FgHiBlack),
	}}
	if w.width == 0 {
		w.width = usualWidth
	}
	w.width = max(w.width, leastWidth)
	return w
}

func (w *writer) flush(to io.Writer) error {
	_, err := io.WriteString(to, w.out.String())
	return err
}

// Text writes topics one after the other.
func Text(to io.Writer, topics []Topic, s Style) error {
	w := newWriter(s)
	for i, t := range topics {
		if i > 0 {
			w.out.WriteString("\n" + w.paint.dim.Sprint(strings.Repeat("─", w.width)) + "\n\n")
		}
		w.topic(t)
	}
	return w.flush(to)
}

func (w *writer) topic(t Topic) {
	title := string(t.Kind) + " " + t.Name
	if t.Summary == "" { // of what a file defines and says nothing about
		w.out.WriteString(w.paint.title.Sprint(title) + "\n")
	} else {
		w.hanging(w.paint.title.Sprint(title)+": ", runewidth.StringWidth(title)+2, 2, t.Summary)
	}
	if t.Usage != "" {
		w.out.WriteByte('\n')
		w.verbatim(t.Usage, 4)
	}
	if t.Doc != "" && strings.TrimSuffix(t.Doc, ".") != t.Summary {
		w.out.WriteByte('\n')
		w.prose(t.Doc, 0)
	}
	for _, s := range t.Sections {
		w.section(s)
	}
	for _, e := range t.Examples {
		w.example(e)
	}
	if len(t.See) > 0 {
		w.out.WriteByte('\n')
		w.hanging("See also: ", 10, 2, strings.Join(t.See, ", "))
	}
}

func (w *writer) section(s Section) {
	w.out.WriteString("\n" + w.paint.heading.Sprint(s.Title) + "\n")
	w.rows(s.Rows, 2)
	if s.After != "" {
		w.prose(s.After, 2)
	}
}

// rows write a list. Where no row has a type, as in a list of types, what each
// is stands beside its name; else below it.
func (w *writer) rows(rows []Row, indent int) {
	beside, longest := true, 0
	for _, r := range rows {
		beside = beside && r.Type == "" && len(r.Rows) == 0
		longest = max(longest, runewidth.StringWidth(r.Name))
	}
	for _, r := range rows {
		pad := strings.Repeat(" ", indent)
		name := pad + w.paint.word.Sprint(r.Name)
		if beside {
			column := min(longest, 20) + indent + 2
			gap := max(column-indent-runewidth.StringWidth(r.Name), 2)
			w.hanging(name+strings.Repeat(" ", gap), indent+runewidth.StringWidth(r.Name)+gap, column, r.Doc)
			continue
		}
		about := strings.Join(append(nonEmpty(r.Type), r.Facts...), ", ")
		if wide := indent + runewidth.StringWidth(r.Name); wide > w.width {
			w.hanging(pad, indent, indent, r.Name)
			w.hanging(pad+"    ", indent+4, indent+4, about)
		} else {
			w.hanging(name+"  ", wide+2, indent+4, about)
		}
		w.prose(r.Doc, indent+4)
		w.rows(r.Rows, indent+4)
	}
}

func nonEmpty(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

func (w *writer) example(e Example) {
	title := "Example"
	switch {
	case e.Title != "" && e.Wrong, e.Title == "Right":
		title = e.Title
	case e.Title != "":
		title += ": " + e.Title
	}
	w.out.WriteByte('\n')
	w.hanging(w.paint.heading.Sprint(title), runewidth.StringWidth(title), 2, "")
	for i, f := range e.Files {
		if len(e.Files) > 1 {
			if i > 0 {
				w.out.WriteByte('\n')
			}
			w.out.WriteString("    " + w.paint.dim.Sprint("# file "+f.Name) + "\n")
		}
		w.verbatim(printable(f.Text), 4)
	}
}

// verbatim writes lines as they are: what is copied from the terminal must
// work.
func (w *writer) verbatim(text string, indent int) {
	for line := range strings.Lines(strings.TrimRight(text, "\n") + "\n") {
		line = strings.TrimRight(line, " \n")
		if line != "" {
			line = strings.Repeat(" ", indent) + line
		}
		w.out.WriteString(line + "\n")
	}
}

// prose writes Markdown paragraphs and lists, wrapped.
func (w *writer) prose(text string, indent int) {
	for i, paragraph := range strings.Split(strings.TrimSpace(text), "\n\n") {
		if i > 0 {
			w.out.WriteByte('\n')
		}
		for _, item := range items(paragraph) {
			bullet := ""
			if rest, ok := strings.CutPrefix(item, "- "); ok {
				bullet, item = "- ", rest
			}
			w.hanging(strings.Repeat(" ", indent)+bullet, indent+len(bullet), indent+len(bullet), item)
		}
	}
}

// items splits a paragraph where a line begins an element of a list.
func items(paragraph string) []string {
	var all []string
	for line := range strings.Lines(paragraph) {
		line = strings.TrimSpace(line)
		if len(all) == 0 || strings.HasPrefix(line, "- ") {
			all = append(all, line)
			continue
		}
		all[len(all)-1] += " " + line
	}
	return all
}

// hanging writes text behind a lead that takes up so many columns; its further
// lines are indented.
func (w *writer) hanging(lead string, columns, indent int, text string) {
	var line strings.Builder
	line.WriteString(lead)
	at, empty := columns, true
	for _, word := range words(text) {
		width := runewidth.StringWidth(strings.ReplaceAll(word, "`", ""))
		if !w.colored() {
			width = runewidth.StringWidth(word)
		}
		switch {
		case empty && (at == 0 || at+width <= w.width || columns <= indent):
		case !empty && at+1+width <= w.width:
			line.WriteByte(' ')
			at++
		default:
			w.out.WriteString(strings.TrimRight(line.String(), " ") + "\n")
			line.Reset()
			line.WriteString(strings.Repeat(" ", indent))
			at = indent
		}
		line.WriteString(w.word(word))
		at += width
		empty = false
	}
	w.out.WriteString(strings.TrimRight(line.String(), " ") + "\n")
}

func (w *writer) colored() bool { return w.paint.word.Sprint("") != "" }

var quotedCode = regexp.MustCompile("`[^`]*`")

// words splits text between words. What stands between backticks stays
// together.
func words(text string) []string {
	const joint = "\x00"
	text = quotedCode.ReplaceAllStringFunc(text, func(code string) string { return strings.ReplaceAll(code, " ", joint) })
	all := strings.Fields(text)
	for i, word := range all {
		all[i] = strings.ReplaceAll(word, joint, " ")
	}
	return all
}

// word paints what stands between backticks, which with colour need not be
// shown.
func (w *writer) word(word string) string {
	if !w.colored() {
		return word
	}
	return quotedCode.ReplaceAllStringFunc(word, func(code string) string { return w.paint.word.Sprint(strings.Trim(code, "`")) })
}

// Plain is a line of a topic without the signs of Markdown, for where they can't
// become anything.
func Plain(line string) string { return strings.ReplaceAll(line, "`", "") }

// printable replaces what isn't text, so that no example changes the terminal.
func printable(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return '\uFFFD'
		}
		return r
	}, s)
}

package plan

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/mattn/go-runewidth"

	"github.com/scenario-run/scenario/dsl/lang"
	"github.com/scenario-run/scenario/dsl/schema"
)

const (
	// idColumns is how wide the column of IDs gets at most; a longer ID moves
	// its own line only.
	idColumns = 32
	// manyWaits is how many vertices of one cause are named.
	manyWaits = 6
)

// Text returns the plan for people: what is done in which order, on which
// nodes, and what each thing waits for and why. Width 0 breaks no lines.
func (p *Plan) Text(width int) string {
	t := &printer{width: width}
	if s := p.Variant.Scenario; s != nil {
		t.line("", title(s.Name, p.Variant.Key))
		if s.Description != "" {
			t.wrapped("  ", s.Description)
		}
	}
	ids := idWidth(p.Vertices)
	section := ""
	for i, v := range p.Vertices {
		if s := sectionOf(v); s != section {
			section = s
			t.line("", s)
		}
		t.vertex(i+1, v, ids)
	}
	return t.out.String()
}

func title(scenario, variant string) string {
	if variant == "" {
		return scenario
	}
	return scenario + " [" + variant + "]"
}

// stepsSection is the part of a plan that the scenario's steps make up.
const stepsSection = "steps"

func sectionOf(v *Vertex) string {
	switch {
	case v.Cleanup:
		return "cleanup"
	case v.Step != nil, v.Kind == JoinVertex && v.Waits[0].Cause != ByNode:
		return stepsSection
	default:
		return "provision"
	}
}

func idWidth(vertices []*Vertex) int {
	w := 0
	for _, v := range vertices {
		if n := runewidth.StringWidth(v.ID); n <= idColumns {
			w = max(w, n)
		}
	}
	return w
}

type printer struct {
	out   strings.Builder
	width int
}

func (t *printer) line(indent, text string) {
	if text == "" {
		indent = strings.TrimRight(indent, " ")
	}
	t.out.WriteString(indent)
	t.out.WriteString(strings.TrimRight(text, " "))
	t.out.WriteByte('\n')
}

// vertex writes what is done, and below it what it waits for, one cause a line.
func (t *printer) vertex(number int, v *Vertex, ids int) {
	id := v.ID + strings.Repeat(" ", max(0, ids-runewidth.StringWidth(v.ID)))
	head := fmt.Sprintf("%4d  %s  ", number, id)
	below := strings.Repeat(" ", 6+ids+2)
	if t.width > 0 && len(below) > t.width/2 {
		below = strings.Repeat(" ", 8)
	}
	t.wrappedAfter(head, below, v.Title)
	if needs := v.Needs(); len(needs) > 0 {
		t.wrapped(below, "needs: "+needsText(needs))
	}
	for _, c := range []Cause{ByImage, ByNode, ByOrder, ByAfter, ByReference} {
		if on := waits(v, c); on != "" {
			t.wrapped(below, "← "+string(c)+": "+on)
		}
	}
}

// needsText lists what the machine must be able to do.
func needsText(needs []schema.Need) string {
	var all []string
	for _, n := range needs {
		all = append(all, n.String())
	}
	return strings.Join(all, ", ")
}

// waits lists what a vertex waits for by one cause.
func waits(v *Vertex, c Cause) string {
	var on []string
	n := 0
	for i := range v.Waits {
		e := &v.Waits[i]
		if e.Cause != c {
			continue
		}
		if n++; n > manyWaits {
			continue
		}
		name := e.On
		if e.Need != lang.NeedFinished {
			name += " " + string(e.Need)
		}
		on = append(on, name)
	}
	if n > manyWaits {
		on = append(on[:manyWaits-1], fmt.Sprintf("and %d more", n-manyWaits+1))
	}
	return strings.Join(on, ", ")
}

func (t *printer) wrapped(indent, text string) { t.wrappedAfter(indent, indent, text) }

// isOneLine says that words of a text are separated by a space each, so that it
// stays as it is where no line is broken.
func isOneLine(text string) bool {
	return !strings.Contains(text, "  ") && strings.IndexFunc(text, func(r rune) bool { return r != ' ' && unicode.IsSpace(r) }) < 0 &&
		strings.TrimSpace(text) == text
}

// wrappedAfter writes text after a head, continued below an indent where the
// width makes it.
func (t *printer) wrappedAfter(head, indent, text string) {
	if t.width == 0 && isOneLine(text) { // as most are
		t.line(head, text)
		return
	}
	line, empty := head, true
	for _, word := range strings.Fields(text) {
		if !empty {
			word = " " + word
		}
		if t.width > 0 && runewidth.StringWidth(line+word) > t.width && (!empty || len(head) > len(indent)) {
			t.line("", line)
			line, head, word = indent, indent, strings.TrimPrefix(word, " ")
		}
		line += word
		empty = false
	}
	t.line("", line)
}

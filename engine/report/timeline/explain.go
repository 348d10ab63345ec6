package timeline

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/scenario-run/scenario/engine/event"
)

const (
	mostDetail  = 40 // lines of output that are shown with a cause
	mostHistory = 10 // observations
)

// explain prints why a variant did not pass, and what is needed to understand
// it: the cause first.
func (t *Timeline) explain(v *variant, e event.Event, b event.VariantFinished) {
	look := t.palette.look(b.State)
	t.print("")
	gap := "  "
	if room := t.room(0); room > 0 && width(gap+look.word+gap+took(b.Seconds)) > room {
		gap = "\n  "
	}
	t.print("  " + look.color.Sprint(look.word) + gap + took(b.Seconds))
	if m := meaning(b); m != "" {
		t.paragraph("    ", m)
	}
	when := v.failedAt(e, b)
	if from := v.from(b.Step); from != "" && !saysWhere(b.Cause, from, b.Step) {
		if b.Cause == nil || b.Cause.Excerpt == nil {
			from += placeText(v.step(b.Step), event.Cause{})
		}
		t.paragraph("    ", from)
	}
	if b.Cause != nil {
		t.drawCause(*b.Cause, look)
	}
	t.drawBusy(b.Busy)
	if b.State != event.Cancelled {
		t.drawHistory(v, v.ended[b.Step].History)
		t.drawFaults(v, when, b.Step)
		t.drawLogs(v, b, when)
		t.drawFurther(v, b)
	}
	t.print("")
	t.print("  artifacts   " + t.path(path.Join(t.run.Dir, v.started.Dir)))
	if b.Repeat != "" {
		t.print("  again       " + t.palette.accent.Sprint(clean(b.Repeat)))
	}
}

// meaning is what a verdict says of what was tested, where that is not plain.
func meaning(b event.VariantFinished) string {
	switch {
	case b.State == event.Failed && b.Cause != nil && b.Cause.Unevaluated:
		return "An expression has no value, so that nothing was judged: the file is wrong, or what it reads is not of the form that it expects."
	case b.State == event.Error:
		return "The lab broke. That says nothing about what was tested."
	case b.State == event.Inconclusive:
		return "Too little was seen to judge what was tested."
	default:
		return ""
	}
}

// drawBusy says that the machine had too much to do, which whoever judges the
// cause must know first.
func (t *Timeline) drawBusy(signs []string) {
	if len(signs) == 0 {
		return
	}
	t.section("the machine was busy")
	for _, s := range signs {
		for _, l := range wrap(clean(s), t.room(4)) {
			t.print("    " + t.palette.doubt.Sprint(l))
		}
	}
}

// saysWhere says that a cause's message names the place itself.
func saysWhere(c *event.Cause, names ...string) bool {
	return c != nil && slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(c.Message, n) })
}

// failedAt is when what decided the verdict happened. A fault that could not be
// healed at the end decides it too, long after its step has passed.
func (v *variant) failedAt(e event.Event, b event.VariantFinished) time.Duration {
	if end, ok := v.ended[b.Step]; ok && decides(end.State) {
		return end.at
	}
	if x, ok := v.exits[b.Step]; ok {
		return x.at
	}
	return e.Mono
}

func (t *Timeline) drawCause(c event.Cause, look look) {
	for _, l := range wrap(clean(c.Message), t.room(4)) {
		t.print("    " + look.color.Sprint(l))
	}
	if c.Excerpt != nil {
		t.print("")
		t.drawExcerpt(*c.Excerpt)
	}
	for _, u := range c.Used {
		t.drawUse(u)
	}
	if detail := lines(c.Detail); len(detail) > 0 {
		t.print("")
		if c.LogOf != "" {
			t.paragraph("    ", "last lines of "+clean(c.LogOf))
		}
		if n := len(detail) - mostDetail; n > 0 {
			t.print(t.palette.dim.Sprintf("    … %s before", plural(n, "line")))
			detail = detail[n:]
		}
		for _, l := range detail {
			t.quoted("", l)
		}
	}
	if c.Hint != "" {
		t.print("")
		for _, l := range lines(c.Hint) {
			t.paragraph("    ", l)
		}
	}
}

// quoted prints a line of foreign output, further in by indent.
func (t *Timeline) quoted(indent, l string) {
	if room := t.room(6 + len(indent)); room > 0 {
		l = cut(l, room)
	}
	t.print(strings.TrimRight("    "+indent+t.palette.dim.Sprint("│")+" "+l, " "))
}

// paragraph prints text broken at the terminal's width.
func (t *Timeline) paragraph(indent, text string) {
	for _, l := range wrap(text, t.room(len(indent))) {
		t.print(indent + l)
	}
}

// room is what is left of a line after an indent; 0: no limit.
func (t *Timeline) room(indent int) int {
	w := t.textWidth()
	if w == 0 || t.opts.Mode == Plain {
		return 0
	}
	return max(6, w-indent)
}

// drawHistory shows how the value developed. A single value is in the cause.
func (t *Timeline) drawHistory(v *variant, h []event.Observation) {
	if len(h) < 2 {
		return
	}
	t.section("how it developed")
	for i := 0; i < len(h); i++ {
		// The first ones and the last ones are what matters.
		if skip := len(h) - mostHistory; skip > 0 && i == 3 {
			t.print(t.palette.dim.Sprintf("    %s", padLeft("…", 8)) + t.palette.dim.Sprintf("  %d more", skip))
			i += skip
		}
		t.observation(v, h[i])
	}
}

// narrowHistory is the width below which an observation takes a line for its
// time and one for its text.
const narrowHistory = 40

func (t *Timeline) observation(v *variant, o event.Observation) {
	tint := t.palette.doubt
	switch o.Result {
	case "true":
		tint = t.palette.good
	case "false", "error":
		tint = t.palette.bad
	}
	times := ""
	if o.Count > 1 {
		times = fmt.Sprintf("×%d", o.Count)
	}
	text, when := clean(o.Text), at(v.sinceStart(seconds(o.At)))
	room := t.room(29)
	if room > 0 && room < narrowHistory-29 {
		for _, l := range wrap(strings.TrimSpace(when+" "+o.Result+" "+times), t.room(2)) {
			t.print("  " + tint.Sprint(l))
		}
		t.paragraph("    ", text)
		return
	}
	if room > 0 {
		text = cut(text, room)
	}
	t.print(strings.TrimRight("    "+t.palette.dim.Sprint(padLeft(when, 8))+"  "+tint.Sprint(padRight(o.Result, 7))+" "+padRight(times, 6)+" "+text, " "))
}

// drawInfluence says what a fault did, and from when to when.
func (t *Timeline) drawInfluence(v *variant, f *faultLife, when time.Duration) {
	s := v.step(f.step)
	span := "in effect since " + at(v.sinceStart(f.active))
	switch {
	case f.active == 0:
		span = "injection began " + at(v.sinceStart(f.injected)) + ", no effect was seen"
	case f.healed > 0 && f.healed <= when:
		span = fmt.Sprintf("in effect from %s to %s", at(v.sinceStart(f.active)), at(v.sinceStart(f.healed)))
	}
	for i, l := range wrap(kindOf(s)+" "+stepName(s), t.room(7)) {
		t.print("    " + t.palette.fault.Sprint([]string{faultGlyph, "  "}[min(i, 1)]+" "+l))
	}
	if f.text != "" {
		span += ": " + clean(f.text)
	}
	t.paragraph("       ", span)
}

func (t *Timeline) section(title string) {
	t.print("")
	for _, l := range wrap(title, t.room(2)) {
		t.print("  " + t.palette.bold.Sprint(l))
	}
}

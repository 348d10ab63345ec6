package timeline

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scenario-run/scenario/engine/event"
)

const (
	mostFurther      = 8 // failures after the first that are shown
	mostFurtherLines = 3 // of the output that one of them came with
)

// further is a failure that did not decide the verdict.
type further struct {
	from  string // step or node, for people
	place string
	last  string // what was seen last
	state event.State
	cause event.Cause
}

// drawFurther prints what else did not pass, in short.
func (t *Timeline) drawFurther(v *variant, b event.VariantFinished) {
	all := v.further(b)
	if len(all) == 0 {
		return
	}
	t.section("further failures")
	for i, f := range all {
		if i == mostFurther {
			t.print(t.palette.dim.Sprintf("    and %d more", len(all)-i))
			return
		}
		t.drawShort(f)
	}
}

func (t *Timeline) drawShort(f further) {
	look := t.palette.look(f.state)
	head := wrap(f.from+f.place, t.room(6))
	t.print("    " + look.color.Sprint(look.glyph) + " " + strings.Join(head, "\n      "))
	t.paragraph("      ", clean(f.cause.Message))
	if f.last != "" {
		t.paragraph("      ", "last value "+f.last)
	}
	detail := lines(f.cause.Detail)
	for _, l := range detail[max(0, len(detail)-mostFurtherLines):] {
		t.quoted("  ", l)
	}
}

// further are the failures beside the one that decided: of steps, in the order
// in which they ended, and of nodes that exited unasked. A group fails by what
// is in it, which is listed itself; what failed in one that decided is its own cause.
func (v *variant) further(b event.VariantFinished) []further {
	var all []further
	for _, address := range v.failed {
		s, end := v.step(address), v.ended[address]
		if address == b.Step || isInside(address, b.Step) || s.Kind == "group" && v.failedIn(address) {
			continue
		}
		f := further{from: v.from(address), state: end.State, last: lastValue(end)}
		if end.Cause != nil {
			f.cause = *end.Cause
		}
		f.place = placeText(s, f.cause)
		all = append(all, f)
	}
	for _, n := range v.nodes {
		x, ok := v.exits[n]
		if !ok || !x.Unasked || n == b.Step {
			continue
		}
		f := further{from: n, state: event.Failed, cause: event.Cause{Message: strings.TrimPrefix(exitText(x.NodeChanged), n+" ")}}
		if !slices.Contains(v.involved(b), n) { // of those the log is shown
			f.cause.Detail = strings.Join(x.Log, "\n")
		}
		all = append(all, f)
	}
	return all
}

// failedIn says that a step inside a group did not pass.
func (v *variant) failedIn(group string) bool {
	return slices.ContainsFunc(v.failed, func(a string) bool { return isInside(a, group) })
}

// isInside says that a step is inside a group.
func isInside(address, group string) bool {
	return strings.HasPrefix(address, group+"/") || strings.HasPrefix(address, group+"[") && len(addressParts(address)) > len(addressParts(group))
}

// lastValue is what was seen last of a condition: the values of its parts, or
// what the last evaluation came to.
func lastValue(end stepEnd) string {
	if end.Cause != nil && end.Cause.Excerpt != nil && len(end.Cause.Excerpt.Values) > 0 {
		var parts []string
		for _, v := range end.Cause.Excerpt.Values {
			parts = append(parts, clean(v.Expr)+" = "+clean(v.Text))
		}
		return strings.Join(parts, ", ")
	}
	if n := len(end.History); n > 0 {
		return clean(end.History[n-1].Text)
	}
	return ""
}

// placeText is where a failure is written: the part that decided, or the step.
func placeText(s event.Step, c event.Cause) string {
	p := s.Place
	if c.Excerpt != nil {
		p = c.Excerpt.Place
		if c.Excerpt.Caret.Line > 0 {
			p = c.Excerpt.Caret
		}
	}
	if p.File == "" {
		return ""
	}
	return fmt.Sprintf("  %s:%d:%d", clean(p.File), p.Line, p.Column)
}

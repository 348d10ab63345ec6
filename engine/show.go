package engine

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/lang"
	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/event"
)

// verb is a state as the predicate of a sentence.
func verb(s event.State) string {
	switch s {
	case event.Error:
		return "broke"
	case event.Inconclusive:
		return "is inconclusive"
	case event.Cancelled:
		return "was cancelled"
	default:
		return string(s)
	}
}

func isFault(v *vertex) bool { return v.Step != nil && v.Step.Type.Kind == schema.Fault }

// mayInject says that a vertex is a fault of such a type, or injects one.
func (v *vertex) mayInject(is func(schema.Type) bool) bool {
	return isFault(v) && (is(v.Step.Type) || slices.ContainsFunc(v.Step.Of, is))
}

// typeName is what a vertex runs, for a message.
func typeName(v *vertex) string {
	if v.Step == nil {
		return "the engine"
	}
	return strings.TrimSpace(string(v.Step.Kind) + " " + v.Step.Type.Name)
}

func place(r hcl.Range) event.Place {
	return event.Place{
		File: r.Filename, Line: r.Start.Line, Column: r.Start.Column, EndLine: r.End.Line, EndColumn: r.End.Column,
	}
}

// excerpt is the source of a range, as whole lines, or nil without source.
func (x *executor) excerpt(r hcl.Range) *event.Excerpt {
	src := x.Source(r.Filename)
	if src == nil || r.Start.Line < 1 {
		return nil
	}
	lines := bytes.Split(src, []byte("\n"))
	if r.Start.Line > len(lines) {
		return nil
	}
	text := bytes.Join(lines[r.Start.Line-1:min(max(r.End.Line, r.Start.Line), len(lines))], []byte("\n"))
	return &event.Excerpt{Place: place(r), Text: string(text)}
}

// explained is the excerpt of an expression with the values of its parts and a
// caret below the part that decided.
func (x *executor) explained(e *lang.Expr, parts []lang.Part) *event.Excerpt {
	ex := x.excerpt(e.Range())
	if ex == nil {
		ex = &event.Excerpt{Place: place(e.Range())}
	}
	for _, p := range parts {
		if p.Decisive {
			ex.Caret = place(p.Range)
		}
	}
	for _, p := range telling(parts) {
		if text := partText(p); text != "" {
			ex.Values = append(ex.Values, event.Value{Expr: p.Text, Text: text})
		}
	}
	return ex
}

// telling leaves out the comparisons whose operands are there as well: that
// one is false is what all this is about.
func telling(parts []lang.Part) []lang.Part {
	inside := func(outer hcl.Range) bool {
		return slices.ContainsFunc(parts, func(p lang.Part) bool {
			return p.Range != outer && p.Range.Filename == outer.Filename &&
				p.Range.Start.Byte >= outer.Start.Byte && p.Range.End.Byte <= outer.End.Byte
		})
	}
	var rest []lang.Part
	for _, p := range parts {
		if p.Err != "" || p.Value == cty.NilVal || p.Value.Type() != cty.Bool || !inside(p.Range) {
			rest = append(rest, p)
		}
	}
	return rest
}

func partText(p lang.Part) string {
	if p.Err != "" {
		return p.Err
	}
	if p.Value == cty.NilVal {
		return ""
	}
	return show(p.Value)
}

// oneLineOf is what the parts of a condition came to, in one line. The whole
// says nothing that its parts don't, so it is left out where there are any.
func oneLineOf(parts []lang.Part, whole cty.Value) string {
	var texts []string
	for _, p := range telling(parts) {
		if text := partText(p); text != "" {
			texts = append(texts, p.Text+" = "+text)
		}
	}
	if len(texts) == 0 {
		return show(whole)
	}
	return strings.Join(slices.Compact(texts), ", ")
}

// maxShown is the length at which the text of a value is cut.
const maxShown = 200

// show is a value as a person reads it.
func show(v cty.Value) string {
	if v == cty.NilVal {
		return ""
	}
	v, marks := v.UnmarkDeep()
	if len(marks) > 0 {
		return hidden
	}
	var b strings.Builder
	write(&b, v)
	s := b.String()
	if len(s) > maxShown {
		return strings.ToValidUTF8(s[:maxShown], "") + "…"
	}
	return s
}

func write(b *strings.Builder, v cty.Value) {
	t := v.Type()
	switch {
	case b.Len() > maxShown:
	case !v.IsKnown():
		b.WriteString("no value yet")
	case v.IsNull():
		b.WriteString("null")
	case t == cty.String:
		b.WriteString(strconv.Quote(v.AsString()))
	case t == cty.Bool:
		b.WriteString(strconv.FormatBool(v.True()))
	case t == cty.Number:
		b.WriteString(number(v))
	case t.IsObjectType(), t.IsMapType():
		writeFields(b, v)
	case v.CanIterateElements():
		b.WriteString("[")
		for it, first := v.ElementIterator(), true; it.Next(); first = false {
			if !first {
				b.WriteString(", ")
			}
			_, e := it.Element()
			write(b, e)
		}
		b.WriteString("]")
	default:
		fmt.Fprintf(b, "(%s)", t.FriendlyName())
	}
}

func writeFields(b *strings.Builder, v cty.Value) {
	b.WriteString("{")
	for it, first := v.ElementIterator(), true; it.Next(); first = false {
		if !first {
			b.WriteString(", ")
		}
		k, e := it.Element()
		b.WriteString(k.AsString() + " = ")
		write(b, e)
	}
	b.WriteString("}")
}

// number writes whole numbers as they are and others with at most four
// decimals: nothing here is measured more finely.
func number(v cty.Value) string {
	f := v.AsBigFloat()
	if f.IsInt() {
		return f.Text('f', 0)
	}
	return strings.TrimRight(strings.TrimRight(f.Text('f', 4), "0"), ".")
}

func firstLines(s string, n int) string {
	lines := strings.SplitN(s, "\n", n+1)
	return strings.Join(lines[:min(n, len(lines))], "\n")
}

package reference

import (
	"strconv"
	"strings"

	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/schema"
)

// arguments are the rows of what a body takes.
func arguments(o schema.Object) []Row {
	var rows []Row
	for _, a := range o.Attrs {
		rows = append(rows, Row{Name: a.Name, Type: typeText(a), Facts: facts(a), Doc: a.Doc, Rows: results(a.Fields)})
	}
	for _, b := range o.Blocks {
		r := Row{Name: b.Name, Type: "block", Doc: b.Doc, Rows: arguments(b.Body)}
		if b.Of != "" {
			r.Type = `block "TYPE"`
		}
		if b.Required {
			r.Facts = append(r.Facts, "required")
		}
		if b.Repeated {
			r.Facts = append(r.Facts, "any number of them")
		}
		rows = append(rows, r)
	}
	return rows
}

// results are the rows of what a value has.
func results(attrs []schema.Attr) []Row {
	var rows []Row
	for _, a := range attrs {
		r := Row{Name: a.Name, Type: a.Notation(), Doc: a.Doc, Rows: results(a.Fields)}
		if len(r.Rows) > 0 {
			r.Type = outline(a.Type)
		}
		rows = append(rows, r)
	}
	return rows
}

// outline is the notation of a type whose attributes are listed below it.
func outline(t cty.Type) string {
	switch {
	case t.IsListType():
		return "list of objects"
	case t.IsMapType():
		return "map of objects"
	default:
		return "object"
	}
}

// typeText is what an argument takes, in as few words as say it.
func typeText(a schema.Attr) string {
	text := a.Notation()
	if a.Format != schema.NoFormat {
		text = strings.ReplaceAll(string(a.Format), "_", " ")
	}
	if len(a.Enum) == 0 {
		return text
	}
	var words []string
	if a.Ref != schema.NoRef {
		words = append(words, text)
	}
	for _, e := range a.Enum {
		words = append(words, strconv.Quote(e))
	}
	return strings.Join(words, " or ")
}

func facts(a schema.Attr) []string {
	var all []string
	if a.Required {
		all = append(all, "required")
	}
	if a.Default != cty.NilVal && !a.Default.IsNull() && !a.Default.RawEquals(cty.StringVal("")) {
		all = append(all, "default "+literal(a.Default))
	}
	if a.OnlyNode != (schema.OnlyNode{}) {
		all = append(all, "default: the scenario's only "+a.OnlyNode.Kind+" node whose "+a.OnlyNode.Arg+" is "+strconv.Quote(a.OnlyNode.Value))
	}
	if a.Sensitive {
		all = append(all, "kept out of all output")
	}
	return all
}

// literal writes a value as a file would, in one line.
func literal(v cty.Value) string {
	return strings.Join(strings.Fields(string(hclwrite.TokensForValue(v).Bytes())), " ")
}

// names lists attributes and blocks, for a sentence.
func names(o schema.Object) []string {
	var all []string
	for _, a := range o.Attrs {
		all = append(all, a.Name)
	}
	for _, b := range o.Blocks {
		all = append(all, b.Name)
	}
	return all
}

// code puts each word between backticks: `a`, `b` and `c`.
func code(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = "`" + w + "`"
	}
	if len(quoted) < 2 {
		return strings.Join(quoted, "")
	}
	last := len(quoted) - 1
	return strings.Join(quoted[:last], ", ") + " and " + quoted[last]
}

func call(name string, params []string) string {
	return name + "(" + strings.Join(params, ", ") + ")"
}

// sample stands for a value of an argument where its use is shown.
func sample(a schema.Attr) string {
	if len(a.Enum) > 0 && a.Ref == schema.NoRef {
		return strconv.Quote(a.Enum[0])
	}
	if f, ok := a.Format.Info(); ok {
		return f.Example
	}
	switch a.Ref {
	case schema.RefNode:
		return "node.NAME"
	case schema.RefNodes:
		return "[node.NAME, …]"
	case schema.RefNodeSets:
		return "[[node.NAME, …], …]"
	case schema.RefStep:
		return "action.NAME"
	case schema.RefSteps, schema.RefFaults:
		return "[action.NAME, …]"
	case schema.RefWorkload:
		return "workload.NAME"
	}
	switch t := a.Type; {
	case t == cty.String:
		return `"…"`
	case t.IsListType() || t.IsSetType():
		return "[…]"
	case t.IsMapType() || t.IsObjectType():
		return "{ … }"
	default:
		return "…"
	}
}

// summaryOf is the first sentence of a doc, in the form of a summary.
func summaryOf(doc string) string {
	first := firstSentence(doc)
	if len(first) > 1 && first[0] >= 'A' && first[0] <= 'Z' && (first[1] < 'A' || first[1] > 'Z') {
		return strings.ToLower(first[:1]) + first[1:]
	}
	return first
}

// afterSummary is a doc, or nothing where the summary says all of it.
func afterSummary(doc string) string {
	if strings.TrimSuffix(strings.Join(strings.Fields(doc), " "), ".") == firstSentence(doc) {
		return ""
	}
	return doc
}

// afterFirstSentence is the rest of a doc.
func afterFirstSentence(doc string) string {
	whole := strings.Join(strings.Fields(doc), " ")
	return strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(whole, firstSentence(doc)), "."))
}

// firstSentence is a doc up to the first full stop that ends a sentence, without
// it.
func firstSentence(doc string) string {
	first, _, _ := strings.Cut(doc, "\n\n")
	first = strings.Join(strings.Fields(first), " ")
	for at := 0; ; {
		i := strings.Index(first[at:], ". ")
		if i < 0 {
			return strings.TrimSuffix(first, ".")
		}
		at += i + 2
		if rest := first[at:]; rest[0] >= 'A' && rest[0] <= 'Z' {
			return first[:at-2]
		}
	}
}

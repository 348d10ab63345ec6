package main

import (
	"bytes"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/lang"
)

const hidden = "(sensitive)"

// variableBlocks are all blocks of the files found that declare a variable,
// whether or not the rest of their file is in order, and whether or not it is
// selected: a command's arguments are quoted in either case.
func (l *loaded) variableBlocks() []*hclsyntax.Block {
	var all []*hclsyntax.Block
	for _, f := range l.found {
		for _, sf := range f.set.Files {
			if sf.Body == nil {
				continue
			}
			for _, b := range sf.Body.Blocks {
				if b.Type == "variable" && len(b.Labels) > 0 {
					all = append(all, b)
				}
			}
		}
	}
	return all
}

// sensitiveNames are the variables that say that they are sensitive.
func (l *loaded) sensitiveNames() []string {
	var names []string
	for _, b := range l.variableBlocks() {
		a, ok := b.Body.Attributes["sensitive"]
		if !ok {
			continue
		}
		if v, diags := a.Expr.Value(nil); diags.HasErrors() || !v.IsKnown() || v.IsNull() || v.RawEquals(cty.True) {
			names = append(names, b.Labels[0])
		}
	}
	return names
}

// isHidden says of the name of an assignment whether its value is not to be
// shown: that of a sensitive variable and, where there is one, of a name that
// nothing declares, for it may be a sensitive one misspelt.
func (l *loaded) isHidden() func(name string) bool {
	sensitive := l.sensitiveNames()
	var declared []string
	for _, b := range l.variableBlocks() {
		declared = append(declared, b.Labels[0])
	}
	return func(name string) bool {
		name = strings.TrimSpace(name)
		return slices.Contains(sensitive, name) || len(sensitive) > 0 && !slices.Contains(declared, name)
	}
}

// hideSensitive takes the values of sensitive variables out of the texts that
// diagnostics quote.
func (l *loaded) hideSensitive(assignments []string, inFiles []lang.Value) {
	names := l.sensitiveNames()
	if len(names) == 0 {
		return
	}
	var text bytes.Buffer
	isHidden := l.isHidden()
	for _, a := range assignments {
		text.Write(oneLine(hideAssignment(a, isHidden)))
		text.WriteByte('\n')
	}
	if text.Len() > 0 {
		l.texts[argument] = text.Bytes()
	}
	for _, x := range inFiles {
		if isHidden(x.Name) {
			l.texts[x.From] = blotted(l.texts[x.From], x.Range)
		}
	}
	for _, n := range names {
		if _, ok := l.texts[varPrefix+n]; ok {
			l.texts[varPrefix+n] = []byte(hidden)
		}
	}
}

// blotted is a text with a range of it made unreadable. What stands after it
// keeps its place.
func blotted(text []byte, at hcl.Range) []byte {
	if !at.CanSliceBytes(text) {
		return text
	}
	text = bytes.Clone(text)
	for i, c := range at.SliceBytes(text) {
		if c != '\n' && c != '\r' {
			text[at.Start.Byte+i] = '*'
		}
	}
	return text
}

func hideAssignment(a string, isHidden func(name string) bool) string {
	if name, _, ok := strings.Cut(a, "="); ok && isHidden(name) {
		return name + "=" + hidden
	}
	return a
}

// args are the command's arguments without sensitive values.
func (l *loaded) args(w *world) []string {
	isHidden := l.isHidden()
	var secrets []string
	for _, f := range l.files {
		for _, p := range f.variants {
			secrets = append(secrets, p.Variant.Secrets...)
		}
	}
	var out []string
	for _, a := range w.args {
		flag, rest, joined := strings.Cut(a, "=")
		if joined && flag == "--var" {
			a = flag + "=" + hideAssignment(rest, isHidden)
		} else if !strings.HasPrefix(a, "-") {
			a = hideAssignment(a, isHidden)
		}
		for _, s := range secrets {
			if len(s) >= lang.ShortestSecret && strings.TrimSpace(s) != "" {
				a = strings.ReplaceAll(a, s, hidden)
			}
		}
		out = append(out, a)
	}
	return out
}

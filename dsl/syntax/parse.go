package syntax

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// File is what could be parsed of a text.
type File struct {
	Body *hclsyntax.Body
	// Broken are the blocks with a mistake in them. Of their content nothing is
	// there; their type and labels are.
	Broken map[*hclsyntax.Block]bool
	// Lost says that there may be more in the text than there is in Body.
	Lost bool
	// Other is the format that the text is in, if it isn't HCL at all: "YAML".
	Other string
}

// Redefined is the summary of hcl's diagnostic about an argument that is given
// twice. The block that it is in is sound otherwise.
const Redefined = "Attribute redefined"

// mostBroken is how many broken pieces of a text are looked at: enough for one
// that a person wrote, and an end for one that is something else.
const mostBroken = 20

// Parse parses a text. hcl's parser loses its way at a mistake, and with it
// what comes after. So each piece of a text with a mistake is parsed on its
// own: from a line that looks like the head of a block at the top to the next.
// Of each piece the first mistake counts, and those that are there without its
// line as well; what follows from a mistake is not told.
func Parse(src []byte, name string) (*File, hcl.Diagnostics) {
	body, diags := parse(src, name, hcl.InitialPos)
	f := &File{Body: body, Broken: map[*hclsyntax.Block]bool{}}
	if sound(diags) {
		return f, diags
	}
	if d, other := otherFormat(src, name); d != nil {
		f.Lost, f.Other = true, other
		f.Body.Attributes, f.Body.Blocks = hclsyntax.Attributes{}, nil
		return f, hcl.Diagnostics{d}
	}
	text, conflicts := withoutConflicts(src, name)
	if len(conflicts) > 0 {
		f.Lost = true
		if f.Body, diags = parse(text, name, hcl.InitialPos); sound(diags) {
			return f, append(conflicts, diags...)
		}
	}
	f, diags = f.piecewise(text, name)
	return f, append(conflicts, diags...)
}

func parse(src []byte, name string, from hcl.Pos) (*hclsyntax.Body, hcl.Diagnostics) {
	if d := tooComplex(src, name, from, level{}); d != nil {
		at := hcl.Range{Filename: name, Start: from, End: from}
		return &hclsyntax.Body{Attributes: hclsyntax.Attributes{}, SrcRange: at, EndRange: at}, hcl.Diagnostics{d}
	}
	f, diags := hclsyntax.ParseConfig(src, name, from)
	return f.Body.(*hclsyntax.Body), diags
}

// ParseExpression parses a text that is one expression, and refuses one that is
// too complex.
func ParseExpression(src []byte, name string, from hcl.Pos) (hclsyntax.Expression, hcl.Diagnostics) {
	if d := tooComplex(src, name, from, level{open: '('}); d != nil {
		return nil, hcl.Diagnostics{d}
	}
	return hclsyntax.ParseExpression(src, name, from)
}

// ParseTemplate parses a text that is a template, and refuses one that is too
// complex.
func ParseTemplate(src []byte, name string, from hcl.Pos) (hclsyntax.Expression, hcl.Diagnostics) {
	if d := tooComplex(src, name, from, level{open: '<'}); d != nil {
		return nil, hcl.Diagnostics{d}
	}
	return hclsyntax.ParseTemplate(src, name, from)
}

// sound says that all that was parsed is there.
func sound(diags hcl.Diagnostics) bool {
	return !slices.ContainsFunc(diags, func(d *hcl.Diagnostic) bool {
		return d.Severity == hcl.DiagError && d.Summary != Redefined
	})
}

// piecewise parses the pieces of a text of which one at least is broken.
func (f *File) piecewise(src []byte, name string) (*File, hcl.Diagnostics) {
	f.Body.Attributes, f.Body.Blocks = hclsyntax.Attributes{}, nil
	var all hcl.Diagnostics
	broken := 0
	for _, p := range joined(pieces(src), deepBlocks(src)) {
		if broken == mostBroken {
			f.Lost = true
			f.stub(p, name, src)
			continue
		}
		text := src[p.start.Byte:p.end.Byte]
		if p.comment >= 0 {
			all = append(all, f.commentedOut(p, name, src))
			continue
		}
		body, diags := parse(text, name, p.start)
		if sound(diags) {
			all = append(all, diags...)
			all = append(all, f.take(body, p.end.Byte)...)
			continue
		}
		broken++
		f.Lost = true
		found := mistakes(text, name, p.start, diags)
		all = append(all, found...)
		all = append(all, f.take(body, found[0].Subject.Start.Byte)...)
		if p.head != nil && !f.hasBlockAt(p.start.Byte) {
			f.stub(p, name, src)
		}
	}
	return f, all
}

// commentedOut takes what is whole in a piece before a comment that nothing
// closes, which is all that is wrong with it.
func (f *File) commentedOut(p piece, name string, src []byte) *hcl.Diagnostic {
	f.Lost = true
	body, _ := parse(src[p.start.Byte:p.comment], name, p.start)
	f.take(body, p.comment)
	if p.head != nil && !f.hasBlockAt(p.start.Byte) {
		f.stub(p, name, src)
	}
	return foreign(src, name, p.comment, p.comment+2, "/* is not closed", "Everything after it is a comment, up to a */, and there is none.")
}

// take adds what is whole before an offset.
func (f *File) take(body *hclsyntax.Body, before int) hcl.Diagnostics {
	var diags hcl.Diagnostics
	for _, b := range body.Blocks {
		if isWhole(b) && b.CloseBraceRange.End.Byte <= before {
			f.Body.Blocks = append(f.Body.Blocks, b)
		}
	}
	for name, a := range body.Attributes {
		if a.SrcRange.End.Byte > before {
			continue
		}
		if f.Body.Attributes[name] != nil {
			diags = append(diags, &hcl.Diagnostic{Severity: hcl.DiagError, Summary: Redefined, Subject: a.NameRange.Ptr()})
			continue
		}
		f.Body.Attributes[name] = a
	}
	return diags
}

// isWhole says that a block's braces were seen. Of one that isn't, hcl puts
// other ranges in their place.
func isWhole(b *hclsyntax.Block) bool {
	return b.CloseBraceRange.Start.Byte > b.OpenBraceRange.Start.Byte && b.OpenBraceRange != b.TypeRange
}

func (f *File) hasBlockAt(offset int) bool {
	return slices.ContainsFunc(f.Body.Blocks, func(b *hclsyntax.Block) bool { return b.TypeRange.Start.Byte == offset })
}

// stub adds a piece's block without its content.
func (f *File) stub(p piece, name string, src []byte) {
	if p.head == nil {
		return
	}
	b := p.block(name, src)
	f.Body.Blocks = append(f.Body.Blocks, b)
	f.Broken[b] = true
}

// mistake is the first thing that is wrong with a piece.
func mistake(text []byte, name string, from hcl.Pos, diags hcl.Diagnostics) *hcl.Diagnostic {
	diags = slices.DeleteFunc(slices.Clone(diags), func(d *hcl.Diagnostic) bool {
		return d.Severity != hcl.DiagError || d.Summary == Redefined || d.Subject == nil
	})
	if len(diags) == 0 { // hcl gives a place to all that it says
		at := hcl.Range{Filename: name, Start: from, End: from}
		return &hcl.Diagnostic{Severity: hcl.DiagError, Summary: "Invalid syntax", Subject: &at}
	}
	first := slices.MinFunc(diags, func(a, b *hcl.Diagnostic) int {
		return cmp.Compare(a.Subject.Start.Byte, b.Subject.Start.Byte)
	})
	if tooComplex(text, name, from, level{}) != nil {
		return first
	}
	if open := unclosed(text, name, from); open != nil && open.Subject.Start.Byte < first.Subject.Start.Byte {
		return open
	}
	return first
}

// unclosed finds the first bracket that another one closes, or nothing does.
// hcl complains about what comes after it.
func unclosed(text []byte, name string, from hcl.Pos) *hcl.Diagnostic {
	tokens, _ := hclsyntax.LexConfig(text, name, from)
	var open []hclsyntax.Token
	var quote hclsyntax.Token
	for _, t := range tokens {
		switch t.Type {
		case hclsyntax.TokenOQuote:
			quote = t
		case hclsyntax.TokenQuotedNewline:
			if len(open) > 1 { // else hcl says so
				return notClosed(quote)
			}
			return nil
		case hclsyntax.TokenOBrack, hclsyntax.TokenOParen, hclsyntax.TokenOBrace, hclsyntax.TokenTemplateInterp, hclsyntax.TokenTemplateControl, hclsyntax.TokenOHeredoc:
			open = append(open, t)
		case hclsyntax.TokenCBrack, hclsyntax.TokenCParen, hclsyntax.TokenCBrace, hclsyntax.TokenTemplateSeqEnd, hclsyntax.TokenCHeredoc:
			i := len(open) - 1
			for i >= 0 && !closes(t, open[i]) {
				i--
			}
			switch {
			case i < 0:
				return nil // one too many: hcl says so
			case i < len(open)-1:
				return notClosed(open[len(open)-1])
			}
			open = open[:i]
		}
	}
	if len(open) == 0 || open[len(open)-1].Type == hclsyntax.TokenOBrace && len(open) == 1 {
		return nil // of a block that is never closed hcl tells as well
	}
	return notClosed(open[len(open)-1])
}

func closes(t, open hclsyntax.Token) bool {
	switch open.Type {
	case hclsyntax.TokenOBrack:
		return t.Type == hclsyntax.TokenCBrack
	case hclsyntax.TokenOParen:
		return t.Type == hclsyntax.TokenCParen
	case hclsyntax.TokenOBrace:
		return t.Type == hclsyntax.TokenCBrace
	case hclsyntax.TokenOHeredoc:
		return t.Type == hclsyntax.TokenCHeredoc
	}
	return t.Type == hclsyntax.TokenTemplateSeqEnd
}

func notClosed(t hclsyntax.Token) *hcl.Diagnostic {
	return &hcl.Diagnostic{
		Severity: hcl.DiagError,
		Summary:  string(bytes.TrimSpace(t.Bytes)) + " is not closed",
		Detail:   "What closes it is missing, or something else stands before it.",
		Subject:  t.Range.Ptr(),
	}
}

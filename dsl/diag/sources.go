package diag

import (
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/scenario-run/scenario/dsl/syntax"
)

// sources are the texts that ranges point into, parsed when first asked which
// block something is in.
type sources struct {
	text   map[string][]byte
	parsed map[string]*hclsyntax.Body
}

func newSources(files map[string][]byte) *sources {
	return &sources{text: files, parsed: map[string]*hclsyntax.Body{}}
}

// enclosing names the innermost block with a label that a range is in the body
// of, such as assert "held", or else the outermost block; "" at the top of a
// file.
func (s *sources) enclosing(rng hcl.Range) string {
	var found *hclsyntax.Block
	body := s.body(rng.Filename)
	for body != nil {
		b := blockAround(body, rng.Start.Byte)
		if b == nil {
			break
		}
		if found == nil || len(b.Labels) > 0 {
			found = b
		}
		body = b.Body
	}
	if found == nil {
		return ""
	}
	name := found.Type
	for _, l := range found.Labels {
		name += ` "` + l + `"`
	}
	return strings.ReplaceAll(name, "\n", " ")
}

// body returns what could be parsed of a file, nil if nothing.
func (s *sources) body(name string) *hclsyntax.Body {
	if b, ok := s.parsed[name]; ok {
		return b
	}
	var body *hclsyntax.Body
	if src, ok := s.text[name]; ok {
		// What is wrong with it has been reported by whoever parsed it first.
		f, _ := syntax.Parse(src, name)
		body = f.Body
	}
	s.parsed[name] = body
	return body
}

// blockAround returns the block between whose braces the offset is.
func blockAround(body *hclsyntax.Body, offset int) *hclsyntax.Block {
	for _, b := range body.Blocks {
		if offset >= b.OpenBraceRange.End.Byte && offset <= b.CloseBraceRange.Start.Byte {
			return b
		}
	}
	return nil
}

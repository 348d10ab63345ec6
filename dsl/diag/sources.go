package diag

import (
	"bytes"
	"slices"
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
	starts map[string][]int  // of the lines of a file, as offsets
	secret map[string][]span // what must not be shown, in the order of a file
	// apart are the bodies of files whose blocks come one after the other, as
	// they do unless the syntax is broken.
	apart map[*hclsyntax.Body]bool
}

func newSources(files map[string][]byte) *sources {
	return &sources{
		text: files, secret: map[string][]span{},
		parsed: map[string]*hclsyntax.Body{}, starts: map[string][]int{}, apart: map[*hclsyntax.Body]bool{},
	}
}

// enclosing names the innermost block with a label that a range is in the body
// of, such as assert "held", or else the outermost block; "" at the top of a
// file.
func (s *sources) enclosing(rng hcl.Range) string {
	var found *hclsyntax.Block
	body := s.body(rng.Filename)
	for body != nil {
		b := s.blockAround(body, rng.Start.Byte)
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
	return brief(strings.ReplaceAll(name, "\n", " "))
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
		s.secret[name] = secretsOf(f, src)
	}
	if body != nil {
		s.apart[body] = slices.IsSortedFunc(body.Blocks, func(a, b *hclsyntax.Block) int {
			return a.TypeRange.Start.Byte - b.CloseBraceRange.End.Byte // a stands after b
		})
	}
	s.parsed[name] = body
	return body
}

// blockAround returns the block between whose braces the offset is.
func (s *sources) blockAround(body *hclsyntax.Body, offset int) *hclsyntax.Block {
	blocks := body.Blocks
	if s.apart[body] {
		i, _ := slices.BinarySearchFunc(blocks, offset, func(b *hclsyntax.Block, at int) int { return b.CloseBraceRange.Start.Byte - at })
		blocks = blocks[i:min(i+1, len(blocks))]
	}
	for _, b := range blocks {
		if offset >= b.OpenBraceRange.End.Byte && offset <= b.CloseBraceRange.Start.Byte {
			return b
		}
	}
	return nil
}

// nthLine returns the line of that number, without its end, and the offset at
// which it begins.
func (s *sources) nthLine(name string, n int) (begin int, text []byte, ok bool) {
	starts, src := s.starts[name], s.text[name]
	if starts == nil {
		starts = []int{0}
		for i, c := range src {
			if c == '\n' {
				starts = append(starts, i+1)
			}
		}
		s.starts[name] = starts
	}
	if n < 1 || n > len(starts) {
		return 0, nil, false
	}
	begin = starts[n-1]
	text, _, _ = bytes.Cut(src[begin:], []byte("\n"))
	return begin, bytes.TrimSuffix(text, []byte("\r")), true
}

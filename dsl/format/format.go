package format

import (
	"bytes"
	"errors"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"

	"github.com/scenario-run/scenario/dsl/source"
)

// errChanged is a bug of this package, or of hcl's formatter.
var errChanged = errors.New("formatting would have changed what the file means, so it was left as it is; this is a bug of scenario")

// maxPasses is how often hcl's formatter is applied at most. One pass may move
// what the next one aligns by; more than three were never seen.
const maxPasses = 8

// File returns the canonical form of a file that was parsed without errors:
//
//   - hcl's own layout: two spaces for each level, one around operators, equals
//     signs and comments of neighbouring lines aligned;
//   - labels in quotes;
//   - no spaces at the ends of lines, and one newline at the end of the file;
//   - at most one empty line between two others, none at the start of the file
//     and of a block, none at their ends;
//   - newlines without carriage returns, no byte-order mark.
//
// What a heredoc holds is a value and stays as it is, its line ends included.
func File(f *source.File) ([]byte, error) {
	tokens := lex(quoteLabels(withoutMark(f.Src), f.Body))
	out := write(plain(tokens))
	for range maxPasses {
		next := hclwrite.Format(out)
		if bytes.Equal(next, out) {
			break
		}
		out = next
	}
	out = apart(out, tokens)
	if !same(tokens, lex(out)) {
		return nil, errChanged
	}
	return out, nil
}

var mark = []byte("\ufeff")

// withoutMark blanks the byte-order mark: of the same length, so that the
// places of what follows stay right.
func withoutMark(src []byte) []byte {
	rest, marked := bytes.CutPrefix(src, mark)
	if !marked {
		return src
	}
	return append([]byte("   "), rest...)
}

// quoteLabels puts labels that are written as plain words into quotes.
func quoteLabels(src []byte, body *hclsyntax.Body) []byte {
	var out bytes.Buffer
	done := 0
	var walk func(*hclsyntax.Body)
	walk = func(body *hclsyntax.Body) {
		for _, b := range body.Blocks {
			for _, r := range b.LabelRanges {
				if text := r.SliceBytes(src); len(text) > 0 && text[0] != '"' {
					out.Write(src[done:r.Start.Byte])
					out.WriteString(`"` + string(text) + `"`)
					done = r.End.Byte
				}
			}
			walk(b.Body)
		}
	}
	if body != nil {
		walk(body)
	}
	out.Write(src[done:])
	return out.Bytes()
}

func lex(src []byte) hclsyntax.Tokens {
	tokens, _ := hclsyntax.LexConfig(src, "", hcl.InitialPos) // the parser has reported what is wrong with it
	return tokens
}

package format

import (
	"bytes"

	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// apart puts back the space in 1 .5, which hcl's formatter takes away: without
// it the number, the dot and the index are one number. The tokens are those
// from which out was made.
func apart(out []byte, tokens hclsyntax.Tokens) []byte {
	want := withoutLayout(tokens)
	var b bytes.Buffer
	done := 0
	for _, got := range withoutLayout(lex(out)) {
		end := got.Range.Start.Byte
		for first := true; len(want) > 0 && (first || end < got.Range.End.Byte); first = false {
			end += len(want[0].Bytes)
			if beginsIndex(want) && end < len(out) && out[end] != ' ' {
				b.Write(out[done:end])
				b.WriteByte(' ')
				done = end
			}
			want = want[1:]
			if got.Type != hclsyntax.TokenNumberLit {
				break // nothing else is ever made of several
			}
		}
	}
	b.Write(out[done:])
	return b.Bytes()
}

// beginsIndex says that a number is followed by a dot and another one.
func beginsIndex(tokens hclsyntax.Tokens) bool {
	return len(tokens) > 2 && tokens[0].Type == hclsyntax.TokenNumberLit &&
		tokens[1].Type == hclsyntax.TokenDot && tokens[2].Type == hclsyntax.TokenNumberLit
}

// withoutLayout leaves out what layout adds and takes away.
func withoutLayout(tokens hclsyntax.Tokens) hclsyntax.Tokens {
	var all hclsyntax.Tokens
	for _, t := range tokens {
		switch t.Type {
		case hclsyntax.TokenNewline, hclsyntax.TokenComment, hclsyntax.TokenEOF:
		default:
			all = append(all, t)
		}
	}
	return all
}

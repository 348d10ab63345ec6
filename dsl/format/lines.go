package format

import (
	"bytes"

	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// piece is a token with the spaces before it.
type piece struct {
	kind   hclsyntax.TokenType
	spaces int
	text   []byte
}

// plain returns the tokens with line ends, empty lines and the ends of lines as
// they should be. hcl's formatter looks at none of these.
func plain(tokens hclsyntax.Tokens) []piece {
	var out []piece
	end := 0
	for _, t := range tokens {
		p := piece{t.Type, t.Range.Start.Byte - end, t.Bytes}
		end = t.Range.End.Byte
		switch t.Type {
		case hclsyntax.TokenEOF:
			return ended(out)
		case hclsyntax.TokenNewline:
			p.text = []byte("\n")
			if isSurplus(out) {
				continue
			}
		case hclsyntax.TokenOHeredoc:
			p.text = withoutReturns(t.Bytes)
		case hclsyntax.TokenComment:
			p.text = trimmed(t.Bytes)
		case hclsyntax.TokenCBrace, hclsyntax.TokenCBrack, hclsyntax.TokenCParen:
			out = withoutEmptyLine(out)
		}
		out = append(out, p)
	}
	return ended(out)
}

// isSurplus says that a newline after these tokens would make a second empty
// line, or one at the start of a file or of something in brackets.
func isSurplus(before []piece) bool {
	n := len(before)
	if n == 0 || n > 1 && isEmptyLine(before) {
		return true
	}
	return n > 1 && endsLine(before[n-1]) && opens(before[n-2].kind)
}

// isEmptyLine says that the last of the tokens is the end of an empty line.
func isEmptyLine(tokens []piece) bool {
	n := len(tokens)
	return n > 1 && tokens[n-1].kind == hclsyntax.TokenNewline && endsLine(tokens[n-2])
}

func withoutEmptyLine(tokens []piece) []piece {
	if isEmptyLine(tokens) {
		return tokens[:len(tokens)-1]
	}
	return tokens
}

// ended makes the file end with one newline.
func ended(tokens []piece) []piece {
	tokens = withoutEmptyLine(tokens)
	if n := len(tokens); n > 0 && !endsLine(tokens[n-1]) {
		tokens = append(tokens, piece{kind: hclsyntax.TokenNewline, text: []byte("\n")})
	}
	return tokens
}

func opens(kind hclsyntax.TokenType) bool {
	return kind == hclsyntax.TokenOBrace || kind == hclsyntax.TokenOBrack || kind == hclsyntax.TokenOParen
}

// endsLine says that what follows stands on a new line. Comments of one line
// hold their newline.
func endsLine(p piece) bool {
	return p.kind == hclsyntax.TokenNewline || p.kind == hclsyntax.TokenComment && bytes.HasSuffix(p.text, []byte("\n"))
}

func withoutReturns(text []byte) []byte { return bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")) }

// trimmed is a comment without spaces at the ends of its lines. One that
// reaches to the end of its line has its newline, even at the end of a file.
func trimmed(comment []byte) []byte {
	if !bytes.HasPrefix(comment, []byte("/*")) && !bytes.HasSuffix(comment, []byte("\n")) {
		comment = append(bytes.Clone(comment), '\n')
	}
	lines := bytes.Split(comment, []byte("\n"))
	for i, l := range lines {
		if i < len(lines)-1 || !bytes.HasSuffix(l, []byte("*/")) {
			lines[i] = bytes.TrimRight(l, " \t\r")
		}
	}
	return bytes.Join(lines, []byte("\n"))
}

func write(pieces []piece) []byte {
	var b bytes.Buffer
	for _, p := range pieces {
		b.Write(bytes.Repeat([]byte(" "), p.spaces))
		b.Write(p.text)
	}
	return b.Bytes()
}

// same says that two sequences of tokens mean the same: they differ in nothing
// but spaces, line ends, empty lines and the ends of comments' lines.
func same(a, b hclsyntax.Tokens) bool {
	left, right := meaning(a), meaning(b)
	if len(left) != len(right) {
		return false
	}
	for i, p := range left {
		if p.kind != right[i].kind || !bytes.Equal(p.text, right[i].text) {
			return false
		}
	}
	return true
}

// meaning is what can't be changed without changing what a file means: where
// lines end counts, how many of them are empty does not.
func meaning(tokens hclsyntax.Tokens) []piece {
	var out []piece
	for _, t := range tokens {
		p := piece{kind: t.Type, text: t.Bytes}
		switch t.Type {
		case hclsyntax.TokenEOF:
			return ended(out)
		case hclsyntax.TokenNewline:
			if len(out) == 0 || endsLine(out[len(out)-1]) {
				continue
			}
			p.text = []byte("\n")
		case hclsyntax.TokenComment:
			p.text = trimmed(t.Bytes)
		case hclsyntax.TokenOHeredoc:
			p.text = withoutReturns(t.Bytes)
		}
		out = append(out, p)
	}
	return ended(out)
}

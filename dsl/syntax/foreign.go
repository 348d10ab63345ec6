package syntax

import (
	"bytes"
	"regexp"
	"slices"

	"github.com/hashicorp/hcl/v2"
)

// What a text that can't be parsed is instead. Each of these is one mistake,
// and what hcl would say of every line of it follows from that.

var (
	yamlLine = regexp.MustCompile(`^(---\s*|- .*|["']?[A-Za-z_][A-Za-z0-9_.-]*["']?:(\s.*|))\r?$`)
	jsonText = regexp.MustCompile(`^\s*\{\s*("|\})|^\s*\[\s*[\{\["]`)
)

// otherFormat recognises a text that is YAML or JSON as a whole, and says which.
func otherFormat(src []byte, name string) (d *hcl.Diagnostic, what string) {
	at := 0
	switch first := firstLine(src, &at); {
	case jsonText.Match(src[at:]):
		what = "JSON"
	case yamlLine.Match(first):
		what = "YAML"
	default:
		return nil, ""
	}
	return foreign(src, name, at, lineEnd(src, at), "this is "+what+", and a scenario is written in HCL",
		`Blocks hold arguments, as in node "web" { image = "nginx" }. scenario new writes a file to start from.`), what
}

// firstLine is the first line with anything but a comment in it, and where it is.
func firstLine(src []byte, at *int) []byte {
	for line := range bytes.Lines(src) {
		text := bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\ufeff")))
		if len(text) > 0 && text[0] != '#' {
			*at += len(line) - len(bytes.TrimLeft(line, " \t\ufeff"))
			return bytes.TrimRight(bytes.TrimLeft(line, " \t\ufeff"), "\r\n")
		}
		*at += len(line)
	}
	return nil
}

// lineEnd is the offset of the end of the line, without what ends it.
func lineEnd(src []byte, at int) int {
	line, _, _ := bytes.Cut(src[at:], []byte("\n"))
	return at + len(bytes.TrimRight(line, "\r"))
}

func foreign(src []byte, name string, from, to int, summary, detail string) *hcl.Diagnostic {
	return &hcl.Diagnostic{Severity: hcl.DiagError, Summary: summary, Detail: detail,
		Subject: &hcl.Range{Filename: name, Start: position(src, from, hcl.InitialPos), End: position(src, to, hcl.InitialPos)}}
}

var conflictLine = regexp.MustCompile(`^(<<<<<<< |=======\s*$|\|\|\|\|\|\|\| |>>>>>>> )`)

// withoutConflicts finds the conflicts that a merge has left, and returns the
// text with blanks in place of their marks and of their second side: both sides
// declare the same, mostly.
func withoutConflicts(src []byte, name string) ([]byte, hcl.Diagnostics) {
	var diags hcl.Diagnostics
	text, offset := slices.Clone(src), 0
	inside, second := false, false
	for line := range bytes.Lines(src) {
		mark := conflictLine.Find(line)
		switch {
		case bytes.HasPrefix(mark, []byte("<")) && !inside:
			inside = true
			diags = append(diags, foreign(src, name, offset, lineEnd(src, offset), "a conflict of two versions that is not resolved",
				"Keep one side, or what both mean, and delete the lines <<<<<<<, ======= and >>>>>>>."))
		case !inside:
			mark = nil
		case mark != nil:
			second = mark[0] != '>'
			inside = second
		}
		if mark != nil || second {
			for i := offset; i < offset+len(line); i++ {
				if text[i] != '\n' && text[i] != '\r' {
					text[i] = ' '
				}
			}
		}
		offset += len(line)
	}
	return text, diags
}

// openComment finds the comment that a text doesn't close: -1 without one.
func openComment(src []byte) int {
	s := scanner{src: src, levels: make([]level, 1, 8)}
	for ; s.at < len(src); s.at++ {
		top := s.levels[len(s.levels)-1]
		at := s.at
		s.step()
		if top.open != '"' && top.open != '<' && s.at == len(src) && bytes.HasPrefix(src[at:], []byte("/*")) && !bytes.Contains(src[at+2:], []byte("*/")) {
			return at
		}
	}
	return -1
}

package syntax

import (
	"bytes"
	"slices"

	"github.com/hashicorp/hcl/v2"
)

// mostMistakes is how many mistakes of one piece are told.
const mostMistakes = 5

// mistakes are the things that are wrong with a piece, the first of which is
// among what hcl says of it. Further ones are what is wrong without the line of
// the one before: if that opens and closes nothing that other lines close and
// open, nothing follows from taking it away.
func mistakes(text []byte, name string, from hcl.Pos, diags hcl.Diagnostics) hcl.Diagnostics {
	all := hcl.Diagnostics{mistake(text, name, from, diags)}
	text = slices.Clone(text)
	for len(all) < mostMistakes {
		last := all[len(all)-1].Subject
		line := lineAt(text, last.Start.Byte-from.Byte)
		if last.Start.Line == from.Line || !standsAlone(line) {
			break
		}
		for i := range line { // what stands below keeps its place
			line[i] = ' '
		}
		_, diags := parse(text, name, from)
		if sound(diags) {
			break
		}
		next := mistake(text, name, from, diags)
		if next.Subject.Start.Line <= last.Start.Line {
			break
		}
		all = append(all, next)
	}
	return all
}

// lineAt is the line around an offset, without its end: a part of the text.
func lineAt(text []byte, offset int) []byte {
	from := bytes.LastIndexByte(text[:offset], '\n') + 1
	if n := bytes.IndexByte(text[offset:], '\n'); n >= 0 {
		return text[from : offset+n]
	}
	return text[from:]
}

// standsAlone says that a line is one argument, as far as brackets tell: it
// closes what it opens, and nothing else.
func standsAlone(line []byte) bool {
	s := scanner{src: line, levels: make([]level, 1, 4)}
	for ; s.at < len(line); s.at++ {
		top := s.levels[len(s.levels)-1]
		if c := line[s.at]; (c == ')' || c == ']' || c == '}') && top.open != '"' && top.open != opening(c) {
			return false
		}
		s.step()
	}
	return len(s.levels) == 1 && !bytes.Contains(line, []byte("*/")) && !bytes.Contains(line, []byte("/*"))
}

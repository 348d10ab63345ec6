package syntax

import (
	"bytes"
	"regexp"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// piece is a part of a text that is parsed on its own.
type piece struct {
	head  *head // nil: what stands above the first block
	start hcl.Pos
	end   hcl.Pos
	// comment is where a comment begins that nothing closes; -1 without one.
	comment int
}

// head is the line that a block begins with.
type head struct {
	kind   string
	labels []label
	brace  int // its byte in the line
}

type label struct {
	text     string
	from, to int // bytes in the line
}

var (
	// headLine begins a block at the left margin, where blocks at the top of a
	// file stand. A label in single quotes is a mistake, and one of this block.
	headLine = regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_-]*)((?:[ \t]+(?:"[^"\n]*"|'[^'\n]*'|[A-Za-z_][A-Za-z0-9_-]*))*)[ \t]*\{`)
	// includeLine begins the only argument that stands outside of blocks.
	includeLine = regexp.MustCompile(`^include[ \t]*=`)
	oneLabel    = regexp.MustCompile(`"[^"]*"|'[^']*'|[A-Za-z_][A-Za-z0-9_-]*`)
	oneWord     = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]*$`)
	heredoc     = regexp.MustCompile(`<<-?([A-Za-z_][A-Za-z0-9_-]*)\r?$`)
)

// pieces cuts a text before each line that begins a block, but not within a
// heredoc or a comment.
func pieces(src []byte) []piece {
	all := []piece{{start: hcl.InitialPos, comment: -1}}
	comment := 0 // where the last one ends
	last := lastOf(src)
	marker := ""
	at := hcl.InitialPos
	for line := range bytes.Lines(src) {
		start := at
		at.Line++
		at.Byte += len(line)
		line = bytes.TrimSuffix(line, []byte("\n"))
		if start.Byte < comment {
			continue
		}
		if marker != "" {
			if string(bytes.TrimSpace(line)) == marker {
				marker = ""
			}
			continue
		}
		// A heredoc whose end doesn't come is a mistake that must not swallow what
		// comes after.
		if m := heredoc.FindSubmatch(line); m != nil && last[string(m[1])] > start.Byte {
			marker = string(m[1])
		}
		if h := headOf(line); h != nil || includeLine.Match(line) {
			all[len(all)-1].end = start
			all = append(all, piece{head: h, start: start, comment: -1})
		}
		if open := openComment(line); open >= 0 {
			comment = len(src)
			from := start.Byte + open
			if n := bytes.Index(src[from:], []byte("*/")); n >= 0 {
				comment = from + n
			} else {
				all[len(all)-1].comment = from
			}
		}
	}
	all[len(all)-1].end = position(src, len(src), hcl.InitialPos)
	return all
}

// lastOf has the offset of the last line that is nothing but a word, by the
// word: such a line may end a heredoc.
func lastOf(src []byte) map[string]int {
	last := map[string]int{}
	offset := 0
	for line := range bytes.Lines(src) {
		if w := bytes.TrimSpace(line); oneWord.Match(w) {
			last[string(w)] = offset
		}
		offset += len(line)
	}
	return last
}

func headOf(line []byte) *head {
	m := headLine.FindSubmatchIndex(line)
	if m == nil {
		return nil
	}
	h := &head{kind: string(line[m[2]:m[3]]), brace: m[1] - 1}
	for _, l := range oneLabel.FindAllIndex(line[m[4]:m[5]], -1) {
		from, to := m[4]+l[0], m[4]+l[1]
		h.labels = append(h.labels, label{string(bytes.Trim(line[from:to], `"'`)), from, to})
	}
	return h
}

// block is the block of a piece, without content: all up to the piece's end is
// in it.
func (p piece) block(name string, src []byte) *hclsyntax.Block {
	kind := p.within(name, src, 0, len(p.head.kind))
	text := src[p.start.Byte:p.end.Byte]
	end := position(text, len(bytes.TrimSpace(text)), p.start) // it begins without space
	b := &hclsyntax.Block{
		Type: p.head.kind, TypeRange: kind,
		OpenBraceRange: p.within(name, src, p.head.brace, p.head.brace+1), CloseBraceRange: hcl.Range{Filename: name, Start: end, End: end},
		Body: &hclsyntax.Body{Attributes: hclsyntax.Attributes{}, SrcRange: kind, EndRange: kind},
	}
	for _, l := range p.head.labels {
		b.Labels = append(b.Labels, l.text)
		b.LabelRanges = append(b.LabelRanges, p.within(name, src, l.from, l.to))
	}
	return b
}

// within is the range of bytes in the piece's first line.
func (p piece) within(name string, src []byte, from, to int) hcl.Range {
	line := src[p.start.Byte:]
	return hcl.Range{Filename: name, Start: position(line, from, p.start), End: position(line, to, p.start)}
}

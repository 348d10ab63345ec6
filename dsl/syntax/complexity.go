package syntax

import (
	"bytes"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
)

// What is read by recursion must have an end, or the stack has one. Both
// limits are far above what a person writes, and far below what hurts.
const (
	// maxDepth is how deep brackets and templates may be nested.
	maxDepth = 200
	// maxOperators is how many operators may follow each other in one
	// expression.
	maxOperators = 1000
	// maxDigits is how many digits of a number may stand behind each other. What
	// it takes to read them grows with the square of their number.
	maxDigits = 1000
	// mostMelded is how many bytes may be moved to make one text of the lines of a
	// heredoc: hcl adds one by one to those before it. It does so for 7,000 lines of
	// common length, which takes a second.
	mostMelded = 2 << 30
)

const tooLongText = "too long a heredoc or template"

// tooComplex reports the place from which on a text is nested too deeply, or
// has too long an expression, to be parsed and evaluated. Outermost is what
// the text is in.
func tooComplex(src []byte, name string, from hcl.Pos, outermost level) *hcl.Diagnostic {
	s := scanner{src: src, levels: append(make([]level, 0, 16), outermost)}
	what := s.run()
	if what == "" {
		return nil
	}
	at := position(src, s.at, from)
	end := at
	end.Column, end.Byte = end.Column+1, end.Byte+1
	detail := "Keep data in a file of its own, and read it with jsondecode(file(…)) or yamldecode(file(…))."
	switch {
	case what == tooLongText:
		detail = "What it takes to read it grows with the square of its lines, of which it has thousands. Put it into a file of its own, and read it with file(…); what has ${…} in it goes into several."
	case s.digits > maxDigits:
		detail = "A number is between 1e-300 and 1e300; a text stands in quotes."
	case !s.tooDeep():
		detail = `Give parts of it names in locals, or make a list of what it joins, for alltrue([…]), anytrue([…]), sum([…]) or join("", […]).`
	case s.inBlocks():
		detail = "Blocks that don't need each other can stand side by side."
	}
	return &hcl.Diagnostic{
		Severity: hcl.DiagError,
		Summary:  what,
		Detail:   detail,
		Subject:  &hcl.Range{Filename: name, Start: at, End: end},
	}
}

// scanner walks over a text as hcl's lexer does, as far as nesting goes.
type scanner struct {
	src      []byte
	at       int
	levels   []level
	brackets int // that are open: texts nest through those in them only
	digits   int // of the number that is being read
}

// level is a bracket, a quoted string or a heredoc that is open.
type level struct {
	open      byte   // ( [ { " < or 0 for the file
	marker    []byte // of a heredoc
	block     bool   // it is what a block holds
	operators int
	begin     int // of a heredoc
	pieces    int // of text in it: lines, and what stands between ${…}
}

func (s *scanner) run() string {
	for s.at < len(s.src) {
		s.step()
		if s.tooDeep() {
			return fmt.Sprintf("nested more than %d levels deep", maxDepth)
		}
		if n := s.levels[len(s.levels)-1].operators; n > maxOperators {
			return fmt.Sprintf("more than %d operators in one expression", maxOperators)
		}
		if s.tooLong() {
			s.at = max(0, bytes.LastIndex(s.src[:s.top().begin], []byte("<<")))
			return tooLongText
		}
		if s.digits > maxDigits {
			return fmt.Sprintf("a number of more than %d digits", maxDigits)
		}
		s.at++
	}
	return ""
}

// step looks at one byte.
func (s *scanner) step() {
	top := &s.levels[len(s.levels)-1]
	if top.open == '"' || top.open == '<' {
		s.text(top)
	} else {
		s.code(top)
	}
}

func (s *scanner) top() *level { return &s.levels[len(s.levels)-1] }

func (s *scanner) tooDeep() bool { return s.brackets > maxDepth }

// tooLong says that a heredoc, or a template, takes too long to be made one text: as
// each piece is added, what is there is copied, and the places of those behind it
// move up.
func (s *scanner) tooLong() bool {
	const place = 16
	t := s.top()
	return t.open == '<' && t.pieces*(s.at-t.begin+place*t.pieces)/2 > mostMelded
}

// inBlocks says that all that is open are blocks.
func (s *scanner) inBlocks() bool {
	return !slices.ContainsFunc(s.levels[1:], func(l level) bool { return !l.block })
}

// code looks at one byte outside of strings.
func (s *scanner) code(top *level) {
	c := s.src[s.at]
	if c < '0' || c > '9' {
		s.digits = 0
	}
	switch c {
	case '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		s.digits++
	case '(', '[', '{':
		top.operators++ // an index and a call follow each other as operators do
		s.push(level{open: c, block: c == '{' && s.afterHead()})
	case ')', ']', '}':
		if top.open == opening(c) {
			s.pop()
		}
	case '"':
		s.push(level{open: c})
	case ',':
		top.operators = 0
	case '\n':
		if top.open == '{' || top.open == 0 {
			top.operators = 0
		}
	case '#':
		s.skipLine()
	case '/':
		switch s.peek() {
		case '/':
			s.skipLine()
		case '*':
			s.skipComment()
		default:
			top.operators++
		}
	case '<':
		if m := heredocMark(s.src[s.at:]); m != nil {
			s.skipLine()
			s.push(level{open: '<', marker: m, begin: s.at + 1})
			return
		}
		top.operators++
	case '+', '-', '*', '%', '!', '>', '&', '|', '?', ':':
		top.operators++
	case '=':
		if s.at > 0 && s.src[s.at-1] == '=' { // of == the second one counts, that of an argument doesn't
			top.operators++
		}
	}
}

// text looks at one byte of a string or a heredoc.
func (s *scanner) text(top *level) {
	switch c := s.src[s.at]; {
	case c == '\\' && top.open == '"':
		s.at++
	case c == '"' && top.open == '"': // a line's end is a mistake, and doesn't close it
		s.pop()
	case (c == '$' || c == '%') && s.peek() == c: // an escaped one
		s.at++
		if s.peek() == '{' {
			s.at++
		}
	case (c == '$' || c == '%') && s.peek() == '{':
		if c == '%' {
			top.operators++ // directives nest without brackets
		}
		s.at++
		top.pieces += 2
		s.push(level{open: '{'})
	case c == '\n':
		top.pieces++
		if top.marker != nil && endsHeredoc(s.src[s.at+1:], top.marker) {
			s.pop()
		}
	}
}

// afterHead says that what stands before a brace is the head of a block: a word
// or a label, and not what an object stands after.
func (s *scanner) afterHead() bool {
	before := bytes.TrimRight(s.src[:s.at], " \t")
	if len(before) == 0 {
		return false
	}
	switch c := before[len(before)-1]; {
	case c == '"', c == '_', c >= '0' && c <= '9', c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
		return true
	}
	return false
}

func opening(closing byte) byte {
	switch closing {
	case ')':
		return '('
	case ']':
		return '['
	}
	return '{'
}

func (s *scanner) push(l level) {
	s.levels = append(s.levels, l)
	if l.isBracket() {
		s.brackets++
	}
}

// pop closes the innermost level. The file itself stays open.
func (s *scanner) pop() {
	last := len(s.levels) - 1
	if last == 0 {
		return
	}
	if s.levels[last].isBracket() {
		s.brackets--
	}
	s.levels = s.levels[:last]
}

func (l level) isBracket() bool { return l.open != '"' && l.open != '<' }

func (s *scanner) peek() byte {
	if s.at+1 < len(s.src) {
		return s.src[s.at+1]
	}
	return 0
}

// skipLine goes to the end of the line, which stays to be looked at.
func (s *scanner) skipLine() {
	s.toLineEnd()
	s.at--
}

func (s *scanner) toLineEnd() {
	if i := bytes.IndexByte(s.src[s.at:], '\n'); i >= 0 {
		s.at += i
		return
	}
	s.at = len(s.src)
}

func (s *scanner) skipComment() {
	if i := bytes.Index(s.src[s.at+2:], []byte("*/")); i >= 0 {
		s.at += i + 3
		return
	}
	s.at = len(s.src)
}

func heredocMark(rest []byte) []byte {
	if !bytes.HasPrefix(rest, []byte("<<")) {
		return nil
	}
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	if m := heredoc.FindSubmatch(line); m != nil {
		return m[1]
	}
	return nil
}

func endsHeredoc(rest, marker []byte) bool {
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	return bytes.Equal(bytes.TrimSpace(line), marker)
}

// position counts lines and characters from the position of a text's start up
// to an offset in it.
func position(src []byte, offset int, from hcl.Pos) hcl.Pos {
	begin := bytes.LastIndexByte(src[:offset], '\n') + 1
	at := hcl.Pos{Line: from.Line, Column: from.Column + utf8.RuneCount(src[:offset]), Byte: from.Byte + offset}
	if begin > 0 {
		at.Line += bytes.Count(src[:offset], []byte("\n"))
		at.Column = utf8.RuneCount(src[begin:offset]) + 1
	}
	return at
}

package source

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/scenario-run/scenario/dsl/diag"
)

// slip is something that other languages write otherwise than HCL.
type slip struct {
	// before and after are what the line holds up to where hcl stops, and from
	// there on. The place is what the group that is there matches.
	before, after *regexp.Regexp
	summary       string
	detail        string
	hint          string
}

// slips are looked through in their order: the first that fits counts.
var slips = []slip{
	{nil, regexp.MustCompile(`^(and|AND|or|OR)\b`), "operators are signs", "&& is and, || is or, ! is not.", ""},
	{regexp.MustCompile(`\b(not|NOT) +$`), nil, "operators are signs", "&& is and, || is or, ! is not.", `did you mean "!"?`},
	{regexp.MustCompile(`(!==?)$`), regexp.MustCompile(`^=`), "there is no such operator", "What is of different types is never equal, so that one operator is enough.", `did you mean "!="?`},
	{regexp.MustCompile(`(==)$`), regexp.MustCompile(`^=`), "there is no such operator", "What is of different types is never equal, so that one operator is enough.", `did you mean "=="?`},
	{regexp.MustCompile(`(<)$`), regexp.MustCompile(`^>`), "there is no such operator", "", `did you mean "!="?`},
	{regexp.MustCompile(`(\?)$`), regexp.MustCompile(`^\?`), "there is no such operator", "Write it as coalesce(VALUE, OTHERWISE), or as VALUE != null ? VALUE : OTHERWISE.", `did you mean "coalesce"?`},
	{regexp.MustCompile(`=\s*\(?\s*(if) +$`), nil, "there is no such expression", "Write it as CONDITION ? THEN : ELSE.", `did you mean "?:"?`},
	{regexp.MustCompile(`=\s*[^=\s].*[^=!<>]$`), regexp.MustCompile(`^=([^=]|$)`), "= gives a value to an argument, and compares nothing", "", `did you mean "=="?`},
	{nil, regexp.MustCompile(`^(is not|isnt) `), "operators are signs", "", `did you mean "!="?`},
	{nil, regexp.MustCompile(`^(is|eq|equals) `), "operators are signs", "", `did you mean "=="?`},
	{nil, regexp.MustCompile(`^(ne|neq) `), "operators are signs", "", `did you mean "!="?`},
	{nil, regexp.MustCompile(`^(not in|in) `), "operators are signs", "Write it as contains(LIST, VALUE), or strcontains(TEXT, PART).", `did you mean "contains"?`},
}

// stops are hcl's summaries of an expression that ends before it should.
var stops = []string{"Missing newline after argument", "Invalid expression", "Unbalanced parentheses", "Missing item separator", "Missing argument separator", "Missing attribute separator"}

// meant puts what hcl says of a slip in other words, at the place of the slip;
// nil if it isn't known what was meant.
func meant(f *File, d *hcl.Diagnostic) *hcl.Diagnostic {
	if d.Subject == nil || d.Subject.Filename != f.Name || d.Subject.Start.Byte > len(f.Src) {
		return nil
	}
	at := d.Subject.Start
	begin := bytes.LastIndexByte(f.Src[:at.Byte], '\n') + 1
	line, _, _ := bytes.Cut(f.Src[begin:], []byte("\n"))
	before, after := string(line[:at.Byte-begin]), string(line[at.Byte-begin:])
	if slices.Contains(stops, d.Summary) {
		for _, s := range slips {
			if rng, ok := s.in(before, after, at); ok {
				rng.Filename = f.Name
				hint := s.hint
				if hint == "" {
					hint = map[bool]string{true: `did you mean "&&"?`, false: `did you mean "||"?`}[strings.HasPrefix(strings.ToLower(after), "and")]
				}
				return diag.New(diag.Syntax, rng, s.summary, s.detail, diag.Hint(hint))
			}
		}
	}
	if d := oddSign(f, d, string(line), begin); d != nil {
		return d
	}
	if d := singleQuotes(f, string(line), d, begin); d != nil {
		return d
	}
	return curly(f, d, string(line), begin)
}

var (
	inSingleQuotes = regexp.MustCompile(`^'([^'"]*)'`)
	// labelInQuotes is the head of a block up to a label in single quotes.
	labelInQuotes = regexp.MustCompile(`^\s*[A-Za-z_][A-Za-z0-9_-]*(?:\s+(?:"[^"]*"|[A-Za-z_][A-Za-z0-9_-]*))*\s+'`)
	// noBlock are hcl's summaries of what looks like the head of a block and is none.
	noBlock = []string{"Argument or block definition required", "Invalid block definition"}
)

// singleQuotes reports a text in single quotes, where it begins.
func singleQuotes(f *File, line string, d *hcl.Diagnostic, begin int) *hcl.Diagnostic {
	from := d.Subject.Start.Byte - begin
	if head := labelInQuotes.FindString(line); head != "" && slices.Contains(noBlock, d.Summary) {
		from = len(head) - 1
	}
	if from > len(line) || !strings.HasPrefix(line[from:], "'") {
		return nil
	}
	length, hint := 1, `did you mean "\""?`
	if m := inSingleQuotes.FindStringSubmatch(line[from:]); m != nil {
		length, hint = len(m[0]), `did you mean "`+m[1]+`"?`
	}
	column := func(to int) int { return len([]rune(strings.TrimPrefix(line[:to], "\ufeff"))) + 1 }
	at := d.Subject.Start
	return diag.New(diag.Syntax, hcl.Range{
		Filename: f.Name,
		Start:    hcl.Pos{Line: at.Line, Column: column(from), Byte: begin + from},
		End:      hcl.Pos{Line: at.Line, Column: column(from + length), Byte: begin + from + length},
	}, "single quotes", "Strings and labels stand in double quotes.", diag.Hint(hint))
}

// in finds the slip in a line that hcl stops in at a place.
func (s slip) in(before, after string, at hcl.Pos) (hcl.Range, bool) {
	from, to := 0, 0
	if s.before != nil {
		m := s.before.FindStringSubmatchIndex(before)
		if m == nil {
			return hcl.Range{}, false
		}
		if len(m) > 2 {
			from, to = m[2]-len(before), m[3]-len(before)
		}
	}
	if s.after != nil {
		m := s.after.FindStringSubmatchIndex(after)
		if m == nil {
			return hcl.Range{}, false
		}
		switch {
		case s.before != nil:
			to = 1 // one sign after those before
		case len(m) > 2:
			to = m[3]
		}
	}
	return hcl.Range{Start: moved(at, from), End: moved(at, to)}, true
}

// moved is a place some ASCII characters further.
func moved(at hcl.Pos, by int) hcl.Pos {
	return hcl.Pos{Line: at.Line, Column: at.Column + by, Byte: at.Byte + by}
}

var curlyQuotes = regexp.MustCompile(`[“”„‟‘’«»]`)

// curly reports quotes that a word processor has made of plain ones.
func curly(f *File, d *hcl.Diagnostic, line string, begin int) *hcl.Diagnostic {
	code := line
	if i := strings.IndexByte(code, '#'); i >= 0 {
		code = code[:i]
	}
	m := curlyQuotes.FindStringIndex(code)
	if m == nil || strings.Count(code[:m[0]], `"`)%2 == 1 {
		return nil
	}
	column := len([]rune(strings.TrimPrefix(code[:m[0]], "\ufeff"))) + 1
	from := hcl.Pos{Line: d.Subject.Start.Line, Column: column, Byte: begin + m[0]}
	to := hcl.Pos{Line: from.Line, Column: column + 1, Byte: begin + m[1]}
	return diag.New(diag.Syntax, hcl.Range{Filename: f.Name, Start: from, End: to}, "typographic quotes", "Strings and labels stand in plain double quotes.", diag.Hint(`did you mean "\""?`))
}

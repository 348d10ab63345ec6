package source

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"

	"github.com/scenario-run/scenario/dsl/diag"
)

// typeset are signs that word processors and web pages put in the place of those
// that the language has.
var typeset = map[rune]string{'–': "-", '—': "-", '−': "-", '≠': "!=", '≥': ">=", '≤': "<=", '×': "*", '÷': "/"}

// unseen are what stands in a line and can't be told from a blank or nothing.
var unseen = map[rune]string{
	'\u00a0': "no-break space", '\u00ad': "soft hyphen", '\u200b': "zero width space", '\u200c': "zero width non-joiner",
	'\u200d': "zero width joiner", '\u202f': "narrow no-break space", '\u2060': "word joiner", '\u3000': "ideographic space", '\ufeff': "byte order mark",
}

// oddSign reports the first sign outside of strings that only looks like one of
// the language, or like nothing, in a line that hcl finds fault with.
func oddSign(f *File, d *hcl.Diagnostic, line string, begin int) *hcl.Diagnostic {
	if strings.HasPrefix(line, "```") {
		return diag.New(diag.Syntax, placeIn(f, d, begin, line, 0, len("```")), "a fence of Markdown", "Keep what stands between the fences only.")
	}
	code := line
	if i := strings.IndexByte(code, '#'); i >= 0 {
		code = code[:i]
	}
	quoted := false
	for i, r := range code {
		if r == '"' {
			quoted = !quoted
			continue
		}
		if i == 0 && begin == 0 && r == '\ufeff' || quoted {
			continue
		}
		at := func() hcl.Range { return placeIn(f, d, begin, line, i, i+utf8.RuneLen(r)) }
		if plain := typeset[r]; plain != "" {
			return diag.New(diag.Syntax, at(), fmt.Sprintf("%c is no sign of the language", r), "", diag.Hint(fmt.Sprintf("did you mean %q?", plain)))
		}
		if unseen[r] != "" || r > unicode.MaxASCII && (unicode.IsSpace(r) || unicode.Is(unicode.Cf, r)) {
			name := strings.TrimSpace(fmt.Sprintf("U+%04X %s", r, unseen[r]))
			return diag.New(diag.Syntax, at(), "a character that isn't seen: "+name, "Delete it, and what was meant as a blank write as one.")
		}
	}
	return nil
}

// placeIn is the range of bytes in the line that hcl finds fault with.
func placeIn(f *File, d *hcl.Diagnostic, begin int, line string, from, to int) hcl.Range {
	column := func(n int) int { return utf8.RuneCountInString(strings.TrimPrefix(line[:n], "\ufeff")) + 1 }
	at := d.Subject.Start.Line
	return hcl.Range{
		Filename: f.Name,
		Start:    hcl.Pos{Line: at, Column: column(from), Byte: begin + from},
		End:      hcl.Pos{Line: at, Column: column(to), Byte: begin + to},
	}
}

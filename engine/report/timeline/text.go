package timeline

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"
)

// cells measures text as terminals do that treat ambiguous characters as
// narrow. It is a value of our own, since the library's default follows the
// environment of the process.
func cells() *runewidth.Condition {
	return &runewidth.Condition{StrictEmojiNeutral: true}
}

func width(s string) int { return cells().StringWidth(s) }

// cut shortens s to at most w cells; what is cut off is shown by an ellipsis.
func cut(s string, w int) string {
	if w <= 0 {
		return ""
	}
	return cells().Truncate(s, w, "…")
}

// cutMiddle shortens a name to at most w cells and keeps both of its ends: the
// key of an instance stands at one, the group that it is in at the other.
func cutMiddle(s string, w int) string {
	if width(s) <= w || w < 8 {
		return cut(s, w)
	}
	tail := (w - 1) / 2
	return cut(s, w-tail) + cells().TruncateLeft(s, width(s)-tail, "")
}

// padRight fills s with spaces up to w cells; padLeft puts them in front.
func padRight(s string, w int) string { return s + strings.Repeat(" ", max(0, w-width(s))) }
func padLeft(s string, w int) string  { return strings.Repeat(" ", max(0, w-width(s))) + s }

// escapes are the terminal control sequences that programs write for colour,
// cursor and title.
var escapes = regexp.MustCompile("\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)?|[PX^_][^\x1b]*(?:\x1b\\\\)?|[ -/]*[0-~])")

// clean makes text that came from elsewhere safe to print in one line: no
// control sequence, no control character, nothing that reorders or hides text.
func clean(s string) string {
	s = escapes.ReplaceAllString(s, "")
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[0])
		case r == '\t':
			b.WriteString("    ")
		case r == '\r' || r == '\n':
			b.WriteByte(' ')
		case r == zeroWidthJoiner && joinsWide(s[n:]):
			// Terminals disagree on how wide the joined picture is.
		case unicode.IsControl(r), r != zeroWidthJoiner && unicode.Is(unicode.Cf, r), r == '\u2028', r == '\u2029':
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
		s = s[n:]
	}
	return strings.TrimRight(b.String(), " ")
}

const zeroWidthJoiner = '\u200d'

// joinsWide says that what a joiner joins is a picture rather than a letter.
func joinsWide(rest string) bool {
	r, _ := utf8.DecodeRuneInString(rest)
	return cells().RuneWidth(r) == 2
}

// lines splits text into clean lines, without empty ones at its ends.
func lines(s string) []string {
	s = strings.Trim(strings.ReplaceAll(s, "\r\n", "\n"), "\n")
	if s == "" {
		return nil
	}
	var out []string
	for l := range strings.SplitSeq(s, "\n") {
		// A progress bar that redraws itself with carriage returns shows its
		// last state.
		l = strings.TrimRight(l, "\r")
		out = append(out, clean(l[strings.LastIndexByte(l, '\r')+1:]))
	}
	return out
}

// wrap breaks a line at spaces so that no piece is wider than w, and breaks
// words that are. w <= 0: as it is.
func wrap(s string, w int) []string {
	if w <= 0 || width(s) <= w {
		return []string{s}
	}
	var out []string
	line := ""
	for word := range strings.FieldsSeq(s) {
		for {
			switch {
			case line == "" && width(word) <= w:
				line = word
			case line == "":
				head := cells().Truncate(word, w, "")
				if head == "" {
					head = word
				}
				out = append(out, head)
				word = word[len(head):]
				if word != "" {
					continue
				}
			case width(line)+1+width(word) <= w:
				line += " " + word
			default:
				out = append(out, line)
				line = ""
				continue
			}
			break
		}
	}
	if line != "" {
		out = append(out, line)
	}
	return out
}

// took prints a duration in seconds, and at what time something was, in the
// run's seconds.
func took(seconds float64) string {
	if seconds < 999.95 {
		return fmt.Sprintf("%.1fs", seconds)
	}
	s := int(seconds + 0.5)
	if s < 3600 {
		return fmt.Sprintf("%dm%02ds", s/60, s%60)
	}
	return fmt.Sprintf("%dh%02dm", s/3600, s%3600/60)
}

func at(seconds float64) string { return "+" + took(max(0, seconds)) }

package timeline

import (
	"slices"
	"strings"
	"testing"

	"github.com/scenario-run/scenario/engine/event"
)

func TestCleanLeavesNothingThatATerminalActsOn(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"colour", "\x1b[1;31mred\x1b[0m", "red"},
		{"title", "\x1b]0;gotcha\x07text", "text"},
		{"link", "\x1b]8;;http://x\x1b\\label\x1b]8;;\x1b\\", "label"},
		{"device control", "\x1bPq#0\x1b\\text", "text"},
		{"cursor", "a\x1b[2Jb\x1b[1;1H", "ab"},
		{"broken sequence", "a\x1b", `a\u001b`},
		{"eight-bit control", "a\u009b31mb", `a\u009b31mb`},
		{"bell and backspace", "a\x07b\x08", `a\u0007b\u0008`},
		{"tab", "a\tb", "a    b"},
		{"right to left override", "\u202egpj.exe", `\u202egpj.exe`},
		{"not UTF-8", "a\xffb", `a\xffb`},
		{"wide", "日本語", "日本語"},
		{"joined emoji", "👩\u200d🚀", "👩🚀"},
		{"joined letters", "क्\u200dष", "क्\u200dष"},
	} {
		if got := clean(c.in); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func FuzzCleanHoldsForAnyBytes(f *testing.F) {
	f.Add("\x1b[31mx\x1b]0;t\x07\x9b\u202e")
	f.Fuzz(func(t *testing.T, s string) {
		for _, r := range clean(s) {
			if r < ' ' || r >= 0x7f && r < 0xa0 {
				t.Fatalf("%q became %q", s, clean(s))
			}
		}
		for _, l := range wrap(clean(s), 10) {
			if width(l) > 10 {
				t.Fatalf("%q is wider than 10", l)
			}
		}
	})
}

func TestALineWithCarriageReturnsShowsItsLastState(t *testing.T) {
	got := lines("10%\r50%\r100%\r\nnext\n\n")
	if !slices.Equal(got, []string{"100%", "next"}) {
		t.Errorf("%q", got)
	}
}

func TestCutCountsCells(t *testing.T) {
	if got := cut("日本語のログ", 7); got != "日本語…" {
		t.Errorf("%q", got)
	}
	if got := width(cut("⚡ kill", 3)); got > 3 {
		t.Errorf("%d cells", got)
	}
}

func TestWrapBreaksAtSpacesAndBreaksLongWords(t *testing.T) {
	got := wrap("one two aaaaaaaaaaaaaaa three", 7)
	want := []string{"one two", "aaaaaaa", "aaaaaaa", "a three"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func TestDurationsStayShort(t *testing.T) {
	for s, want := range map[float64]string{0: "0.0s", 5.13: "5.1s", 999.9: "999.9s", 1000: "16m40s", 3599.7: "1h00m", 7325: "2h02m"} {
		if got := took(s); got != want {
			t.Errorf("%v: %s, want %s", s, got, want)
		}
	}
}

func TestTheCaretStandsUnderItsTextBehindTabsAndWideCharacters(t *testing.T) {
	line := "\tx = \"日本\" == y"
	start := strings.Index(line, "==") // in bytes
	column := len([]rune(line[:start])) + 1
	printed, from, to := under(line, 1, event.Place{Line: 1, Column: column, EndLine: 1, EndColumn: column + 2})
	if want := width(printed[:strings.Index(printed, "==")]); from != want || to != want+2 {
		t.Errorf("%d–%d under %q, want %d", from, to, printed, want)
	}
}

func TestALongSourceLineIsCutAroundTheCaret(t *testing.T) {
	line := "  condition = " + strings.Repeat("aaaa && ", 20) + "this_is_false == 1"
	from := strings.Index(line, "this")
	got, f, to := window(line, from, from+13, 40)
	if width(got) > 40 || got[:len("…")] != "…" {
		t.Errorf("%q", got)
	}
	runes := []rune(got)
	if string(runes[f:to]) != "this_is_false" {
		t.Errorf("%q at %d–%d of %q", string(runes[f:to]), f, to, got)
	}
}

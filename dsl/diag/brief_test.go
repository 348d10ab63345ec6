package diag

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
)

func TestLongPiecesOfAMessageAreCut(t *testing.T) {
	long := strings.Repeat("ä", 70) + strings.Repeat("b", 200_000)
	short := strings.Repeat("ä", pieceHead) + "…" + strings.Repeat("b", pieceTail)
	for in, want := range map[string]string{
		`no action named "` + long + `"`:                         `no action named "` + strings.Repeat("ä", pieceHead-1) + "…" + strings.Repeat("b", pieceTail-1) + `"`,
		long + " refers to " + long:                              short + " refers to " + short,
		`"` + strings.Repeat("a b ", 100) + `" is not a port`:    `"` + strings.Repeat("a b ", 13) + `a b… b ` + strings.Repeat("a b ", 4) + `" is not a port`,
		`"` + strings.Repeat(`\" `, 100) + `" is not a port`:     `"` + strings.Repeat(`\" `, 18) + `\… ` + strings.Repeat(`\" `, 6) + `" is not a port`,
		strings.Repeat("many short words ", 100):                 strings.Repeat("many short words ", 100),
		`one " alone, and then ` + strings.Repeat("words ", 100): `one " alone, and then ` + strings.Repeat("words ", 100),
		"": "",
	} {
		if got := brief(in); got != want {
			t.Errorf("%.100s…:\n got %q\nwant %q", in, got, want)
		}
	}
	d := New(UnknownName, hcl.Range{Filename: "x"}, long, long, DidYouMean(long[:140]+"x", []string{long[:140] + "y"}), Also(hcl.Range{}, long))
	if x := extra(d); d.Summary != short || d.Detail != short || x.Related[0].Text != short || len(x.Hint) > 200 {
		t.Errorf("%.300v", d)
	}
}

func TestOfManyPlacesTheFirstAndTheLastAreShown(t *testing.T) {
	many := func(n int) string {
		var o []Option
		for i := range n {
			o = append(o, Also(hcl.Range{Filename: "x"}, fmt.Sprintf("place %d", i)))
		}
		var shown []string
		for line := range strings.Lines(text(t, nil, hcl.Diagnostics{New(TooMany, hcl.Range{Filename: "x"}, "s", "", o...)}, Style{})) {
			if line = strings.TrimSpace(line); strings.HasPrefix(line, "place") || strings.HasPrefix(line, "…") {
				shown = append(shown, line)
			}
		}
		return strings.Join(shown, ", ")
	}
	if got, want := many(100), "place 0, place 1, place 2, place 3, … and 93 more, place 97, place 98, place 99"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := many(mostRelated), "place 0, place 1, place 2, place 3, place 4, place 5, place 6, place 7"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Whatever is wrong on a line with a secret, and be it the secret itself, its
// text isn't shown, and the carets stand under what they mean.
func TestTheDefaultOfASensitiveVariableIsNotShown(t *testing.T) {
	for name, tc := range map[string]struct{ src, mark, line, carets string }{
		"the secret itself":    {"variable \"v\" {\n  default = \"hunter2\"\n  sensitive = true\n}\n", `"hunter2"`, "  default = (sensitive)", "            ^^^^^^^^^^^"},
		"a part of it":         {"variable \"v\" {\n  default = \"hunter2\"\n  sensitive = true\n}\n", "ter", "  default = (sensitive)", "            ^^^^^^^^^^^"},
		"what stands before":   {"variable \"v\" {\n  default = \"hunter2\"\n  sensitive = true\n}\n", "default", "  default = (sensitive)", "  ^^^^^^^"},
		"what stands after":    {"variable \"v\" {\n  default = \"hunter2\" # why\n  sensitive = true\n}\n", "why", "  default = (sensitive) # why", "                          ^^^"},
		"in the middle":        {"variable \"v\" {\n  sensitive = true\n  default = {\n    a = \"hunter2\"\n  }\n}\n", "a =", "(sensitive)", "^^^^^^^^^^^"},
		"sensitive as a guess": {"variable \"v\" {\n  sensitive = \"yes\"\n  default = \"hunter2\"\n}\n", "default", "  default = (sensitive)", "  ^^^^^^^"},
		"a block that is open": {"variable \"v\" {\n  sensitive = true\n  default = \"hunter2\n}\n", "default", "  default(sensitive)", "  ^^^^^^^"},
		"not sensitive":        {"variable \"v\" {\n  sensitive = false\n  default = \"x\"\n}\n", `"x"`, "  default = \"x\"", "            ^^^"},
	} {
		t.Run(name, func(t *testing.T) {
			d := New(WrongValue, at(t, "x.hcl", tc.src, tc.mark), "s", "")
			got := text(t, map[string][]byte{"x.hcl": []byte(tc.src)}, hcl.Diagnostics{d}, Style{})
			lines := strings.Split(got, "\n")
			const gutter = len("    2 | ")
			if strings.Contains(got, "hunter2") || lines[2][gutter:] != tc.line || lines[3][gutter:] != tc.carets {
				t.Errorf("want %q and %q:\n%s", tc.line, tc.carets, got)
			}
		})
	}
}

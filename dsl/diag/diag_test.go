package diag

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"
	"github.com/mattn/go-runewidth"
)

const haServe = `scenario "ha_serve" {}

assert "serves_while_down" {
  condition = during(workload.clients, action.outge).failed == 0
}
`

// at returns the range of the first occurrence of text in src.
func at(t *testing.T, file, src, text string) hcl.Range {
	t.Helper()
	i := strings.Index(src, text)
	if i < 0 {
		t.Fatalf("no %q in the source", text)
	}
	return hcl.Range{Filename: file, Start: posOf(src, i), End: posOf(src, i+len(text))}
}

func posOf(src string, i int) hcl.Pos {
	before := src[:i]
	begin := strings.LastIndexByte(before, '\n') + 1
	return hcl.Pos{Line: strings.Count(before, "\n") + 1, Column: len([]rune(before[begin:])) + 1, Byte: i}
}

func text(t *testing.T, files map[string][]byte, diags hcl.Diagnostics, style Style) string {
	t.Helper()
	var b bytes.Buffer
	if err := Print(&b, files, diags, style); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func check(t *testing.T, got, want string) {
	t.Helper()
	if d := cmp.Diff(strings.TrimPrefix(want, "\n"), got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

func TestADiagnosticShowsCodePlaceCaretAndSuggestion(t *testing.T) {
	files := map[string][]byte{"ha_serve.hcl": []byte(haServe)}
	d := New(UnknownName, at(t, "ha_serve.hcl", haServe, "action.outge"), `no action named "outge"`, "",
		DidYouMean("outge", []string{"outage", "back"}))
	check(t, text(t, files, hcl.Diagnostics{d}, Style{}), `
error[SCN0203]: no action named "outge"
  --> ha_serve.hcl:4:40, in assert "serves_while_down"
    4 |   condition = during(workload.clients, action.outge).failed == 0
      |                                        ^^^^^^^^^^^^ did you mean "outage"?
`)
}

func TestColourAddsNothingButColour(t *testing.T) {
	files := map[string][]byte{"ha_serve.hcl": []byte(haServe)}
	d := New(UnknownName, at(t, "ha_serve.hcl", haServe, "action.outge"), `no action named "outge"`, "Declare it.",
		DidYouMean("outge", []string{"outage"}), Also(at(t, "ha_serve.hcl", haServe, "ha_serve"), "here"))
	plain := text(t, files, hcl.Diagnostics{d}, Style{})
	coloured := text(t, files, hcl.Diagnostics{d}, Style{Color: true})
	if !strings.Contains(coloured, "\x1b[31;1merror[SCN0203]") {
		t.Errorf("no red in %q", coloured)
	}
	var stripped strings.Builder
	for rest := coloured; rest != ""; {
		before, after, found := strings.Cut(rest, "\x1b[")
		stripped.WriteString(before)
		if !found {
			break
		}
		_, rest, _ = strings.Cut(after, "m")
	}
	check(t, stripped.String(), plain)
}

func TestTheSecondPlaceIsNamed(t *testing.T) {
	src := "node \"a\" {}\n\nnode \"a\" {\n}\n"
	lib := "node \"a\" {\n}\n"
	files := map[string][]byte{"x.hcl": []byte(src), "lib.hcl": []byte(lib)}
	d := New(DeclaredTwice, at(t, "x.hcl", src, "node \"a\" {\n"), `node "a" is declared twice`,
		"Names are unique per kind.\nRename one.", Also(at(t, "lib.hcl", lib, `node "a"`), "first declared here"))
	check(t, text(t, files, hcl.Diagnostics{d}, Style{}), `
error[SCN0207]: node "a" is declared twice
  --> x.hcl:3:1
    3 | node "a" {
      | ^^^^^^^^^^
  --> lib.hcl:1:1
    1 | node "a" {
      | ^^^^^^^^ first declared here
      Names are unique per kind.
      Rename one.
`)
}

func TestCaretsStandUnderWhatTheyMean(t *testing.T) {
	for name, tc := range map[string]struct{ src, mark, want string }{
		"tabs":           {"\tfoo\t= bar", "bar", "    1 |     foo = bar\n      |           ^^^\n"},
		"wide runes":     {`x = "日本" + y`, "y", "    1 | x = \"日本\" + y\n      |              ^\n"},
		"marked wide":    {`x = "日本"`, "日本", "    1 | x = \"日本\"\n      |      ^^^^\n"},
		"combining mark": {"x = \"e\u0301\" + y", "y", "    1 | x = \"e\u0301\" + y\n      |           ^\n"},
		"escape codes":   {"x = \"\x1b[31m\" + y", "y", "    1 | x = \"\\x1b[31m\" + y\n      |                  ^\n"},
		"bidi override":  {"x = \"\u202e\" + y", "y", "    1 | x = \"\\u202e\" + y\n      |                ^\n"},
		"byte order":     {"\ufeffx = y", "y", "    1 | x = y\n      |     ^\n"},
		"CRLF":           {"x = [\r\n1]\r\n", "[\r\n1]", "    1 | x = [\n      |     ^\n"},
		"several lines":  {"x = [1,\n  2]\n", "[1,\n  2]", "    1 | x = [1,\n      |     ^^^\n"},
		"end of line":    {"x = \ny = 2", "\n", "    1 | x =\n      |     ^\n"},
		"end of file":    {"x = 1", "", "    1 | x = 1\n      | ^\n"},
	} {
		t.Run(name, func(t *testing.T) {
			d := New(Syntax, at(t, "f", tc.src, tc.mark), "s", "")
			_, got, _ := strings.Cut(text(t, map[string][]byte{"f": []byte(tc.src)}, hcl.Diagnostics{d}, Style{}), "\n")
			_, got, _ = strings.Cut(got, "\n")
			check(t, got, tc.want)
		})
	}
}

func TestWidthIsHonoured(t *testing.T) {
	src := "  condition = " + strings.Repeat("日本 && ", 40) + "wrong_thing" + strings.Repeat(" || other", 40) + "\n"
	files := map[string][]byte{"f": []byte(src)}
	d := New(UnknownName, at(t, "f", src, "wrong_thing"), "s", strings.Repeat("some words of detail ", 20),
		Hint("did you mean something much longer than is room for beside it?"))
	for _, width := range []int{40, 80, 120} {
		got := text(t, files, hcl.Diagnostics{d}, Style{Width: width})
		for line := range strings.Lines(got) {
			if w := runewidth.StringWidth(strings.TrimSuffix(line, "\n")); w > width {
				t.Errorf("width %d: %d columns in %q", width, w, line)
			}
		}
		lines := strings.Split(got, "\n")
		before, _, found := strings.Cut(lines[2], "wrong_thing")
		if !found {
			t.Fatalf("width %d: what is wrong is out of sight in %q", width, lines[2])
		}
		carets, _, _ := strings.Cut(lines[3], "^")
		if runewidth.StringWidth(before) != runewidth.StringWidth(carets) {
			t.Errorf("width %d: caret in the wrong place:\n%s\n%s", width, lines[2], lines[3])
		}
	}
}

func TestEveryDiagnosticHasAPlaceAndACode(t *testing.T) {
	d := New(CannotEvaluate, hcl.Range{Filename: "f"}, "s", "")
	if d.Subject.Start != hcl.InitialPos {
		t.Errorf("start %v", d.Subject.Start)
	}
	fallback := hcl.Range{Filename: "f", Start: hcl.Pos{Line: 3, Column: 2, Byte: 20}, End: hcl.Pos{Line: 3, Column: 3, Byte: 21}}
	foreign := &hcl.Diagnostic{Severity: hcl.DiagError, Summary: "Invalid thing."}
	got := Adopt(CannotEvaluate, fallback, hcl.Diagnostics{foreign, d})
	if *got[0].Subject != fallback || CodeOf(got[0]) != CannotEvaluate || got[0].Summary != "invalid thing" {
		t.Errorf("adopted: %v", got[0])
	}
	if foreign.Subject != nil || foreign.Summary != "Invalid thing." {
		t.Error("what was adopted has been changed")
	}
	if got[1].Subject.Start != hcl.InitialPos {
		t.Errorf("ours moved to %v", got[1].Subject)
	}
}

func TestSortOrdersByFileAndPlaceAndDropsDuplicates(t *testing.T) {
	rng := func(file string, line int) hcl.Range {
		p := hcl.Pos{Line: line, Column: 1, Byte: line * 10}
		return hcl.Range{Filename: file, Start: p, End: p}
	}
	in := hcl.Diagnostics{
		New(Syntax, rng("main.hcl", 2), "b", ""),
		New(HidesRoot, rng("main.hcl", 1), "warned", "", AsWarning()),
		New(Syntax, rng("main.hcl", 1), "a", ""),
		New(Syntax, rng("lib.hcl", 9), "c", ""),
		New(Syntax, rng("main.hcl", 2), "b", "again"),
		New(Syntax, rng("main.hcl", 2), "other", ""),
	}
	var got []string
	for _, d := range Sort(in, "lib.hcl", "main.hcl") {
		got = append(got, d.Summary)
	}
	check(t, strings.Join(got, " "), "c a warned b other")
	if in[0].Summary != "b" || len(in) != 6 {
		t.Error("the input was changed")
	}
}

func TestSuggestFindsWhatWasMeant(t *testing.T) {
	names := []string{"outage", "p", "back", "kill_gcs", "restart_head", "worker", "ip"}
	for in, want := range map[string]string{
		"outge": "outage", "outages": "outage", "kill-gcs": "kill_gcs", "restarthead": "restart_head",
		"Worker": "worker", "wroker": "worker", "iq": "ip", "": "", "nothing": "", "xx": "", "outage": "", "x": "", "I": "ip",
		"q": "", "wrk": "worker", "back_up": "", "wokhead": "",
	} {
		if got := Suggest(in, names); got != want {
			t.Errorf("Suggest(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestCodesAreSortedUniqueAndExplained(t *testing.T) {
	src, err := os.ReadFile("codes.go")
	if err != nil {
		t.Fatal(err)
	}
	declared := regexp.MustCompile(`Code = "(SCN[0-9]{4})"`).FindAllSubmatch(src, -1)
	all := Codes()
	if len(declared) != len(all) {
		t.Fatalf("%d codes, %d of them explained", len(declared), len(all))
	}
	for i, e := range all {
		if string(declared[i][1]) != string(e.Code) {
			t.Errorf("%s is explained where %s is declared", e.Code, declared[i][1])
		}
		if i > 0 && all[i-1].Code >= e.Code {
			t.Errorf("%s after %s", e.Code, all[i-1].Code)
		}
		if e.Summary == "" || strings.HasSuffix(e.Summary, ".") {
			t.Errorf("%s: %q", e.Code, e.Summary)
		}
	}
}

func TestJSONSaysTheSame(t *testing.T) {
	files := map[string][]byte{"ha_serve.hcl": []byte(haServe)}
	d := New(UnknownName, at(t, "ha_serve.hcl", haServe, "action.outge"), `no action named "outge"`, "why",
		DidYouMean("outge", []string{"outage"}), AsNote())
	var b bytes.Buffer
	if err := JSON(&b, files, hcl.Diagnostics{d}); err != nil {
		t.Fatal(err)
	}
	var got []map[string]any
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	want := []map[string]any{{
		"severity": "note", "code": "SCN0203", "summary": `no action named "outge"`, "detail": "why",
		"hint": `did you mean "outage"?`, "in": `assert "serves_while_down"`,
		"place": map[string]any{"file": "ha_serve.hcl", "line": 4.0, "column": 40.0, "end_line": 4.0, "end_column": 52.0},
	}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	b.Reset()
	if err := JSON(&b, nil, nil); err != nil || b.String() != "[]\n" {
		t.Errorf("no diagnostics: %q, %v", b.String(), err)
	}
}

func FuzzPrintTakesAnyRange(f *testing.F) {
	f.Add("a = 1\nb {\n", 1, 1, 0, 2, 3, 8, 30)
	f.Add("", -1, 0, -5, 7, 7, 700, 0)
	f.Fuzz(func(t *testing.T, src string, l1, c1, b1, l2, c2, b2, width int) {
		rng := hcl.Range{Filename: "f", Start: hcl.Pos{Line: l1, Column: c1, Byte: b1}, End: hcl.Pos{Line: l2, Column: c2, Byte: b2}}
		d := New(Syntax, rng, "s", src, Hint(src))
		got := text(t, map[string][]byte{"f": []byte(src)}, hcl.Diagnostics{d}, Style{Width: width % 300})
		if strings.ContainsRune(got, '\x1b') {
			t.Error("an escape code came through")
		}
	})
}

func TestManyThatSayTheLikeOfOnePlaceAreOne(t *testing.T) {
	at := hcl.Range{Filename: "main.hcl", Start: hcl.Pos{Line: 3, Column: 1, Byte: 30}, End: hcl.Pos{Line: 3, Column: 2, Byte: 31}}
	below := at
	below.Start.Line++
	of := func(n int, at hcl.Range, detail string) (all hcl.Diagnostics) {
		for i := range n {
			all = append(all, New(NeverHealed, at, fmt.Sprintf("nothing ends number %d", i), detail, AsNote()))
		}
		return all
	}
	got := Sort(append(of(1000, at, "Give it a for."), of(8, below, "Few.")...))
	if len(got) != 9 {
		t.Fatalf("%d are left", len(got))
	}
	check(t, got[0].Summary+": "+got[0].Detail, "nothing ends number 0: Give it a for. And so it is with 999 more.")
	check(t, got[8].Detail, "Few.")
	if again := Sort(got); len(again) != 9 || again[0].Detail != got[0].Detail {
		t.Errorf("%v", again)
	}
}

// What every instance of a block has is said of the block, what some have of
// them.
func TestInstancesAreNamedWhereNotAllAreMeant(t *testing.T) {
	files := map[string][]byte{"ha_serve.hcl": []byte(haServe)}
	place := at(t, "ha_serve.hcl", haServe, "action.outge")
	of := func(summary string, instances ...string) *hcl.Diagnostic {
		return New(UnknownName, place, summary, "", For(instances...))
	}
	for _, tt := range []struct {
		name  string
		diags hcl.Diagnostics
		want  string
	}{
		{"one", hcl.Diagnostics{of("x", "node.w[2]")}, ", for node.w[2]\n"},
		{"those of two that say the same", hcl.Diagnostics{of("x", "node.w[2]"), of("x", "node.w[2]", "node.w[0]")}, ", for node.w[2] and node.w[0]\n"},
		{"three", hcl.Diagnostics{of("x", "a[0]", "a[1]", "a[2]")}, ", for a[0], a[1] and a[2]\n"},
		{"many", hcl.Diagnostics{of("x", "a[0]", "a[1]", "a[2]", "a[3]")}, ", for a[0], a[1] and 2 more\n"},
		{"all, as one of two says", hcl.Diagnostics{of("x", "node.w[2]"), of("x")}, `in assert "serves_while_down"` + "\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := text(t, files, Sort(tt.diags), Style{})
			if first := strings.SplitAfter(got, "\n")[1]; !strings.HasSuffix(first, tt.want) || strings.Count(got, "-->") != 1 {
				t.Errorf("got %q, want it to end with %q", got, tt.want)
			}
		})
	}
}

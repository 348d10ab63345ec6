package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/scenario-run/scenario/dsl/diag"
)

// corpusFiles are the files of testdata/wrong: each is wrong in one way. What
// validate prints of it is beside it, and what a person has to change is marked
// in it, in comments that were written before anybody looked at the output:
//
//	# want: SCN0203 7 action.outge
//
// is a problem with that code in line 7, where "action.outge" stands. 7#2 is
// the second place in the line with the text, 7:3-9 are columns (the last one
// excluded), 7:3-9:2 is more than a line; NAME:7 is a line of another file.
// A comment "# args: --var a=1" gives validate arguments.
func corpusFiles(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/wrong/*.hcl")
	if err != nil || len(files) < 50 {
		t.Fatal(err, len(files))
	}
	return files
}

func TestWhatIsWrongIsSaidWhereItMustBeChanged(t *testing.T) {
	for _, path := range corpusFiles(t) {
		name := strings.TrimSuffix(filepath.Base(path), ".hcl")
		t.Run(name, func(t *testing.T) {
			src, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			text, problems := validated(t, path, arguments(src))
			golden(t, strings.TrimSuffix(path, ".hcl")+".txt", text)
			var got []string
			for _, p := range problems {
				got = append(got, p.mark(path))
			}
			want := marks(t, path, src)
			slices.Sort(got)
			slices.Sort(want)
			if d := gocmp.Diff(want, got); d != "" {
				t.Errorf("what has to be changed (-marked +reported):\n%s\n%s", d, text)
			}
		})
	}
}

func TestEveryCodeIsProvoked(t *testing.T) {
	seen := map[diag.Code]bool{}
	for _, path := range corpusFiles(t) {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range wantLine.FindAllSubmatch(src, -1) {
			seen[diag.Code(m[1])] = true
		}
	}
	for _, e := range diag.Codes() {
		if !seen[e.Code] {
			t.Errorf("no file of testdata/wrong provokes %s: %s", e.Code, e.Summary)
		}
	}
}

// validated returns what validate prints of a file, and the same as data.
func validated(t *testing.T, path string, args []string) (string, []problem) {
	t.Helper()
	call := func(more ...string) string {
		var out bytes.Buffer
		w := system()
		w.args = slices.Concat([]string{"validate"}, args, more, []string{path})
		w.environ, w.stdin, w.stdout, w.stderr = nil, strings.NewReader(""), &out, &out
		run(w)
		return out.String()
	}
	var problems []problem
	if text := call("--json"); json.Unmarshal([]byte(text), &problems) != nil {
		t.Fatalf("not JSON: %s", text)
	}
	return call(), problems
}

// problem is a diagnostic as --json has it.
type problem struct {
	Code  string
	Place struct {
		File      string
		Line      int
		Column    int
		EndLine   int `json:"end_line"`
		EndColumn int `json:"end_column"`
	}
}

// mark is how a problem is marked, in columns.
func (p problem) mark(path string) string {
	file := ""
	if p.Place.File != path {
		file = strings.TrimPrefix(p.Place.File, filepath.Dir(path)+"/") + ":"
	}
	end := strconv.Itoa(p.Place.EndColumn)
	if p.Place.EndLine != p.Place.Line {
		end = fmt.Sprintf("%d:%d", p.Place.EndLine, p.Place.EndColumn)
	}
	return fmt.Sprintf("%s %s%d:%d-%s", p.Code, file, p.Place.Line, p.Place.Column, end)
}

var (
	wantLine  = regexp.MustCompile(`(?m)^[ \t]*# want: (SCN\d{4}) (.*?)\r?$`)
	argsLine  = regexp.MustCompile(`(?m)^[ \t]*# args: (.*?)\r?$`)
	textMark  = regexp.MustCompile(`^((?:[^ ]+:)?)(\d+)(?:#(\d+))? (.+)$`)
	placeMark = regexp.MustCompile(`^(?:[^ ]+:)?\d+:\d+-\d+(?::\d+)?$`)
)

func arguments(src []byte) []string {
	var all []string
	for _, m := range argsLine.FindAllSubmatch(src, -1) {
		all = append(all, strings.Fields(string(m[1]))...)
	}
	return all
}

// marks reads a file's marks, with columns in place of texts.
func marks(t *testing.T, path string, src []byte) []string {
	t.Helper()
	lines := strings.SplitAfter(string(src), "\n")
	all := []string{}
	for _, m := range wantLine.FindAllSubmatch(src, -1) {
		code, mark := string(m[1]), string(m[2])
		if placeMark.MatchString(mark) {
			all = append(all, code+" "+mark)
			continue
		}
		parts := textMark.FindStringSubmatch(mark)
		if parts == nil {
			t.Fatalf("not a mark: %s", mark)
		}
		in := lines
		switch parts[1] {
		case "":
		case "--var:":
			in = vars(arguments(src))
		default:
			other, err := os.ReadFile(filepath.Join(filepath.Dir(path), strings.TrimSuffix(parts[1], ":")))
			if err != nil {
				t.Fatal(err)
			}
			in = strings.SplitAfter(string(other), "\n")
		}
		from, to := columnsOf(t, in, parts[2], cmp.Or(parts[3], "1"), parts[4])
		all = append(all, fmt.Sprintf("%s %s%s:%d-%d", code, parts[1], parts[2], from, to))
	}
	return all
}

// vars are the values of --var, which count as lines.
func vars(args []string) []string {
	var all []string
	for i, a := range args {
		if a == "--var" {
			all = append(all, args[i+1])
		}
	}
	return all
}

// columnsOf finds the n-th place of a text in a line.
func columnsOf(t *testing.T, lines []string, line, n, text string) (from, to int) {
	t.Helper()
	number, _ := strconv.Atoi(line)
	times, _ := strconv.Atoi(n)
	if number < 1 || number > len(lines) {
		t.Fatalf("there is no line %s", line)
	}
	at := -1
	for range times {
		next := strings.Index(lines[number-1][at+1:], text)
		if next < 0 {
			t.Fatalf("there is no %q in line %s", text, line)
		}
		at += 1 + next
	}
	from = len([]rune(strings.TrimPrefix(lines[number-1][:at], "\ufeff"))) + 1
	return from, from + len([]rune(text))
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := gocmp.Diff(string(want), got); d != "" {
		t.Errorf("differs from %s (-want +got), -update renews it:\n%s", path, d)
	}
}

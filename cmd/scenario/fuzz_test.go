package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/scenario-run/scenario/actions"
	"github.com/scenario-run/scenario/dsl/diag"
	"github.com/scenario-run/scenario/dsl/lang"
	"github.com/scenario-run/scenario/dsl/reference"
	"github.com/scenario-run/scenario/dsl/schema"
)

// Whatever a file holds, it is taken from its text to its plan without a panic
// and without a hang, and every problem has a code and a place that can be
// shown.
func FuzzValidate(f *testing.F) {
	for _, src := range seeds(f) {
		f.Add(src)
	}
	registry := actions.New()
	f.Fuzz(func(t *testing.T, src []byte) {
		w := system()
		w.environ, w.stdin = nil, bytes.NewReader(src)
		l, err := load(w, registry, &selection{}, []string{"-"}, lang.Options{})
		if err != nil {
			t.Fatal(err)
		}
		diags := l.diags()
		for _, d := range diags {
			if d.Subject == nil || d.Subject.Filename == "" || d.Subject.Start.Line < 1 || diag.CodeOf(d) == "" {
				t.Errorf("no place or no code: %#v", d)
			}
		}
		if err := diag.Print(io.Discard, l.texts, diags, diag.Style{Width: 80}); err != nil {
			t.Error(err)
		}
		for _, file := range l.files {
			for _, p := range file.variants[:min(2, len(file.variants))] {
				p.Text(80)
				if _, err := p.JSON(); err != nil {
					t.Error(err)
				}
			}
		}
	})
}

// seeds are what files are made of to find those that break something: scenarios,
// right and wrong, and every example of the reference.
func seeds(t testing.TB) [][]byte {
	t.Helper()
	var all [][]byte
	for _, pattern := range []string{"testdata/wrong/*.hcl", "../../scenarios/*.hcl", "../../dsl/lang/testdata/right/*.hcl", "testdata/seeds/*.hcl"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatal(pattern, err)
		}
		for _, path := range files {
			src, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, src)
		}
	}
	for _, topic := range language().Topics() {
		for _, e := range topic.Examples {
			text := e.Files[0].Text
			if topic.Kind == reference.FunctionTopic && !strings.Contains(text, "scenario \"") {
				example, _, _ := strings.Cut(text, "\n")
				text = "scenario \"s\" {}\n\noutput \"x\" {\n  value = " + example + "\n}\n"
			}
			all = append(all, []byte(text))
		}
	}
	return all
}

// A word that no seed has is one that no mutation of them comes upon.
func TestSeedsHaveEveryWordOfTheLanguage(t *testing.T) {
	text := string(bytes.Join(seeds(t), []byte("\n")))
	has := func(pattern, what string) {
		t.Helper()
		if !regexp.MustCompile(pattern).MatchString(text) {
			t.Errorf("no seed has %s", what)
		}
	}
	var body func(of string, o schema.Object)
	body = func(of string, o schema.Object) {
		for _, a := range o.Attrs {
			has(`\b`+a.Name+` *=`, "the argument "+of+"."+a.Name)
		}
		for _, b := range o.Blocks {
			has(`\b`+b.Name+`( "\w+")? *\{`, "the block "+of+"."+b.Name)
			body(of+"."+b.Name, b.Body)
		}
	}
	l := language()
	for _, b := range l.Blocks {
		has(`(?m)^ *`+b.Name+`( "\w+")* *\{`, "the block "+b.Name)
		body(b.Name, b.Args.And(b.Meta))
	}
	for _, ty := range l.Types {
		has(`"`+ty.Name+`"|\b`+ty.Name+` *\{`, string(ty.Kind)+" "+ty.Name)
		body(ty.Name, ty.Args)
	}
	for _, f := range l.Functions {
		has(`\b`+f.Name+`\(`, "the function "+f.Name)
	}
	for _, w := range l.Windows {
		has(`\b`+string(w.Name)+`\(`, "the function "+string(w.Name))
	}
}

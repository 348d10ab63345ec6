package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/scenario-run/scenario/actions"
	"github.com/scenario-run/scenario/dsl/diag"
	"github.com/scenario-run/scenario/dsl/lang"
)

// Whatever a file holds, it is taken from its text to its plan without a panic
// and without a hang, and every problem has a code and a place that can be
// shown.
func FuzzValidate(f *testing.F) {
	for _, pattern := range []string{"testdata/wrong/*.hcl", "../../scenarios/*.hcl", "../../dsl/lang/testdata/right/*.hcl"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			f.Fatal(pattern, err)
		}
		for _, path := range files {
			src, err := os.ReadFile(path)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(src)
		}
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

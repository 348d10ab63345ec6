package lang_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"

	"github.com/scenario-run/scenario/dsl/diag"
	"github.com/scenario-run/scenario/dsl/lang"
)

var update = flag.Bool("update", false, "write what came out as what is expected")

// Each file of testdata/wrong is wrong in one way, and must be called so: with
// a code, at the place where a person has to change something. Comments at its
// top give values, as flags do.
func TestWhatIsWrongIsSaidWhereItStands(t *testing.T) {
	files, err := filepath.Glob("testdata/wrong/*.hcl")
	if err != nil {
		t.Fatal(err, len(files))
	}
	for _, path := range files {
		name := strings.TrimSuffix(filepath.Base(path), ".hcl")
		t.Run(name, func(t *testing.T) {
			_, diags, text := load(t, path, lang.Options{Values: values(t, path)})
			for _, d := range diags {
				if diag.CodeOf(d) == "" || d.Subject == nil || d.Subject.Filename == "" {
					t.Errorf("no code or no place: %v", d)
				}
			}
			if len(diags) == 0 {
				t.Error("nothing is wrong with it")
			}
			golden(t, "testdata/wrong/"+name+".txt", text)
		})
	}
}

// values reads the lines "# --var NAME=VALUE" of a file.
func values(t *testing.T, path string) []lang.Value {
	t.Helper()
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var all []lang.Value
	for line := range strings.Lines(string(src)) {
		given, ok := strings.CutPrefix(strings.TrimSpace(line), "# --var ")
		if !ok {
			continue
		}
		name, text, _ := strings.Cut(given, "=")
		from, to := len(name)+1, len(given)
		all = append(all, lang.Value{Name: name, Text: text, From: "--var", Range: hcl.Range{
			Filename: "--var", Start: hcl.Pos{Line: 1, Column: from + 1, Byte: from}, End: hcl.Pos{Line: 1, Column: to + 1, Byte: to},
		}})
	}
	return all
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
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("differs from %s (-want +got), -update renews it:\n%s", path, d)
	}
}

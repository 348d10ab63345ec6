package lang_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/hashicorp/hcl/v2"

	"github.com/scenario-run/scenario/dsl/diag"
	"github.com/scenario-run/scenario/dsl/lang"
	"github.com/scenario-run/scenario/dsl/source"
)

func load(t *testing.T, path string, opts lang.Options) (*lang.Scenario, hcl.Diagnostics, string) {
	t.Helper()
	set, diags := source.Load(path, source.Options{})
	opts.Vocabulary = vocabulary()
	s, more := lang.Load(set, opts)
	diags = append(diags, more...)
	var out bytes.Buffer
	if err := diag.Print(&out, set.Sources(), diags, diag.Style{}); err != nil {
		t.Fatal(err)
	}
	return s, diags, out.String()
}

func TestTheShippedScenariosLoad(t *testing.T) {
	for _, name := range []string{"ha_serve", "liveness"} {
		t.Run(name, func(t *testing.T) {
			s, diags, text := load(t, filepath.Join("../../scenarios", name+".hcl"), lang.Options{})
			if len(diags) > 0 {
				t.Fatalf("diagnostics:\n%s", text)
			}
			for _, key := range s.VariantKeys {
				v, diags := s.Expand(key)
				if diags.HasErrors() {
					t.Fatal(diags)
				}
				if diags := evaluateAll(v); len(diags) > 0 {
					t.Error(key, diags)
				}
			}
		})
	}
}

func TestWhatIsRightLoadsWithoutAWord(t *testing.T) {
	files, err := filepath.Glob("testdata/right/*.hcl")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, path := range files {
		s, diags, text := load(t, path, lang.Options{})
		if len(diags) > 0 {
			t.Fatalf("%s:\n%s", path, text)
		}
		for _, key := range s.VariantKeys {
			v, diags := s.Expand(key)
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			if diags := evaluateAll(v); len(diags) > 0 {
				t.Error(diags)
			}
		}
	}
}

func TestEvaluationsMayRunSideBySide(t *testing.T) {
	set, diags := source.Load("testdata/right/expressions.hcl", source.Options{})
	s, more := lang.Load(set, lang.Options{Vocabulary: vocabulary()})
	if diags = append(diags, more...); diags.HasErrors() {
		t.Fatal(diags)
	}
	v, _ := s.Expand("")
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			if diags := evaluateAll(v); len(diags) > 0 {
				t.Error(diags)
			}
		})
	}
	group.Wait()
}

func TestEachVariantIsHandedOnOnceWhateverIsWrong(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.hcl")
	text := "scenario \"x\" {}\nmatrix {\n  a = range(3)\n  b = [\"x\", \"y\"]\n}\naction \"note\" \"n\" {\n  values = 1 / matrix.a\n}\n"
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	set, _ := source.Load(path, source.Options{})
	var keys []string
	s, diags := lang.Load(set, lang.Options{Vocabulary: vocabulary(), Each: func(v *lang.Variant) {
		if len(v.Steps) == 0 {
			t.Errorf("%s has no steps", v.Key)
		}
		keys = append(keys, v.Key)
	}})
	if !diags.HasErrors() {
		t.Error("nothing is said to be wrong")
	}
	if !slices.Equal(keys, s.VariantKeys) {
		t.Errorf("handed on: %q; there are %q", keys, s.VariantKeys)
	}
}

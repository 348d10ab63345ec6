package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/scenario-run/scenario/dsl/lang"
)

func TestTheLanguageAsDataFollowsItsPublishedSchema(t *testing.T) {
	schema := compile(t, pagesDir+"/language.schema.json")
	var out bytes.Buffer
	if err := language().JSON(&out); err != nil {
		t.Fatal(err)
	}
	first := out.String()
	doc, err := jsonschema.UnmarshalJSON(&out)
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(doc); err != nil {
		t.Error(err)
	}
	// The schema says something: what it knows nothing of, and what lacks, is refused.
	for name, spoil := range map[string]func(map[string]any){
		"an unknown member": func(d map[string]any) { d["more"] = true },
		"another version":   func(d map[string]any) { d["schema_version"] = 2 },
		"no blocks":         func(d map[string]any) { delete(d, "blocks") },
		"a type of nothing": func(d map[string]any) { d["statistics"].([]any)[0].(map[string]any)["type"] = "" },
	} {
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(first)))
		if err != nil {
			t.Fatal(err)
		}
		spoil(doc.(map[string]any))
		if schema.Validate(doc) == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	var again bytes.Buffer
	if err := language().JSON(&again); err != nil || again.String() != first {
		t.Errorf("the same language gives other bytes (%v)", err)
	}
}

func compile(t *testing.T, path string) *jsonschema.Schema {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(path, doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile(path)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// What plan --json prints of a directory with plans, warnings and mistakes in it.
func TestPlansAndWhatIsWrongFollowTheirPublishedSchema(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"broken.hcl":   "scenario \"broken\" {}\n\nnode \"a\" { image = \"i\" }\nnode \"a\" { image = \"i\" }\naction \"noet\" \"b\" {}\n",
		"doubtful.hcl": "scenario \"doubtful\" {}\n",
		"ok.hcl":       "scenario \"ok\" {}\n\naction \"sleep\" \"a\" { for = \"1s\" }\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	w := &world{stdin: strings.NewReader(""), dir: dir}
	l, err := load(w, system().registry(), &selection{}, []string{dir}, lang.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := l.asList(&out, planned.JSON); err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(&out)
	if err != nil {
		t.Fatal(err)
	}
	schema := compile(t, pagesDir+"/plan.schema.json")
	if err := schema.Validate(doc); err != nil {
		t.Error(err)
	}
	all, _ := doc.([]any)
	if len(all) != 4 { // two plans, and two files of which there is something to say
		t.Fatalf("%d elements: %v", len(all), all)
	}
	delete(all[0].(map[string]any)["diagnostics"].([]any)[0].(map[string]any), "place")
	if schema.Validate(doc) == nil {
		t.Error("a diagnostic without a place is accepted")
	}
}

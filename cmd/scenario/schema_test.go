package main

import (
	"bytes"
	"os"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
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

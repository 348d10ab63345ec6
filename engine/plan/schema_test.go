package plan_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/scenario-run/scenario/dsl/source"
	"github.com/scenario-run/scenario/engine/plan"
)

const schemaFile = "../../docs/reference/plan.schema.json"

// published is the schema of a plan. Closed, it takes no field that it does not
// describe, so that none is added to a plan and forgotten there.
func published(t *testing.T, closed bool) *jsonschema.Schema {
	t.Helper()
	text, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	if closed {
		text = bytes.ReplaceAll(text, []byte(`"type": "object",`), []byte(`"type": "object", "additionalProperties": false,`))
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("plan.schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("plan.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func check(t *testing.T, s *jsonschema.Schema, text string) error {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(doc)
}

func asJSON(t testing.TB, p *plan.Plan) string {
	t.Helper()
	data, err := p.JSON()
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// shippedNames are all scenarios that come with the project.
func shippedNames(t testing.TB) (all []string) {
	t.Helper()
	files, err := source.Find([]string{"../../scenarios"})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		rel, err := filepath.Rel("../../scenarios", f)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, strings.TrimSuffix(rel, ".hcl"))
	}
	if len(all) < 5 {
		t.Fatalf("found only %q", all)
	}
	return all
}

func TestEveryPlanFitsThePublishedSchema(t *testing.T) {
	s := published(t, true)
	plans := []*plan.Plan{grouped(t), hostile(t), roundsByTime(t), build(t, ""), build(t, "volume \"v\" {}\n"+node("a"))}
	for _, name := range shippedNames(t) {
		plans = append(plans, shipped(t, name)...)
	}
	var all []string
	for _, p := range plans {
		text := asJSON(t, p)
		all = append(all, text)
		if err := check(t, s, text); err != nil {
			t.Errorf("%s: %v", p.Name(), err)
		}
	}
	if err := check(t, s, "["+strings.Join(all, ",")+"]"); err != nil {
		t.Errorf("all in one list: %v", err)
	}
}

func TestTheSchemaTellsWhatIsNoPlan(t *testing.T) {
	s := published(t, false)
	right := asJSON(t, grouped(t))
	if err := check(t, s, strings.Replace(right, `"version": 1,`, `"version": 1, "later": true,`, 1)); err != nil {
		t.Errorf("a field that a later version adds is refused: %v", err)
	}
	for _, c := range []struct{ old, new string }{
		{`"version": 1`, `"version": 2`},
		{`"scenario": "x",`, ``},
		{`"kind": "image"`, `"kind": "picture"`},
		{`"cause": "order"`, `"cause": "habit"`},
		{`"need": "active"`, `"need": "perfect"`},
		{`"line": 2`, `"line": 0`},
		{`"id": "network.default",`, ``},
		{`"node.a"`, `"a"`},
	} {
		wrong := strings.Replace(right, c.old, c.new, 1)
		if wrong == right {
			t.Fatalf("%s isn't in the plan", c.old)
		}
		if err := check(t, s, wrong); err == nil {
			t.Errorf("%s in place of %s is no mistake", c.new, c.old)
		}
	}
}

package actions_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/actions"
	"github.com/scenario-run/scenario/dsl/diag"
	"github.com/scenario-run/scenario/dsl/lang"
	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/dsl/source"
	"github.com/scenario-run/scenario/engine/plan"
)

// load loads and plans a file with the whole vocabulary and returns its
// diagnostics as text.
func load(t *testing.T, path string) string {
	t.Helper()
	set, diags := source.Load(path, source.Options{})
	s, more := lang.Load(set, lang.Options{Vocabulary: actions.New().Vocabulary()})
	diags = append(diags, more...)
	if s != nil {
		for _, key := range s.VariantKeys {
			v, more := s.Expand(key)
			diags = append(diags, more...)
			if v != nil {
				_, more = plan.Build(v)
				diags = append(diags, more...)
			}
		}
	}
	var out bytes.Buffer
	if err := diag.Print(&out, set.Sources(), diags, diag.Style{}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestEveryExampleLoadsAndPlans(t *testing.T) {
	for _, d := range actions.Definitions() {
		if len(d.Examples) == 0 {
			t.Errorf("%s %s has no example", d.Kind, d.Name)
		}
		for _, e := range d.Examples {
			if problems := loadText(t, e.Text); problems != "" {
				t.Errorf("%s %s, %q:\n%s", d.Kind, d.Name, e.Title, problems)
			}
			if !strings.Contains(e.Text, `"`+d.Name+`"`) && !strings.Contains(e.Text, d.Name+" {") {
				t.Errorf("%s %s: the example %q does not use it", d.Kind, d.Name, e.Title)
			}
		}
	}
}

func TestEveryTypeIsDocumented(t *testing.T) {
	for _, d := range actions.Definitions() {
		name := string(d.Kind) + " " + d.Name
		// "action kill: sends a signal": a summary goes on from the name.
		if d.Summary == "" || strings.HasSuffix(d.Summary, ".") || unicode.IsUpper([]rune(d.Summary)[0]) {
			t.Errorf("%s: summary %q", name, d.Summary)
		}
		if !strings.HasSuffix(strings.TrimSpace(d.Doc), ".") {
			t.Errorf("%s: documentation %q", name, d.Doc)
		}
		documented(t, name+": argument ", d.Args)
		for _, a := range d.Args.Attrs {
			if a.Required && a.OnlyNode != (schema.OnlyNode{}) {
				t.Errorf("%s: argument %s is required and has a default", name, a.Name)
			}
		}
		if d.Result != nil {
			documented(t, name+": result ", d.Result(cty.UnknownVal(d.Args.Type())))
		}
	}
}

// documented wants a sentence for everything in an object.
func documented(t *testing.T, owner string, o schema.Object) {
	t.Helper()
	for _, a := range o.Attrs {
		if !strings.HasSuffix(a.Doc, ".") && !strings.HasSuffix(a.Doc, "…") {
			t.Errorf("%s%s: documentation %q", owner, a.Name, a.Doc)
		}
		// What is counted in a unit says which.
		if strings.HasSuffix(a.Name, "_seconds") && !strings.Contains(strings.ToLower(a.Doc), "second") {
			t.Errorf("%s%s: %q does not say that it is seconds", owner, a.Name, a.Doc)
		}
		documented(t, owner+a.Name+".", schema.Object{Attrs: a.Fields})
	}
	for _, b := range o.Blocks {
		if !strings.HasSuffix(b.Doc, ".") {
			t.Errorf("%s%s: documentation %q", owner, b.Name, b.Doc)
		}
		documented(t, owner+b.Name+".", b.Body)
	}
}

// A definition without the function that its kind needs would be found only
// when a scenario runs.
func TestEveryDefinitionCanBeCarriedOut(t *testing.T) {
	for _, d := range actions.Definitions() {
		has := map[schema.Kind]bool{
			schema.Action: d.Action != nil, schema.Fault: d.Fault != nil, schema.Probe: d.Probe != nil,
			schema.Workload: d.Workload != nil, schema.NodeKind: d.NodeKind != nil,
		}
		for kind, set := range has {
			if set != (kind == d.Kind) {
				t.Errorf("%s %s: function of a %s is set: %t", d.Kind, d.Name, kind, set)
			}
		}
	}
}

func loadText(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "example.hcl")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return load(t, path)
}

func TestArgumentsAreCheckedBeforeAnythingRuns(t *testing.T) {
	for _, tt := range []struct{ name, block, want string }{
		{"host instead of a node", `workload "http" "w" {
  url  = "http://${node.web.ip}/"
  rate = 1
  from = "host"
}`, ""},
		{"a node", `workload "http" "w" {
  url  = "http://${node.web.ip}/"
  rate = 1
  from = node.web
}`, ""},
		{"another word", `workload "http" "w" {
  url  = "http://${node.web.ip}/"
  rate = 1
  from = "hots"
}`, `"from" can't be "hots"`},
		{"neither url nor urls", `workload "http" "w" {
  rate = 1
}`, "url or urls is missing"},
		{"both", `workload "http" "w" {
  url  = "http://a"
  urls = ["http://b"]
  rate = 1
}`, "url and urls exclude each other"},
		{"a rate of nothing", `workload "http" "w" {
  url  = "http://a"
  rate = 0
}`, "rate: must be between 0.001 and 100000 per second"},
		{"an expect that is misspelt", `workload "http" "w" {
  url    = "http://a"
  rate   = 1
  expect = { stauts = 200 }
}`, `has no "stauts"`},
		{"a signal", `action "kill" "k" {
  nodes  = [node.web]
  signal = "KILL"
}`, `"KILL" is not a signal`},
		{"a duration", `action "sleep" "s" {
  for = "soon"
}`, `"soon" is not a duration`},
		{"no node", `action "exec" "e" {
  node    = "web"
  command = ["true"]
}`, `"node" takes`},
		{"a captured name that is not", `workload "http" "w" {
  url     = "http://${node.web.ip}/"
  rate    = 1
  capture = { pid = "pid" }
}

assert "a" {
  condition = length(workload.w.captured.pdi) == 1
}`, `"pdi"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := loadText(t, "scenario \"x\" {}\n\nnode \"web\" {\n  image = \"nginx\"\n}\n\n"+tt.block+"\n")
			if tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
				t.Errorf("got\n%s\nwant %q", got, tt.want)
			}
		})
	}
}

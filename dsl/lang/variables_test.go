package lang_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/lang"
)

func TestTheStrongestValueOfAVariableCounts(t *testing.T) {
	at := hcl.Range{Filename: "--var", Start: hcl.InitialPos, End: hcl.InitialPos}
	v := expand(t, `
variable "a" {
  default = "weak"
  type    = string
}

variable "n" {
  type = number
}

variable "cfg" {
  type = object({ host = string, port = optional(number, 80) })
}

variable "token" {
  type      = string
  sensitive = true
}

output "o" {
  value = [var.a, var.n, var.cfg.port, "Bearer ${var.token}"]
}
`, lang.Options{Values: []lang.Value{
		{Name: "a", Text: "from a file", From: "x.auto.vars.hcl", Range: at},
		{Name: "none", Text: "1", Lenient: true, From: "x.auto.vars.hcl", Range: at},
		{Name: "a", Text: "[given]", From: "--var", Range: at},
		{Name: "n", Text: "5", From: "SCENARIO_VAR_n", Range: at},
		{Name: "cfg", Text: `{ host = "h" }`, From: "--var", Range: at},
		{Name: "token", Text: "s3cret", From: "--var", Range: at},
	}})
	got, diags := v.Outputs[0].Value.Eval(v.Planned())
	want := cty.TupleVal([]cty.Value{cty.StringVal("[given]"), cty.NumberIntVal(5), cty.NumberIntVal(80), cty.StringVal("Bearer s3cret")})
	if diags.HasErrors() || !got.RawEquals(want) {
		t.Errorf("%#v %v", got, diags)
	}
	if d := cmp.Diff([]string{"Bearer s3cret", "s3cret"}, v.Secrets); d != "" {
		t.Error(d)
	}
	for _, x := range v.Scenario.Variables {
		if x.Name == "a" && x.From != "--var" || x.Name == "n" && x.From != "SCENARIO_VAR_n" {
			t.Errorf("%s is from %s", x.Name, x.From)
		}
	}
}

func TestSensitiveArgumentsAreSecrets(t *testing.T) {
	v := expand(t, cluster+`
action "login" "in" {
  password = "hunter2"
}
`, lang.Options{})
	if d := cmp.Diff([]string{"hunter2"}, v.Secrets); d != "" {
		t.Error(d)
	}
}

func TestVariantsAreTheProductOfTheAxes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.hcl")
	os.WriteFile(path, []byte(`
scenario "s" {}

variable "sizes" {
  default = [1, 3]
}

matrix {
  storage = ["rocksdb", "redis"]
  size    = var.sizes

  exclude {
    storage = "redis"
    size    = 3
  }

  include {
    storage = "memory"
    size    = 5
  }
}

node "web" {
  count = matrix.size
  image = matrix.storage
}
`), 0o644)
	s, diags, text := load(t, path, lang.Options{})
	if len(diags) > 0 {
		t.Fatal(text)
	}
	want := []string{"storage=rocksdb,size=1", "storage=rocksdb,size=3", "storage=redis,size=1", "storage=memory,size=5"}
	if d := cmp.Diff(want, s.VariantKeys); d != "" {
		t.Error(d)
	}
	v, _ := s.Expand("storage=memory,size=5")
	if len(v.Nodes) != 5 || v.Nodes[4].Address != "node.web[4]" || v.Nodes[4].Host != "web-4" {
		t.Errorf("%d nodes", len(v.Nodes))
	}
	if _, diags := s.Expand("storage=none"); !diags.HasErrors() {
		t.Error("an unknown variant was expanded")
	}
}

// confidant is a scope that keeps what it is told.
type confidant struct {
	scope
	told *[]string
}

func (c confidant) Confide(texts ...string) { *c.told = append(*c.told, texts...) }

func TestWhatIsComputedOfSecretsWhileRunningIsConfided(t *testing.T) {
	v := expand(t, `
variable "token" {
  default   = "s3cret"
  sensitive = true
}

node "web" {
  image = "i"
}

action "exec" "a" {
  node    = node.web
  command = ["true"]
}

action "exec" "b" {
  node    = node.web
  command = ["echo", "${var.token}@${action.a.stdout}", base64encode("${var.token}:${action.a.stdout}"), action.a.stdout]
}

output "o" {
  value = { whole = urlencode("${var.token} ${action.a.stdout}"), plain = action.a.stdout }
}
`, lang.Options{})
	var told []string
	s := confidant{scope{planned: v.Planned(), values: map[string]cty.Value{"action.a": object("stdout", cty.StringVal("host"))}}, &told}
	for what, eval := range map[string]func(lang.Scope) (cty.Value, hcl.Diagnostics){
		"the action": find(t, v.Steps, "action.b").Body.Eval, "the output": v.Outputs[0].Value.Eval,
	} {
		if _, diags := eval(s); diags.HasErrors() {
			t.Fatal(what, diags)
		}
	}
	slices.Sort(told)
	if d := cmp.Diff([]string{"czNjcmV0Omhvc3Q=", "s3cret+host", "s3cret@host"}, told); d != "" {
		t.Error(d)
	}
}

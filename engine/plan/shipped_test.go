package plan_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/scenario-run/scenario/actions"
	"github.com/scenario-run/scenario/dsl/lang"
	"github.com/scenario-run/scenario/dsl/source"
	"github.com/scenario-run/scenario/engine/plan"
)

// shipped plans every variant of a scenario that comes with the project. What
// lies beside it as a variable file is this machine's own and left out.
func shipped(t testing.TB, name string) []*plan.Plan {
	t.Helper()
	set, diags := source.Load(filepath.Join("../../scenarios", name+".hcl"), source.Options{})
	s, more := lang.Load(set, lang.Options{Vocabulary: actions.New().Vocabulary()})
	if diags = append(diags, more...); diags.HasErrors() {
		t.Fatal(show(t, set.Sources(), diags))
	}
	var all []*plan.Plan
	for _, key := range s.VariantKeys {
		v, diags := s.Expand(key)
		if diags.HasErrors() {
			t.Fatal(show(t, set.Sources(), diags))
		}
		p, diags := plan.Build(v)
		if len(diags) > 0 {
			t.Fatal(show(t, set.Sources(), diags))
		}
		all = append(all, p)
	}
	return all
}

func TestShippedScenariosHaveTheirPlans(t *testing.T) {
	for _, name := range []string{"ha_serve", "liveness"} {
		t.Run(name, func(t *testing.T) {
			for _, p := range shipped(t, name) {
				file := filepath.Join("testdata", name)
				if p.Variant.Key != "" {
					_, value, _ := strings.Cut(p.Variant.Key, "=")
					file += "_" + value
				}
				golden(t, file+".txt", p.Text(0))
				golden(t, file+".json", asJSON(t, p))
			}
		})
	}
}

// The order in which maps are walked differs from one walk to the next, so it
// would show within a few of these.
func TestThePlanIsTheSameToTheByte(t *testing.T) {
	forms := func(name string) string {
		var b strings.Builder
		for _, p := range shipped(t, name) {
			graph, err := p.GraphJSON()
			if err != nil {
				t.Fatal(err)
			}
			b.WriteString(asJSON(t, p) + p.Text(80) + p.GraphText() + p.DOT() + plan.Mermaid(p) + string(graph))
		}
		return b.String()
	}
	rounds := 20
	if testing.Short() {
		rounds = 4
	}
	for _, name := range shippedNames(t) {
		first := forms(name)
		for range rounds - 1 {
			if forms(name) != first {
				t.Fatalf("two plans of %s differ", name)
			}
		}
	}
}

func TestThePlanFitsTheTerminal(t *testing.T) {
	for _, width := range []int{40, 80, 120} {
		text := shipped(t, "ha_serve")[0].Text(width)
		for line := range strings.Lines(text) {
			if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > width {
				t.Errorf("width %d: %d columns in %q", width, n, line)
			}
		}
	}
}

func BenchmarkPlanOfHAServe(b *testing.B) {
	for b.Loop() {
		shipped(b, "ha_serve")[0].Text(80)
	}
}

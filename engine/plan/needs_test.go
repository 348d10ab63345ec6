package plan_test

import (
	"strings"
	"testing"

	"github.com/scenario-run/scenario/dsl/lang"
	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/plan"
)

func TestAStepNeedsWhatItsNestedTypesNeed(t *testing.T) {
	needing := func(needs ...schema.Need) schema.Type {
		return schema.Type{Kind: schema.Fault, Name: "x", Needs: needs}
	}
	v := &plan.Vertex{ID: "action.storm", Kind: plan.StepVertex, Title: "storm", Step: &lang.Step{
		Type: needing(schema.Need{"nftables"}),
		Of:   []schema.Type{needing(schema.Need{"nftables"}, schema.Need{"netem", "nfqueue"}), needing(schema.Need{"netem", "nfqueue"})},
	}}
	p := &plan.Plan{Variant: &lang.Variant{}, Vertices: []*plan.Vertex{v}}
	if got := p.Text(0); !strings.Contains(got, "needs: nftables, netem or nfqueue\n") {
		t.Error(got)
	}
	data, err := p.JSON()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(strings.Fields(string(data)), ""); !strings.Contains(got, `"needs":[["nftables"],["netem","nfqueue"]]`) {
		t.Errorf("%s", data)
	}
	start := &plan.Vertex{Kind: plan.GroupStart, Step: v.Step}
	if got := start.Needs(); got != nil {
		t.Errorf("the start of a group needs %v", got)
	}
}

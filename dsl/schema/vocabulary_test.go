package schema_test

import (
	"slices"
	"testing"

	"github.com/scenario-run/scenario/dsl/schema"
)

func TestFurtherTypesReplaceNothing(t *testing.T) {
	v := schema.NewVocabulary(
		schema.Type{Kind: schema.Fault, Name: "kill", Summary: "first"},
		schema.Type{Kind: schema.Probe, Name: "http"},
	)
	more := v.With(
		schema.Type{Kind: schema.Action, Name: "kill", Summary: "second"},
		schema.Type{Kind: schema.Action, Name: "roll"},
		schema.Type{Kind: schema.Action, Name: "roll", Summary: "again"},
		schema.Type{Kind: schema.Probe, Name: "kill"},
	)
	if got, want := more.Names(schema.Action), []string{"kill", "roll"}; !slices.Equal(got, want) {
		t.Errorf("actions %v, want %v", got, want)
	}
	if got, want := more.Names(schema.Probe), []string{"http", "kill"}; !slices.Equal(got, want) {
		t.Errorf("probes %v, want %v", got, want)
	}
	if kill, _ := more.Lookup(schema.Action, "kill"); kill.Summary != "first" || kill.Kind != schema.Fault {
		t.Errorf("kill became %+v", kill)
	}
	if got := v.Names(schema.Action); !slices.Equal(got, []string{"kill"}) {
		t.Errorf("the vocabulary itself became %v", got)
	}
}

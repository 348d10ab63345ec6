package schema_test

import (
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/schema"
)

func TestTypesAreWrittenAsAFileWouldWriteThem(t *testing.T) {
	optional := cty.ObjectWithOptionalAttrs(map[string]cty.Type{"b": cty.Bool, "a": cty.List(cty.String)}, []string{"b"})
	for want, typ := range map[string]cty.Type{
		"string":               cty.String,
		"any":                  cty.DynamicPseudoType,
		"list(map(number))":    cty.List(cty.Map(cty.Number)),
		"set(bool)":            cty.Set(cty.Bool),
		"list(node)":           cty.List(schema.NodeType),
		"tuple([string, any])": cty.Tuple([]cty.Type{cty.String, cty.DynamicPseudoType}),
		"object({})":           cty.EmptyObject,
		"object({ a = list(string), b = optional(bool) })": optional,
	} {
		if got := schema.Notation(typ); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	for want, ref := range map[string]schema.Ref{"node": schema.RefNode, "list(node)": schema.RefNodes, "list(list(node))": schema.RefNodeSets, "list(fault)": schema.RefFaults, "workload": schema.RefWorkload} {
		if got := (schema.Attr{Ref: ref}).Notation(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

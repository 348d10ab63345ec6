package exec

import (
	"slices"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/engine/step/steptest"
)

func TestAProgramBecomesTheTraffic(t *testing.T) {
	d := workload()
	got, err := d.Workload(steptest.Args(t, d, map[string]cty.Value{
		"node": cty.StringVal("node.client"), "command": cty.ListVal([]cty.Value{cty.StringVal("python3"), cty.StringVal("/c.py")}),
		"capture": cty.MapVal(map[string]cty.Value{"key": cty.StringVal("reply.id")}), "workers": cty.NumberIntVal(3),
	}))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.Program, []string{"python3", "/c.py"}) || got.From != "node.client" || got.Job != "" || got.Baseline != 20 ||
		string(got.Spec) != `{"workers":3,"capture":{"key":"reply.id"}}` || !slices.Equal(got.Captures, []string{"key"}) {
		t.Errorf("got %+v %s", got, got.Spec)
	}
}

func TestAWorkloadWithoutACommandIsRefused(t *testing.T) {
	command, _ := workload().Args.Attr("command")
	for _, words := range []cty.Value{cty.ListValEmpty(cty.String), steptest.Strings(""), steptest.Strings("", "a")} {
		if command.Refuse(words) == nil {
			t.Errorf("%#v was taken", words)
		}
	}
	if err := command.Refuse(steptest.Strings("echo", "")); err != nil {
		t.Error(err)
	}
}

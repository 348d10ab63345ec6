package lang_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/diag"
	"github.com/scenario-run/scenario/dsl/lang"
)

// TestLongTextsAreSearchedWhileAScenarioRuns looks for a pattern of many states, of
// which few are possible at once, in as long a text as there may be.
func TestLongTextsAreSearchedWhileAScenarioRuns(t *testing.T) {
	const line = "2024-01-01T00:00:00Z info the request of 10.0.0.1 took 3 ms and brought nothing\n"
	text := strings.Repeat(line, 16<<20/len(line)-1) + "2024-01-01T00:00:00Z error disk of 10.0.0.7 full\n"
	v, diags := evaluateOn(t, `regexall("error [a-z]+ of (([0-9]{1,3}[.]){3}[0-9]{1,3}) (full|broken|missing)", action.a.values)[0][0]`, text)
	if len(diags) > 0 || v.AsString() != "10.0.0.7" {
		t.Error(v, diags)
	}
}

func TestWhatWouldBeSearchedForTooLongIsRefusedAtOnce(t *testing.T) {
	_, diags := evaluateOn(t, `length(regexall("(a?){200}b", action.a.values))`, strings.Repeat("a", 16<<20-1))
	if len(diags) != 1 || diag.CodeOf(diags[0]) != diag.TooMany || !strings.HasPrefix(diags[0].Summary, "it takes too long to look for") {
		t.Error(diags)
	}
}

// evaluateOn evaluates an expression on what an action has brought.
func evaluateOn(t *testing.T, expression, brought string) (cty.Value, hcl.Diagnostics) {
	t.Helper()
	v := expand(t, "action \"note\" \"a\" {\n  values = \"x\"\n}\naction \"note\" \"b\" {\n  values = "+expression+"\n}\n", lang.Options{})
	s := scope{planned: v.Planned(), values: map[string]cty.Value{"action.a": cty.ObjectVal(map[string]cty.Value{"values": cty.StringVal(brought)})}}
	args, diags := find(t, v.Steps, "action.b").Body.Eval(s)
	if diags.HasErrors() {
		return cty.NilVal, diags
	}
	return args.GetAttr("values"), nil
}

package lang

import (
	"fmt"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/diag"
	"github.com/scenario-run/scenario/dsl/funcs"
)

// timeOfPart is how long a regular expression may be looked for, while a scenario
// runs, for what a part of an expression counts: 10 s for all of an evaluation.
const timeOfPart = 10 * time.Microsecond

// timed is a call that looks for a regular expression while a scenario runs. What
// it takes at worst is a hundred times what it mostly takes, and logs are long: so
// it is the clock that counts there, and nothing is refused but what is seen to
// take too long.
type timed struct {
	funcs.Match
	effort *effort
}

// runs says that this is evaluated for the run itself, not to check or to plan it.
func (f frame) runs() bool { return !f.checking() && f.same == nil }

// timed is nil if a call is none of those, or is counted.
func (f frame) timed(name string, args []cty.Value) *timed {
	m, ok := funcs.MatchOf(name, args)
	if !ok || !f.runs() {
		return nil
	}
	return &timed{m, f.effort}
}

// during makes a call, which may be none that is timed.
func (t *timed) during(e *hclsyntax.FunctionCallExpr, call func() (cty.Value, hcl.Diagnostics)) (cty.Value, hcl.Diagnostics) {
	if t == nil {
		return call()
	}
	left := time.Duration(t.effort.least()) * timeOfPart
	longest := t.Longest()
	if longest <= left {
		start := time.Now()
		v, diags := call()
		t.effort.take(int(min(longest, time.Since(start)) / timeOfPart))
		return v, diags
	}
	if about := t.Estimate(); about > left {
		return cty.DynamicVal, hcl.Diagnostics{t.takesTooLong(e, fmt.Sprintf("It would take about %s", about.Round(time.Second)))}
	}
	return t.within(2*left, e, call)
}

// within makes a call that is waited for so long. What nobody waits for any more
// ends by itself: nothing can interrupt it.
func (t *timed) within(limit time.Duration, e *hclsyntax.FunctionCallExpr, call func() (cty.Value, hcl.Diagnostics)) (cty.Value, hcl.Diagnostics) {
	type result struct {
		value cty.Value
		diags hcl.Diagnostics
	}
	done := make(chan result, 1)
	start := time.Now()
	go func() {
		v, diags := call()
		done <- result{v, diags}
	}()
	over := time.NewTimer(limit)
	defer over.Stop()
	select {
	case r := <-done:
		t.effort.take(min(int(time.Since(start)/timeOfPart), t.effort.least()))
		return r.value, r.diags
	case <-over.C:
		return cty.DynamicVal, hcl.Diagnostics{t.takesTooLong(e, fmt.Sprintf("It wasn't done after %s", limit.Round(time.Second)))}
	}
}

func (t *timed) takesTooLong(e *hclsyntax.FunctionCallExpr, why string) *hcl.Diagnostic {
	return diag.New(diag.TooMany, e.Range(), "it takes too long to look for this regular expression",
		fmt.Sprintf("%s in a text of %d KiB, and there may be %s for all that is evaluated together. Look for less, or in less of the text.",
			why, t.Length()>>10, timeOfPart*maxEffort))
}

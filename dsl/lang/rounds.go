package lang

import (
	"maps"
	"strings"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/diag"
)

// Round is a round of a repeat with For that was made while it ran.
type Round struct {
	Steps   []*Step
	Probes  []*Probe // inside uses of defines
	Secrets []string // as of a Variant
	Planned Scope    // as of a Variant
}

// Round makes one more round of a repeat with For. Nothing that the variant
// holds is changed by it, so that it may be called while expressions are
// evaluated; what it makes is held by nothing else.
func (s *Step) Round(n int) (Round, hcl.Diagnostics) { return s.round(n) }

// lasting is how long new rounds of a repeat begin; 0 if it doesn't say.
func (x *expansion) lasting(i *instance) time.Duration {
	b := i.decl.args
	given := b.attrs["for"]
	if given == nil || b.attrs["times"] != nil {
		return 0
	}
	a, _ := b.schema.Attr("for")
	only := &body{file: b.file, rng: b.rng, attrs: map[string]*hclsyntax.Attribute{a.Name: given}}
	only.schema.Attrs = append(only.schema.Attrs, a)
	d := duration(x.earlyOf(x.of(i, nil), only), a.Name)
	if x.limit > 0 && d >= x.limit && !isFalse(x.whenOf(i)) {
		x.sink.add(diag.New(diag.Contradiction, given.Expr.Range(), "the scenario's time limit comes before the end of the rounds",
			"The scenario may take "+written(x.limit)+" in all. Give it a longer timeout, or the repeat a shorter time.",
			diag.Also(x.p.scenario.rng, "the scenario is here")))
	}
	return d
}

// written is a duration as a file says it: 30m, not 30m0s.
func written(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// laterRound makes the steps of a round while the scenario runs: in an
// expansion of its own, which has what is outside of the round from the one
// that the repeat was made in.
func (x *expansion) laterRound(i *instance, n int) (Round, hcl.Diagnostics) {
	x.later.Lock()
	defer x.later.Unlock()
	y := *x
	y.outer, y.whole, y.stack, y.open = x, &sink{}, nil, map[any]bool{}
	y.sink, y.spent, y.alones = y.whole, forVariant(), forDefines()
	y.effort = newEffort(x.p.mostEffort, nil)
	y.setsOf, y.badSets = map[counted]int{}, map[string]counted{}
	y.byAddress, y.secrets = map[string]*instance{}, map[string]bool{}
	y.locals, y.onlyNodes, y.circular = maps.Clone(x.locals), maps.Clone(x.onlyNodes), maps.Clone(x.circular)
	y.defines, y.resultTypes, y.innerProbes = maps.Clone(x.defines), maps.Clone(x.resultTypes), nil
	steps := y.steps(i.decl.steps, y.inside(i, roundPrefix(i, n), cty.NumberIntVal(int64(n))))
	for _, made := range y.byAddress {
		y.planned(made)
	}
	return Round{steps, y.innerProbes, y.secretTexts(), planned{&y}}, y.sink.diags
}

// roundPrefix is what addresses in a round begin with.
func roundPrefix(i *instance, n int) string { return i.address + "[" + indexText(n) + "]/" }

package lang

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/diag"
)

// outlives warns of a step that is not over before a limit of its time has
// come, as far as both are known early: it can't pass.
func (x *expansion) outlives(i *instance, s *Step, args cty.Value) {
	if s.Meta.ExpectError != nil || isFalse(x.whenOf(i)) || i.phantom {
		return
	}
	for _, a := range i.decl.args.schema.Attrs {
		given := i.decl.args.attrs[a.Name]
		if given == nil || !a.Lasts {
			continue
		}
		at := given.Expr.Range()
		lasts := duration(args, a.Name)
		switch {
		case s.Meta.Timeout > 0 && lasts >= s.Meta.Timeout:
			x.sink.add(diag.New(diag.Contradiction, at, "the step's time limit comes before its end", "It lasts "+written(lasts)+" or more.",
				diag.Also(s.Meta.TimeoutAt, "it may take "+written(s.Meta.Timeout)), diag.AsWarning()))
		case x.limit > 0 && lasts >= x.limit && !s.Meta.Background && !x.cleansUp(i.decl):
			x.sink.add(x.afterAll(at, "the end of the step", "the step"))
		}
	}
}

// cleansUp says that a step is one of cleanup, which has a time limit of its own.
func (x *expansion) cleansUp(d *decl) bool {
	return d.scope.owner != nil && d.scope.owner == x.p.cleanup
}

// afterAll says that something comes after the scenario's time limit.
func (x *expansion) afterAll(at hcl.Range, what, whose string) *hcl.Diagnostic {
	return diag.New(diag.Contradiction, at, "the scenario's time limit comes before "+what,
		"The scenario may take "+written(x.limit)+" in all. Give it a longer timeout, or "+whose+" a shorter time.",
		diag.Also(x.p.scenario.rng, "the scenario is here"), diag.AsWarning())
}

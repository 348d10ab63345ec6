package lang

import (
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/scenario-run/scenario/dsl/diag"
)

const (
	// maxMade is how many instances there may be in all, of whatever: counts,
	// rounds and uses of defines inside each other multiply, each within its own
	// limit.
	maxMade = 120_000
	// maxInside is how many steps and probes uses may come to, all together:
	// defines that use each other ten times over soon fill the memory.
	maxInside = 20_000
)

// spent is what has been made of what may be made in all.
type spent struct {
	mostMade, mostInside int

	made    int  // instances
	atTop   int  // those of them that stand inside nothing
	insides int  // steps and probes in uses
	crowded bool // there are too many: no more are made

	// times is how many times as much as what is being made is certain to come,
	// since it is the first of several, which are inside the first of several, …
	times int
}

func forVariant() *spent { return &spent{mostMade: maxMade, mostInside: maxInside, times: 1} }

// forDefines is what checking defines by themselves may make, for all of them:
// what they come to in a variant is made where they are used.
func forDefines() *spent { return &spent{mostMade: maxMade / 10, mostInside: maxInside / 10, times: 1} }

// crowd counts instances, and reports too many of them, once; from then on
// nothing has any.
func (x *expansion) crowd(s *instances, attr *hclsyntax.Attribute) {
	x.spent.made += len(s.list)
	if s.place == x.top {
		x.spent.atTop += len(s.list)
	}
	x.effort.grant(instanceEffort * len(s.list))
	if x.spent.made <= x.spent.mostMade && !x.spent.crowded {
		return
	}
	s.failed, s.list = true, nil
	if x.spent.crowded {
		return
	}
	at := s.decl.rng
	if attr != nil {
		at = attr.Expr.Range()
	}
	x.crowded(s.place, at)
}

func (x *expansion) crowded(at *place, rng hcl.Range) {
	x.spent.crowded = true
	x.tooMany(at, rng, "more than "+indexText(maxMade)+" instances in all",
		"What stands inside something that is there more than once is made for each: the numbers multiply.")
}

// firstOf makes the first of several, and reports too many instances if the
// others come to as many: to make them only to find that out takes seconds, and
// all the memory that there may be. Where one of the roots shapes what is in it,
// they differ.
func (x *expansion) firstOf(i *instance, several int, at hcl.Range, make func(), roots ...string) {
	for _, t := range i.decl.shapedBy() {
		if slices.Contains(roots, t.RootName()) {
			several = 1 // those after it may come to less
			break
		}
	}
	outer, before := x.spent.times, x.spent.inside()
	x.spent.times = min(outer*several, x.spent.mostMade+1)
	make()
	made := x.spent.inside() - before
	if !x.spent.crowded && x.spent.made+made*(x.spent.times-1) > x.spent.mostMade {
		x.crowded(i.place, at)
	}
	x.spent.times = outer
}

// shaping are the arguments that say how much there is of a step, or whether it is
// done at all.
var shaping = []string{"count", "for_each", "times", "for", "when"}

// shapedBy are the references that what there is of a declaration, and of the steps
// inside it, may hang on. What a define makes of its arguments isn't looked at.
func (d *decl) shapedBy() []hcl.Traversal {
	if d.block == nil {
		return nil
	}
	var all []hcl.Traversal
	if d.def != nil {
		all = referencesIn(d.block.Body)
	}
	for _, name := range shaping {
		if a := d.block.Body.Attributes[name]; a != nil {
			all = append(all, hclsyntax.Variables(a.Expr)...)
		}
	}
	for _, s := range d.steps {
		all = append(all, s.shapedBy()...)
	}
	return all
}

// inside is how many instances stand inside something.
func (s *spent) inside() int { return s.made - s.atTop }

// tooDeep counts what uses come to, and reports too much of it, once.
func (x *expansion) tooDeep(i *instance) bool {
	before := x.spent.insides
	x.spent.insides += len(i.decl.def.steps) + len(i.decl.def.probes)
	if x.spent.insides <= x.spent.mostInside {
		return false
	}
	if before <= x.spent.mostInside {
		x.tooMany(i.place, i.decl.rng, "more than "+indexText(maxInside)+" steps in uses of defines", "Defines that use each other multiply.")
	}
	return true
}

// tooMany reports that a limit of the whole has been reached. Which step it was
// reached at says little where uses of defines multiply: the place is the use in
// the scenario that it was reached in, and the way from there is shown. A define
// that is checked by itself reaches none; its uses do.
func (x *expansion) tooMany(at *place, last hcl.Range, summary, detail string) {
	if at.isOpen() {
		return
	}
	uses := at.usedAt()
	if len(uses) == 0 {
		x.whole.add(diag.New(diag.TooMany, last, summary, detail))
		return
	}
	outermost := len(uses) - 1
	var o []diag.Option
	for n := outermost - 1; n >= 0; n-- {
		o = append(o, diag.Also(uses[n].Range, "inside it"))
	}
	o = append(o, diag.Also(last, "one too many is here"))
	x.whole.add(diag.New(diag.TooMany, uses[outermost].Range, summary, detail, o...))
}

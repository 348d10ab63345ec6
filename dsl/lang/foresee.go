package lang

import (
	"github.com/scenario-run/scenario/dsl/diag"
)

const (
	// manyInstances are so many that it is worth looking ahead at what it takes to
	// evaluate them all.
	manyInstances = 50
	// lookedAhead is how many are looked at, from the first to the last.
	lookedAhead = 6
	// foreseenTenths is how much is foreseen before it is an error, in tenths of what
	// may be done: those that aren't looked at may come to less.
	foreseenTenths = 13
)

// foresee reports, when the first of many instances has been evaluated, that it
// would take too much to evaluate all: where each of 1,000 nodes names all others,
// that is a million names, and to evaluate the first half of them takes seconds.
func (x *expansion) foresee(s *instances, first int) {
	n, left := len(s.list), x.effort.least()
	if n < manyInstances || left < 0 || s.decl.args == nil || first*n <= left/10*foreseenTenths {
		return
	}
	outer := x.sink
	x.sink = &sink{}
	all, most := map[string]int{}, ""
	for k := 1; k < lookedAhead; k++ {
		i := s.list[k*(n-1)/(lookedAhead-1)]
		for _, a := range s.decl.args.schema.Attrs {
			before := x.effort.least()
			_, diags := x.of(i, nil).oneArgument(s.decl.args, a)
			x.sink.add(diags...)
			all[a.Name] += before - x.effort.least()
			if most == "" || all[a.Name] > all[most] {
				most = a.Name
			}
		}
	}
	outer.add(x.sink.diags...) // each is told once
	x.sink = outer
	attr := s.decl.args.attrs[most]
	if each := all[most] / (lookedAhead - 1); attr != nil && each*n > left/10*foreseenTenths && !x.effort.isOver() {
		x.effort.giveUp()
		x.whole.add(diag.New(diag.TooMany, attr.Expr.Range(), "it takes too much to evaluate this for each of "+indexText(n)+" instances",
			"It comes to about "+indexText(each)+" parts of expressions, elements and pieces of text for one, and there may be "+indexText(maxEffort)+" in all. "+
				"What uses neither each nor count is evaluated once for all instances: give each the same list, and let it leave itself out when it runs."))
	}
}

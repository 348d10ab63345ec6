package lang

import (
	"strings"

	"github.com/scenario-run/scenario/dsl/diag"
)

// maxNested is how deep defines may be made of each other. No person thinks in
// so many levels, and each of them is a part of every address below it.
const maxNested = 100

// maxRepeats is how deep repeats may stand in each other. Of two rounds each,
// seventeen levels come to more than there may be.
const maxRepeats = 20

// inTooManyRepeats reports a repeat that is one level too deep, and breaks it
// with all around it: their rounds are too many to be made.
func (l *loader) inTooManyRepeats(d *decl) bool {
	depth := 1
	for s := d.scope; s != nil; s = s.parent {
		if s.owner != nil && s.owner.root == rootRepeat {
			depth++
		}
	}
	if depth <= maxRepeats {
		return false
	}
	d.broken = true
	for s := d.scope; s != nil; s = s.parent {
		if s.owner != nil && s.owner.root == rootRepeat {
			s.owner.broken = true
		}
	}
	l.add(diag.New(diag.TooMany, d.rng, "repeats inside each other more than "+indexText(maxRepeats)+" levels deep", "Their rounds multiply."))
	return true
}

// circles reports defines that are made of themselves, or of too many others
// one inside the other, and breaks them, so that no use of them is expanded.
func (l *loader) circles() {
	w := &nesting{l: l, at: map[*define]int{}, height: map[*define]int{}}
	for _, d := range l.p.defines {
		w.visit(d)
	}
	breakUses(l.p.topDecls())
	for _, d := range l.p.defines {
		breakUses(d.probes)
	}
}

// breakUses breaks what uses a define that is broken.
func breakUses(decls []*decl) {
	for _, d := range decls {
		d.broken = d.broken || d.def != nil && d.def.broken
		breakUses(d.steps)
	}
}

// nesting is a walk over what defines are made of.
type nesting struct {
	l      *loader
	trail  []definedUse    // the way here: each define with the use that leads on
	at     map[*define]int // where on the trail it is
	height map[*define]int // of those that are done: how many are inside each other
}

// visit returns how many defines are inside each other from this one on.
func (w *nesting) visit(d *define) int {
	if h, done := w.height[d]; done {
		return h
	}
	if i, open := w.at[d]; open {
		w.reportCircle(w.trail[i:])
		return 0
	}
	w.at[d] = len(w.trail)
	height := 1
	for _, u := range d.used {
		w.trail = append(w.trail, definedUse{d, u.at})
		inside := w.visit(u.def)
		w.trail = w.trail[:len(w.trail)-1]
		d.broken = d.broken || inside > maxNested
		if inside == maxNested && !d.broken {
			d.broken = true
			w.l.add(diag.New(diag.TooMany, u.at, "defines are made of each other more than "+indexText(maxNested)+" levels deep",
				d.called()+" is one too many around "+u.def.called()+"."))
		}
		height = max(height, inside+1)
	}
	delete(w.at, d)
	w.height[d] = height
	return height
}

// reportCircle shows a circle: each define with the use that leads on.
func (w *nesting) reportCircle(trail []definedUse) {
	var names []string
	var o []diag.Option
	for i, u := range trail {
		names = append(names, u.def.name)
		u.def.broken = true
		if i > 0 {
			o = append(o, diag.Also(u.at, u.def.name+" uses the next here"))
		}
	}
	first := trail[0]
	w.l.add(diag.New(diag.DefineCycle, first.at, first.def.called()+" is made of itself", strings.Join(append(names, first.def.name), " → "), o...))
}

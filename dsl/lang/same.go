package lang

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// same is what an expression came to that is the same for all instances of a
// declaration, since it uses neither each nor count: where each of 1,000 names
// all others, it is evaluated once, not 1,000 times.
type same struct {
	value cty.Value
	rec   recorder
}

type sameKey struct {
	set  *instances
	e    hclsyntax.Expression
	dead bool
}

// unchanging is a scope whose values are always the same.
type unchanging struct {
	Scope
	done map[any]evaluated
	same map[sameKey]cty.Value
}

// Unchanging is a scope that stands for another whose values don't change, so
// that what is the same for many is evaluated once. It is for one goroutine.
func Unchanging(s Scope) Scope {
	return &unchanging{Scope: s, done: map[any]evaluated{}, same: map[sameKey]cty.Value{}}
}

// ofAny evaluates an argument's expression, for all instances of the block at
// once if it says the same for all.
func (f frame) ofAny(e hclsyntax.Expression) (cty.Value, hcl.Diagnostics) {
	if f.args != cty.NilVal || f.inst == nil || f.inst.phantom || len(f.inst.set.list) < 2 {
		return f.value(e)
	}
	k := sameKey{f.inst.set, e, f.dead}
	switch {
	case !f.checking() && f.same != nil:
		return f.ofAnyRunning(k)
	case !f.checking() || f.sink != f.x.sink: // who checks it aloud must tell what is wrong
		return f.value(e)
	}
	set := f.inst.set
	s := set.same[k]
	if s == nil {
		s = &same{}
		inner, told, used := f, len(f.sink.diags), *f.own
		inner.rec = &s.rec
		s.value, _ = inner.value(e)
		if *f.own == used && len(f.sink.diags) == told {
			if set.same == nil {
				set.same = map[sameKey]*same{}
			}
			set.same[k] = s
		}
	}
	if f.rec != nil {
		f.rec.late = f.rec.late || s.rec.late
		f.rec.merge(&s.rec)
	}
	return s.value, nil
}

func (f frame) ofAnyRunning(k sameKey) (cty.Value, hcl.Diagnostics) {
	if v, ok := f.same[k]; ok {
		return v, nil
	}
	used := *f.own
	v, diags := f.value(k.e)
	if *f.own == used && len(diags) == 0 {
		f.same[k] = v
	}
	return v, diags
}

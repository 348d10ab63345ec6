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

// sameKey is what has come to something: an expression, or an argument that it is
// given for.
type sameKey struct {
	set  *instances
	e    hclsyntax.Expression
	arg  string
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

// mayBeSame says that an expression is worth evaluating for all instances of the
// block at once, if it says the same for all: it makes something, and is in no for.
func (f frame) mayBeSame(e hclsyntax.Expression) bool {
	if f.inst == nil || f.inst.phantom || len(f.inst.set.list) < 2 || f.ctx.Parent() != nil || f.anyRefs {
		return false
	}
	switch e.(type) {
	case *hclsyntax.FunctionCallExpr, *hclsyntax.ForExpr, *hclsyntax.SplatExpr:
		return true
	}
	return false
}

// ofAny does what an expression is evaluated for, for all instances of the block
// at once if it says the same for all.
func (f frame) ofAny(e hclsyntax.Expression, arg string, do func(frame) (cty.Value, hcl.Diagnostics)) (cty.Value, hcl.Diagnostics) {
	if f.args != cty.NilVal || f.inst == nil || f.inst.phantom || len(f.inst.set.list) < 2 {
		return do(f)
	}
	k := sameKey{f.inst.set, e, arg, f.dead}
	switch {
	case !f.checking() && f.same != nil:
		return f.ofAnyRunning(k, do)
	case !f.checking() || f.sink != f.x.sink: // who checks it aloud must tell what is wrong
		return do(f)
	}
	set := f.inst.set
	s := set.same[k]
	var diags hcl.Diagnostics
	if s == nil {
		s = &same{}
		inner, told, used := f, len(f.sink.diags), *f.own
		inner.rec = &s.rec
		s.value, diags = do(inner)
		if *f.own == used && len(f.sink.diags) == told && len(diags) == 0 {
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
	return s.value, diags
}

func (f frame) ofAnyRunning(k sameKey, do func(frame) (cty.Value, hcl.Diagnostics)) (cty.Value, hcl.Diagnostics) {
	if v, ok := f.same[k]; ok {
		return v, nil
	}
	used := *f.own
	v, diags := do(f)
	if *f.own == used && len(diags) == 0 {
		f.same[k] = v
	}
	return v, diags
}

package lang

import "github.com/scenario-run/scenario/dsl/diag"

// tooSeldom reports an assert whose time between two evaluations is longer than
// what it evaluates in: it would look when that begins and when it ends, and at
// nothing between, which is not what every is written for.
func (x *expansion) tooSeldom(b *body, a *Assert) {
	every := b.attrs["every"]
	if every == nil {
		return
	}
	for _, name := range []string{"within", "hold"} {
		length := a.Within
		if name == "hold" {
			length = a.Hold
		}
		if length > 0 && a.Every > length {
			x.sink.add(diag.New(diag.Contradiction, every.Expr.Range(), `"every" is longer than "`+name+`"`,
				"The condition would be evaluated at its beginning and its end only.", diag.Also(b.attrs[name].Expr.Range(), name+" is given here")))
			return
		}
	}
}

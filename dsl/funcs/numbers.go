package funcs

import (
	"math/big"

	"github.com/zclconf/go-cty/cty"
)

// mostExponent keeps numbers within what computers reckon with, in powers of 2.
// Written out, one beyond would fill the memory.
const mostExponent = 1000

// NumberRange says which numbers there are.
const NumberRange = "Numbers are between 1e-300 and 1e300, or 0, or negative and as large."

// OutOfRange says that a number is beyond what is reckoned with.
func OutOfRange(f *big.Float) bool {
	e := f.MantExp(nil)
	return f.IsInf() || e > mostExponent || e < -mostExponent
}

// NumberOutOfRange finds a number in a value that is beyond what is reckoned
// with.
func NumberOutOfRange(v cty.Value) (at cty.Path, found bool) {
	_ = cty.Walk(v, func(path cty.Path, el cty.Value) (bool, error) { // nothing in it fails
		el, _ = el.Unmark()
		if !found && el.Type() == cty.Number && el.IsKnown() && !el.IsNull() && OutOfRange(el.AsBigFloat()) {
			at, found = path.Copy(), true
		}
		return !found, nil
	})
	return at, found
}

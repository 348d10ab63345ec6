package lang

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/schema"
)

// Options are what a scenario is loaded with beside its files.
type Options struct {
	Vocabulary schema.Vocabulary
	// Values are values of variables from outside, weakest first.
	Values []Value
	Seed   *int64 // --seed
	// DrawnSeed is the seed of a scenario that neither Seed nor the scenario
	// itself gives one.
	DrawnSeed    *int64
	AllowOutside bool
	RunID        string // scenario.run_id; empty while only planning: unknown
	// Each, if set, is handed every variant as soon as it has been checked,
	// whatever is wrong with it, and Load keeps none of them: who wants to have
	// seen them all needs them one at a time.
	Each func(*Variant)
}

// Value is the value of a variable given from outside a file.
type Value struct {
	Name string
	Text string // an HCL expression, or for a variable of type string the string itself
	From string // "--var", "SCENARIO_VAR_x", or a file's name
	// Lenient passes over a name that no file declares.
	Lenient bool
	// Range is where it stands; for an argument, File is "--var" and the
	// columns are those of the text.
	Range hcl.Range
	// NameRange is where its name stands; not set where that is the environment.
	NameRange hcl.Range
	Expr      hcl.Expression // from a file; nil for text
}

// Expr is an expression that is evaluated when its references are known.
type Expr struct {
	// refs and windows of everything it leans on, through locals and probes.
	refs    []Ref
	windows []Window
	eval    func(Scope) (cty.Value, hcl.Diagnostics)
	explain func(Scope) []Part
	rng     hcl.Range
}

// Part is a piece of an expression with its value, for explaining a result.
type Part struct {
	Range hcl.Range
	Text  string // source
	Value cty.Value
	// Decisive is set on the smallest part that made the whole false, unknown
	// or impossible to evaluate.
	Decisive bool
	Err      string // why it could not be evaluated
}

// Body is a block's arguments, evaluated together to an object.
type Body struct {
	refs    []Ref
	windows []Window
	eval    func(Scope) (cty.Value, hcl.Diagnostics)
	some    func(names []string) func(Scope) (cty.Value, hcl.Diagnostics)
	rng     hcl.Range
}

// NewExpr makes an expression from a function; for tests of other packages.
func NewExpr(rng hcl.Range, refs []Ref, windows []Window, eval func(Scope) (cty.Value, hcl.Diagnostics)) *Expr {
	return &Expr{refs: refs, windows: windows, eval: eval, rng: rng}
}

// Refs are the references that must be in the Scope: through locals too.
func (e *Expr) Refs() []Ref { return e.refs }

// Windows are the window functions whose values must be in the Scope.
func (e *Expr) Windows() []Window { return e.windows }

// Range is where the expression stands.
func (e *Expr) Range() hcl.Range { return e.rng }

// Eval evaluates the expression.
func (e *Expr) Eval(s Scope) (cty.Value, hcl.Diagnostics) { return e.eval(s) }

// Explain returns the parts of the expression worth showing, in source order.
func (e *Expr) Explain(s Scope) []Part {
	if e.explain == nil {
		return nil
	}
	return e.explain(s)
}

// NewBody makes a body from a function; for tests of other packages.
func NewBody(rng hcl.Range, refs []Ref, windows []Window, eval func(Scope) (cty.Value, hcl.Diagnostics)) *Body {
	return &Body{refs: refs, windows: windows, eval: eval, rng: rng}
}

// Refs, Windows and Range are as of an Expr.
func (b *Body) Refs() []Ref { return b.refs }

// Windows are the window functions whose values must be in the Scope.
func (b *Body) Windows() []Window { return b.windows }

// Range is where the body stands.
func (b *Body) Range() hcl.Range { return b.rng }

// Eval evaluates the body to an object of the type of its schema: references
// as addresses, defaults filled in, every value converted and checked.
func (b *Body) Eval(s Scope) (cty.Value, hcl.Diagnostics) { return b.eval(s) }

// Some evaluates some of the arguments only, to an object of those. Each of 1,000
// nodes may say much that doesn't matter to whoever asks for its image.
func (b *Body) Some(s Scope, names ...string) (cty.Value, hcl.Diagnostics) {
	if b.some == nil { // made of a function
		return b.eval(s)
	}
	return b.some(names)(s)
}

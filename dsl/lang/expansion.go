package lang

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/diag"
	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/dsl/source"
)

// expansion is a program with the values of its variables and of one
// combination of its matrix. What is in it is worked out when first asked for,
// and once.
type expansion struct {
	p      *program
	vars   map[string]cty.Value
	matrix map[string]cty.Value // nil while the matrix itself is read
	top    *place
	whole  *sink // what is wrong with all of it
	sink   *sink // what is wrong with what is looked at: all, or that of a use

	byAddress map[string]*instance
	locals    map[localKey]*local
	onlyNodes map[onlyKey][]*instance
	images    map[string]string // names of image blocks, by their values
	secrets   map[string]bool
	circular  map[*decl]bool // locals that depend on themselves

	defines     map[*define]*sink // what is wrong with each by itself
	resultTypes map[*define]schema.Object
	innerProbes []*Probe // those inside uses
	spent       *spent
	alones      *spent // by defines that are checked by themselves
	effort      *effort
	ownUsed     int // see frame.own

	// stack is what is being worked out, for naming circles.
	stack []hop
	open  map[any]bool // what is on the stack

	// limit is the scenario's time limit.
	limit time.Duration
	// outer is what a round that is made while running is part of.
	outer *expansion
	// later is held while such a round is made: they share what is outside.
	later *sync.Mutex
}

// hop is one thing that is being worked out, and where it was asked for.
type hop struct {
	what any
	name string
	at   hcl.Range
}

type localKey struct {
	d    *decl
	at   *place
	dead bool
}

// local is the value of a local while checking.
type local struct {
	value cty.Value
	rec   recorder
	busy  bool
}

// place is where instances live: the top of a scenario, one round of a repeat,
// cleanup, or the inside of a use of a define.
type place struct {
	parent *place
	scope  *scope
	prefix string    // of addresses: "", "repeat.round[0]/", "cleanup/", "action.roll/"
	round  cty.Value // repeat.index; cty.NilVal outside
	inst   *instance // of the group that it is inside of, or nil
	use    *use      // that it is the inside of, or nil
	dead   bool      // it is known that nothing in it is done
	sets   map[*decl]*instances
}

// inside is the place of the steps inside a group, such as a round of a repeat.
func (x *expansion) inside(i *instance, prefix string, round cty.Value) *place {
	at := newPlace(i.place, i.decl.inner, prefix, round)
	at.inst = i
	at.dead = i.place.dead || i.phantom && !i.set.open || isFalse(x.whenOf(i))
	return at
}

func newPlace(parent *place, s *scope, prefix string, round cty.Value) *place {
	p := &place{parent: parent, scope: s, prefix: prefix, round: round, sets: map[*decl]*instances{}}
	p.dead = parent != nil && parent.dead
	return p
}

// holding is the nearest place around one in which the names of a scope live.
func (p *place) holding(s *scope) *place {
	for p.parent != nil && p.scope != s {
		p = p.parent
	}
	return p
}

func newExpansion(p *program, vars, matrix map[string]cty.Value, s *sink, t *effort) *expansion {
	return &expansion{
		p: p, vars: vars, matrix: matrix, whole: s, sink: s,
		spent: forVariant(), alones: forDefines(), effort: t,
		top:       newPlace(nil, p.top, "", cty.NilVal),
		byAddress: map[string]*instance{},
		locals:    map[localKey]*local{},
		onlyNodes: map[onlyKey][]*instance{},
		secrets:   map[string]bool{},
		open:      map[any]bool{},
		circular:  map[*decl]bool{},
		later:     &sync.Mutex{},

		defines:     map[*define]*sink{},
		resultTypes: map[*define]schema.Object{},
	}
}

// instance is what has an address.
func (x *expansion) instance(address string) *instance {
	for ; x != nil; x = x.outer {
		if i := x.byAddress[address]; i != nil {
			return i
		}
	}
	return nil
}

// checker returns the frame in which something at a place is checked.
func (x *expansion) checker(file *source.File, at *place, rec *recorder) frame {
	return frame{x: x, file: file, place: at, ctx: &hcl.EvalContext{}, sink: x.sink, hard: x.sink, rec: rec, effort: x.effort, own: &x.ownUsed}
}

// runner returns the frame in which something at a place is evaluated.
func (x *expansion) runner(file *source.File, at *place, inst *instance, s Scope) frame {
	f := frame{x: x, file: file, place: at, inst: inst, ctx: &hcl.EvalContext{}, scope: s,
		effort: newEffort(x.p.mostEffort, nil), done: map[any]evaluated{}, own: new(int)}
	if u, ok := s.(*unchanging); ok {
		f.done, f.same = u.done, u.same
	}
	if x.effort.isOver() { // what couldn't be checked isn't evaluated
		f.effort = noEffort()
	}
	return f
}

// maxDepth is how many things may be worked out for one another. No person
// writes a longer chain, and the program's own stack has an end.
const maxDepth = 10_000

// enter notes that something is being worked out; it reports a circle.
func (x *expansion) enter(what any, name string, at hcl.Range) bool {
	switch {
	case x.open[what]:
		x.reportCircle(what, name, at)
		return false
	case len(x.stack) >= maxDepth:
		x.sink.add(diag.New(diag.TooMany, at, name+" is the last of more than "+indexText(maxDepth)+" that depend on one another", "Each is worked out for the one before it."))
		return false
	}
	x.open[what] = true
	x.stack = append(x.stack, hop{what, name, at})
	return true
}

func (x *expansion) leave() {
	last := len(x.stack) - 1
	delete(x.open, x.stack[last].what)
	x.stack = x.stack[:last]
}

// reportCircle reports what is needed to work itself out.
func (x *expansion) reportCircle(what any, name string, at hcl.Range) {
	begin := slices.IndexFunc(x.stack, func(h hop) bool { return h.what == what })
	names := []string{}
	var o []diag.Option
	for _, n := range x.stack[begin:] {
		names = append(names, n.name)
		if n.at != at && n.at.Filename != "" {
			o = append(o, diag.Also(n.at, n.name+" is needed here"))
		}
	}
	x.sink.add(diag.New(diag.ValueCycle, at, name+" depends on itself", strings.Join(append(names, name), " → "), o...))
}

// variable is var.NAME.
func (f frame) variable(name hcl.TraverseAttr, rest hcl.Traversal, rng hcl.Range) (cty.Value, hcl.Diagnostics) {
	d, diags := f.declared(rootVar, name, rng)
	if d == nil {
		return f.always(diags[0])
	}
	v, ok := f.x.vars[d.name]
	if !ok {
		return cty.DynamicVal, nil
	}
	return f.follow(f.onlyType(v), rest, false)
}

// localValue is local.NAME: its expression, evaluated anew.
func (f frame) localValue(name hcl.TraverseAttr, rest hcl.Traversal, rng hcl.Range) (cty.Value, hcl.Diagnostics) {
	d, diags := f.declared(rootLocal, name, rng)
	switch {
	case d == nil:
		return f.always(diags[0])
	case d.broken || f.x.circular[d]:
		return cty.DynamicVal, nil
	}
	at := f.x.top
	if own := f.place.holding(d.scope); own.scope == d.scope {
		at = own
	}
	if !f.checking() {
		v, diags := f.running(d, at)
		if diags.HasErrors() {
			return v, diags
		}
		return f.follow(v, rest, false)
	}
	l := f.x.local(d, at, f.dead, rng)
	if at == f.x.top && f.place.useOf() != nil && len(l.rec.refs) > 0 {
		return f.always(diag.New(diag.NotVisible, rng, d.address()+" leans on "+l.rec.refs[0].Address+", which is not visible inside "+f.place.useOf().def.called(),
			takeAsParam, diag.Also(d.named, "declared here")))
	}
	f.rec.through(&l.rec, rng)
	return f.follow(f.onlyType(l.value), rest, false)
}

// running evaluates a local once for an evaluation that runs: where each local
// uses another twice, there are as many ways to the last as no time is enough for.
func (f frame) running(d *decl, at *place) (cty.Value, hcl.Diagnostics) {
	k := localKey{d: d, at: at}
	if was, ok := f.done[k]; ok {
		return was.value, was.diags
	}
	inner := f.x.runner(d.file, at, nil, f.scope)
	inner.effort, inner.done, inner.own = f.effort, f.done, f.own
	v, diags := inner.value(d.expr)
	f.done[k] = evaluated{v, diags}
	return v, diags
}

// local works out a local at a place: at the top, or inside a use.
func (x *expansion) local(d *decl, where *place, dead bool, at hcl.Range) *local {
	k := localKey{d, where, dead}
	if l := x.locals[k]; l != nil && !l.busy {
		return l
	}
	l := &local{busy: true, value: cty.DynamicVal}
	if !x.enter(k, d.address(), at) {
		return l
	}
	defer x.leave()
	x.locals[k] = l
	f := x.checker(d.file, where, &l.rec)
	f.dead = dead || where.dead
	l.value, _ = f.value(d.expr)
	l.busy = false
	return l
}

// matrixValue is matrix.AXIS.
func (f frame) matrixValue(name hcl.TraverseAttr, rest hcl.Traversal, from hcl.Range) (cty.Value, hcl.Diagnostics) {
	at := hcl.RangeBetween(from, name.SrcRange)
	if f.x.p.perhaps.has(rootMatrix, name.Name) && (f.x.matrix == nil || f.x.matrix[name.Name] == cty.NilVal) {
		return cty.DynamicVal, nil
	}
	if f.x.p.matrix == nil {
		return f.always(diag.New(diag.UnknownName, at, `no matrix axis named "`+name.Name+`"`, "There is no matrix block."))
	}
	if f.x.matrix == nil {
		return f.always(diag.New(diag.ValueCycle, at, "the matrix depends on itself", "Its axes may use variables and locals."))
	}
	v, ok := f.x.matrix[name.Name]
	if !ok {
		var axes []string
		for n := range f.x.matrix {
			axes = append(axes, n)
		}
		return f.always(diag.New(diag.UnknownName, at, `no matrix axis named "`+name.Name+`"`, list("There are", sorted(axes)), diag.DidYouMean(name.Name, axes)))
	}
	return f.follow(f.onlyType(v), rest, false)
}

// scenarioValue is scenario.name and scenario.run_id.
func (f frame) scenarioValue(name hcl.TraverseAttr, rest hcl.Traversal) (cty.Value, hcl.Diagnostics) {
	v := cty.StringVal("")
	switch name.Name {
	case "name":
		if f.x.p.scenario != nil {
			v = cty.StringVal(f.x.p.scenario.name)
		}
	case "run_id":
		// Unknown while checking, whether a run has begun or not: what is checked
		// must not depend on it.
		v = cty.UnknownVal(cty.String).RefineNotNull()
		f.rec.isLate()
		if !f.checking() && f.x.p.opts.RunID != "" {
			v = cty.StringVal(f.x.p.opts.RunID)
		}
	default:
		names := []string{"name", "run_id"}
		return f.always(diag.New(diag.UnknownAttribute, nameRange(name), `scenario has no attribute "`+name.Name+`"`, list("There are", names), diag.DidYouMean(name.Name, names)))
	}
	return f.follow(f.onlyType(v), rest, true)
}

// eachValue is each.key, each.value and count.index.
func (f frame) eachValue(root string, name hcl.TraverseAttr, rest hcl.Traversal, rng hcl.Range) (cty.Value, hcl.Diagnostics) {
	with := map[string]string{rootEach: "for_each", rootCount: "count"}[root]
	inst := f.instanceBy(with)
	if inst == nil {
		return f.always(diag.New(diag.NotAllowedHere, rng, root+" has a meaning only in a block with "+with, ""))
	}
	if inst == f.inst {
		*f.own++
	}
	names := map[string][]string{rootEach: {"key", "value"}, rootCount: {"index"}}[root]
	switch name.Name {
	case "key", "index":
		if root == rootEach && name.Name == "key" || root == rootCount && name.Name == "index" {
			return f.follow(f.onlyType(inst.key), rest, false)
		}
	case "value":
		if root == rootEach {
			return f.element(inst, rest, rng)
		}
	}
	return f.always(diag.New(diag.UnknownAttribute, nameRange(name), root+` has no attribute "`+name.Name+`"`, list("It has", names), diag.DidYouMean(name.Name, names)))
}

// instanceBy is what each or count mean here: the block's own instance, or that
// of the innermost group around it which has for_each or count.
func (f frame) instanceBy(with string) *instance {
	if f.inst != nil && f.inst.set.by == with {
		return f.inst
	}
	for p := f.place; p != nil; p = p.parent {
		if p.inst != nil && p.inst.set.by == with {
			return p.inst
		}
	}
	return nil
}

// element is each.value. Where for_each names a declaration, it is a reference
// to the instance with the same key.
func (f frame) element(inst *instance, rest hcl.Traversal, rng hcl.Range) (cty.Value, hcl.Diagnostics) {
	outer := f
	outer.inst, outer.place, outer.file = nil, inst.place, inst.decl.file
	if t := outer.elementRef(inst, rng); t != nil {
		return outer.traverse(slices.Concat(t, rest), rng)
	}
	if f.checking() {
		f.rec.through(&inst.set.rec, rng)
		return f.follow(f.onlyType(inst.value), rest, inst.set.typed)
	}
	if inst.value.IsWhollyKnown() {
		return f.follow(inst.value, rest, false)
	}
	outer.ctx = &hcl.EvalContext{}
	all, diags := outer.value(inst.set.over)
	if diags.HasErrors() {
		return cty.DynamicVal, diags
	}
	v, diags := f.at(all, inst.key, rng, false)
	if diags.HasErrors() {
		return cty.DynamicVal, diags
	}
	return f.follow(v, rest, false)
}

// elementRef is the reference that an element of for_each is, if it is one: to
// an instance of the declaration that for_each names, or written in a list.
func (f frame) elementRef(inst *instance, rng hcl.Range) hcl.Traversal {
	if inst.phantom {
		return nil
	}
	if alias := inst.set.alias; alias != nil {
		return slices.Concat(alias, hcl.Traversal{hcl.TraverseIndex{Key: inst.key, SrcRange: rng}})
	}
	list, ok := inst.set.over.(*hclsyntax.TupleConsExpr)
	if !ok || inst.set.object {
		return nil
	}
	n, _ := inst.key.AsBigFloat().Int64()
	if n < 0 || int(n) >= len(list.Exprs) {
		return nil
	}
	f.ctx = &hcl.EvalContext{}
	if t, ok := f.flat(list.Exprs[n]); ok && len(t) > 1 {
		return t
	}
	return nil
}

// repeatIndex is the number of the round, from 0.
func (f frame) repeatIndex(rng hcl.Range) (cty.Value, hcl.Diagnostics) {
	for p := f.place; p != nil; p = p.parent {
		if p.round != cty.NilVal {
			return f.onlyType(p.round), nil
		}
	}
	return f.always(diag.New(diag.NotAllowedHere, rng, "repeat.index has a meaning only inside a repeat", ""))
}

// resource is the value of an image, a network or a volume: what it is called.
func (x *expansion) resource(d *decl) cty.Value {
	if d.root == rootImage && d.args != nil {
		if a := d.args.attrs["pull"]; a != nil {
			f := x.checker(d.file, x.top, nil)
			quiet, _ := f.silently()
			// It may be asked for by several evaluations that run; what it takes was
			// counted where the image itself was checked.
			quiet.effort, quiet.own = newEffort(x.p.mostEffort, nil), new(int)
			v, _ := quiet.value(a.Expr)
			if v, _ = v.Unmark(); v.Type() == cty.String && v.IsKnown() && !v.IsNull() {
				return v
			}
			return cty.UnknownVal(cty.String)
		}
	}
	return cty.StringVal(d.address())
}

// secrecy notes what in an argument's value must not be shown.
func (x *expansion) secrecy(a schema.Attr, v cty.Value) {
	for _, part := range secretParts(a, v) {
		x.secret(part)
	}
}

// confide tells the scope what in an argument's value must not be shown: what
// is computed while running could not be known before.
func (f frame) confide(a schema.Attr, v cty.Value) {
	c, ok := f.scope.(Confidant)
	if !ok {
		return
	}
	for _, part := range secretParts(a, v) {
		c.Confide(secretTexts(part)...)
	}
}

// secretParts are the parts of an argument's value that must not be shown.
func secretParts(a schema.Attr, v cty.Value) (parts []cty.Value) {
	if a.Sensitive {
		return []cty.Value{v}
	}
	plain, marked := v.UnmarkDeepWithPaths()
	for _, m := range marked {
		if part, err := m.Path.Apply(plain); err == nil {
			parts = append(parts, part)
		}
	}
	return parts
}

// secret notes the texts in a value that must not be shown.
func (x *expansion) secret(v cty.Value) {
	for _, text := range secretTexts(v) {
		x.secrets[text] = true
	}
}

// secretTexts are the texts in a value, as far as it is known.
func secretTexts(v cty.Value) (texts []string) {
	v, _ = v.UnmarkDeep()
	_ = cty.Walk(v, func(_ cty.Path, v cty.Value) (bool, error) { // never fails, since the function doesn't
		if v.IsNull() || !v.IsKnown() {
			return false, nil
		}
		switch v.Type() {
		case cty.String:
			if text := v.AsString(); text != "" {
				texts = append(texts, text)
			}
		case cty.Number:
			texts = append(texts, v.AsBigFloat().Text('f', -1))
		}
		return true, nil
	})
	return texts
}

// ShortestSecret is the least length of a text that is replaced wherever it
// turns up. A shorter one would blot out half of all output, and be told by it;
// it is hidden where it stands as a value of its own.
const ShortestSecret = 4

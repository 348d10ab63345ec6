package lang

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/hcl/v2"
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
	possibles map[possibleKey][]string
	setsOf    map[counted]int    // at how many places a block is
	badSets   map[string]counted // those at which its number is wrong, by their addresses
	reckoned  map[*decl]bool     // asserts of which it is known whether their condition is constant

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
		possibles: map[possibleKey][]string{},
		setsOf:    map[counted]int{},
		badSets:   map[string]counted{},
		reckoned:  map[*decl]bool{},
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

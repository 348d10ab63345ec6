package schema

import (
	"cmp"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"
)

// Kind says which block of a file names a type.
type Kind string

// The kinds of types. A Fault stands in an action block too: it is an action
// whose effect lasts until it is healed.
const (
	Action   Kind = "action"
	Fault    Kind = "fault"
	Probe    Kind = "probe"
	Workload Kind = "workload"
	NodeKind Kind = "node kind"
)

// Resource is what a fault takes of a node. Two active faults that take the
// same resource of the same node conflict, unless the resource Combines.
type Resource string

// The resources.
const (
	Down     Resource = "down"
	Paused   Resource = "paused"
	CPU      Resource = "cpu"
	Memory   Resource = "memory"
	Disk     Resource = "disk"
	Links    Resource = "links"
	Attached Resource = "attached" // to a network
)

// Need are parts of a kernel, by their names, of which one is enough. The first
// that a machine has is used.
type Need []string

func (n Need) String() string { return strings.Join(n, " or ") }

// Combines says that several faults can take the resource of a node at a time.
func (r Resource) Combines() bool { return r == Links || r == Attached }

// Type is everything that can be known about an action, fault, probe,
// workload or node kind without running it.
type Type struct {
	Kind    Kind
	Name    string // as a file names it: "kill_gcs"
	Summary string // one line, without a full stop
	Doc     string // the rest, Markdown

	Args Object
	// Result is the shape of what a step or probe of this type yields, beyond
	// what every step has (see StepAttrs). It may depend on the arguments, any
	// of which may be unknown. Nil means no results of its own.
	Result func(args cty.Value) Object

	// Check reports what is wrong with the arguments together, such as two that
	// exclude each other. Any of them may be unknown or null. Nil: nothing can be.
	Check func(args cty.Value) error

	Needs        []Need     // what the kernel of the machine must be able to do
	Takes        []Resource // what the fault takes of each node it is given
	Ends         []Resource // what this action ends: restart_head ends Down
	Unless       []Resource // what a node must not be for this action to act on it: connect says Down. See Refuses.
	NeedsRunning bool       // acts inside the node
	Momentary    bool       // a fault of which nothing lasts that would have to be healed
	Examples     []Example
}

// Refuses says that a step of this type fails where one of its nodes is down, or
// paused. To act inside a node, or to take it down or freeze it, all of it must
// run; to take something else of it but its disk, it must be there.
func (t Type) Refuses(r Resource) bool {
	if slices.Contains(t.Unless, r) {
		return true
	}
	takes := func(some ...Resource) bool {
		return slices.ContainsFunc(some, func(r Resource) bool { return slices.Contains(t.Takes, r) })
	}
	switch r {
	case Down:
		return t.NeedsRunning || takes(Down, Paused, CPU, Memory, Links, Attached)
	case Paused:
		return t.NeedsRunning || takes(Down, Paused)
	default:
		return false
	}
}

// MayEndNodes says that a node may exit by what a fault of this type does, without
// more: by being taken down, by the end of its processes, or for want of memory.
func (t Type) MayEndNodes() bool {
	return t.Momentary || slices.Contains(t.Takes, Down) || slices.Contains(t.Takes, Memory)
}

// Example is a piece of a scenario file that shows a type in use. Each is
// parsed and planned by a test and printed in the reference.
type Example struct {
	Title string
	Text  string // a whole file
}

// Object is an ordered set of attributes and nested blocks.
type Object struct {
	Attrs  []Attr
	Blocks []Block
}

// Block is a nested block of an argument body, such as retry or ready.
type Block struct {
	Name     string
	Doc      string
	Required bool
	Repeated bool // may stand more than once; decodes to a list of objects
	Body     Object
	Label    string // what stands for its label where its use is shown; empty without
	// Of says that the block has a label, which names a type of this kind, and
	// what BodyOf returns for the type in place of Body. It decodes to an object
	// of the name, type, and of the arguments, args. BodyOf refuses a type that
	// can't stand there.
	Of     Kind
	BodyOf func(Type) (Object, error)
}

// Attr is one argument or one result.
type Attr struct {
	Name     string
	Type     cty.Type // cty.DynamicPseudoType: any type
	Required bool
	Default  cty.Value // cty.NilVal: null when left out
	Doc      string
	// Ref says that the argument takes references rather than values.
	Ref Ref
	// OnlyNode names a node kind's role: left out, the argument is the
	// scenario's only node for which the kind and role hold, such as
	// {"ray", "role", "head"}. The zero value means no such default.
	OnlyNode OnlyNode
	Enum     []string
	Format   Format // how a value is written; checked as well
	// Check reports what else is wrong with a known, non-null value of Type.
	Check     func(cty.Value) error
	Sensitive bool
	// InPlan says that the value stands in the plan, which is printed: it can't
	// be made of what must not be shown.
	InPlan bool
	// Each says of nodes that each is acted on for itself: a part of them can
	// be as well.
	Each bool
	// MayBeEmpty says that a list of references may be known to name nothing:
	// what acts on nothing is a mistake otherwise.
	MayBeEmpty bool
	// Lasts says of a duration that the step isn't over before it is.
	Lasts bool
	// Fields are the attributes of an object, or of the objects in a list or
	// map, where there is more to say of them than their types.
	Fields []Attr
	// Fill fills in what a value leaves out of the optional attributes of its
	// type, before it is converted. Nil: those are null.
	Fill func(cty.Value) cty.Value
}

// OnlyNode selects a node by an argument of its kind's block.
type OnlyNode struct{ Kind, Arg, Value string }

// Ref is the kind of thing that an argument refers to.
type Ref string

// The kinds of references. A Node or Nodes argument is an expression that may
// be computed; its value is one node object (see NodeType) or any nesting of
// lists of them, and reaches the action as cty.String or cty.List(cty.String)
// of addresses; one with an Enum takes those strings as well, as they are. Node
// sets are a list of such lists, and stay apart. The
// others are written as references in the source (an index
// is allowed) and reach the action as addresses in the same way.
const (
	NoRef       Ref = ""
	RefNode     Ref = "node"
	RefNodes    Ref = "nodes"
	RefNodeSets Ref = "node sets"
	RefStep     Ref = "step"
	RefSteps    Ref = "steps"
	RefFaults   Ref = "faults"
	RefFault    Ref = "fault"
	RefWorkload Ref = "workload"
)

// ValueType is the type in which an argument reaches the code that runs it.
func (a Attr) ValueType() cty.Type {
	switch a.Ref {
	case RefNode, RefStep, RefFault, RefWorkload:
		return cty.String
	case RefNodes, RefSteps, RefFaults:
		return cty.List(cty.String)
	case RefNodeSets:
		return cty.List(cty.List(cty.String))
	default:
		return a.Type
	}
}

// TakesNodes says that the argument's value are nodes, in whatever nesting.
func (a Attr) TakesNodes() bool {
	return a.Ref == RefNode || a.Ref == RefNodes || a.Ref == RefNodeSets
}

// Attr returns the attribute of that name.
func (o Object) Attr(name string) (Attr, bool) {
	i := slices.IndexFunc(o.Attrs, func(a Attr) bool { return a.Name == name })
	if i < 0 {
		return Attr{}, false
	}
	return o.Attrs[i], true
}

// Block returns the nested block of that name.
func (o Object) Block(name string) (Block, bool) {
	i := slices.IndexFunc(o.Blocks, func(b Block) bool { return b.Name == name })
	if i < 0 {
		return Block{}, false
	}
	return o.Blocks[i], true
}

// Type is the type of a value of the object's shape: what ValueType says for
// attributes, an object for a nested block, a list of objects for a repeated
// one, and any for blocks whose label says what is in them: they are a tuple.
func (o Object) Type() cty.Type {
	attrs := make(map[string]cty.Type, len(o.Attrs)+len(o.Blocks))
	for _, a := range o.Attrs {
		attrs[a.Name] = a.ValueType()
	}
	for _, b := range o.Blocks {
		t := b.Body.Type()
		switch {
		case b.Of != "":
			t = cty.DynamicPseudoType
		case b.Repeated:
			t = cty.List(t)
		}
		attrs[b.Name] = t
	}
	return cty.Object(attrs)
}

// Vocabulary is the set of types that files can name, in stable order.
type Vocabulary struct {
	types map[Kind]map[string]Type
}

// NewVocabulary makes a vocabulary of types. A name that is given twice among
// actions and faults, or twice within another kind, panics: it is a mistake in
// the program, not in its input.
func NewVocabulary(types ...Type) Vocabulary {
	v := Vocabulary{types: map[Kind]map[string]Type{}}
	for _, t := range types {
		slot := t.Kind.slot()
		if v.types[slot] == nil {
			v.types[slot] = map[string]Type{}
		}
		if _, dup := v.types[slot][t.Name]; dup {
			panic("schema: two definitions of " + string(slot) + " " + t.Name)
		}
		v.types[slot][t.Name] = t
	}
	return v
}

// With returns a vocabulary that has further types. One whose name is taken is
// left out: what files define replaces nothing.
func (v Vocabulary) With(types ...Type) Vocabulary {
	var all []Type
	for _, k := range []Kind{Action, Probe, Workload, NodeKind} {
		all = append(all, v.Types(k)...)
	}
	sum := NewVocabulary(all...)
	for _, t := range types {
		if _, taken := sum.Lookup(t.Kind, t.Name); !taken {
			sum = NewVocabulary(append(all, t)...)
			all = append(all, t)
		}
	}
	return sum
}

// slot is where a kind's names live: faults share the names of actions.
func (k Kind) slot() Kind {
	if k == Fault {
		return Action
	}
	return k
}

// Lookup returns the type of that name. Action finds faults as well.
func (v Vocabulary) Lookup(k Kind, name string) (Type, bool) {
	t, ok := v.types[k.slot()][name]
	return t, ok
}

// Types returns the types of a kind, by name. Action includes faults.
func (v Vocabulary) Types(k Kind) []Type {
	var all []Type
	for _, t := range v.types[k.slot()] {
		all = append(all, t)
	}
	slices.SortFunc(all, func(a, b Type) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// Names returns the names of a kind's types, sorted.
func (v Vocabulary) Names(k Kind) []string {
	var names []string
	for _, t := range v.Types(k) {
		names = append(names, t.Name)
	}
	return names
}

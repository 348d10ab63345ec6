package lang

import (
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/dsl/source"
)

// The roots of references: the first word of each.
const (
	rootScenario = "scenario"
	rootVar      = "var"
	rootLocal    = "local"
	rootMatrix   = "matrix"
	rootImage    = "image"
	rootNetwork  = "network"
	rootVolume   = "volume"
	rootNode     = "node"
	rootProbe    = "probe"
	rootAction   = "action"
	rootWorkload = "workload"
	rootAssert   = "assert"
	rootRepeat   = "repeat"
	rootEach     = "each"
	rootCount    = "count"
	rootParam    = "param"
)

var allRoots = []string{
	rootScenario, rootVar, rootLocal, rootMatrix, rootImage, rootNetwork, rootVolume, rootNode,
	rootProbe, rootAction, rootWorkload, rootAssert, rootRepeat, rootEach, rootCount, rootParam,
}

// program is a scenario as its files say it: every declaration, nothing
// evaluated.
type program struct {
	set   *source.Set
	opts  Options
	funcs *functions

	scenario *decl
	vars     []*decl
	locals   []*decl
	matrix   *decl
	images   []*decl
	networks []*decl
	volumes  []*decl
	nodes    []*decl
	probes   []*decl
	steps    []*decl
	cleanup  *decl
	outputs  []*decl
	defines  []*define
	types    map[typeKey]*define // the first of each name

	top      *scope
	declared map[string]map[string]*decl // root → name → one of that name, wherever it is visible

	// gaps says that something in the files isn't among the declarations, since
	// what it is isn't clear.
	gaps bool
	// perhaps are names that may be declared where it isn't clear what is.
	perhaps perhaps
	// mostEffort is what may be done to evaluate a variant, and effort what may
	// still be done until all of it is checked.
	mostEffort int
	effort     *effort
}

// decl is a block that declares something. A local is one too, of an attribute.
type decl struct {
	root  string // how references to it begin
	name  string
	typ   schema.Type // of actions, faults, probes and workloads
	file  *source.File
	block *hclsyntax.Block
	expr  hclsyntax.Expression // of a local
	rng   hcl.Range            // its header
	named hcl.Range            // its name

	// broken says that a problem with it has been reported that makes what it is
	// unclear: what refers to it isn't checked. It is itself as far as it has
	// args.
	broken bool

	args  *body
	meta  *body
	kind  *body // a node's nested block of a kind
	kindT *schema.Type
	def   *define // of a probe or an action whose type is defined in a file

	scope *scope  // where it is visible
	inner *scope  // of repeat, cleanup and define: what is visible inside
	steps []*decl // of repeat, cleanup and define
}

// scope is a set of names that are visible together.
type scope struct {
	parent *scope
	owner  *decl // the repeat, cleanup or define; nil at the top
	closed bool  // what is around it isn't visible, but for sharedRoots
	names  map[string]map[string]*decl
}

// sharedRoots are what a define sees of what is around it.
var sharedRoots = []string{rootVar, rootLocal, rootImage}

func newScope(parent *scope, owner *decl) *scope {
	return &scope{parent: parent, owner: owner, names: map[string]map[string]*decl{}}
}

// find returns what a name means in a scope, or nil.
func (s *scope) find(root, name string) *decl {
	for ; s != nil; s = s.parent {
		if d := s.names[root][name]; d != nil {
			return d
		}
		if s.closed && !slices.Contains(sharedRoots, root) {
			return nil
		}
	}
	return nil
}

// tooManyNames is how many names are too many to look for a likely one.
const tooManyNames = 1000

// visible lists the names of a kind, for suggestions: none if there are too
// many to compare each with what was written.
func (s *scope) visible(root string) []string {
	var names []string
	for at := s; at != nil; at = at.parent {
		if len(at.names[root]) > tooManyNames {
			return nil
		}
	}
	for ; s != nil; s = s.parent {
		for n := range s.names[root] {
			names = append(names, n)
		}
		if s.closed && !slices.Contains(sharedRoots, root) {
			break
		}
	}
	return sorted(names)
}

// address is how a declaration is called in references.
func (d *decl) address() string { return d.root + "." + d.name }

// define returns the define that a scope is inside of, or nil.
func (s *scope) define() *decl {
	for ; s != nil; s = s.parent {
		if s.closed {
			return s.owner
		}
	}
	return nil
}

// called names a repeat, cleanup or define for a message.
func (d *decl) called() string {
	if d.name == "" {
		return d.root
	}
	return d.root + ` "` + d.name + `"`
}

// standsAbove says whether a declaration stands above another of its file, or in
// another file: steps of libraries come first.
func (d *decl) standsAbove(other *decl) bool {
	return d.file != other.file || d.rng.Start.Byte < other.rng.Start.Byte
}

// isStep says whether it has a place in the order.
func (d *decl) isStep() bool { return slices.Contains(stepBlocks, d.root) }

// hasInstances says whether a root refers to what has values at run time only.
func hasInstances(root string) bool {
	return root == rootNode || root == rootProbe || slices.Contains(stepBlocks, root)
}

func (d *decl) isFault() bool { return d.typ.Kind == schema.Fault }

// multiple says whether it has count or for_each, and which.
func (d *decl) multiple() (*hclsyntax.Attribute, string) {
	b := d.meta
	if b == nil {
		return nil, ""
	}
	for _, name := range []string{"count", "for_each"} {
		if a := b.attrs[name]; a != nil {
			return a, name
		}
	}
	return nil, ""
}

package lang

import (
	"regexp"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/schema"
)

// Scenario is one scenario file with all that it includes, checked.
type Scenario struct {
	Name           string
	Description    string
	Tags           []string
	Timeout        time.Duration // 10m unless given
	CleanupTimeout time.Duration // 2m unless given
	Seed           *int64        // nil: the run draws one
	File           string        // as given on the command line
	Range          hcl.Range     // of the scenario block
	Variables      []Variable
	// VariantKeys are the variants in order: "axis=value,axis=value", or one
	// empty key without a matrix.
	VariantKeys []string

	// Types are the types that the files define, in the order in which they stand
	// there. What their results are may hang on the arguments; here they are what
	// they are for any.
	Types []schema.Type

	loaded *loaded // what Expand needs
}

// Variable is a variable with the value it has in this run.
type Variable struct {
	Name      string
	Value     cty.Value
	From      string // default, a file's name, the environment variable, --var
	Sensitive bool
}

// Variant is a scenario with its matrix values chosen: every instance of every
// declaration, in stable order.
type Variant struct {
	Scenario *Scenario
	Key      string // one of Scenario.VariantKeys
	Images   []*Image
	Networks []*Network
	Volumes  []*Volume
	Nodes    []*Node
	Probes   []*Probe
	Steps    []*Step // in source order
	Cleanup  []*Step
	Outputs  []*Output
	// Gaps says that the files have more than the variant: what it is has been
	// reported as unclear, and it may be anything, steps included.
	Gaps bool
	// Secrets are the texts that must be replaced wherever they turn up (those
	// shorter than ShortestSecret: where they stand as a value of their own), longest
	// first.
	Secrets []string

	x *expansion
}

// Image is an image block. Its values are known before anything runs.
type Image struct {
	Name  string
	Pull  string
	Build *Build
	Range hcl.Range
}

// Build is the build block of an image. Context is a path that can be opened.
type Build struct {
	Context    string
	Dockerfile string
	Args       map[string]string
	Target     string
}

// Network is a network block.
type Network struct {
	Name     string
	Subnet   string
	SubnetAt hcl.Range // where that is said
	Internal bool
	Driver   string
	Range    hcl.Range
}

// Volume is a volume block. Size is in bytes, 0 without limit.
type Volume struct {
	Name  string
	Size  int64
	Range hcl.Range
}

// Node is one instance of a node block. What in it depends on addresses is
// known only when they are, so its arguments are evaluated twice: while
// planning, and again with the Scope of the run.
type Node struct {
	Address string    // node.worker[0]
	Name    string    // worker
	Key     cty.Value // of count or for_each; cty.NilVal without
	Host    string    // its name on the network: worker, worker-0
	// Image is the name of an image block, if the node's image is one.
	Image string
	Kind  string // nested block: "ray"; empty without
	// Body has the shape NodeArgs, Body.Eval gives its value.
	Body *Body
	// KindBody has the shape of the kind's Args.
	KindBody *Body
	// DependsOn are addresses that must be ready first.
	DependsOn []string
	Refs      []Ref
	Range     hcl.Range
}

// Probe is one instance of a probe block.
type Probe struct {
	Address string // probe.cluster, probe.direct[0], action.roll/probe.cluster
	// Declaration is the address without the key.
	Declaration string
	Name        string
	Key         cty.Value
	Type        schema.Type
	Body        *Body
	Range       hcl.Range
	// Define is set if the type is defined in a file: its answer is what Results
	// comes to, with the answers of the probes that it is made of. Those are
	// among the variant's too.
	Define  *Define
	Results *Body
	Uses    []Use // that it is inside of, the innermost first
}

// Define is a define block.
type Define struct {
	Name  string
	Range hcl.Range
}

// Use is a block whose type is defined in a file.
type Use struct {
	Address string
	Range   hcl.Range // of its header
}

// StepKind says what a step is.
type StepKind string

// The kinds of steps. A fault is an action.
const (
	ActionStep   StepKind = "action"
	WorkloadStep StepKind = "workload"
	AssertStep   StepKind = "assert"
	RepeatStep   StepKind = "repeat"
)

// Step is one instance of a step block.
type Step struct {
	Address string // action.outage, action.one["a"], repeat.round[0]/action.shot, cleanup/action.log, action.roll/action.one
	// Declaration is the address without the key.
	Declaration string
	Kind        StepKind
	Name        string
	Key         cty.Value // of count or for_each; cty.NilVal without
	Type        schema.Type
	Meta        Meta
	Body        *Body // of an action or workload
	// Of are the types that its nested blocks name, in source order.
	Of     []schema.Type
	Assert *Assert // of an assert
	Times  int     // of a repeat
	// For is how long new rounds of a repeat begin; 0 for one that says Times.
	For time.Duration
	// Rounds are the steps of each round of a repeat. Each round has steps of
	// its own, with addresses such as repeat.round[0]/action.shot; names inside
	// refer to the steps of the same round, and Refs say so by address. Of a
	// repeat with For they are the first two: how many there will be isn't known,
	// but what one does to the next is. Round makes those that come.
	Rounds [][]*Step
	Steps  []*Step // Rounds[0]
	round  func(n int) (Round, hcl.Diagnostics)
	// Define is set of an action whose type is defined in a file. It is a group:
	// Inside are its steps, at addresses below its own. Body has its arguments,
	// which a Scope has at the address followed by "/param" from its start on.
	// Results is what it yields once its steps have finished, nil for nothing.
	Define  *Define
	Inside  []*Step
	Results *Body
	Uses    []Use // that it is inside of, the innermost first
	// Refs are all references in it, after and throughout included, each once
	// per target and need, in source order; what locals and probes that it uses
	// refer to is in it too.
	Refs  []Ref
	Range hcl.Range // of the block's header
	// Result is the type of the step's value: schema.StepAttrs, the type's
	// results, and schema.FaultAttrs for a fault.
	Result cty.Type
	// Unclear says that an error has been reported of it that leaves open when,
	// or whether, or how many times it does what.
	Unclear bool
}

// Meta are a step's meta-arguments.
type Meta struct {
	After       []Ref // nil: not given; empty: given as []
	Background  bool
	When        *Expr
	Timeout     time.Duration // 0: none
	TimeoutAt   hcl.Range
	Attempts    int // 1 without retry
	Backoff     time.Duration
	Continue    bool // on_failure = "continue"
	ExpectError *regexp.Regexp
	Description string
	Tags        []string
}

// Assert is what an assert block says.
type Assert struct {
	Condition    *Expr
	Within       time.Duration
	WithinAt     hcl.Range
	Every        time.Duration
	Hold         time.Duration
	Throughout   *Ref
	ErrorMessage *Expr // nil: none
}

// Output is an output block.
type Output struct {
	Name        string
	Description string
	Sensitive   bool
	Value       *Expr
	Range       hcl.Range
}

// RefKind is what a reference points to.
type RefKind string

// The kinds of references that matter at run time. Variables, locals, images,
// volumes, matrix and each are resolved before.
const (
	NodeRef     RefKind = "node"
	ProbeRef    RefKind = "probe"
	ActionRef   RefKind = "action"
	WorkloadRef RefKind = "workload"
	AssertRef   RefKind = "assert"
	RepeatRef   RefKind = "repeat"
	// ParamRef is a reference to the arguments of a use, from inside.
	ParamRef RefKind = "param"
)

// Need says how far the target must be before the reference can be used.
type Need string

// The needs. A node's and a probe's references need nothing.
const (
	NeedNothing  Need = ""
	NeedStarted  Need = "started"
	NeedActive   Need = "active" // a fault
	NeedFinished Need = "finished"
)

// Ref is a reference to an instance, or, with Whole, to all instances of a
// declaration.
type Ref struct {
	Kind    RefKind
	Name    string
	Address string // of the instance, or of the declaration if Whole
	Whole   bool   // the declaration has count or for_each and no constant index is given
	Need    Need
	// Attr is the first attribute taken of it, if written.
	Attr  string
	Range hcl.Range

	open bool // a param's whose value is known only where its define is used
}

// Scope supplies, at run time, what expressions refer to. Values are those of
// one instant: the engine asks the probes and computes the statistics that
// Refs and Windows name before it evaluates.
type Scope interface {
	// Instance returns the value of a node, probe, step or workload by address.
	// A value that is not known yet is cty.UnknownVal of its type. What a ParamRef
	// names is an object of the arguments of a use.
	Instance(address string) cty.Value
	// Window returns the statistics of a window.
	Window(w Window) cty.Value
}

// Confidant is a Scope that wants to know what must not be shown: the texts of
// sensitive values, computed ones included, before anything is done with them.
type Confidant interface {
	Confide(texts ...string)
}

// WindowKind is the function that a window is written with.
type WindowKind string

// The window functions.
const (
	During  WindowKind = "during"
	Between WindowKind = "between"
	Since   WindowKind = "since"
)

// Window is a use of a window function, by addresses. B is of between only.
type Window struct {
	Kind     WindowKind
	Workload string
	A, B     string
}

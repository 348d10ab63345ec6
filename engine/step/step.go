package step

import (
	"context"
	"encoding/json"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/schema"
)

// Definition is a type and how it is carried out. Exactly the field that
// belongs to Type.Kind is set. Arguments arrive as an object of the type
// Args.Type(), wholly known, defaults filled in, checked.
type Definition struct {
	schema.Type
	Action   func(ctx context.Context, env *Env, args cty.Value) (Result, error)
	Fault    Fault
	Probe    func(ctx context.Context, env *Env, args cty.Value) (cty.Value, error)
	Workload func(args cty.Value) (Traffic, error)
	NodeKind func(in KindInput) (KindOutput, error)
}

// Result is what an action yields: a value of the type that Type.Result
// declares, and one line for the timeline ("head: gcs_server pid 7 → exit 1").
// A zero Value is an object without attributes.
type Result struct {
	Value   cty.Value
	Summary string
}

// Fault is an action whose effect lasts. The engine calls Intent, writes what
// it returns to disk, then Inject, then Observe until it reports the effect,
// and at the end Heal and Verify. Everything after Intent works by the intent
// alone, so that another process can heal.
type Fault interface {
	Intent(ctx context.Context, env *Env, args cty.Value) (Intent, error)
	Inject(ctx context.Context, env *Env, in Intent) error
	// Observe returns when the effect is seen, or an error if it can't be or
	// ctx ends first.
	Observe(ctx context.Context, env *Env, in Intent) (Observed, error)
	Heal(ctx context.Context, env *Env, in Intent) error
	// Verify returns when the heal is seen to have worked.
	Verify(ctx context.Context, env *Env, in Intent) error
}

// Intent is what a fault is about to do.
type Intent struct {
	Nodes []string        `json:"nodes"` // addresses of the nodes it acts on
	Data  json.RawMessage `json:"data"`  // the fault's own
}

// Observed is the effect of a fault.
type Observed struct {
	Result
	Hits []string // what was hit, one line each
}

// Traffic is what a workload sends.
type Traffic struct {
	Job  string          // of the agent: "http"; empty: a Program sends it
	Spec json.RawMessage // the job's own, or a traffic.ProgramSpec
	// Program is a command to run in the node From, whose lines are the
	// operations, until it is told to end by SIGTERM.
	Program  []string
	From     string        // node address; "": the network's agent; "host": the engine itself
	Rate     float64       // per second; 0: the program's own
	Baseline int           // ok samples in a row before it counts as started; 0: none
	Within   time.Duration // in which the baseline must come
	Captures []string      // names that samples capture
}

// KindInput is what a node kind sees. It is called while planning with
// addresses that are only placeholders, and again when they are known.
type KindInput struct {
	Args cty.Value // of the kind's block; node references as addresses
	Self Facts
	Node func(address string) Facts
}

// Facts are what is known of a node before it runs.
type Facts struct{ Address, Name, Host, IP string }

// KindOutput is what a node kind fills in. What the node says itself wins; Env
// is merged key by key.
type KindOutput struct {
	Command []string
	Env     map[string]string
	ShmSize int64 // bytes
	// CPUShare is the node's weight where CPU is short, with 1 being every
	// node's; 0 is 1.
	CPUShare float64
	// Gate delays the start of the process until it returns nil, asked every
	// 50 ms. Nil: no gate.
	Gate func(ctx context.Context, env *Env) error
	// Ready is asked every 50 ms after each start until it returns nil; its
	// last error is what a person sees when time runs out. Nil: ready when
	// running.
	Ready func(ctx context.Context, env *Env) error
	// Within is the time limit of Ready where the node does not say one.
	Within time.Duration
	// StartAfter are nodes whose processes must have been started (not be ready)
	// before, of those that are started at the same time.
	StartAfter []string
}

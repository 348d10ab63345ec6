package step

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/schema"
)

// The New functions make definitions of Go structs, so that most of a
// vocabulary never touches cty: In is the struct of the arguments, Out that of
// the results. Each exported field with a tag `scn:"name"` is one attribute:
//
//	scn:"name,required"   its name; required for arguments
//	doc:"…"               its documentation
//	default:"SIGKILL"     the value of an argument that is left out
//	enum:"drop,reject"    the values that an argument takes
//	check:"signal"        how it is written: the name of a schema.Format
//	ref:"faults"          what it refers to: node, nodes, step, steps, faults, workload
//	only:"ray,role,head"  left out, the only node of that kind and role
//	sensitive:"true"      never to be shown
//	each:"true"           nodes of which a part can be acted on as well
//
// Types of fields: string, bool, int, float64; Node (one node) and []Node;
// slices, maps by string and pointers of those and of structs; cty.Value (any
// type). An argument that is left out is the zero value; use a pointer to tell
// them apart. time.Duration is a duration string as an argument and seconds as
// a result; *regexp.Regexp is an argument only; time.Time (RFC 3339) a result
// only. In results a nil pointer is null, a nil slice or map is empty, and a Node
// is the whole node as expressions see it.
//
// What t says itself is kept: its Result, and attributes of its Args in place of
// those that a field of the same name would make. A struct that does not follow
// these rules panics here, when the program starts.

// Node is a node's address in structs of arguments and results.
type Node string

// Nothing is the In or Out of what has no arguments or results.
type Nothing struct{}

// NewAction makes an action. The string that run returns is the one line for
// the timeline.
func NewAction[In, Out any](t schema.Type, run func(ctx context.Context, env *Env, in In) (Out, string, error)) Definition {
	t = typed[In, Out](schema.Action, t)
	return Definition{Type: t, Action: func(ctx context.Context, env *Env, args cty.Value) (Result, error) {
		in, err := arguments[In](t, args)
		if err != nil {
			return Result{}, err
		}
		out, summary, err := run(ctx, env, in)
		if err != nil {
			return Result{Summary: summary}, err
		}
		v, err := encode(env, out)
		return Result{Value: v, Summary: summary}, err
	}}
}

// NewProbe makes a probe.
func NewProbe[In, Out any](t schema.Type, ask func(ctx context.Context, env *Env, in In) (Out, error)) Definition {
	t = typed[In, Out](schema.Probe, t)
	return Definition{Type: t, Probe: func(ctx context.Context, env *Env, args cty.Value) (cty.Value, error) {
		in, err := arguments[In](t, args)
		if err != nil {
			return cty.NilVal, err
		}
		out, err := ask(ctx, env, in)
		if err != nil {
			return cty.NilVal, err
		}
		return encode(env, out)
	}}
}

// NewWorkload makes a workload. Its results are the statistics, which the
// engine knows; t.Result says of what type captured is.
func NewWorkload[In any](t schema.Type, send func(in In) (Traffic, error)) Definition {
	t = typed[In, Nothing](schema.Workload, t)
	return Definition{Type: t, Workload: func(args cty.Value) (Traffic, error) {
		in, err := arguments[In](t, args)
		if err != nil {
			return Traffic{}, err
		}
		return send(in)
	}}
}

// NewNodeKind makes a node kind. See Definition.NodeKind for when expand is
// called; the KindInput is there for the addresses in it.
func NewNodeKind[In any](t schema.Type, expand func(args In, in KindInput) (KindOutput, error)) Definition {
	t = typed[In, Nothing](schema.NodeKind, t)
	return Definition{Type: t, NodeKind: func(in KindInput) (KindOutput, error) {
		args, err := arguments[In](t, in.Args)
		if err != nil {
			return KindOutput{}, err
		}
		return expand(args, in)
	}}
}

// TypedFault is a Fault over Go types: In are the arguments, T is the intent,
// which must survive JSON, and Out are the results.
type TypedFault[In, T, Out any] interface {
	// Intent says what will be done, and to which nodes.
	Intent(ctx context.Context, env *Env, in In) (intent T, nodes []Node, err error)
	Inject(ctx context.Context, env *Env, intent T) error
	// Observe returns when the effect is seen.
	Observe(ctx context.Context, env *Env, intent T) (Effect[Out], error)
	Heal(ctx context.Context, env *Env, intent T) error
	Verify(ctx context.Context, env *Env, intent T) error
}

// Effect is the effect of a fault as it was observed.
type Effect[Out any] struct {
	Out     Out
	Summary string
	Hits    []string // what was hit, one line each
}

// NewFault makes a fault.
func NewFault[In, T, Out any](t schema.Type, f TypedFault[In, T, Out]) Definition {
	t = typed[In, Out](schema.Fault, t)
	return Definition{Type: t, Fault: fault[In, T, Out]{t, f}}
}

type fault[In, T, Out any] struct {
	t schema.Type
	f TypedFault[In, T, Out]
}

func (a fault[In, T, Out]) Intent(ctx context.Context, env *Env, args cty.Value) (Intent, error) {
	in, err := arguments[In](a.t, args)
	if err != nil {
		return Intent{}, err
	}
	intent, nodes, err := a.f.Intent(ctx, env, in)
	if err != nil {
		return Intent{}, err
	}
	data, err := json.Marshal(intent)
	if err != nil {
		return Intent{}, fmt.Errorf("write down the intent: %w", err)
	}
	return Intent{Nodes: addresses(nodes), Data: data}, nil
}

func (a fault[In, T, Out]) Inject(ctx context.Context, env *Env, in Intent) error {
	return a.with(ctx, env, in, a.f.Inject)
}

func (a fault[In, T, Out]) Observe(ctx context.Context, env *Env, in Intent) (seen Observed, err error) {
	err = a.with(ctx, env, in, func(ctx context.Context, env *Env, intent T) error {
		effect, err := a.f.Observe(ctx, env, intent)
		if err != nil {
			return err
		}
		v, err := encode(env, effect.Out)
		seen = Observed{Result: Result{Value: v, Summary: effect.Summary}, Hits: effect.Hits}
		return err
	})
	return seen, err
}

func (a fault[In, T, Out]) Heal(ctx context.Context, env *Env, in Intent) error {
	return a.with(ctx, env, in, a.f.Heal)
}

func (a fault[In, T, Out]) Verify(ctx context.Context, env *Env, in Intent) error {
	return a.with(ctx, env, in, a.f.Verify)
}

func (a fault[In, T, Out]) with(ctx context.Context, env *Env, in Intent, do func(context.Context, *Env, T) error) error {
	var intent T
	if err := json.Unmarshal(in.Data, &intent); err != nil {
		return fmt.Errorf("read the intent: %w", err)
	}
	return do(ctx, env, intent)
}

func addresses(nodes []Node) []string {
	list := make([]string, len(nodes))
	for i, n := range nodes {
		list[i] = string(n)
	}
	return list
}

// arguments checks the arguments as a whole, now that all are known, and puts
// them into a struct.
func arguments[In any](t schema.Type, args cty.Value) (in In, err error) {
	if t.Check != nil {
		if err := t.Check(args); err != nil {
			return in, Failf("%w", err)
		}
	}
	return decode[In](args)
}

// typed completes a type by what the structs say.
func typed[In, Out any](k schema.Kind, t schema.Type) schema.Type {
	t.Kind = k
	t.Args = argsOf(t, reflect.TypeFor[In]())
	if out := reflect.TypeFor[Out](); t.Result == nil && out != valueType {
		result := resultOf(t.Name, out)
		if len(result.Attrs) > 0 {
			t.Result = func(cty.Value) schema.Object { return result }
		}
	}
	return t
}

package chaos

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/step"
)

// Definitions are the types of this vocabulary, given those whose faults it can
// inject.
func Definitions(others []step.Definition) []step.Definition {
	f := chaos{faults: map[string]schema.Type{}}
	for _, d := range others {
		if d.Kind == schema.Fault {
			f.faults[d.Name] = d.Type
		}
	}
	return []step.Definition{{Type: f.definition(), Fault: f}}
}

// chaos is a step.Fault.
type chaos struct{ faults map[string]schema.Type }

const (
	everyArg = "every"
	keepArg  = "keep"
	forArg   = "for"
	faultArg = "fault"
)

func (f chaos) definition() schema.Type {
	return schema.Type{
		Kind:    schema.Fault,
		Name:    "chaos",
		Summary: "injects faults at an interval, chosen by the seed",
		Doc: `Each interval one of the ` + "`fault`" + ` blocks is chosen, and of the nodes that it names one that no other
fault of this chaos is on: the choices hang on the seed and on what stands here, so the same seed repeats them. Each fault has its own ` + "`for`" + `,
may outlast the interval, and is shown, written down and healed like any other. If its predecessor on a node is not healed in time, the next one waits.

Only nodes that the blocks name are hit, and ` + "`keep`" + ` of them are untouched at any time, by other steps' faults too: what would break that is left out.
A fault that can't be injected, seen to be active or healed fails the scenario, and so does a chaos that other steps leave nothing to hit. What was never injected is said at its end.

Active when the first fault is. Ended by ` + "`heal`" + `, which injects no more and heals what is in effect.`,
		Args: schema.Object{
			Attrs: []schema.Attr{
				{Name: everyArg, Type: cty.String, Required: true, Format: schema.PositiveDuration, Doc: "The time from one injection to the next. The first one comes at once."},
				{Name: keepArg, Type: cty.Number, Default: cty.Zero, Format: schema.Whole, Doc: "How many of the nodes named stay untouched at any time."},
			},
			Blocks: []schema.Block{{
				Name: faultArg, Required: true, Repeated: true, Of: schema.Fault, BodyOf: bodyOf,
				Doc: "A fault to choose from, with the arguments of its type; `for` is required. Where a type hits each of its `nodes`, or of those that it isolates, for itself, one of them is hit at a time; otherwise all that the block names.",
			}},
		},
		Check: f.check,
		Examples: []schema.Example{{
			Title: "Two minutes in which workers die, hang and are cut off, but never all of them",
			Text: `scenario "example" {
  seed = 7
}

node "worker" {
  count = 3
  image = "nginx:1.29"
}

action "chaos" "storm" {
  every = "5s"
  keep  = 1
  for   = "2m"

  fault "kill" {
    nodes = node.worker
    for   = "4s"
  }

  fault "pause" {
    nodes = node.worker
    for   = "8s"
  }

  fault "partition" {
    isolate = node.worker
    for     = "6s"
  }
}
`,
		}},
	}
}

// bodyOf is what a fault block takes for a type.
func bodyOf(t schema.Type) (schema.Object, error) {
	takesNodes := false
	body := t.Args.And(schema.FaultArgs)
	for i, a := range body.Attrs {
		switch {
		case a.TakesNodes():
			// Nothing is hit that is not named.
			takesNodes = true
			if a.OnlyNode != (schema.OnlyNode{}) {
				body.Attrs[i].OnlyNode, body.Attrs[i].Required = schema.OnlyNode{}, true
			}
		case a.Name == forArg:
			body.Attrs[i].Required, body.Attrs[i].Format = true, schema.PositiveDuration
			body.Attrs[i].Doc = "Heal the fault after this long."
		}
	}
	for _, b := range t.Args.Blocks {
		if b.Of != "" {
			return body, errors.New("it injects other faults itself")
		}
	}
	if !takesNodes {
		return body, errors.New("it does not say which nodes it hits, so that none could be kept untouched")
	}
	return body, nil
}

// check says what is wrong with the arguments together, as far as nodes are
// known.
func (f chaos) check(args cty.Value) error {
	given := args.GetAttr(faultArg)
	keep := args.GetAttr(keepArg)
	if !given.IsWhollyKnown() || !keep.IsKnown() || keep.IsNull() {
		return nil
	}
	var all []option
	for _, one := range given.AsValueSlice() {
		t, ok := f.faults[one.GetAttr("type").AsString()]
		if !ok || t.Check != nil && t.Check(one.GetAttr("args")) != nil {
			return nil // reported
		}
		all = append(all, optionOf(t, one.GetAttr("args")))
	}
	if len(all) == 0 {
		return nil // reported
	}
	n, _ := keep.AsBigFloat().Int64()
	return suits(all, int(n))
}

// suits says why options can't be chosen from while so many nodes are kept.
func suits(all []option, keep int) error {
	nodes := named(all)
	for _, o := range all {
		switch {
		case len(o.Nodes) == 0:
			return fmt.Errorf("fault %q names no node", o.Type)
		case keep >= len(nodes):
			return fmt.Errorf("keep = %d leaves nothing to hit: the blocks name %d nodes", keep, len(nodes))
		case o.Each == "" && len(nodes)-len(o.Nodes) < keep:
			return fmt.Errorf("fault %q hits %d of the %d nodes at once, so that keep = %d can't hold", o.Type, len(o.Nodes), len(nodes), keep)
		}
	}
	return nil
}

// intent is what is about to be done; the choices follow from it.
type intent struct {
	Every   time.Duration `json:"every_ns"`
	Keep    int           `json:"keep"`
	Seed    uint64        `json:"seed"`
	Options []option      `json:"options"`
}

// Intent puts down what there is to choose from.
func (f chaos) Intent(_ context.Context, env *step.Env, args cty.Value) (step.Intent, error) {
	every, err := time.ParseDuration(args.GetAttr(everyArg).AsString())
	if err != nil {
		return step.Intent{}, err
	}
	keep, _ := args.GetAttr(keepArg).AsBigFloat().Int64()
	in := intent{Every: every, Keep: int(keep), Seed: uint64(env.Draw(math.MaxInt))}
	for _, one := range args.GetAttr(faultArg).AsValueSlice() {
		name := one.GetAttr("type").AsString()
		t, ok := f.faults[name]
		if !ok {
			return step.Intent{}, fmt.Errorf("bug: there is no fault %q", name)
		}
		o := optionOf(t, one.GetAttr("args"))
		if o.For, err = time.ParseDuration(o.Args.GetAttr(forArg).AsString()); err != nil {
			return step.Intent{}, err
		}
		in.Options = append(in.Options, o)
	}
	if err := suits(in.Options, in.Keep); err != nil {
		return step.Intent{}, step.Failf("%w", err)
	}
	data, err := json.Marshal(in)
	if err != nil {
		return step.Intent{}, fmt.Errorf("write down the intent: %w", err)
	}
	return step.Intent{Data: data}, nil
}

// Inject begins.
func (f chaos) Inject(_ context.Context, env *step.Env, in step.Intent) error {
	var todo intent
	if err := json.Unmarshal(in.Data, &todo); err != nil {
		return fmt.Errorf("read the intent: %w", err)
	}
	return env.Faults.Begin(step.Sequence{
		Every: todo.Every, Next: newChooser(todo).next, Nodes: named(todo.Options), Keep: todo.Keep, Faults: inWords(todo.Options),
	})
}

// inWords names the blocks: by their type, and where several have that by their
// number as well.
func inWords(all []option) []string {
	times := map[string]int{}
	for _, o := range all {
		times[o.Type]++
	}
	words := make([]string, len(all))
	for i, o := range all {
		words[i] = fmt.Sprintf("fault %q", o.Type)
		if times[o.Type] > 1 {
			words[i] += fmt.Sprintf(" (block %d)", i+1)
		}
	}
	return words
}

// Observe waits for the first fault.
func (f chaos) Observe(ctx context.Context, env *step.Env, in step.Intent) (step.Observed, error) {
	var todo intent
	if err := json.Unmarshal(in.Data, &todo); err != nil {
		return step.Observed{}, fmt.Errorf("read the intent: %w", err)
	}
	if err := env.Faults.Begun(ctx); err != nil {
		return step.Observed{}, err
	}
	summary := fmt.Sprintf("one of %d faults every %s, %d of %d nodes kept untouched", len(todo.Options), todo.Every, todo.Keep, len(named(todo.Options)))
	return step.Observed{Result: step.Result{Value: cty.EmptyObjectVal, Summary: summary}}, nil
}

// Heal injects no more, and heals what is in effect.
func (f chaos) Heal(ctx context.Context, env *step.Env, _ step.Intent) error {
	return env.Faults.End(ctx)
}

// Verify has nothing to add: each fault has been verified by itself.
func (f chaos) Verify(context.Context, *step.Env, step.Intent) error { return nil }

var _ step.Fault = chaos{}

// MarshalJSON writes the arguments with their types.
func (o option) MarshalJSON() ([]byte, error) {
	args, err := ctyjson.Marshal(o.Args, cty.DynamicPseudoType)
	if err != nil {
		return nil, err
	}
	return json.Marshal(written{o.Type, o.For, o.Nodes, o.Each, args})
}

// UnmarshalJSON reads them back.
func (o *option) UnmarshalJSON(data []byte) error {
	var w written
	if err := json.Unmarshal(data, &w); err != nil {
		return err
	}
	args, err := ctyjson.Unmarshal(w.Args, cty.DynamicPseudoType)
	*o = option{Type: w.Type, Args: args, For: w.For, Nodes: w.Nodes, Each: w.Each}
	return err
}

// written is an option as JSON.
type written struct {
	Type  string          `json:"type"`
	For   time.Duration   `json:"for_ns"`
	Nodes []string        `json:"nodes"`
	Each  string          `json:"each,omitempty"`
	Args  json.RawMessage `json:"args"`
}

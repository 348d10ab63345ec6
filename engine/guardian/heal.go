package guardian

import (
	"context"
	"fmt"
	"log"
	"slices"
	"sync"

	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/fault"
	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/step"
)

// undone are the resources whose faults are healed before the nodes are
// removed. What is down stays down, and what agents do they undo themselves.
var undone = []schema.Resource{schema.Paused, schema.CPU, schema.Memory, schema.Attached}

// heal heals the faults that the journal has as outstanding, by what it says of
// them: not every place removes a paused node, and one that hardly gets any CPU
// takes long to die. It has a moment only; what is not healed by then is removed
// all the same.
func heal(ctx context.Context, rt runtime.Runtime, registry *step.Registry, dir string, notes *log.Logger) {
	records, err := fault.Outstanding(dir)
	if err != nil {
		notes.Print(err)
	}
	ctx, cancel := context.WithTimeout(ctx, healing)
	defer cancel()
	var all sync.WaitGroup
	for _, r := range records {
		def, ok := registry.Lookup(schema.Action, r.Type)
		if !ok || def.Fault == nil || !slices.ContainsFunc(def.Takes, func(t schema.Resource) bool { return slices.Contains(undone, t) }) {
			continue
		}
		all.Go(func() {
			// Whether it worked is of no account: the node is removed next.
			if err := healOne(ctx, rt, def.Fault, r); err != nil {
				notes.Printf("heal %s: %v", r.Step, err)
				return
			}
			notes.Printf("healed %s", r.Step)
		})
	}
	all.Wait()
}

func healOne(ctx context.Context, rt runtime.Runtime, f step.Fault, r fault.Record) (err error) {
	defer func() {
		if p := recover(); p != nil { // of one that asks for more than nodes can do
			err = fmt.Errorf("bug: %v", p)
		}
	}()
	ids := map[string]runtime.NodeID{}
	for i, address := range r.Intent.Nodes {
		if i < len(r.Nodes) {
			ids[address] = r.Nodes[i]
		}
	}
	env := step.Env{Step: r.Step, Nodes: nodes{rt: rt, ids: ids}, Clock: step.SystemClock{}}
	return f.Heal(ctx, &env, r.Intent)
}

// nodes are those of a fault whose engine is gone, with as much as its heal
// needs. The methods that are left out are nobody's to call here.
type nodes struct {
	step.Nodes
	rt  runtime.Runtime
	ids map[string]runtime.NodeID
}

func (n nodes) State(ctx context.Context, address string) (runtime.NodeState, error) {
	return n.rt.InspectNode(ctx, n.ids[address])
}

func (n nodes) Unpause(ctx context.Context, address string) error {
	return n.rt.UnpauseNode(ctx, n.ids[address])
}

func (n nodes) Attachments(ctx context.Context, address string) (all []step.Attachment, err error) {
	found, err := n.rt.Attachments(ctx, n.ids[address])
	for _, at := range found {
		all = append(all, step.Attachment{Attachment: at})
	}
	return all, err
}

func (n nodes) Connect(ctx context.Context, address string, to step.Attachment) (step.Attachment, error) {
	return to, n.rt.Connect(ctx, n.ids[address], to.Attachment)
}

func (n nodes) LimitCPUs(ctx context.Context, address string, cpus float64) error {
	return n.rt.LimitCPUs(ctx, n.ids[address], cpus)
}

func (n nodes) LimitMemory(ctx context.Context, address string, bytes int64) error {
	return n.rt.LimitMemory(ctx, n.ids[address], bytes)
}

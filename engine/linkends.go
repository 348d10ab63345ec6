package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/event"
	"github.com/scenario-run/scenario/engine/link"
	"github.com/scenario-run/scenario/engine/runtime"
)

// linkEnd is what was put in force at an end last. Its lock is held while that
// is changed or looked at, so that the last change to be wanted is the last to be
// made.
type linkEnd struct {
	sync.Mutex
	launches          int         // of the node, when that was
	rules             []link.Rule // nil: in this start it has, and had, none
	leaving, arriving []link.Shape
}

// end is what is known of an end.
func (x *executor) end(name string) (e *linkEnd) {
	x.ask(func() { e = x.links.end(name) })
	return e
}

// shapesOf are the shapes of an end for links, by what the kernel can do. On the
// loop.
func (x *executor) shapesOf(end string, links []link.Link, places link.Places) (leaving, arriving []link.Shape) {
	return link.ShapesOf(end, links, places, x.delaysAt())
}

// delaysAt says at which end packets are delayed: by the sender's kernel, or
// where that has no netem by the receiver's agent.
func (x *executor) delaysAt() link.Way {
	if x.kernel != nil && !x.kernel.Can(link.Netem) {
		return link.In
	}
	return link.Out
}

// putInForce makes an end's rules and shapes those that are wanted now.
func (x *executor) putInForce(ctx context.Context, name string) error {
	return x.changeEnd(ctx, name, linkChange{})
}

// relink puts in force what is wanted in a node that has just been started, at a
// time no later than since: its network namespace is a new one, without any of
// it. Until it is done, drops are in force at their other ends; that delays and
// rates were not is told.
func (x *executor) relink(ctx context.Context, n *node, since time.Time) error {
	name, concerned := n.decl.Address, false
	end := x.end(name)
	end.Lock()
	end.rules, end.leaving, end.arriving = nil, nil, nil
	end.Unlock()
	x.ask(func() { concerned = slices.Contains(link.Ends(x.links.all(), x.linkPlaces()), name) })
	if !concerned {
		return nil
	}
	if err := x.putInForce(ctx, name); err != nil {
		return err
	}
	x.ask(func() { x.tellGap(name, x.now().Sub(since)) })
	return nil
}

// rewire puts in force what is wanted on the links of a node that has come onto
// a network: it has a further device, and may have an address that others don't
// know.
func (x *executor) rewire(ctx context.Context, name string) error {
	var ends []string
	x.ask(func() { ends = link.Ends(x.links.all(), x.linkPlaces()) })
	if !slices.Contains(ends, name) {
		return nil
	}
	end := x.end(name)
	end.Lock()
	end.leaving = nil // as it is on the other devices only
	end.Unlock()
	return x.atEnds(ctx, ends, x.putInForce)
}

// tellGap tells how long the faults were off that slow down what an end sends or
// receives. On the loop.
func (x *executor) tellGap(name string, off time.Duration) {
	places := x.linkPlaces()
	for _, s := range x.links.order {
		if leaving, arriving := x.shapesOf(name, x.links.wanted[s], places); len(leaving)+len(arriving) > 0 {
			x.emit(event.FaultGap{Step: s, Node: name, Seconds: off.Seconds()})
		}
	}
}

// cleared looks whether an end has nothing of some links any more but what is
// wanted.
func (x *executor) cleared(ctx context.Context, name string, links []link.Link) error {
	end := x.end(name)
	end.Lock()
	defer end.Unlock()
	var own, want []link.Rule
	x.ask(func() {
		places := x.linkPlaces()
		own, want = link.RulesOf(name, links, places), link.RulesOf(name, x.links.all(), places)
	})
	if end.rules != nil && len(own) > 0 {
		counts, err := x.askEnd(ctx, name, link.KnockJob, []link.Knock{})
		if err != nil {
			return err
		}
		var found []link.Rule
		for _, c := range counts {
			found = append(found, c.Rule)
		}
		for _, r := range own {
			if occurrences(found, r) > occurrences(want, r) {
				return fmt.Errorf("the rule to %s is still in force at %s", describeRule(r), name)
			}
		}
	}
	if !slices.ContainsFunc(links, func(l link.Link) bool { return l.Effect.Slows() }) {
		return nil
	}
	return x.askedShapes(ctx, name, end, func(want []link.Shape, is []link.Shaped) error { return stillShaped(name, want, is) })
}

func occurrences(all []link.Rule, of link.Rule) (n int) {
	for _, r := range all {
		if r == of {
			n++
		}
	}
	return n
}

// askEnd runs a job of an end's agent, and returns the rules that it finds in
// force.
func (x *executor) askEnd(ctx context.Context, end, job string, spec any) (counts []link.Count, err error) {
	return counts, x.askAgentOf(ctx, end, job, spec, &counts)
}

// askShapes is askEnd for what slows packets down.
func (x *executor) askShapes(ctx context.Context, end, job string, spec any) (shaped []link.Shaped, err error) {
	return shaped, x.askAgentOf(ctx, end, job, spec, &shaped)
}

// askAgentOf runs a job of an end's agent and decodes what it writes. What agents
// do can be done twice, so one that was known and is lost is asked for anew.
func (x *executor) askAgentOf(ctx context.Context, end, job string, spec, into any) error {
	text, err := json.Marshal(spec)
	if err != nil {
		return err
	}
	return x.onNode(ctx, end, func() error { return x.runAtEnd(ctx, end, job, text, into) })
}

// runAtEnd is askAgentOf without regard to whether the end's node lives on.
func (x *executor) runAtEnd(ctx context.Context, end, job string, spec []byte, into any) error {
	run := func(agent runtime.Agent) error {
		err := agent.Run(ctx, job, spec, func(line []byte) error { return json.Unmarshal(line, into) })
		if err != nil {
			return fmt.Errorf("change or look at what is in force on the links of %s: %w", end, err)
		}
		return nil
	}
	if agent := x.knownAgent(end); agent != nil {
		if err := run(agent); err == nil || ctx.Err() != nil {
			return err
		}
	}
	agent, err := x.agentAt(ctx, end)
	if err != nil {
		return err
	}
	return run(agent)
}

// prepareLinks starts the agents that faults of the plan will need, so that a
// fault doesn't have to wait for them. Whether they came up shows there. On the
// loop, when a node runs.
func (x *executor) prepareLinks(n *node) {
	if !x.mayBeLinked(n.decl.Address) {
		return
	}
	x.task(func() { _, _ = x.agentAt(x.base, n.decl.Address) })
}

// mayBeLinked says that a fault of the plan acts on links of a node, as far as
// is known.
func (x *executor) mayBeLinked(address string) bool {
	return slices.ContainsFunc(x.vertices, func(v *vertex) bool {
		if !v.mayInject(func(t schema.Type) bool { return slices.Contains(t.Takes, schema.Links) }) {
			return false
		}
		// Everyone is an end, or the nodes aren't known yet.
		return len(v.Targets) < 2 || len(v.Step.Of) > 0 || slices.Contains(v.Targets, address)
	})
}

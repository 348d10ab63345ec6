package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/scenario-run/scenario/engine/fault"
	"github.com/scenario-run/scenario/engine/lookup"
	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/step"
)

// lookupFailures is what all faults together want of look-ups in nodes. The
// loop owns what is wanted; a node's lock is held while it is put in force, so
// that the last to be wanted is the last to be made.
type lookupFailures struct {
	order []string // of steps
	steps map[string]wantedFailure
	locks map[string]*sync.Mutex // by node
	// starts are those of nodes, by the count of them, in which they were put in
	// force.
	starts map[string]int
	lapsed map[string]error // by step, why it was not in force all the time, until that is told
}

type wantedFailure struct {
	nodes []string
	lookup.Failure
}

func newLookupFailures() lookupFailures {
	return lookupFailures{
		steps: map[string]wantedFailure{}, locks: map[string]*sync.Mutex{}, starts: map[string]int{}, lapsed: map[string]error{},
	}
}

// at is what is wanted in a node.
func (l *lookupFailures) at(node string) []lookup.Failure {
	all := []lookup.Failure{}
	for _, s := range l.order {
		if w := l.steps[s]; slices.Contains(w.nodes, node) {
			all = append(all, w.Failure)
		}
	}
	return all
}

// failsAt says that a step wants something of look-ups in a node.
func (l *lookupFailures) failsAt(step, node string) bool {
	return slices.Contains(l.steps[step].nodes, node)
}

func (l *lookupFailures) lock(node string) *sync.Mutex {
	if l.locks[node] == nil {
		l.locks[node] = &sync.Mutex{}
	}
	return l.locks[node]
}

// lookupsOf is step.Lookups for one step.
type lookupsOf struct {
	x    *executor
	step string // ID of the vertex
}

var _ step.Lookups = lookupsOf{}

// Fail puts a failure in force in those of the nodes that run.
func (c lookupsOf) Fail(ctx context.Context, nodes []string, f lookup.Failure) error {
	c.x.ask(func() {
		l := &c.x.lookups
		if _, again := l.steps[c.step]; !again {
			l.order = append(l.order, c.step)
		}
		l.steps[c.step] = wantedFailure{nodes, f}
	})
	return c.x.atEnds(ctx, nodes, func(ctx context.Context, node string) error {
		return c.x.lockLookups(node, func() error {
			if err := c.x.noteLapsedLookups(ctx, node); err != nil {
				return err
			}
			return c.x.putLookups(ctx, node)
		})
	})
}

// Observe looks names up in the nodes and holds what they come to against what
// is wanted there.
func (c lookupsOf) Observe(ctx context.Context) ([]string, error) {
	var w wantedFailure
	c.x.ask(func() { w = c.x.lookups.steps[c.step] })
	hits := make([]string, len(w.nodes))
	err := c.x.atEnds(ctx, w.nodes, func(ctx context.Context, node string) error {
		names := w.Names
		if len(names) == 0 {
			names = []string{c.x.hostOf(node)}
		}
		seen, want, err := c.x.look(ctx, node, names)
		if err != nil {
			return err
		}
		if !seen.InForce || !slices.Equal(seen.Answers, want) {
			return step.Inconclusivef("looking up %s in %s comes to %v, not %v", strings.Join(names, ", "), node, seen.Answers, want)
		}
		hits[slices.Index(w.nodes, node)] = strings.TrimPrefix(node, "node.") + ": " + answered(names, seen.Answers)
		return nil
	})
	hits = slices.DeleteFunc(hits, func(h string) bool { return h == "" })
	if err == nil && len(hits) == 0 {
		err = c.x.noneRuns(w.nodes, "nothing is looked up there")
	}
	return hits, err
}

// answered says what names came to, those with one answer together.
func answered(names []string, answers []lookup.Answer) string {
	var texts []string
	for _, a := range []lookup.Answer{lookup.NXDomain, lookup.ServFail, lookup.Drop} {
		var those []string
		for i, n := range names {
			if answers[i] == a {
				those = append(those, n)
			}
		}
		switch len(those) {
		case 0:
		case 1:
			texts = append(texts, those[0]+" is answered with "+string(a))
		default:
			texts = append(texts, strings.Join(those, ", ")+" are answered with "+string(a))
		}
	}
	return strings.Join(texts, ", ")
}

// Clear takes back what Fail has put in force.
func (c lookupsOf) Clear(ctx context.Context) error {
	var w wantedFailure
	c.x.ask(func() { w = c.x.lookups.steps[c.step] })
	err := c.x.atEnds(ctx, w.nodes, func(ctx context.Context, node string) error {
		return c.x.lockLookups(node, func() error { return c.x.noteLapsedLookups(ctx, node) })
	})
	if err != nil {
		return err
	}
	c.x.ask(func() {
		delete(c.x.lookups.steps, c.step)
		c.x.lookups.order = slices.DeleteFunc(c.x.lookups.order, func(s string) bool { return s == c.step })
	})
	if err := c.x.atEnds(ctx, w.nodes, c.x.failLookups); err != nil {
		return err
	}
	var lapsed error
	c.x.ask(func() {
		lapsed = c.x.lookups.lapsed[c.step]
		delete(c.x.lookups.lapsed, c.step)
	})
	if lapsed != nil {
		return step.Lapsedf("it was not in force to its end: %w", lapsed)
	}
	return nil
}

// Cleared looks whether questions in nodes go where they would by themselves,
// unless another fault wants something of them.
func (c lookupsOf) Cleared(ctx context.Context, nodes []string) error {
	return c.x.atEnds(ctx, nodes, func(ctx context.Context, node string) error {
		wanted := 0
		c.x.ask(func() { wanted = len(c.x.lookups.at(node)) })
		seen, _, err := c.x.look(ctx, node, nil)
		if err == nil && seen.Led != (wanted > 0) {
			err = fmt.Errorf("look-ups still fail in %s", node)
		}
		return err
	})
}

// failLookups makes what fails in a node what is wanted now.
func (x *executor) failLookups(ctx context.Context, node string) error {
	return x.lockLookups(node, func() error { return x.putLookups(ctx, node) })
}

// lockLookups changes or looks at what fails in a node, alone.
func (x *executor) lockLookups(node string, do func() error) error {
	var lock *sync.Mutex
	x.ask(func() { lock = x.lookups.lock(node) })
	lock.Lock()
	defer lock.Unlock()
	return do()
}

// putLookups is failLookups under the node's lock.
func (x *executor) putLookups(ctx context.Context, node string) error {
	var all []lookup.Failure
	start := 0
	x.ask(func() { all, start = x.lookups.at(node), x.launchesOf(node) })
	if err := x.askAgentOf(ctx, node, lookup.FailJob, all, nil); err != nil {
		return err
	}
	x.ask(func() { x.lookups.starts[node] = start })
	return nil
}

// noteLapsedLookups notes which failures in a node were gone, as when its agent was
// killed, before what puts others in force hides that. Under the node's lock.
func (x *executor) noteLapsedLookups(ctx context.Context, node string) error {
	var steps []string
	x.ask(func() {
		if x.lookups.starts[node] != x.launchesOf(node) {
			return // its start has taken all away, and puts it back
		}
		for _, l := range x.faults {
			if (l.State == fault.Active || l.State == fault.Healing) && x.lookups.failsAt(l.Step, node) {
				steps = append(steps, l.Step)
			}
		}
	})
	if len(steps) == 0 {
		return nil
	}
	seen, _, err := x.look(ctx, node, nil)
	if err != nil || seen.InForce {
		return err
	}
	x.ask(func() {
		for _, s := range steps {
			if x.lookups.lapsed[s] == nil {
				x.lookups.lapsed[s] = fmt.Errorf("look-ups in %s do not fail any more", node)
			}
		}
	})
	return nil
}

// refail puts failures in force in a node that has just been started: its
// network namespace is a new one, without any.
func (x *executor) refail(ctx context.Context, node string) error {
	concerned := false
	x.ask(func() { concerned = len(x.lookups.at(node)) > 0 })
	if !concerned {
		return nil
	}
	return x.failLookups(ctx, node)
}

// look looks names up in a node, and says what is wanted of them.
func (x *executor) look(ctx context.Context, node string, names []string) (seen lookup.Seen, want []lookup.Answer, err error) {
	x.ask(func() {
		for _, n := range names {
			want = append(want, lookup.AnswerOf(n, x.lookups.at(node)))
		}
	})
	asked := lookup.Questions{Names: names}
	if len(names) > 0 {
		if asked.Resolvers, err = x.resolversOf(ctx, node); err != nil {
			return seen, nil, err
		}
	}
	return seen, want, x.askAgentOf(ctx, node, lookup.LookJob, asked, &seen)
}

// resolversOf are the servers that programs in a node ask.
func (x *executor) resolversOf(ctx context.Context, node string) ([]string, error) {
	conf, err := x.fileOf(ctx, node, "/etc/resolv.conf")
	return lookup.Resolvers(conf), err
}

// fileOf is the beginning of a file that programs in a node read about names, as
// they have it: another may lie over the one that the place gave the node. One
// that isn't there is empty.
func (x *executor) fileOf(ctx context.Context, address, path string) (string, error) {
	const most = 64 << 10
	file, err := nodesOf{x, ""}.ReadFile(ctx, address, path, most)
	if runtime.KindOf(err) == runtime.NotFound {
		return "", nil
	}
	return string(file.Content), err
}

func (x *executor) hostOf(address string) (host string) {
	x.ask(func() { host = x.nodes[address].facts.Host })
	return host
}

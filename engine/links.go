package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/scenario-run/scenario/engine/link"
	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/step"
)

// linkMatrix is what all faults together want of the packets between ends. The
// loop owns what is wanted; what is in force at an end is the end's own.
type linkMatrix struct {
	wanted map[string][]link.Link // by the step that wants it
	order  []string               // of steps
	healed map[string][]link.Link // by step, what it does not want any more, until that is seen to be gone
	lapsed map[string]error       // by step, why it was not in force all the time, until that is told
	ends   map[string]*linkEnd    // those that were changed
	agents map[string]endAgent    // by end, those that have answered
	met    map[stepEnd][]link.Count
}

// stepEnd is an end of a step's fault. What the rules there have met is kept
// from when they were put in force until it is looked at.
type stepEnd struct{ step, end string }

// endAgent is the agent of an end in one start of it.
type endAgent struct {
	runtime.Agent
	launches int
	end      runtime.AgentEnd
}

func newLinkMatrix() linkMatrix {
	return linkMatrix{
		wanted: map[string][]link.Link{}, healed: map[string][]link.Link{}, lapsed: map[string]error{},
		ends: map[string]*linkEnd{}, agents: map[string]endAgent{}, met: map[stepEnd][]link.Count{},
	}
}

// all is what is wanted, in the order in which it came to be.
func (m *linkMatrix) all() []link.Link {
	var all []link.Link
	for _, s := range m.order {
		all = append(all, m.wanted[s]...)
	}
	return all
}

func (m *linkMatrix) want(step string, links []link.Link) {
	if _, known := m.wanted[step]; !known {
		m.order = append(m.order, step)
	}
	m.wanted[step] = links
}

// unwant returns what a step wants no more, and whether it did until now: of a
// heal that is tried again it does not.
func (m *linkMatrix) unwant(step string) (links []link.Link, until bool) {
	if links, until = m.wanted[step]; until {
		m.healed[step] = links
		delete(m.wanted, step)
		m.order = slices.DeleteFunc(m.order, func(s string) bool { return s == step })
	}
	maps.DeleteFunc(m.met, func(at stepEnd, _ []link.Count) bool { return at.step == step })
	return m.healed[step], until
}

func (m *linkMatrix) end(name string) *linkEnd {
	e := m.ends[name]
	if e == nil {
		e = &linkEnd{}
		m.ends[name] = e
	}
	return e
}

// networkEnd is the end that stands for the agent of a network.
func networkEnd(name string) string { return "network." + name }

// linkPlaces are all ends. On the loop.
func (x *executor) linkPlaces() link.Places {
	places := link.Places{}
	for name := range x.places.networks {
		places[networkEnd(name)] = nil
	}
	for address, n := range x.nodes {
		for _, text := range n.ips {
			if ip, err := netip.ParseAddr(text); err == nil {
				places[address] = append(places[address], ip)
			}
		}
	}
	return places
}

// linksOf is step.Links for one step.
type linksOf struct {
	x    *executor
	step string // ID of the vertex
}

var _ step.Links = linksOf{}

// Set puts links in force at all their ends that run.
func (c linksOf) Set(ctx context.Context, links []link.Link) error {
	c.x.ask(func() { c.x.links.want(c.step, links) })
	return c.x.eachEnd(ctx, links, func(ctx context.Context, end string) error {
		return c.x.changeEnd(ctx, end, linkChange{sets: c.step})
	})
}

// Observe sees each way meet its rules, and what is slowed down take its time.
func (c linksOf) Observe(ctx context.Context) (step.LinksSeen, error) {
	var links, all []link.Link
	c.x.ask(func() { links, all = c.x.links.wanted[c.step], c.x.links.all() })
	ruled, err := c.x.observeRules(ctx, c.step, links)
	if err != nil {
		return step.LinksSeen{}, err
	}
	slowed, err := c.x.observeShapes(ctx, links, all)
	if err != nil {
		return step.LinksSeen{}, err
	}
	seen := slices.Concat(ruled.lines, slowed.lines)
	if len(seen) == 0 {
		return step.LinksSeen{}, c.x.noneRuns(c.x.endsOf(links), "there is nothing to be seen")
	}
	notes := slices.DeleteFunc([]string{c.x.noteOf(links), ruled.idle, slowed.idle}, func(s string) bool { return s == "" })
	return step.LinksSeen{Ends: seen, Note: strings.Join(notes, "; ")}, nil
}

// sight is what was seen of links at their ends.
type sight struct {
	lines []string // one for each end
	idle  string   // that other faults let nothing get there, if so
}

// Clear takes back what the step has put in force.
func (c linksOf) Clear(ctx context.Context) error {
	var links []link.Link
	var until bool
	c.x.ask(func() { links, until = c.x.links.unwant(c.step) })
	err := c.x.eachEnd(ctx, links, func(ctx context.Context, end string) error {
		change := linkChange{}
		if until {
			change = linkChange{ends: c.step, links: links}
		}
		return c.x.changeEnd(ctx, end, change)
	})
	if err != nil {
		return err
	}
	var lapsed error
	c.x.ask(func() {
		lapsed = c.x.links.lapsed[c.step]
		delete(c.x.links.lapsed, c.step)
	})
	if lapsed != nil {
		return step.Lapsedf("it was not in force to its end: %w", lapsed)
	}
	return nil
}

// Cleared looks whether the ends of what the step wanted have nothing of it any
// more but what other faults want as well.
func (c linksOf) Cleared(ctx context.Context) error {
	var links []link.Link
	c.x.ask(func() { links = c.x.links.healed[c.step] })
	err := c.x.eachEnd(ctx, links, func(ctx context.Context, end string) error { return c.x.cleared(ctx, end, links) })
	if err == nil {
		c.x.ask(func() { delete(c.x.links.healed, c.step) })
	}
	return err
}

// eachEnd calls do for every end of links, side by side.
func (x *executor) eachEnd(ctx context.Context, links []link.Link, do func(context.Context, string) error) error {
	return x.atEnds(ctx, x.endsOf(links), do)
}

func (x *executor) endsOf(links []link.Link) (ends []string) {
	x.ask(func() { ends = link.Ends(links, x.linkPlaces()) })
	return ends
}

// atEnds calls do for those ends that run, side by side. One that stops running
// meanwhile has nothing to be in force.
func (x *executor) atEnds(ctx context.Context, ends []string, do func(context.Context, string) error) error {
	group, ctx := errgroup.WithContext(ctx)
	for _, end := range ends {
		if !x.endRuns(end) {
			continue
		}
		group.Go(func() error {
			return safely(func() error {
				err := do(ctx, end)
				var ended *endedError
				if errors.As(err, &ended) || runtime.KindOf(err) == runtime.NotRunning && !x.endRuns(end) {
					return nil // its start, if that comes, puts things right
				}
				return err
			})
		})
	}
	err := group.Wait()
	if p, ok := err.(*panicked); ok {
		panic(p)
	}
	return err
}

// pollEnd polls at an end for as long as it runs.
func (x *executor) pollEnd(ctx context.Context, end string, ask func(context.Context) error) error {
	start := x.presentStart(end)
	return step.Poll(ctx, x.Clock, observeEvery, func(ctx context.Context) error {
		err := ask(ctx)
		if code, ended := x.endOf(start); err != nil && ended {
			return (&step.Error{Err: &endedError{end, code, err}}).AsFinal()
		}
		return err
	})
}

// noneRuns is the failure of a fault that is in force at no end, since none of
// them runs.
func (x *executor) noneRuns(ends []string, so string) error {
	var exits []string
	x.ask(func() {
		for _, end := range ends {
			if n := x.nodes[end]; n != nil && n.gone {
				exits = append(exits, fmt.Sprintf("%s exited with code %d", end, n.exitCode))
			}
		}
	})
	if len(exits) == 0 {
		return step.Failf("none of the nodes runs, so that %s", so)
	}
	return step.Failf("none of the nodes runs (%s), so that %s", strings.Join(exits, ", "), so)
}

func (x *executor) endRuns(end string) (runs bool) {
	x.ask(func() {
		n := x.nodes[end]
		runs = n == nil || n.running() && !n.gone && isClosed(n.launched)
	})
	return runs
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// knownAgent is the agent of an end's present start, if it has been there. To
// ask the runtime for it takes as long as the runtime's look at the node, which
// a fault on many nodes can't wait for.
func (x *executor) knownAgent(end string) (agent runtime.Agent) {
	x.ask(func() {
		if known, ok := x.links.agents[end]; ok && known.launches == x.launchesOf(end) {
			agent = known
		}
	})
	return agent
}

// launchesOf counts the starts of an end; a network has none. On the loop.
func (x *executor) launchesOf(end string) int {
	if n := x.nodes[end]; n != nil {
		return n.launches
	}
	return 0
}

// agentAt is the agent of an end: a node's own, or a network's.
func (x *executor) agentAt(ctx context.Context, end string) (runtime.Agent, error) {
	var network string
	var id runtime.NodeID
	launches := 0
	x.ask(func() {
		launches = x.launchesOf(end)
		if n := x.nodes[end]; n != nil {
			id, network = n.id, x.places.networkFor("")
			return
		}
		for name, made := range x.places.networks {
			if networkEnd(name) == end {
				network = made.ID
			}
		}
	})
	if network == "" {
		return nil, fmt.Errorf("bug: there is no end %s", end)
	}
	agent, err := x.Runtime.Agent(ctx, x.scope, runtime.Place{Network: network, Node: id})
	if err != nil {
		return nil, fmt.Errorf("reach the agent of %s: %w", end, err)
	}
	known := endAgent{agent, launches, agent.End()}
	x.ask(func() { x.links.agents[end] = known })
	x.watchAgent(end, known)
	return agent, nil
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

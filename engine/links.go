package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/link"
	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/step"
)

// linkMatrix is what all faults together want of the packets between ends. The
// loop owns what is wanted; an end's lock is held while its rules are changed,
// so that the last change to be wanted is the last to be made.
type linkMatrix struct {
	wanted map[string][]link.Link // by the step that wants it
	order  []string               // of steps
	locks  map[string]*sync.Mutex // by end
	agents map[string]endAgent    // by end, those that have answered
}

// endAgent is the agent of an end in one start of it.
type endAgent struct {
	runtime.Agent
	launches int
}

func newLinkMatrix() linkMatrix {
	return linkMatrix{wanted: map[string][]link.Link{}, locks: map[string]*sync.Mutex{}, agents: map[string]endAgent{}}
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

func (m *linkMatrix) forget(step string) {
	delete(m.wanted, step)
	m.order = slices.DeleteFunc(m.order, func(s string) bool { return s == step })
}

func (m *linkMatrix) lock(end string) *sync.Mutex {
	l := m.locks[end]
	if l == nil {
		l = &sync.Mutex{}
		m.locks[end] = l
	}
	return l
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
	return c.x.eachEnd(ctx, links, c.x.putInForce)
}

// Observe sees each way meet its rules.
func (c linksOf) Observe(ctx context.Context) ([]string, error) {
	ctx, cancel := withLimit(ctx, c.x.Clock, &limit{what: "the wait for rules to take effect", of: observeWithin})
	defer cancel()
	var links []link.Link
	var places link.Places
	c.x.ask(func() { links, places = c.x.links.wanted[c.step], c.x.linkPlaces() })
	seen := map[string]string{}
	var mu sync.Mutex
	err := c.x.eachEnd(ctx, links, func(ctx context.Context, end string) error {
		rules := link.RulesOf(end, links, places)
		if len(rules) == 0 {
			return nil
		}
		var line string
		err := step.Poll(ctx, c.x.Clock, observeEvery, func(ctx context.Context) (err error) {
			line, err = c.x.observeEnd(ctx, end, rules, somewhere(end, places))
			return err
		})
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		seen[end] = line
		return nil
	})
	if err != nil {
		return nil, err
	}
	lines := []string{}
	for _, end := range slices.Sorted(maps.Keys(seen)) {
		lines = append(lines, end+": "+seen[end])
	}
	if len(lines) == 0 {
		return nil, step.Failf("none of the nodes runs, so that there is nothing to cut")
	}
	return lines, nil
}

// Rules have an effect from the moment that they are in force.
const (
	observeEvery  = 10 * time.Millisecond
	observeWithin = 3 * time.Second
)

// observeEnd sends packets from an end and says what its rules have met. Those
// for the way in are seen to be there: what they would meet is kept back at its
// other end already.
func (x *executor) observeEnd(ctx context.Context, end string, rules []link.Rule, other netip.Addr) (string, error) {
	counts, err := x.askEnd(ctx, end, link.KnockJob, link.Knocks(rules, other))
	if err != nil {
		return "", err
	}
	met := uint64(0)
	for _, r := range rules {
		i := slices.IndexFunc(counts, func(c link.Count) bool { return c.Rule == r })
		switch {
		case i < 0:
			return "", fmt.Errorf("the rule to %s is not in force at %s", describeRule(r), end)
		case counts[i].Packets == 0 && r.Way == link.Out:
			return "", fmt.Errorf("no packet has met the rule to %s at %s", describeRule(r), end)
		}
		met += counts[i].Packets
	}
	return fmt.Sprintf("%s in force, met %s", plural(len(rules), "rule"), plural(int(met), "packet")), nil
}

func describeRule(r link.Rule) string {
	peer := "everyone"
	if r.Peer.IsValid() {
		peer = r.Peer.String()
	}
	if r.Port != 0 {
		peer = fmt.Sprintf("%s %s:%d", r.Protocol, peer, r.Port)
	}
	if r.Way == link.In {
		return fmt.Sprintf("%s what comes from %s", r.Verdict, peer)
	}
	return fmt.Sprintf("%s what goes to %s", r.Verdict, peer)
}

// somewhere is an address that isn't the end's own.
func somewhere(end string, places link.Places) netip.Addr {
	for _, other := range slices.Sorted(maps.Keys(places)) {
		if other != end && len(places[other]) > 0 {
			return places[other][0]
		}
	}
	if own := places[end]; len(own) > 0 {
		return own[0].Next() // nobody is there, which is no matter
	}
	return netip.Addr{}
}

// Clear takes back what the step has put in force.
func (c linksOf) Clear(ctx context.Context) error {
	var links []link.Link
	c.x.ask(func() { links = c.x.links.wanted[c.step] })
	lapsed := c.x.lapsed(ctx, links)
	c.x.ask(func() { c.x.links.forget(c.step) })
	if err := c.x.eachEnd(ctx, links, c.x.putInForce); err != nil {
		return err
	}
	if lapsed != nil {
		return step.Inconclusivef("it was not in force to its end: %w", lapsed)
	}
	return nil
}

// lapsed says which rule of links was not in force any more, if one was not.
func (x *executor) lapsed(ctx context.Context, links []link.Link) error {
	var places link.Places
	x.ask(func() { places = x.linkPlaces() })
	return x.eachEnd(ctx, links, func(ctx context.Context, end string) error {
		counts, err := x.askEnd(ctx, end, link.KnockJob, nil)
		if err != nil {
			return err
		}
		for _, r := range link.RulesOf(end, links, places) {
			if !slices.ContainsFunc(counts, func(c link.Count) bool { return c.Rule == r }) {
				return fmt.Errorf("the rule to %s is gone from %s", describeRule(r), end)
			}
		}
		return nil
	})
}

// Cleared looks whether every end has the rules that the other faults want, and
// no others.
func (c linksOf) Cleared(ctx context.Context) error {
	var ends []string
	x := c.x
	x.ask(func() { ends = slices.Sorted(maps.Keys(x.links.locks)) })
	return x.atEnds(ctx, ends, func(ctx context.Context, end string) error {
		counts, err := x.askEnd(ctx, end, link.KnockJob, nil)
		if err != nil {
			return err
		}
		var want []link.Rule
		x.ask(func() { want = link.RulesOf(end, x.links.all(), x.linkPlaces()) })
		for _, c := range counts {
			if !slices.Contains(want, c.Rule) {
				return fmt.Errorf("the rule to %s is still in force at %s", describeRule(c.Rule), end)
			}
		}
		return nil
	})
}

// eachEnd calls do for every end of links, side by side.
func (x *executor) eachEnd(ctx context.Context, links []link.Link, do func(context.Context, string) error) error {
	var ends []string
	x.ask(func() { ends = link.Ends(links, x.linkPlaces()) })
	return x.atEnds(ctx, ends, do)
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
				if runtime.KindOf(err) == runtime.NotRunning {
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

// putInForce makes an end's rules those that are wanted now.
func (x *executor) putInForce(ctx context.Context, end string) error {
	var lock *sync.Mutex
	x.ask(func() { lock = x.links.lock(end) })
	lock.Lock()
	defer lock.Unlock()
	rules := []link.Rule{}
	x.ask(func() { rules = append(rules, link.RulesOf(end, x.links.all(), x.linkPlaces())...) })
	_, err := x.askEnd(ctx, end, link.RulesJob, rules)
	return err
}

// relink puts rules in force in a node that has just been started: its network
// namespace is a new one, without any. Until it is done, drops are in force at
// their other ends.
func (x *executor) relink(ctx context.Context, n *node) error {
	concerned := false
	x.ask(func() {
		places := x.linkPlaces()
		concerned = slices.Contains(link.Ends(x.links.all(), places), n.decl.Address)
	})
	if !concerned {
		return nil
	}
	return x.putInForce(ctx, n.decl.Address)
}

// askEnd runs a job of an end's agent, and returns the rules that it finds in
// force. What agents do can be done twice, so one that was known and is lost is
// asked for anew.
func (x *executor) askEnd(ctx context.Context, end, job string, spec any) (counts []link.Count, err error) {
	text, err := json.Marshal(spec)
	if err != nil {
		return nil, err
	}
	run := func(agent runtime.Agent) error {
		err := agent.Run(ctx, job, text, func(line []byte) error { return json.Unmarshal(line, &counts) })
		if err != nil {
			return fmt.Errorf("change or read the rules of %s: %w", end, err)
		}
		return nil
	}
	if agent := x.knownAgent(end); agent != nil {
		if err := run(agent); err == nil || ctx.Err() != nil {
			return counts, err
		}
	}
	agent, err := x.agentAt(ctx, end)
	if err != nil {
		return nil, err
	}
	return counts, run(agent)
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
	x.ask(func() { x.links.agents[end] = endAgent{agent, launches} })
	return agent, nil
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
		if v.Step == nil || !slices.Contains(v.Step.Type.Takes, schema.Links) {
			return false
		}
		// Everyone is an end, or the nodes aren't known yet.
		return len(v.Targets) < 2 || slices.Contains(v.Targets, address)
	})
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

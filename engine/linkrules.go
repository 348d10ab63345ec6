package engine

import (
	"context"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/scenario-run/scenario/engine/link"
)

// observeRules sees each way of a step's links meet its rules: one line for each
// end.
func (x *executor) observeRules(ctx context.Context, stepID string, links []link.Link) (sight, error) {
	ctx, cancel := withLimit(ctx, x.Clock, &limit{what: "the wait for rules to take effect", of: observeWithin})
	defer cancel()
	seen := map[string]ruledEnd{}
	var mu sync.Mutex
	err := x.eachEnd(ctx, links, func(ctx context.Context, end string) error {
		met := x.takeMet(stepEnd{stepID, end})
		var found ruledEnd
		err := x.pollEnd(ctx, end, func(ctx context.Context) (err error) {
			look := x.rulesLook(end, links)
			if len(look.rules) == 0 {
				return nil
			}
			if met == nil {
				met, err = x.askEnd(ctx, end, link.KnockJob, link.Knocks(look.rules, look.somewhere))
			}
			if err == nil {
				found, err = x.ruledEnd(end, look, met)
			}
			met = nil // another look, if there has to be one, is a new one
			return err
		})
		if err != nil || found.rules == 0 {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		seen[end] = found
		return nil
	})
	if err != nil {
		return sight{}, err
	}
	return ruledSight(seen), nil
}

// takeMet takes out what an end's rules had met when they were put in force; nil
// if that has been looked at.
func (x *executor) takeMet(at stepEnd) (met []link.Count) {
	x.ask(func() {
		met = x.links.met[at]
		delete(x.links.met, at)
	})
	return met
}

// rulesLook is what is looked for at an end: others may come and go meanwhile.
func (x *executor) rulesLook(end string, links []link.Link) (look rulesLook) {
	x.ask(func() {
		all, places := x.links.all(), x.linkPlaces()
		look.rules, look.all = link.RulesOf(end, links, places), link.RulesOf(end, all, places)
		look.somewhere = somewhere(end, places, all, look.all)
	})
	return look
}

// ruledSight puts together what was seen at ends.
func ruledSight(seen map[string]ruledEnd) sight {
	lines := map[string]string{}
	met, hidden := false, false
	for end, found := range seen {
		lines[end] = found.String()
		met = met || found.met
		hidden = hidden || len(found.hidden) > 0
	}
	s := sight{lines: linesOf(lines)}
	if hidden && !met {
		s.idle = "in force; nothing reaches it now"
	}
	return s
}

// linesOf are what was seen at ends, in their order.
func linesOf(seen map[string]string) (lines []string) {
	for _, end := range slices.Sorted(maps.Keys(seen)) {
		lines = append(lines, end+": "+seen[end])
	}
	return lines
}

// Rules have an effect from the moment that they are in force.
const (
	observeEvery  = 10 * time.Millisecond
	observeWithin = 3 * time.Second
)

// rulesLook is what is looked for at an end.
type rulesLook struct {
	rules     []link.Rule    // of the fault
	all       []link.Rule    // of all faults
	somewhere netip.AddrPort // see link.Knocks
}

// ruledEnd is what was seen of a fault's rules at an end.
type ruledEnd struct {
	rules   int
	packets uint64
	met     bool     // a packet of its own has met one
	hidden  []string // what keeps packets from others, each once
}

func (e ruledEnd) String() string {
	text := plural(e.rules, "rule") + " in force"
	hidden := strings.Join(e.hidden, " and ")
	switch {
	case hidden == "":
		return text + ", met " + plural(int(e.packets), "packet")
	case !e.met:
		return text + " " + hidden
	}
	return text + ", met " + plural(int(e.packets), "packet") + ", in part " + hidden
}

// ruledEnd says what the rules of an end have met, after packets were sent into
// them. Those for the way in are seen to be there: what they would meet is kept
// back at its other end already. So are those for the way out that other faults
// let nothing get to.
func (x *executor) ruledEnd(end string, look rulesLook, counts []link.Count) (ruledEnd, error) {
	gone := link.Missing(look.all, counts)
	seen := ruledEnd{rules: len(look.rules)}
	for _, r := range look.rules {
		i := slices.IndexFunc(counts, func(c link.Count) bool { return c.Rule == r })
		if i < 0 || slices.Contains(gone, r) {
			return ruledEnd{}, fmt.Errorf("the rule to %s is not in force at %s", describeRule(r), end)
		}
		seen.packets += counts[i].Packets
		if r.Way == link.In {
			continue
		}
		if counts[i].Packets > 0 {
			seen.met = true
			continue
		}
		why := x.hiddenBy(end, r, counts[:i], look.somewhere.Addr())
		if why == "" {
			return ruledEnd{}, fmt.Errorf("no packet has met the rule to %s at %s", describeRule(r), end)
		}
		if !slices.Contains(seen.hidden, why) {
			seen.hidden = append(seen.hidden, why)
		}
	}
	return seen, nil
}

// hiddenBy says what keeps packets from a rule for the way out: a rule before it
// that has met them, or that a fault has taken the end off the network. Empty:
// nothing that is known.
func (x *executor) hiddenBy(end string, r link.Rule, before []link.Count, somewhere netip.Addr) string {
	for _, c := range before {
		if c.Packets > 0 && c.Rule.Hides(r) {
			return "behind the rule that " + describeHiding(c.Rule)
		}
	}
	to := r.Peer
	if !to.IsValid() {
		to = somewhere
	}
	var off string
	x.ask(func() { off = x.offFor(end, to) })
	if off == "" {
		return ""
	}
	return "where nothing can be sent now: it is off network " + off
}

// offFor is the network that a fault has taken a node off, if there is no other
// on which an address would be reached; else empty. On the loop.
func (x *executor) offFor(end string, to netip.Addr) string {
	n := x.nodes[end]
	if n == nil {
		return ""
	}
	on := func(name string) bool { return n.cut[name] == "" }
	nowhere := !slices.ContainsFunc(n.networks, on)
	for _, name := range n.networks {
		if !on(name) && (nowhere || x.places.networks[name].Subnet.Contains(to)) {
			return name
		}
	}
	return ""
}

func describeHiding(r link.Rule) string {
	does := map[link.Verdict]string{link.Drop: "drops", link.Reject: "rejects", link.Lose: fmt.Sprintf("loses %v%% of", r.Percent)}[r.Verdict]
	if !r.Peer.IsValid() && r.Port == 0 {
		return does + " everything"
	}
	return does + " what goes to " + describePeer(r)
}

func describePeer(r link.Rule) string {
	peer := "everyone"
	if r.Peer.IsValid() {
		peer = r.Peer.String()
	}
	if r.Port != 0 {
		peer = fmt.Sprintf("%s %s:%d", r.Protocol, peer, r.Port)
	}
	return peer
}

func describeRule(r link.Rule) string {
	if r.Way == link.In {
		return fmt.Sprintf("%s what comes from %s", r.Verdict, describePeer(r))
	}
	return fmt.Sprintf("%s what goes to %s", r.Verdict, describePeer(r))
}

// somewhere is where packets go that are to meet rules for everyone: an address
// that isn't the end's own, and that no rule of it names if there is one such,
// since what names it could take what is meant for others; and a quiet port.
func somewhere(end string, places link.Places, links []link.Link, rules []link.Rule) netip.AddrPort {
	port := uint16(link.Quiet(links))
	named := func(a netip.Addr) bool {
		return slices.ContainsFunc(rules, func(r link.Rule) bool { return r.Way == link.Out && r.Peer == a })
	}
	for _, other := range slices.Sorted(maps.Keys(places)) {
		for _, a := range places[other] {
			if other != end && !named(a) {
				return netip.AddrPortFrom(a, port)
			}
		}
	}
	own := places[end]
	if len(own) == 0 {
		return netip.AddrPortFrom(netip.Addr{}, port)
	}
	free := own[0].Next() // nobody need be there
	for named(free) || slices.Contains(own, free) {
		free = free.Next()
	}
	return netip.AddrPortFrom(free, port)
}

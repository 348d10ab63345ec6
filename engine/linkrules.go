package engine

import (
	"context"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/scenario-run/scenario/engine/link"
	"github.com/scenario-run/scenario/engine/step"
)

// observeRules sees each way of links meet its rules: one line for each end.
func (x *executor) observeRules(ctx context.Context, links []link.Link) ([]string, error) {
	ctx, cancel := withLimit(ctx, x.Clock, &limit{what: "the wait for rules to take effect", of: observeWithin})
	defer cancel()
	var places link.Places
	x.ask(func() { places = x.linkPlaces() })
	seen := map[string]string{}
	var mu sync.Mutex
	err := x.eachEnd(ctx, links, func(ctx context.Context, end string) error {
		rules := link.RulesOf(end, links, places)
		if len(rules) == 0 {
			return nil
		}
		var line string
		err := step.Poll(ctx, x.Clock, observeEvery, func(ctx context.Context) (err error) {
			line, err = x.observeEnd(ctx, end, rules, somewhere(end, places))
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
	return linesOf(seen), nil
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

package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/scenario-run/scenario/engine/link"
	"github.com/scenario-run/scenario/engine/lookup"
	"github.com/scenario-run/scenario/engine/step"
)

// Found says of names that nobody finds anyway that there is nothing to fail: to
// let fail what fails would be no fault.
func (c lookupsOf) Found(ctx context.Context, nodes, names []string) error {
	if len(names) == 0 {
		return c.x.atEnds(ctx, nodes, c.x.isAnswered)
	}
	all := make([][]lookup.Answer, len(nodes)) // nil of one that has exited meanwhile
	err := c.x.atEnds(ctx, nodes, func(ctx context.Context, node string) error {
		if err := c.x.askedOfServers(ctx, node, names); err != nil {
			return err
		}
		answers, err := c.x.lookTruly(ctx, node, names)
		all[slices.Index(nodes, node)] = answers
		return err
	})
	if err != nil {
		return err
	}
	for i, node := range nodes {
		if all[i] != nil && !slices.ContainsFunc(all[i], isFound) {
			return notFound(strings.Join(names, ", "), node, leastSaid(all[i]))
		}
	}
	for i, name := range names {
		var answers []lookup.Answer
		for _, of := range all {
			if of != nil {
				answers = append(answers, of[i])
			}
		}
		if len(answers) > 0 && !slices.ContainsFunc(answers, isFound) {
			return notFound(name, strings.Join(nodes, ", "), leastSaid(answers))
		}
	}
	return nil
}

func isFound(a lookup.Answer) bool { return a == lookup.Resolved }

// leastSaid is, of answers of which none is a name that was found, the one that says
// least: that there is no such name is known for certain only if all say so.
func leastSaid(answers []lookup.Answer) lookup.Answer {
	for _, a := range answers {
		if a != lookup.NXDomain {
			return a
		}
	}
	return lookup.NXDomain
}

// notFound is the error of names that were not found. A name that doesn't exist
// is a mistake; where no server can say whether it does, nothing can be concluded.
func notFound(names, nodes string, a lookup.Answer) error {
	if a == lookup.NXDomain {
		return step.Failf("%s is not found from %s even without the fault: there is no such name", names, nodes).
			With("", "names are taken as they are, without search domains: write one as the server of the node knows it")
	}
	how := "no answer came"
	if a != lookup.Drop {
		how = "the server answered with " + string(a)
	}
	return step.Inconclusivef("%s is not found from %s even without the fault: %s", names, nodes, how).
		With("", "a fault that lets fail what fails anyway shows nothing: have what answers for the name up before it")
}

// isAnswered says that nobody answers a node's questions for names anyway. Which
// names a server of its own knows isn't known here.
func (x *executor) isAnswered(ctx context.Context, node string) error {
	answers, err := x.lookTruly(ctx, node, []string{x.hostOf(node)})
	if err == nil && answers[0] == lookup.Drop {
		err = step.Inconclusivef("no server answers what is looked up in %s, even without the fault", node)
	}
	return err
}

// lookTruly is what names come to in a node without failures of look-ups. What
// only another fault keeps from being found counts as found.
func (x *executor) lookTruly(ctx context.Context, node string, names []string) ([]lookup.Answer, error) {
	resolvers, err := x.resolversOf(ctx, node)
	if err != nil {
		return nil, err
	}
	var seen lookup.Seen
	if err := x.askAgentOf(ctx, node, lookup.LookJob, lookup.Questions{Names: names, Resolvers: resolvers, Truly: true}, &seen); err != nil {
		return nil, err
	}
	if len(seen.Answers) != len(names) {
		return nil, fmt.Errorf("bug: %d answers for %d names", len(seen.Answers), len(names))
	}
	x.ask(func() {
		slowed := x.isHit(node)
		for i, a := range seen.Answers {
			if x.isAway(names[i]) || slowed && a != lookup.NXDomain {
				seen.Answers[i] = lookup.Resolved
			}
		}
	})
	return seen.Answers, nil
}

// isHit says that faults on links may keep a node from asking a server that is
// elsewhere. On the loop.
func (x *executor) isHit(address string) bool {
	if n := x.nodes[address]; n != nil && len(n.cut) > 0 {
		return true
	}
	for _, s := range x.links.order {
		if slices.ContainsFunc(x.links.wanted[s], func(l link.Link) bool { return l.From == address || l.To == address }) {
			return true
		}
	}
	return false
}

// isAway says that a name is that of a node which is down, or has been taken off
// a network, and so is not found until it is back. On the loop.
func (x *executor) isAway(name string) bool {
	for _, n := range x.nodes {
		own := append([]string{n.decl.Host}, n.aliases()...)
		if (!n.running() || n.gone || len(n.cut) > 0) && slices.ContainsFunc(own, func(a string) bool { return (lookup.Failure{Names: []string{a}}).Covers(name) }) {
			return true
		}
	}
	return false
}

// aliases are the further names that the file gives a node.
func (n *node) aliases() (all []string) {
	for _, at := range n.spec.Networks {
		all = append(all, at.Aliases...)
	}
	return all
}

// askedOfServers says which of the names programs in a node find without asking
// a server, so that no failure of look-ups can hit them.
func (x *executor) askedOfServers(ctx context.Context, node string, names []string) error {
	hosts, err := x.fileOf(ctx, node, "/etc/hosts")
	if err != nil {
		return err
	}
	for _, n := range names {
		if lookup.InHosts(hosts, n) {
			return step.Failf("%s stands in /etc/hosts of %s, so that programs there find it without asking anybody", n, node).
				With("", "Leave the name out of names, or out of that file.")
		}
	}
	return nil
}

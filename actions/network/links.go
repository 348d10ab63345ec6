package network

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/link"
	"github.com/scenario-run/scenario/engine/step"
)

// linksIn are the arguments that choose links, the same for every fault on
// them.
type linksIn struct {
	Isolate []step.Node   `scn:"isolate" each:"true" doc:"Nodes of which the links to every other address are hit, clients included."`
	Sides   [][]step.Node `scn:"sides" doc:"Two or more lists of nodes: the links between those of different lists are hit, both ways."`
	From    []step.Node   `scn:"from" doc:"With to: nodes whose packets to those are hit; those that come back are not."`
	To      []step.Node   `scn:"to" doc:"With from: where the packets go."`
	Shape   *string       `scn:"shape" enum:"ring,bridge" doc:"With nodes: ring leaves each only its two neighbours, bridge leaves two halves only the middle one."`
	Nodes   []step.Node   `scn:"nodes" doc:"The nodes of the shape, in order."`
}

// combineDoc says what becomes of several faults on the same links.
const combineDoc = "Faults on the same links combine in any order: where another one, or a `disconnect`, keeps all packets from a fault, or next to all, it is active once the kernel says that it is in force, and its line in the timeline or its `hits` say so."

// linksDoc is what every type on links says of them.
const linksDoc = "Links are chosen by one of `isolate`, `sides`, `from` with `to`, or `shape` with `nodes`. " +
	"`isolate` means every other address, clients included; the others only what is between the nodes named, so that probes and traffic still reach them. " +
	"What is dropped or rejected is so at both ends of a link: a node that is restarted meanwhile opens nothing between nodes. " +
	"Look-up of names is not hit, since Docker answers it inside the node. " + combineDoc

// sentLinksDoc is linksDoc for those that act on what a node sends.
const sentLinksDoc = "Links are chosen by one of `isolate`, `sides`, `from` with `to`, or `shape` with `nodes`. " +
	"`isolate` means what these nodes send to every other address, clients included; the others only what is between the nodes named, `sides` and `shape` both ways. " +
	"Look-up of names is not hit, since Docker answers it inside the node. " + combineDoc

// checkLinks says what is wrong with the choice of links.
func checkLinks(args cty.Value) error {
	var ways []string
	for _, name := range []string{"isolate", "sides", "from", "shape"} {
		if !args.GetAttr(name).IsNull() {
			ways = append(ways, name)
		}
	}
	switch {
	case len(ways) == 0:
		return errors.New("say which links: isolate, sides, from and to, or shape and nodes")
	case len(ways) > 1:
		return fmt.Errorf("%s exclude each other", strings.Join(ways, " and "))
	case args.GetAttr("from").IsNull() != args.GetAttr("to").IsNull():
		return errors.New("from and to belong together")
	case args.GetAttr("shape").IsNull() != args.GetAttr("nodes").IsNull():
		return errors.New("shape and nodes belong together")
	}
	if err := checkWays(args.GetAttr("from"), args.GetAttr("to")); err != nil {
		return err
	}
	if err := checkShape(args.GetAttr("shape"), args.GetAttr("nodes")); err != nil {
		return err
	}
	return checkSides(args.GetAttr("sides"))
}

// checkWays reports a node that packets go from and to.
func checkWays(from, to cty.Value) error {
	if from.IsNull() || to.IsNull() || !from.IsWhollyKnown() || !to.IsWhollyKnown() {
		return nil
	}
	for _, n := range from.AsValueSlice() {
		if slices.ContainsFunc(to.AsValueSlice(), n.RawEquals) {
			return fmt.Errorf("%s stands in from and in to: a node has no link to itself", n.AsString())
		}
	}
	return nil
}

// checkShape reports a shape of nodes that leaves nothing to hit.
func checkShape(shape, of cty.Value) error {
	if shape.IsNull() || of.IsNull() || !shape.IsKnown() || !of.IsWhollyKnown() {
		return nil
	}
	var nodes []step.Node
	for _, n := range of.AsValueSlice() {
		nodes = append(nodes, step.Node(n.AsString()))
	}
	return cutsNothing(shape.AsString(), nodes)
}

func checkSides(sides cty.Value) error {
	if sides.IsNull() || !sides.IsKnown() {
		return nil
	}
	if sides.LengthInt() < 2 {
		return errors.New("sides needs two lists of nodes or more")
	}
	seen := map[string]bool{}
	for _, side := range sides.AsValueSlice() {
		if !side.IsWhollyKnown() {
			return nil
		}
		if side.LengthInt() == 0 {
			return errors.New("one of the sides has no nodes")
		}
		for _, n := range side.AsValueSlice() {
			if seen[n.AsString()] {
				return fmt.Errorf("%s stands on two sides, or twice on one", n.AsString())
			}
			seen[n.AsString()] = true
		}
	}
	return nil
}

// chosen are the links that arguments choose, with what happens on each, the
// nodes that they name, and how a person would say it.
func (in linksIn) chosen(e link.Effect) (links []link.Link, nodes []step.Node, said string, err error) {
	switch {
	case in.Isolate != nil:
		nodes = in.Isolate
		links, said = isolated(nodes, e)
	case in.Sides != nil:
		nodes, links, said = between(in.Sides, e)
	case in.From != nil:
		nodes, said = slices.Concat(in.From, in.To), names(in.From)+" → "+names(in.To)
		for _, a := range in.From {
			for _, b := range in.To {
				if a == b {
					return nil, nil, "", step.Failf("%s stands in from and in to: a node has no link to itself", a)
				}
				links = append(links, link.Link{From: string(a), To: string(b), Effect: e})
			}
		}
	default:
		nodes, said = in.Nodes, *in.Shape+" of "+names(in.Nodes)
		links, err = shaped(*in.Shape, in.Nodes, e)
	}
	if err == nil && len(links) == 0 {
		err = step.Failf("no node is named, so that there is no link").With("", "the list of nodes is empty: look at what it is computed from")
	}
	return links, distinctNodes(nodes), said, err
}

// isolated are the links of nodes with everyone: both ways, or if the effect is on
// what a node sends that one only.
func isolated(nodes []step.Node, e link.Effect) (links []link.Link, said string) {
	for _, n := range nodes {
		if !e.OnSender() {
			links = append(links, link.Link{From: link.Everyone, To: string(n), Effect: e})
		}
		links = append(links, link.Link{From: string(n), To: link.Everyone, Effect: e})
	}
	if e.OnSender() {
		return links, names(nodes) + " → everyone"
	}
	return links, names(nodes) + " from everyone"
}

// between cuts each side from all others.
func between(sides [][]step.Node, e link.Effect) (nodes []step.Node, links []link.Link, said string) {
	var texts []string
	for i, side := range sides {
		nodes = append(nodes, side...)
		texts = append(texts, names(side))
		for _, other := range sides[i+1:] {
			links = append(links, both(side, other, e)...)
		}
	}
	return nodes, links, strings.Join(texts, " | ")
}

func both(side, other []step.Node, e link.Effect) (links []link.Link) {
	for _, a := range side {
		for _, b := range other {
			links = append(links, link.Link{From: string(a), To: string(b), Effect: e}, link.Link{From: string(b), To: string(a), Effect: e})
		}
	}
	return links
}

// shaped cuts all links but those of a shape.
func shaped(shape string, nodes []step.Node, e link.Effect) (links []link.Link, err error) {
	if err := cutsNothing(shape, nodes); err != nil {
		return nil, step.Failf("%w", err)
	}
	n := len(nodes)
	keeps := func(i, j int) bool { return j-i == 1 || j-i == n-1 }
	if shape == bridge {
		middle := n / 2
		keeps = func(i, j int) bool { return j < middle || i > middle || i == middle || j == middle }
	}
	for i := range n {
		for j := i + 1; j < n; j++ {
			if !keeps(i, j) {
				links = append(links, both(nodes[i:i+1], nodes[j:j+1], e)...)
			}
		}
	}
	return links, nil
}

// bridge is the shape of two halves that only the middle node joins; the other
// one is a ring.
const bridge = "bridge"

// cutsNothing says why a shape of nodes has no link that it doesn't keep: all of
// three nodes in a ring are neighbours.
func cutsNothing(shape string, nodes []step.Node) error {
	least := 4
	if shape == bridge {
		least = 3
	}
	if n := len(nodes); n < least {
		return fmt.Errorf("a %s of %d nodes cuts nothing: it takes %d or more", shape, n, least)
	}
	if len(distinctNodes(nodes)) < len(nodes) {
		return fmt.Errorf("a node stands twice in the %s", shape)
	}
	return nil
}

func distinctNodes(nodes []step.Node) []step.Node {
	var all []step.Node
	for _, n := range nodes {
		if !slices.Contains(all, n) {
			all = append(all, n)
		}
	}
	return all
}

func names(nodes []step.Node) string {
	texts := make([]string, len(nodes))
	for i, n := range nodes {
		texts[i] = strings.TrimPrefix(string(n), "node.")
	}
	return strings.Join(texts, ", ")
}

// linkIntent is what a fault on links is about to do.
type linkIntent struct {
	Links []link.Link `json:"links"`
	Said  string      `json:"said"`
}

type linksOut struct {
	Nodes []step.Node `scn:"nodes" doc:"The nodes whose links were hit."`
}

// linkFault is the life of every fault on links.
type linkFault[In any] struct {
	// what says what the arguments come to.
	what func(In) (linksIn, link.Effect, error)
}

func (f linkFault[In]) Intent(_ context.Context, env *step.Env, in In) (linkIntent, []step.Node, error) {
	choice, effect, err := f.what(in)
	if err != nil {
		return linkIntent{}, nil, err
	}
	links, nodes, said, err := choice.chosen(effect)
	if words := effect.String(); words != "" {
		said += ": " + words
	}
	if err != nil {
		return linkIntent{}, nil, err
	}
	for _, n := range nodes {
		// Of many nodes, to ask each would take longer than to cut its links. That
		// one has exited unseen shows when nothing is in force there.
		if !env.Nodes.Runs(string(n)) {
			return linkIntent{}, nil, step.Failf("%s does not run, so that nothing would be seen of its links being hit", n)
		}
	}
	return linkIntent{links, said}, nodes, nil
}

func (f linkFault[In]) Inject(ctx context.Context, env *step.Env, in linkIntent) error {
	return env.Links.Set(ctx, in.Links)
}

func (f linkFault[In]) Observe(ctx context.Context, env *step.Env, in linkIntent) (step.Effect[linksOut], error) {
	seen, err := env.Links.Observe(ctx)
	if err != nil {
		return step.Effect[linksOut]{}, err
	}
	said := in.Said
	if seen.Note != "" {
		said += ", " + seen.Note
	}
	var nodes []step.Node
	for _, l := range in.Links {
		for _, end := range []string{l.From, l.To} {
			if end != link.Everyone {
				nodes = append(nodes, step.Node(end))
			}
		}
	}
	return step.Effect[linksOut]{Out: linksOut{distinctNodes(nodes)}, Summary: said, Hits: seen.Ends}, nil
}

func (f linkFault[In]) Heal(ctx context.Context, env *step.Env, _ linkIntent) error {
	return env.Links.Clear(ctx)
}

func (f linkFault[In]) Verify(ctx context.Context, env *step.Env, _ linkIntent) error {
	return env.Links.Cleared(ctx)
}

var linkTakes = []schema.Resource{schema.Links}

// What faults on links need of the kernel.
var (
	needsRules  = schema.Need{string(link.NFTables)}
	needsReject = schema.Need{string(link.Rejects)}
	needsDraw   = schema.Need{string(link.Numgen)}
	needsDelay  = schema.Need{string(link.Netem), string(link.NFQueue)}
	needsRate   = schema.Need{string(link.HTB)}
)

package network

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"unicode"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/lookup"
	"github.com/scenario-run/scenario/engine/step"
)

type dnsFailureIn struct {
	Nodes []step.Node `scn:"nodes,required" each:"true" doc:"The nodes in which look-ups fail."`
	Names []string    `scn:"names" doc:"The names that can't be looked up, and all below them; without it, every name."`
	With  string      `scn:"with" default:"nxdomain" enum:"nxdomain,servfail,drop" doc:"nxdomain: there is no such name; servfail: the server could not find out; drop: no answer comes."`
}

type dnsFailureOut struct {
	Nodes []step.Node `scn:"nodes" doc:"The nodes in which look-ups failed."`
}

// longestName is that of a name, and longestLabel of a part of one (RFC 1035,
// 2.3.4), as they are written.
const (
	longestName  = 253
	longestLabel = 63
)

// checkNames says which of the names can't be one.
func checkNames(args cty.Value) error {
	list := args.GetAttr("names")
	if list.IsNull() || !list.IsWhollyKnown() {
		return nil
	}
	if list.LengthInt() == 0 {
		return errors.New("names is empty: leave it out for every name")
	}
	for _, v := range list.AsValueSlice() {
		if v.IsNull() {
			return errors.New("one of the names is null")
		}
		name := strings.TrimSuffix(v.AsString(), ".")
		bad := func(label string) bool { return label == "" || len(label) > longestLabel }
		if _, err := netip.ParseAddr(name); err == nil {
			return fmt.Errorf("%s is an address: programs connect to it without looking anything up", name)
		}
		if strings.ContainsFunc(name, func(r rune) bool { return r > unicode.MaxASCII }) {
			return fmt.Errorf("%q is looked up in its ASCII form: write that (xn--…)", name)
		}
		if len(name) > longestName || slices.ContainsFunc(strings.Split(name, "."), bad) || strings.ContainsFunc(name, cannotBeLookedUp) {
			return fmt.Errorf("%q is not a name that could be looked up", v.AsString())
		}
	}
	return nil
}

// cannotBeLookedUp says of a character that no name has it that programs ask for.
func cannotBeLookedUp(r rune) bool {
	return r <= ' ' || r == unicode.MaxASCII || strings.ContainsRune("/:", r)
}

func dnsFailure() step.Definition {
	return step.NewFault[dnsFailureIn, dnsFailureIntent, dnsFailureOut](schema.Type{
		Name:    "dns_failure",
		Summary: "lets the look-up of names fail in nodes",
		Doc: `Questions to port 53, Docker's own resolver included, are answered beside the node: those for the names given as asked for, all others by
the resolver that the node has. Each of the names must be found before that, from one of the nodes at least: a name that nobody finds can't get lost. Active when a look-up of the names from inside each node came to that. What is connected stays so, and what a program remembers of names it goes on using.
A node that is restarted meanwhile has it again before it counts as started.

Ended by ` + "`heal`" + `.`,
		Check: checkNames,
		Needs: []schema.Need{needsRules},
		Takes: linkTakes,
		Examples: []schema.Example{{
			Title: "Let a node not find another by its name for five seconds",
			Text: webs(`action "dns_failure" "lost" {
  nodes = [node.web[0]]
  names = [node.web[1].host]
  for   = "5s"
}
`),
		}},
	}, dnsFault{})
}

// dnsFailureIntent is what a fault on look-ups is about to do.
type dnsFailureIntent struct {
	Nodes   []step.Node    `json:"nodes"`
	Failure lookup.Failure `json:"failure"`
}

type dnsFault struct{}

func (dnsFault) Intent(ctx context.Context, env *step.Env, in dnsFailureIn) (dnsFailureIntent, []step.Node, error) {
	nodes := distinctNodes(in.Nodes)
	if len(nodes) == 0 {
		return dnsFailureIntent{}, nil, step.Failf("nodes is empty: there is nothing in which look-ups could fail")
	}
	for _, n := range nodes {
		if !env.Nodes.Runs(string(n)) {
			return dnsFailureIntent{}, nil, step.Failf("%s does not run, so that nothing is looked up there", n)
		}
	}
	if err := env.Lookups.Found(ctx, texts(nodes), in.Names); err != nil {
		return dnsFailureIntent{}, nil, err
	}
	return dnsFailureIntent{nodes, lookup.Failure{Names: in.Names, Answer: lookup.Answer(in.With)}}, nodes, nil
}

func (dnsFault) Inject(ctx context.Context, env *step.Env, in dnsFailureIntent) error {
	return env.Lookups.Fail(ctx, texts(in.Nodes), in.Failure)
}

func (dnsFault) Observe(ctx context.Context, env *step.Env, in dnsFailureIntent) (step.Effect[dnsFailureOut], error) {
	hits, err := env.Lookups.Observe(ctx)
	if err != nil {
		return step.Effect[dnsFailureOut]{}, err
	}
	what := "every name"
	if len(in.Failure.Names) > 0 {
		what = strings.Join(in.Failure.Names, ", ")
	}
	return step.Effect[dnsFailureOut]{Out: dnsFailureOut{in.Nodes}, Summary: names(in.Nodes) + ": " + string(in.Failure.Answer) + " for " + what, Hits: hits}, nil
}

func (dnsFault) Heal(ctx context.Context, env *step.Env, _ dnsFailureIntent) error {
	return env.Lookups.Clear(ctx)
}

func (dnsFault) Verify(ctx context.Context, env *step.Env, in dnsFailureIntent) error {
	return env.Lookups.Cleared(ctx, texts(in.Nodes))
}

func texts(nodes []step.Node) []string {
	all := make([]string, len(nodes))
	for i, n := range nodes {
		all[i] = string(n)
	}
	return all
}

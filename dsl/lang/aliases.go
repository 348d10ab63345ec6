package lang

import (
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/diag"
)

// namesOnNetworks are what nodes are called on their networks. A name that means
// two of them is looked up as either, by chance.
type namesOnNetworks struct{ nodes []named }

// named is a node with its names on its networks.
type named struct {
	inst     *instance
	host     string
	aliases  []string
	networks []string // none: the run's own
}

// add notes a node's names, as far as they are known.
func (n *namesOnNetworks) add(i *instance, host string, args cty.Value) {
	n.nodes = append(n.nodes, named{i, host, texts(args, "aliases"), texts(args, "networks")})
}

// report tells of aliases that mean another node as well. Those that instances of
// one block share are meant to: each of them answers to the name.
func (n *namesOnNetworks) report(s *sink) {
	told := map[hcl.Range]bool{} // of those that instances of one block have alike
	tell := func(d *hcl.Diagnostic) {
		if !told[*d.Subject] {
			s.add(d)
		}
		told[*d.Subject] = true
	}
	hosts, aliases := map[string]named{}, map[string][]named{}
	for _, node := range n.nodes {
		hosts[node.host] = node
	}
	for _, node := range n.nodes {
		for at, alias := range node.aliases {
			if other, ok := hosts[alias]; ok && other.inst != node.inst && node.meets(other) {
				tell(node.taken(at, other.inst.decl.named, other.inst.address+" is called so, and is declared here"))
			}
			for _, other := range aliases[alias] {
				if other.inst.decl != node.inst.decl && node.meets(other) {
					tell(node.taken(at, other.place(alias), other.inst.address+" is called so here"))
					break
				}
			}
			if !slices.ContainsFunc(aliases[alias], node.isLike) {
				aliases[alias] = append(aliases[alias], node)
			}
		}
	}
}

func (n named) taken(alias int, other hcl.Range, whose string) *hcl.Diagnostic {
	at := n.inst.partOf("aliases", cty.IndexStep{Key: cty.NumberIntVal(int64(alias))})
	return diag.New(diag.DeclaredTwice, at, n.inst.address+" can't be called "+n.aliases[alias]+" as well", "On a network that both are on, the name would mean either of them.", diag.Also(other, whose))
}

// place is where an alias stands.
func (n named) place(alias string) hcl.Range {
	return n.inst.partOf("aliases", cty.IndexStep{Key: cty.NumberIntVal(int64(slices.Index(n.aliases, alias)))})
}

// isLike says that another instance of a block stands for the same.
func (n named) isLike(other named) bool {
	return n.inst.decl == other.inst.decl && slices.Equal(n.networks, other.networks)
}

// meets says that two nodes are on a network together.
func (n named) meets(other named) bool {
	if len(n.networks) == 0 || len(other.networks) == 0 {
		return len(n.networks) == len(other.networks)
	}
	return slices.ContainsFunc(n.networks, func(name string) bool { return slices.Contains(other.networks, name) })
}

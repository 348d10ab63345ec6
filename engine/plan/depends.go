package plan

import (
	"slices"
	"strings"

	"github.com/scenario-run/scenario/dsl/lang"
)

// dependencies are what nodes depend on. Of 1,000 nodes that depend on the same
// 1,000 others each depends on one list, and the list on the others.
type dependencies struct {
	nodes []string            // their addresses
	lists []string            // the names of the lists
	on    map[string][]string // of a node its list, of a list the nodes in it
	users map[string]int      // of a list: the nodes that depend on it
	edges map[string][]Edge   // of a list, once they are made
}

// listMark begins the names of lists: no address does.
const listMark = "list "

func isList(name string) bool { return strings.HasPrefix(name, listMark) }

func (d *dependencies) of(name string) []string { return d.on[name] }

func (b *builder) dependencies() *dependencies {
	d := &dependencies{on: map[string][]string{}, users: map[string]int{}, edges: map[string][]Edge{}}
	for _, n := range b.variant.Nodes {
		d.nodes = append(d.nodes, n.Address)
		if len(n.DependsOn) == 0 {
			continue
		}
		list := listMark + strings.Join(n.DependsOn, ",")
		if d.users[list]++; d.users[list] == 1 {
			d.lists = append(d.lists, list)
			for _, address := range n.DependsOn {
				d.on[list] = append(d.on[list], b.nodesOf(address)...)
			}
		}
		d.on[n.Address] = []string{list}
	}
	return d
}

// waitsForNodes are the edges by which a node waits for those that it depends on
// and that are started at the beginning as well. They are there already.
func (b *builder) waitsForNodes(d *dependencies, address string) []Edge {
	if len(d.of(address)) == 0 {
		return nil
	}
	list := d.of(address)[0]
	edges, made := d.edges[list]
	if made {
		return edges
	}
	for _, on := range d.of(list) {
		if b.starter[on] == nil {
			edges = append(edges, Edge{On: on, Need: lang.NeedFinished, Cause: ByNode})
		}
	}
	if b.joins.worth(d.users[list], len(edges)) { // a join is below the last that it waits for
		slices.SortFunc(edges, func(x, y Edge) int { return b.byID[x.On].at - b.byID[y.On].at })
		edges = b.through(d.users[list], edges)
	}
	d.edges[list] = edges
	return edges
}

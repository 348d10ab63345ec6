package plan

import (
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/diag"
	"github.com/scenario-run/scenario/dsl/lang"
	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/dag"
)

// findStarters finds the nodes that a start action names before any other step
// uses them. The rest is started before the first step.
func (b *builder) findStarters(steps []*Vertex) {
	used := map[string]bool{}
	for _, v := range steps {
		if v.Step.Type.Name == startType && v.Step.Kind == lang.ActionStep {
			for _, n := range v.Targets {
				if !used[n] {
					b.starter[n] = v
				}
				used[n] = true
			}
		}
		for _, n := range v.Targets {
			used[n] = true
		}
		for _, r := range v.Step.Refs {
			if r.Kind == lang.NodeRef {
				for _, n := range b.nodesOf(r.Address) {
					used[n] = true
				}
			}
		}
	}
}

// nodesOf returns the addresses of the nodes that an address means: that of an
// instance, or of a declaration with several.
func (b *builder) nodesOf(address string) []string {
	if b.nodes == nil {
		b.nodes = map[string][]string{}
		for _, n := range b.variant.Nodes {
			b.nodes[n.Address] = append(b.nodes[n.Address], n.Address)
			if whole := "node." + n.Name; whole != n.Address {
				b.nodes[whole] = append(b.nodes[whole], n.Address)
			}
		}
	}
	return b.nodes[address]
}

// node returns the node of an address, or nil.
func (b *builder) node(address string) *lang.Node {
	if b.nodeAt == nil {
		b.nodeAt = make(map[string]*lang.Node, len(b.variant.Nodes))
		for _, n := range b.variant.Nodes {
			b.nodeAt[n.Address] = n
		}
	}
	return b.nodeAt[address]
}

// provision plans what is there before the first step.
func (b *builder) provision(steps []*Vertex) {
	of := map[*lang.Node][]string{}
	used := map[string]bool{}
	for _, n := range b.variant.Nodes {
		of[n] = b.material(n)
		for _, id := range of[n] {
			used[id] = true
		}
	}
	for _, v := range steps {
		for _, id := range b.thingsOf(v.Step, schema.NetworkName) {
			used[id] = true
		}
		for _, ref := range b.thingsOf(v.Step, schema.ImageName) {
			b.images[v.Step] = append(b.images[v.Step], b.imageNamed(ref))
		}
	}
	b.networks(used)
	for _, v := range b.variant.Volumes {
		if used["volume."+v.Name] {
			b.add(&Vertex{ID: "volume." + v.Name, Kind: VolumeVertex, Volume: v, Title: volumeTitle(v)})
		}
	}
	for _, n := range b.variant.Nodes {
		w := &edgeSet{}
		for _, id := range of[n] {
			if b.byID[id] != nil {
				w.add(Edge{On: id, Need: lang.NeedFinished, Cause: ByImage})
			}
		}
		b.add(&Vertex{ID: "create." + short(n.Address), Kind: CreateVertex, Node: n, Targets: []string{n.Address}, Title: "create " + n.Address, Waits: w.list()})
	}
	b.startNodes()
}

// defaultNetwork is the network of nodes that name none.
const defaultNetwork = "network.default"

// material is what a node is made of, as far as it is known while planning:
// the IDs of its image, networks and volumes.
func (b *builder) material(n *lang.Node) []string {
	args := b.some(n.Body, "image", "networks", "mounts")
	var ids []string
	if id := b.image(n, attr(args, "image")); id != "" {
		ids = append(ids, id)
	}
	names := texts(attr(args, "networks"))
	for _, name := range names {
		ids = append(ids, "network."+strings.TrimPrefix(name, "network."))
	}
	if len(names) == 0 {
		ids = append(ids, defaultNetwork)
	}
	for _, mount := range texts(attr(args, "mounts")) {
		if strings.HasPrefix(mount, "volume.") {
			name, _, _ := strings.Cut(mount, ":")
			ids = append(ids, name)
		}
	}
	return ids
}

// thingsOf are those that a step names in arguments of a format, as far as is
// known.
func (b *builder) thingsOf(s *lang.Step, f schema.Format) (all []string) {
	for _, a := range s.Type.Args.Attrs {
		if a.Format == f {
			all = append(all, texts(attr(b.arguments(s), a.Name))...)
		}
	}
	return all
}

// image adds the vertex of a node's image, unless another node has it too, and
// returns its ID.
func (b *builder) image(n *lang.Node, ref cty.Value) string {
	if i := b.imageBlock("image." + n.Image); i != nil {
		return b.ofBlock(i)
	}
	if !isText(ref) {
		return ""
	}
	return b.pulled(ref.AsString())
}

// imageNamed is image for what a step calls an image.
func (b *builder) imageNamed(name string) string {
	if i := b.imageBlock(name); i != nil {
		return b.ofBlock(i)
	}
	return b.pulled(name)
}

// imageBlock is the block of an image, by its address or by what it pulls, or nil.
// The first of several counts.
func (b *builder) imageBlock(name string) *lang.Image {
	if b.imageAt == nil {
		b.imageAt = map[string]*lang.Image{}
		for _, i := range slices.Backward(b.variant.Images) {
			if i.Pull != "" {
				b.imageAt[i.Pull] = i
			}
			b.imageAt["image."+i.Name] = i
		}
	}
	return b.imageAt[name]
}

func (b *builder) ofBlock(i *lang.Image) string {
	return b.once(&Vertex{ID: "image." + i.Name, Kind: ImageVertex, Image: i, Title: imageTitle(i)})
}

func (b *builder) pulled(name string) string {
	return b.once(&Vertex{ID: `image["` + name + `"]`, Kind: ImageVertex, Pull: name, Title: "make sure of " + name})
}

func (b *builder) once(v *Vertex) string {
	if b.byID[v.ID] == nil {
		b.add(v)
	}
	return v.ID
}

// networks adds the networks that nodes are on, in source order. A scenario
// without nodes has the run's own all the same: probes and workloads are sent
// from inside it.
func (b *builder) networks(used map[string]bool) {
	if used[defaultNetwork] || len(b.variant.Nodes) == 0 {
		b.add(&Vertex{ID: defaultNetwork, Kind: NetworkVertex, Title: "make the run's own network"})
	}
	for _, n := range b.variant.Networks {
		if used["network."+n.Name] {
			b.once(&Vertex{ID: "network." + n.Name, Kind: NetworkVertex, Network: n, Title: networkTitle(n)})
		}
	}
}

// startNodes adds the vertices of the nodes that are started at the beginning,
// each after those that it depends on, and says what the first steps wait for.
func (b *builder) startNodes() {
	on := b.dependencies()
	if cycle := dag.Cycle(on.nodes, on.of); cycle != nil {
		b.dependencyCycle(cycle)
		return
	}
	order, _ := dag.Order(slices.Concat(on.nodes, on.lists), on.of)
	for _, address := range order {
		if isList(address) || b.starter[address] != nil {
			continue
		}
		waits := append([]Edge{{On: "create." + short(address), Need: lang.NeedFinished, Cause: ByNode}}, b.waitsForNodes(on, address)...)
		v := b.add(&Vertex{ID: address, Kind: NodeVertex, Node: b.node(address), Targets: []string{address}, Title: "start " + address, Waits: waits})
		b.roots = append(b.roots, Edge{On: v.ID, Need: lang.NeedFinished, Cause: ByNode})
	}
	if len(b.roots) > 0 {
		return
	}
	for _, v := range b.plan.Vertices {
		if v.Kind == NetworkVertex {
			b.roots = append(b.roots, Edge{On: v.ID, Need: lang.NeedFinished, Cause: ByNode})
		}
	}
}

func (b *builder) dependencyCycle(cycle []string) {
	if isList(cycle[0]) { // so is the last
		cycle = append(cycle[1:], cycle[1])
	}
	cycle = slices.DeleteFunc(cycle, isList)
	options := []diag.Option{}
	for _, address := range cycle[1 : len(cycle)-1] {
		options = append(options, diag.Also(b.node(address).Range, "part of the circle"))
	}
	b.fail(diag.New(diag.DependencyCycle, b.node(cycle[0]).Range, "nodes depend on each other in a circle",
		strings.Join(cycle, " → "), options...))
}

func short(address string) string { return strings.TrimPrefix(address, "node.") }

func isText(v cty.Value) bool {
	return v != cty.NilVal && v.Type() == cty.String && v.IsKnown() && !v.IsNull()
}

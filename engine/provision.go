package engine

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"regexp"
	"strings"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/lang"
	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/event"
	"github.com/scenario-run/scenario/engine/plan"
	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/step"
)

// defaultNetwork is the name of the run's own network.
const defaultNetwork = "default"

// provisioned is what has been made for a variant beside its nodes. The loop
// owns it; addressed is closed when every node has its addresses.
type provisioned struct {
	images    map[string]runtime.Image // by name of the block, or by reference
	networks  map[string]runtime.Network
	names     []string // of networks, in the order in which they were made
	volumes   map[string]string
	sizes     map[string]int64      // of the volumes that have one
	next      map[string]netip.Addr // the next free address of each network
	addressed chan struct{}
}

func newProvisioned() provisioned {
	return provisioned{
		images:    map[string]runtime.Image{},
		networks:  map[string]runtime.Network{},
		volumes:   map[string]string{},
		sizes:     map[string]int64{},
		next:      map[string]netip.Addr{},
		addressed: make(chan struct{}),
	}
}

// networkFor is the network that an address is on; the first for one that is
// none's, or a name.
func (p *provisioned) networkFor(address string) string {
	host, _, err := net.SplitHostPort(address)
	ip, bad := netip.ParseAddr(host)
	for _, name := range p.names {
		if err == nil && bad == nil && p.networks[name].Subnet.Contains(ip) {
			return p.networks[name].ID
		}
	}
	if len(p.names) == 0 {
		return ""
	}
	if own, ok := p.networks[defaultNetwork]; ok {
		return own.ID
	}
	return p.networks[p.names[0]].ID
}

// about says of an error what it is about, unless the runtime has.
func about(what, name string, err error) error {
	var told *runtime.Error
	if errors.As(err, &told) && strings.Contains(told.Op, name) {
		return err
	}
	return fmt.Errorf("%s %s: %w", what, name, err)
}

func (x *executor) ensureImage(ctx context.Context, v *plan.Vertex) error {
	spec := runtime.ImageSpec{Name: v.Pull, Pull: v.Pull}
	key := v.Pull
	if v.Image != nil {
		key = v.Image.Name
		spec = runtime.ImageSpec{Name: v.Image.Name, Pull: v.Image.Pull}
		if b := v.Image.Build; b != nil {
			spec.Build = &runtime.BuildSpec{Context: b.Context, Dockerfile: b.Dockerfile, Args: b.Args, Target: b.Target}
		}
	}
	began := x.now()
	img, err := x.Runtime.EnsureImage(ctx, spec, x.imageProgress(spec.Name))
	if err != nil {
		return about("image", spec.Name, err)
	}
	x.ask(func() {
		x.places.images[key] = img
		x.emit(event.ImageReady{Name: spec.Name, Ref: img.Ref, Digest: img.Digest, How: img.How, Seconds: x.now().Sub(began).Seconds()})
	})
	return nil
}

// progressEvery is how often a line of a build becomes an event.
const progressEvery = 250 * time.Millisecond

// imageProgress tells of a build or pull: every part that begins, and of the
// lines between them what a person can follow.
func (x *executor) imageProgress(name string) func(runtime.Progress) {
	var last time.Time
	return func(line runtime.Progress) {
		x.do(func() {
			if now := x.now(); line.Stage || now.Sub(last) >= progressEvery {
				last = now
				x.emit(event.ImageProgress{Name: name, Text: line.Text, Stage: line.Stage})
			}
		})
	}
}

func (x *executor) makeNetwork(ctx context.Context, v *plan.Vertex) error {
	spec := runtime.NetworkSpec{Name: defaultNetwork}
	if n := v.Network; n != nil {
		spec = runtime.NetworkSpec{Name: n.Name, Internal: n.Internal, Driver: n.Driver}
		if n.Subnet != "" {
			subnet, err := netip.ParsePrefix(n.Subnet)
			if err != nil {
				return fmt.Errorf("network %s: %w", n.Name, err)
			}
			spec.Subnet = subnet
		}
	}
	made, err := x.Runtime.CreateNetwork(ctx, x.scope, spec)
	if err != nil {
		return about("network", spec.Name, err)
	}
	complete := false
	x.ask(func() {
		x.places.networks[spec.Name] = made
		x.places.names = append(x.places.names, spec.Name)
		complete = len(x.places.names) == x.planned(plan.NetworkVertex)
		x.emit(event.NetworkReady{Name: spec.Name, Subnet: made.Subnet.String()})
	})
	if complete {
		return x.assignAddresses(ctx)
	}
	return nil
}

func (x *executor) planned(k plan.Kind) (n int) {
	for _, v := range x.vertices {
		if v.Kind == k {
			n++
		}
	}
	return n
}

func (x *executor) makeVolume(ctx context.Context, v *plan.Vertex) error {
	id, err := x.Runtime.CreateVolume(ctx, x.scope, runtime.VolumeSpec{Name: v.Volume.Name, Size: v.Volume.Size})
	if err != nil {
		return about("volume", v.Volume.Name, err)
	}
	x.ask(func() { x.places.volumes[v.Volume.Name] = id })
	if v.Volume.Size == 0 {
		return nil
	}
	x.ask(func() { x.places.sizes[v.Volume.Name] = v.Volume.Size })
	if err := x.holdVolume(ctx, v.Volume.Name, id); err != nil {
		return fmt.Errorf("volume %s: %w", v.Volume.Name, err)
	}
	return nil
}

// assignAddresses gives every node its addresses, in plan order, once all
// networks are there: any node's body may name any other's.
func (x *executor) assignAddresses(ctx context.Context) error {
	wanted := map[string][]string{}
	used := x.usesAgent()
	for _, d := range x.decl.Nodes {
		args, err := x.nodeBody(ctx, d.Body)
		if err != nil {
			return fmt.Errorf("%s: %w", d.Address, err)
		}
		if wanted[d.Address], err = networkNames(args); err != nil {
			return fmt.Errorf("%s: %w", d.Address, err)
		}
		used = used || isAskedFromNetwork(args)
	}
	if used {
		x.startAgents()
	}
	var bad error
	x.ask(func() {
		for _, address := range x.order {
			if bad = x.assign(x.nodes[address], wanted[address]); bad != nil {
				return
			}
		}
		close(x.places.addressed)
	})
	return bad
}

func networkNames(args cty.Value) ([]string, error) {
	list := attr(args, "networks")
	if !list.IsWhollyKnown() {
		return nil, errors.New("its networks depend on addresses that are not known yet")
	}
	names := strs(list)
	for i, name := range names {
		names[i] = strings.TrimPrefix(name, "network.")
	}
	if len(names) == 0 {
		names = []string{defaultNetwork}
	}
	return names, nil
}

// assign gives a node the next free address of each of its networks.
func (x *executor) assign(n *node, networks []string) error {
	for _, name := range networks {
		ip, err := x.takeAddress(n, name)
		if err != nil {
			return err
		}
		n.networks, n.ips = append(n.networks, name), append(n.ips, ip.String())
	}
	n.facts.IP = n.ips[0]
	return nil
}

// takeAddress is the next free address of a network. None is used twice, so that
// nobody is taken for one that was there before. On the loop.
func (x *executor) takeAddress(n *node, name string) (netip.Addr, error) {
	made, ok := x.places.networks[name]
	if !ok {
		return netip.Addr{}, fmt.Errorf("%s is on network %q, which is not in the plan", n.decl.Address, name)
	}
	ip, ok := x.places.next[name]
	if !ok {
		ip = made.FirstHost
	}
	if !made.Subnet.Contains(ip) {
		return netip.Addr{}, fmt.Errorf("network %s (%s) has no address left for %s", name, made.Subnet, n.decl.Address)
	}
	x.places.next[name] = ip.Next()
	return ip, nil
}

// nodeBody evaluates a block of a node with what is known now.
func (x *executor) nodeBody(ctx context.Context, body *lang.Body) (cty.Value, error) {
	e, err := x.evaluate(ctx, nil, body.Refs(), body.Windows(), polling)
	if err != nil {
		return cty.NilVal, err
	}
	val, diags := body.Eval(e)
	if diags.HasErrors() {
		return cty.NilVal, &step.Error{Verdict: step.Failed, Err: errors.New(diagText(diags))}
	}
	val, _ = val.UnmarkDeep()
	return val, nil
}

// createNode makes a node, without starting it.
func (x *executor) createNode(ctx context.Context, d *lang.Node) error {
	select {
	case <-x.places.addressed:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	args, err := x.nodeBody(ctx, d.Body)
	if err != nil {
		return fmt.Errorf("%s: %w", d.Address, err)
	}
	if !args.IsWhollyKnown() {
		return fmt.Errorf("%s: an argument depends on something that is not known before its node exists", d.Address)
	}
	kind, out, err := x.expandKind(ctx, d)
	if err != nil {
		return fmt.Errorf("%s: %w", d.Address, err)
	}
	var spec runtime.NodeSpec
	x.ask(func() { spec, err = x.nodeSpec(x.nodes[d.Address], args, out) })
	if err != nil {
		return fmt.Errorf("%s: %w", d.Address, err)
	}
	id, err := x.Runtime.CreateNode(ctx, x.scope, spec)
	if err != nil {
		return about("create", d.Address, err)
	}
	x.ask(func() {
		n := x.nodes[d.Address]
		n.made(id, spec)
		n.kind, n.out = kind, out
		n.control(args, out)
		x.become(n, nodeCreated, event.NodeChanged{})
	})
	return nil
}

// made takes in that a node has been created. On the loop.
func (n *node) made(id runtime.NodeID, spec runtime.NodeSpec) {
	n.id, n.spec, n.image, n.init = id, spec, spec.Image, spec.Init
}

// expandKind lets the node's kind fill in what it knows.
func (x *executor) expandKind(ctx context.Context, d *lang.Node) (cty.Value, step.KindOutput, error) {
	if d.Kind == "" {
		return cty.NilVal, step.KindOutput{}, nil
	}
	def, ok := x.Registry.Lookup(schema.NodeKind, d.Kind)
	if !ok || def.NodeKind == nil {
		return cty.NilVal, step.KindOutput{}, fmt.Errorf("bug: no node kind %q is registered", d.Kind)
	}
	args, err := x.nodeBody(ctx, d.KindBody)
	if err != nil {
		return cty.NilVal, step.KindOutput{}, err
	}
	nodes := nodesOf{x, d.Address}
	out, err := def.NodeKind(step.KindInput{Args: args, Self: nodes.Facts(d.Address), Node: nodes.Facts})
	return args, out, err
}

// nodeSpec merges what the node says with what its kind fills in; the node
// wins. On the loop.
func (x *executor) nodeSpec(n *node, args cty.Value, out step.KindOutput) (runtime.NodeSpec, error) {
	spec := runtime.NodeSpec{
		Address: n.decl.Address, Host: n.decl.Host, Image: x.imageRef(n.decl, str(args, "image")),
		Command: strs(attr(args, "command")), Entrypoint: strs(attr(args, "entrypoint")),
		Env: out.Env, Files: map[string][]byte{}, CPUs: num(args, "cpus"), ShmSize: out.ShmSize, CPUShare: out.CPUShare,
		User: str(args, "user"), Hostname: str(args, "hostname"), Privileged: truth(args, "privileged"),
		CapAdd: strs(attr(args, "cap_add")), Init: truth(args, "init"), Restart: str(args, "restart"), StopSignal: str(args, "stop_signal"),
	}
	if spec.Command == nil {
		spec.Command = out.Command
	}
	spec.Env = merged(out.Env, pairs(attr(args, "env")))
	for path, content := range pairs(attr(args, "files")) {
		spec.Files[path] = []byte(content)
	}
	var err error
	if spec.Memory, err = size(args, "memory", 0); err != nil {
		return spec, err
	}
	if spec.ShmSize, err = size(args, "shm_size", out.ShmSize); err != nil {
		return spec, err
	}
	for _, p := range list(attr(args, "ports")) {
		port, _ := p.AsBigFloat().Int64()
		spec.Ports = append(spec.Ports, int(port))
	}
	for i, name := range n.networks {
		ip, err := netip.ParseAddr(n.ips[i])
		if err != nil {
			return spec, err
		}
		spec.Networks = append(spec.Networks, runtime.Attachment{
			Network: x.places.networks[name].ID, IP: ip, Aliases: strs(attr(args, "aliases")),
		})
	}
	spec.Mounts, err = x.mounts(pairs(attr(args, "mounts")))
	return spec, err
}

// imageRef is what to create a node with.
func (x *executor) imageRef(d *lang.Node, said string) string {
	for _, key := range []string{d.Image, said, strings.TrimPrefix(said, "image.")} {
		if img, ok := x.places.images[key]; ok && key != "" {
			return img.Ref
		}
	}
	return said
}

func (x *executor) mounts(said map[string]string) ([]runtime.Mount, error) {
	var mounts []runtime.Mount
	for _, target := range sortedKeys(said) {
		from, mode := said[target], ""
		if i := strings.LastIndexByte(from, ':'); i > 0 && (from[i:] == ":ro" || from[i:] == ":rw") {
			from, mode = from[:i], from[i+1:]
		}
		m := runtime.Mount{Target: target, ReadOnly: mode == "ro"}
		if name, ok := strings.CutPrefix(from, "volume."); ok {
			id, made := x.places.volumes[name]
			if !made {
				return nil, fmt.Errorf("%s is mounted from volume %q, which is not in the plan", target, name)
			}
			m.Volume = id
		} else {
			m.HostPath = from
		}
		mounts = append(mounts, m)
	}
	return mounts, nil
}

// The limits of nodes that do not say them.
const (
	defaultWithin = 60 * time.Second
	defaultGrace  = 10 * time.Second
)

// control sets how a node is started, waited for and stopped.
func (n *node) control(args cty.Value, out step.KindOutput) {
	n.mayExit = truth(args, "may_exit")
	n.grace = duration(args, "grace", defaultGrace)
	n.stopSlow = duration(args, "stop_timeout", 0)
	r := readiness{ofKind: out.Ready, within: out.Within}
	if block := attr(args, "ready"); block != cty.NilVal && !block.IsNull() {
		r.http, r.https, r.tcp, r.exec = str(block, "http"), str(block, "https"), int(num(block, "tcp")), strs(attr(block, "exec"))
		if text := str(block, "log"); text != "" {
			r.log = regexp.MustCompile(text) // checked by the schema
		}
		r.within = duration(block, "within", r.within)
		r.where = at(n.decl.Range)
	}
	if r.within == 0 {
		r.within = defaultWithin
	}
	n.ready = r
}

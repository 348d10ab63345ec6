package fake

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/scenario-run/scenario/engine/disk"
	"github.com/scenario-run/scenario/engine/link"
	"github.com/scenario-run/scenario/engine/lookup"
	"github.com/scenario-run/scenario/engine/runtime"
)

// Options say how a Runtime behaves. All are optional.
type Options struct {
	// Fail is asked at the start of each call. op is the name of the method
	// ("StartNode", "Dial"); address is the node's in the file, or the name of
	// the image, network or volume, or the run. An error is what the call
	// returns. It may block until ctx ends, to play a call that hangs.
	Fail func(ctx context.Context, op, address string) error
	// Script says what a node does; nil, or a zero Script, is a node that runs
	// until it is told to stop.
	Script func(spec runtime.NodeSpec) Script
	// Image answers EnsureImage in its place.
	Image func(ctx context.Context, spec runtime.ImageSpec, progress func(runtime.Progress)) (runtime.Image, error)
	// Made are the images that were made for earlier runs, as "name:tag", the
	// oldest first.
	Made []string
	// Jobs are what agents can run, beside keeping rules in force, or in place
	// of it.
	Jobs map[string]func(ctx context.Context, spec []byte, out func([]byte) error) error
	// Now is the clock of states, events and logs. Nil: time.Now.
	Now func() time.Time
	// Silent makes watches tell of nothing, as of news that is late.
	Silent bool
	// Can replaces the capabilities, which are all of them.
	Can *runtime.Capabilities
	// Ahead is the clock's lead over the engine's, as the place tells it.
	Ahead time.Duration
	// Lacks are what the kernel can't do, with the reasons.
	Lacks link.Kernel
}

// Script is what a node does. Its functions are called without locks held and
// may call the Runtime.
type Script struct {
	// Start is called at each start, the first with n = 0. Its error is what
	// StartNode returns, and the node does not run.
	Start func(n int) error
	// Exits makes the node exit by itself right after a start.
	Exits func(n int) (code int, exits bool)
	// Processes are the names of those that each start has beside the main one.
	Processes []string
	// Prints are the lines that each start prints.
	Prints []string
	// Signal says what a signal other than SIGKILL does. Nil: SIGTERM, SIGINT
	// and SIGQUIT end the node with 128 + the signal's number, others nothing.
	Signal func(signal string) (code int, exits bool)
	// Exec answers commands. Nil: each ends with 0 and prints nothing.
	Exec func(ctx context.Context, spec runtime.ExecSpec) (runtime.ExecResult, error)
	// Answers are what asking from the node for names truly comes to; a name
	// that isn't among them is resolved.
	Answers map[string]lookup.Answer
	// Serve has the node's listening ports. A handler owns its connection, and
	// must end when the connection is closed.
	Serve map[string]func(net.Conn)
}

// Runtime is a place in memory.
type Runtime struct {
	opts Options

	mu       sync.Mutex
	next     int
	images   map[string]bool
	networks map[string]*network
	volumes  map[string]*volume
	nodes    map[runtime.NodeID]*node
	watches  map[*watch]bool
	kept     map[runtime.NodeID]bool
	rules    map[string][]link.Count // by the id of a node or network
	failing  map[runtime.NodeID][]lookup.Failure
	slow     map[string]slowness // the same
	leases   map[string]*lease   // of agents, by the same
	calls    []string
	lost     error
}

type network struct {
	scope   runtime.Scope
	spec    runtime.NetworkSpec
	network runtime.Network
	dynamic netip.Addr // next address of the lower half
}

type volume struct {
	scope runtime.Scope
	name  string
	space disk.Space
}

var _ runtime.Runtime = (*Runtime)(nil)

// New returns an empty place.
func New(opts Options) *Runtime {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	return &Runtime{
		opts:     opts,
		images:   map[string]bool{},
		networks: map[string]*network{},
		volumes:  map[string]*volume{},
		nodes:    map[runtime.NodeID]*node{},
		watches:  map[*watch]bool{},
		kept:     map[runtime.NodeID]bool{},
		rules:    map[string][]link.Count{},
		failing:  map[runtime.NodeID][]lookup.Failure{},
		slow:     map[string]slowness{},
		leases:   map[string]*lease{},
	}
}

// Calls lists the calls so far, as "StartNode node.head", in the order in
// which they began.
func (r *Runtime) Calls() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.calls)
}

// Lose makes the place unreachable: every call fails from now on, and every
// watch ends with an error.
func (r *Runtime) Lose(why string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lost = errors.New(why)
	for w := range r.watches {
		w.send(runtime.NodeEvent{At: r.opts.Now(), Err: r.lostError("watch")})
		delete(r.watches, w)
	}
}

// Present lists what is there: the addresses of nodes, the names of networks
// and volumes, sorted.
func (r *Runtime) Present() (nodes, networks, volumes []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, n := range r.nodes {
		nodes = append(nodes, n.spec.Address)
	}
	for _, n := range r.networks {
		networks = append(networks, n.spec.Name)
	}
	for _, v := range r.volumes {
		volumes = append(volumes, v.name)
	}
	slices.Sort(nodes)
	slices.Sort(networks)
	slices.Sort(volumes)
	return nodes, networks, volumes
}

// enter records a call and asks whether it fails.
func (r *Runtime) enter(ctx context.Context, op, address string) error {
	r.mu.Lock()
	r.calls = append(r.calls, op+" "+address)
	lost := r.lost
	r.mu.Unlock()
	if lost != nil {
		return r.lostError(op)
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%s %s: %w", op, address, context.Cause(ctx))
	}
	if r.opts.Fail != nil {
		return r.opts.Fail(ctx, op, address)
	}
	return nil
}

func (r *Runtime) lostError(op string) error {
	return &runtime.Error{Kind: runtime.Unreachable, Op: op, Err: r.lost, Hint: "bring it back"}
}

func failure(kind runtime.Kind, op, format string, args ...any) error {
	return &runtime.Error{Kind: kind, Op: op, Err: fmt.Errorf(format, args...)}
}

// Info says that the place can do all that Options.Can does not deny.
func (r *Runtime) Info(ctx context.Context) (runtime.Info, error) {
	if err := r.enter(ctx, "Info", ""); err != nil {
		return runtime.Info{}, err
	}
	can := runtime.Capabilities{Pause: true, FixedAddresses: true, Disconnect: true, CPULimit: true, MemoryLimit: true, SwapLimit: true, Agent: true}
	if r.opts.Can != nil {
		can = *r.opts.Can
	}
	return runtime.Info{Name: "fake", Version: "1", OS: "linux", Arch: "amd64", ID: "fake", Machine: runtime.Limits{CPUs: 4, Memory: 8 << 30}, Can: can, Ahead: r.opts.Ahead}, nil
}

// EnsureImage has every image: one to pull is local, one to build is built
// once and cached from then on.
func (r *Runtime) EnsureImage(ctx context.Context, spec runtime.ImageSpec, progress func(runtime.Progress)) (runtime.Image, error) {
	if err := r.enter(ctx, "EnsureImage", spec.Name); err != nil {
		return runtime.Image{}, err
	}
	if r.opts.Image != nil {
		return r.opts.Image(ctx, spec, progress)
	}
	if spec.Build == nil {
		return runtime.Image{Ref: spec.Pull, Digest: "sha256:" + spec.Pull, How: "local"}, nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	image := runtime.Image{Ref: "fake/" + spec.Name, Digest: "sha256:" + spec.Name, How: "built"}
	if r.images[spec.Name] {
		image.How = "cached"
	}
	r.images[spec.Name] = true
	return image, nil
}

// DropImages removes the images of Options.Made, except the newest of each name
// and those that nodes use.
func (r *Runtime) DropImages(ctx context.Context, _ time.Time) (runtime.Swept, error) {
	if err := r.enter(ctx, "DropImages", ""); err != nil {
		return runtime.Swept{}, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	stays := map[string]bool{}
	for _, n := range r.nodes {
		stays[n.spec.Image] = true
	}
	newest := map[string]string{}
	for _, ref := range r.opts.Made {
		name, _, _ := strings.Cut(ref, ":")
		newest[name] = ref
	}
	for _, ref := range newest {
		stays[ref] = true
	}
	var swept runtime.Swept
	r.opts.Made = slices.DeleteFunc(r.opts.Made, func(ref string) bool {
		if !stays[ref] {
			swept.Removed = append(swept.Removed, "image "+ref)
		}
		return !stays[ref]
	})
	return swept, nil
}

// CreateNetwork hands out 10.90.N.0/24.
func (r *Runtime) CreateNetwork(ctx context.Context, scope runtime.Scope, spec runtime.NetworkSpec) (runtime.Network, error) {
	if err := r.enter(ctx, "CreateNetwork", spec.Name); err != nil {
		return runtime.Network{}, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	subnet := spec.Subnet
	if !subnet.IsValid() {
		subnet = r.freeSubnet()
	}
	for _, other := range r.networks {
		if other.network.Subnet.Overlaps(subnet) {
			return runtime.Network{}, failure(runtime.Conflict, "create network "+spec.Name,
				"%s overlaps with %s of %s", subnet, other.network.Subnet, other.spec.Name)
		}
	}
	r.next++
	first := subnet.Masked().Addr().As4()
	first[3] += byte(1 << (31 - subnet.Bits()))
	n := &network{scope: scope, spec: spec, dynamic: subnet.Masked().Addr().Next().Next(), network: runtime.Network{
		ID: fmt.Sprintf("network-%d", r.next), Subnet: subnet, FirstHost: netip.AddrFrom4(first),
	}}
	r.networks[n.network.ID] = n
	return n.network, nil
}

func (r *Runtime) freeSubnet() netip.Prefix {
	for i := range 256 {
		p := netip.PrefixFrom(netip.AddrFrom4([4]byte{10, 90, byte(i), 0}), 24)
		taken := func(n *network) bool { return n.network.Subnet.Overlaps(p) }
		if !slices.ContainsFunc(slices.Collect(maps.Values(r.networks)), taken) {
			return p
		}
	}
	return netip.Prefix{}
}

// CreateVolume makes a volume.
func (r *Runtime) CreateVolume(ctx context.Context, scope runtime.Scope, spec runtime.VolumeSpec) (string, error) {
	if err := r.enter(ctx, "CreateVolume", spec.Name); err != nil {
		return "", err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.next++
	id := fmt.Sprintf("volume-%d", r.next)
	r.volumes[id] = &volume{scope: scope, name: spec.Name, space: disk.Space{Size: spec.Size, Free: spec.Size}}
	return id, nil
}

// Close does nothing.
func (r *Runtime) Close() error { return nil }

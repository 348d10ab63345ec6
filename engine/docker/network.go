package docker

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"math/bits"
	"net/netip"
	"os"
	"strings"

	"github.com/moby/moby/api/types/network"
	"github.com/moby/moby/client"

	"github.com/scenario-run/scenario/engine/runtime"
)

// pools are where subnets are taken from, each as /24: 1,024 of them, away from
// Docker's own default pools (172.17–31 and 192.168) and from 10.0, which VPNs
// and clouds like.
var pools = []netip.Prefix{
	netip.MustParsePrefix("10.90.0.0/16"),
	netip.MustParsePrefix("10.91.0.0/16"),
	netip.MustParsePrefix("10.213.0.0/16"),
	netip.MustParsePrefix("172.22.0.0/16"),
}

const subnetBits = 24

// CreateNetwork makes a bridge network. Docker hands out addresses of the lower
// half of the subnet; the upper half is for nodes with fixed addresses.
func (r *Runtime) CreateNetwork(ctx context.Context, scope runtime.Scope, spec runtime.NetworkSpec) (runtime.Network, error) {
	op := "create network " + spec.Name
	if spec.Subnet.IsValid() {
		if !spec.Subnet.Addr().Is4() || spec.Subnet.Bits() > 28 {
			return runtime.Network{}, &runtime.Error{
				Kind: runtime.Unsupported, Op: op, Err: fmt.Errorf("subnet %s", spec.Subnet),
				Hint: "a subnet is IPv4 and a /28 or larger",
			}
		}
		n, err := r.createNetwork(ctx, scope, spec, spec.Subnet.Masked())
		err = r.failed(ctx, op, err)
		if err != nil && runtime.KindOf(err) == runtime.Conflict {
			err = r.subnetTaken(ctx, op, spec.Subnet, err)
		}
		return n, err
	}
	taken, err := r.takenSubnets(ctx)
	if err != nil {
		return runtime.Network{}, r.failed(ctx, op, err)
	}
	for subnet := range candidates(scope.Run + "/" + scope.Variant + "/" + spec.Name) {
		if overlapsAny(subnet, taken) {
			continue
		}
		n, err := r.createNetwork(ctx, scope, spec, subnet)
		err = r.failed(ctx, op, err)
		if runtime.KindOf(err) == runtime.Conflict && err != nil {
			continue // another run was faster
		}
		return n, err
	}
	return runtime.Network{}, &runtime.Error{
		Kind: runtime.Conflict, Op: op, Err: fmt.Errorf("no subnet of %v is free", pools),
		Hint: "docker network prune, or scenario clean",
	}
}

// subnetTaken says which network of Docker has addresses of a subnet that the
// file asks for, and what to do. err is what the daemon says, which names none.
func (r *Runtime) subnetTaken(ctx context.Context, op string, subnet netip.Prefix, err error) error {
	list, listErr := r.api.NetworkList(ctx, client.NetworkListOptions{})
	if listErr != nil {
		return err
	}
	for _, n := range list.Items {
		for _, c := range n.IPAM.Config {
			if !overlapsAny(subnet, []netip.Prefix{c.Subnet}) {
				continue
			}
			hint := "Give it another subnet, or none: a free one is chosen then."
			switch run := n.Labels[labelRun]; {
			case run != "":
				hint += "\nIf nothing needs that network any more: scenario clean " + run
			case n.Name != "bridge": // which is Docker's own, and can't be removed
				hint += "\nIf nothing needs that network any more: docker network rm " + n.Name
			}
			return &runtime.Error{
				Kind: runtime.Conflict, Op: op,
				Err:  fmt.Errorf("its subnet %s overlaps with %s, which Docker's network %s has", subnet, c.Subnet, n.Name),
				Hint: hint,
			}
		}
	}
	return err
}

func (r *Runtime) createNetwork(ctx context.Context, scope runtime.Scope, spec runtime.NetworkSpec, subnet netip.Prefix) (runtime.Network, error) {
	driver := spec.Driver
	if driver == "" {
		driver = "bridge"
	}
	var created client.NetworkCreateResult
	err := r.make(ctx, scope, func(ctx context.Context) (err error) {
		created, err = r.api.NetworkCreate(ctx, nameOf(scope, spec.Name), client.NetworkCreateOptions{
			Driver:   driver,
			Internal: spec.Internal,
			// Whatever the daemon has by default: nodes are given addresses of IPv4,
			// and by others they would reach each other past faults on their links.
			EnableIPv6: new(false),
			Labels:     labels(scope, map[string]string{labelName: spec.Name}),
			IPAM: &network.IPAM{Config: []network.IPAMConfig{{
				Subnet:  subnet,
				IPRange: netip.PrefixFrom(subnet.Addr(), subnet.Bits()+1),
				Gateway: subnet.Addr().Next(),
			}}},
		})
		return err
	})
	if err != nil {
		return runtime.Network{}, err
	}
	return runtime.Network{ID: created.ID, Subnet: subnet, FirstHost: upperHalf(subnet)}, nil
}

// upperHalf returns the first address of the upper half of a subnet.
func upperHalf(subnet netip.Prefix) netip.Addr {
	first := subnet.Masked().Addr().As4()
	n := binary.BigEndian.Uint32(first[:]) + 1<<(31-subnet.Bits())
	binary.BigEndian.PutUint32(first[:], n)
	return netip.AddrFrom4(first)
}

// candidates yields every subnet of the pools, beginning at a place that
// depends on the key, so that runs side by side rarely try the same.
func candidates(key string) func(yield func(netip.Prefix) bool) {
	hash := fnv.New32a()
	_, _ = io.WriteString(hash, key) // never fails
	return func(yield func(netip.Prefix) bool) {
		for _, pool := range pools {
			count := uint32(1) << (subnetBits - pool.Bits())
			base := pool.Addr().As4()
			for i := range count {
				third := (hash.Sum32() + i) % count
				a := base
				a[2] += byte(third)
				if !yield(netip.PrefixFrom(netip.AddrFrom4(a), subnetBits)) {
					return
				}
			}
		}
	}
}

// takenSubnets lists those of Docker's networks and of this host's routes.
func (r *Runtime) takenSubnets(ctx context.Context) ([]netip.Prefix, error) {
	list, err := r.api.NetworkList(ctx, client.NetworkListOptions{})
	if err != nil {
		return nil, err
	}
	taken, err := hostRoutes()
	if err != nil {
		return nil, err
	}
	for _, n := range list.Items {
		for _, c := range n.IPAM.Config {
			taken = append(taken, c.Subnet)
		}
	}
	return taken, nil
}

// hostRoutes lists where this host knows a way to, the default route apart.
// Where it is not Linux, the daemon runs in a machine whose routes it can't see.
func hostRoutes() ([]netip.Prefix, error) {
	file, err := os.Open("/proc/net/route")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close() // read only
	return parseRoutes(file)
}

// parseRoutes reads /proc/net/route: interface, destination, gateway, flags,
// three counters, mask, …; addresses as hexadecimal, low byte first.
func parseRoutes(table io.Reader) ([]netip.Prefix, error) {
	var routes []netip.Prefix
	lines := bufio.NewScanner(table)
	lines.Scan() // the heading
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) < 8 {
			continue
		}
		destination, err := hex.DecodeString(fields[1])
		if err != nil || len(destination) != 4 {
			return nil, fmt.Errorf("route %q: not an address", lines.Text())
		}
		mask, err := hex.DecodeString(fields[7])
		if err != nil || len(mask) != 4 {
			return nil, fmt.Errorf("route %q: not a mask", lines.Text())
		}
		length := bits.OnesCount32(binary.LittleEndian.Uint32(mask))
		if length == 0 {
			continue
		}
		d := destination
		routes = append(routes, netip.PrefixFrom(netip.AddrFrom4([4]byte{d[3], d[2], d[1], d[0]}), length))
	}
	return routes, lines.Err()
}

func overlapsAny(subnet netip.Prefix, taken []netip.Prefix) bool {
	for _, t := range taken {
		if t.IsValid() && t.Overlaps(subnet) {
			return true
		}
	}
	return false
}

// CreateVolume makes a local volume; one with a size is a tmpfs.
func (r *Runtime) CreateVolume(ctx context.Context, scope runtime.Scope, spec runtime.VolumeSpec) (string, error) {
	options := client.VolumeCreateOptions{
		Name:   nameOf(scope, spec.Name),
		Driver: "local",
		Labels: labels(scope, map[string]string{labelName: spec.Name}),
	}
	if spec.Size > 0 {
		options.DriverOpts = map[string]string{
			"type": "tmpfs", "device": "tmpfs", "o": fmt.Sprintf("size=%d,mode=0777", spec.Size),
		}
	}
	err := r.make(ctx, scope, func(ctx context.Context) error {
		_, err := r.api.VolumeCreate(ctx, options)
		return err
	})
	if err != nil {
		return "", r.failed(ctx, "create volume "+spec.Name, err)
	}
	return options.Name, nil
}

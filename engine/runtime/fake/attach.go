package fake

import (
	"context"
	"slices"

	"github.com/scenario-run/scenario/engine/runtime"
)

// Attachments returns where the node is now.
func (r *Runtime) Attachments(ctx context.Context, id runtime.NodeID) ([]runtime.Attachment, error) {
	n, err := r.find(ctx, "Attachments", id)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []runtime.Attachment
	for _, at := range n.spec.Networks {
		names := slices.Clone(at.Aliases)
		if !slices.Contains(names, n.spec.Host) {
			names = append(names, n.spec.Host)
		}
		all = append(all, runtime.Attachment{Network: at.Network, IP: n.ips[at.Network], Aliases: names})
	}
	return all, nil
}

// Connect puts the node on a network.
func (r *Runtime) Connect(ctx context.Context, id runtime.NodeID, at runtime.Attachment) error {
	n, err := r.find(ctx, "Connect", id)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if n.on(at.Network) >= 0 {
		return failure(runtime.Conflict, "connect "+n.spec.Address, "it is on that network already")
	}
	ip, err := r.place(n.spec, at)
	if err != nil {
		return err
	}
	n.ips[at.Network] = ip
	n.spec.Networks = append(slices.Clone(n.spec.Networks), at)
	return nil
}

// Disconnect takes the node off a network.
func (r *Runtime) Disconnect(ctx context.Context, id runtime.NodeID, network string) error {
	n, err := r.find(ctx, "Disconnect", id)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	i := n.on(network)
	if i < 0 {
		return failure(runtime.Conflict, "disconnect "+n.spec.Address, "it is not on that network")
	}
	delete(n.ips, network)
	n.spec.Networks = slices.Delete(slices.Clone(n.spec.Networks), i, i+1)
	return nil
}

// on is the place of a network among the node's; -1 if it is not on it.
func (n *node) on(network string) int {
	return slices.IndexFunc(n.spec.Networks, func(at runtime.Attachment) bool { return at.Network == network })
}

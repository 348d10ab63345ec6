package docker

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/api/types/network"
	"github.com/moby/moby/client"

	"github.com/scenario-run/scenario/engine/runtime"
)

// shortID is the length of a container's short id: a shorter prefix of one may
// well be the name of a node.
const shortID = 12

// Attachments asks the daemon. That of the network which the container was
// created on comes first.
func (r *Runtime) Attachments(ctx context.Context, id runtime.NodeID) ([]runtime.Attachment, error) {
	found, err := r.api.ContainerInspect(ctx, string(id), client.ContainerInspectOptions{})
	if err != nil {
		return nil, r.failed(ctx, "ask for the networks of "+r.name(id), err)
	}
	c := found.Container
	if c.NetworkSettings == nil {
		return nil, nil
	}
	var all []runtime.Attachment
	for name, e := range c.NetworkSettings.Networks {
		at := runtime.Attachment{Network: e.NetworkID, IP: e.IPAddress}
		if at.Network == "" {
			if at.Network, err = r.networkID(ctx, name); err != nil {
				return nil, r.failed(ctx, "ask for the networks of "+r.name(id), err)
			}
		}
		if !at.IP.IsValid() && e.IPAMConfig != nil {
			at.IP = e.IPAMConfig.IPv4Address
		}
		at.Aliases = withoutShortID(e.Aliases, id)
		all = append(all, at)
	}
	first := string(c.HostConfig.NetworkMode)
	slices.SortFunc(all, func(a, b runtime.Attachment) int {
		switch first {
		case a.Network:
			return -1
		case b.Network:
			return 1
		}
		return cmp.Compare(a.Network, b.Network)
	})
	return all, nil
}

// withoutShortID takes away the alias that older daemons add to those that were
// given.
func withoutShortID(aliases []string, id runtime.NodeID) []string {
	return slices.DeleteFunc(slices.Clone(aliases), func(alias string) bool {
		return len(alias) >= shortID && strings.HasPrefix(string(id), alias)
	})
}

// networkID is the id of a network that a container will be on when it is
// started next: until then the daemon has it by the name or the id that it was
// told. One that is not there any more is called what it was.
func (r *Runtime) networkID(ctx context.Context, name string) (string, error) {
	found, err := r.api.NetworkInspect(ctx, name, client.NetworkInspectOptions{})
	switch {
	case errdefs.IsNotFound(err):
		return name, nil
	case err != nil:
		return "", err
	}
	return found.Network.ID, nil
}

// Connect connects the container.
func (r *Runtime) Connect(ctx context.Context, id runtime.NodeID, at runtime.Attachment) error {
	op := "connect " + r.name(id)
	on, err := r.isOn(ctx, id, at.Network)
	if err != nil {
		return err
	}
	if on {
		return &runtime.Error{Kind: runtime.Conflict, Op: op, Err: errors.New("it is on that network already")}
	}
	to := &network.EndpointSettings{Aliases: at.Aliases}
	if at.IP.IsValid() {
		to.IPAMConfig = &network.EndpointIPAMConfig{IPv4Address: at.IP}
	}
	err = r.changed(ctx, func(ctx context.Context) error {
		_, err := r.api.NetworkConnect(ctx, at.Network, client.NetworkConnectOptions{Container: string(id), EndpointConfig: to})
		return err
	})
	return r.failed(ctx, op, err)
}

// Disconnect disconnects the container. Its network namespace stays, and so do
// agents in it.
func (r *Runtime) Disconnect(ctx context.Context, id runtime.NodeID, network string) error {
	op := "disconnect " + r.name(id)
	on, err := r.isOn(ctx, id, network)
	if err != nil {
		return err
	}
	if !on {
		return &runtime.Error{Kind: runtime.Conflict, Op: op, Err: errors.New("it is not on that network")}
	}
	err = r.changed(ctx, func(ctx context.Context) error {
		_, err := r.api.NetworkDisconnect(ctx, network, client.NetworkDisconnectOptions{Container: string(id)})
		return err
	})
	return r.failed(ctx, op, err)
}

// isOn says whether a container is on a network. It is asked before, since the
// daemon's words for what is so already have changed over time.
func (r *Runtime) isOn(ctx context.Context, id runtime.NodeID, network string) (bool, error) {
	all, err := r.Attachments(ctx, id)
	return slices.ContainsFunc(all, func(at runtime.Attachment) bool { return at.Network == network }), err
}

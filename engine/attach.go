package engine

import (
	"context"
	"fmt"
	"net/netip"
	"slices"

	"github.com/scenario-run/scenario/engine/event"
	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/step"
)

// Attachments asks the runtime, and says what files call the networks.
func (c nodesOf) Attachments(ctx context.Context, address string) ([]step.Attachment, error) {
	id, err := c.created(address, func(*node) {})
	if err != nil {
		return nil, err
	}
	var found []runtime.Attachment
	err = c.x.onNode(ctx, address, func() error {
		found, err = c.x.Runtime.Attachments(ctx, id)
		return err
	})
	if err != nil {
		return nil, err
	}
	var all []step.Attachment
	c.x.ask(func() {
		for _, at := range found {
			all = append(all, step.Attachment{Attachment: at, Name: c.x.places.networkName(at.Network)})
		}
	})
	return all, nil
}

// networkName is what files call a network; its id where they don't.
func (p *provisioned) networkName(id string) string {
	for name, made := range p.networks {
		if made.ID == id {
			return name
		}
	}
	return id
}

// Disconnect takes a node off a network, for this step.
func (c nodesOf) Disconnect(ctx context.Context, address string, from step.Attachment) error {
	id, err := c.created(address, func(n *node) { n.cut[from.Name] = c.by })
	if err != nil {
		return err
	}
	err = c.x.onNode(ctx, address, func() error { return c.x.Runtime.Disconnect(ctx, id, from.Network) })
	if err != nil {
		c.x.ask(func() { delete(c.x.nodes[address].cut, from.Name) })
		return err
	}
	return c.x.readPorts(ctx, address, id)
}

// Connect puts a node on a network.
func (c nodesOf) Connect(ctx context.Context, address string, to step.Attachment) (step.Attachment, error) {
	var bad error
	id, err := c.created(address, func(n *node) { bad = c.x.placeOn(n, &to, c.by) })
	if err == nil {
		err = bad
	}
	if err != nil {
		return to, err
	}
	err = c.x.onNode(ctx, address, func() error { return c.x.Runtime.Connect(ctx, id, to.Attachment) })
	if err != nil {
		return to, err
	}
	c.x.ask(func() { delete(c.x.nodes[address].cut, to.Name) })
	if err := c.x.rewire(ctx, address); err != nil {
		return to, err
	}
	return to, c.x.readPorts(ctx, address, id)
}

// placeOn fills in where a node will be on a network. On the loop.
func (x *executor) placeOn(n *node, to *step.Attachment, by string) error {
	if cut := n.cut[to.Name]; cut != "" && cut != by {
		return step.Failf("connect %s: %s has taken it off that network", n.decl.Address, cut).
			With("", "heal "+cut+", which puts it back where it was")
	}
	made, ok := x.places.networks[to.Name]
	if !ok {
		return step.Failf("connect %s: there is no network %s", n.decl.Address, to.Name)
	}
	to.Network = made.ID
	if to.IP.IsValid() {
		return nil
	}
	if slices.Contains(n.networks, to.Name) {
		return step.Failf("connect %s: it is on network %s already", n.decl.Address, to.Name)
	}
	if !slices.Contains(to.Aliases, n.decl.Host) {
		to.Aliases = append([]string{n.decl.Host}, to.Aliases...)
	}
	if err := x.assign(n, []string{to.Name}); err != nil {
		return step.Failf("connect: %w", err)
	}
	ip, err := netip.ParseAddr(n.ips[len(n.ips)-1])
	to.IP = ip
	return err
}

// readPorts takes in where a node's ports are published now: on a network that
// it was taken off and put back on, that is somewhere else.
func (x *executor) readPorts(ctx context.Context, address string, id runtime.NodeID) error {
	st, err := x.Runtime.InspectNode(ctx, id)
	if err != nil {
		return err
	}
	x.ask(func() { x.nodes[address].ports = st.Ports })
	return nil
}

// recutStarted is recut of a node that has just been started. Most places
// remember; where one does not, the gap is told.
func (x *executor) recutStarted(ctx context.Context, n *node, id runtime.NodeID) error {
	again, err := x.recut(ctx, n, id)
	if again > 0 {
		x.emit(event.Warning{Text: fmt.Sprintf("the start of %s had put it back on a network; it was there for a moment", n.decl.Address)})
	}
	return err
}

// recut takes a node off the networks again that faults have taken it off, and
// says of how many it had to.
func (x *executor) recut(ctx context.Context, n *node, id runtime.NodeID) (again int, err error) {
	var off []string
	x.ask(func() {
		for name := range n.cut {
			off = append(off, x.places.networks[name].ID)
		}
	})
	if len(off) == 0 {
		return 0, nil
	}
	var on []runtime.Attachment
	err = x.onNode(ctx, n.decl.Address, func() error {
		on, err = x.Runtime.Attachments(ctx, id)
		return err
	})
	if err != nil {
		return 0, err
	}
	for _, at := range on {
		if !slices.Contains(off, at.Network) {
			continue
		}
		err := x.onNode(ctx, n.decl.Address, func() error { return x.Runtime.Disconnect(ctx, id, at.Network) })
		if err != nil {
			return again, fmt.Errorf("disconnect %s again: %w", n.decl.Address, err)
		}
		again++
	}
	return again, nil
}

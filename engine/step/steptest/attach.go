package steptest

import (
	"context"
	"fmt"
	"net/netip"
	"slices"

	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/step"
)

// attachment is a place on a network.
func attachment(network, ip string, names ...string) step.Attachment {
	return step.Attachment{
		Attachment: runtime.Attachment{Network: "id-" + network, IP: netip.MustParseAddr(ip), Aliases: names}, Name: network,
	}
}

func (x nodes) Attachments(ctx context.Context, address string) ([]step.Attachment, error) {
	if _, err := x.State(ctx, address); err != nil {
		return nil, err
	}
	x.w.mu.Lock()
	defer x.w.mu.Unlock()
	return slices.Clone(x.w.nodes[address].Attachments), nil
}

func (x nodes) Disconnect(_ context.Context, address string, from step.Attachment) error {
	return x.w.change(address, fmt.Sprintf("disconnect %s %s", address, from.Name), func(n *Node) error {
		if !x.w.IgnoreDisconnect {
			n.Attachments = slices.DeleteFunc(n.Attachments, func(at step.Attachment) bool { return at.Name == from.Name })
		}
		return nil
	})
}

// Connect gives a node without an address the last of 10.9.0.
func (x nodes) Connect(_ context.Context, address string, to step.Attachment) (step.Attachment, error) {
	err := x.w.change(address, fmt.Sprintf("connect %s %s", address, to.Name), func(n *Node) error {
		if slices.ContainsFunc(n.Attachments, func(at step.Attachment) bool { return at.Name == to.Name }) {
			return step.Failf("%s is on network %s already", address, to.Name)
		}
		if !to.IP.IsValid() {
			to = attachment(to.Name, "10.9.0.254", append(to.Aliases, n.Host)...)
		}
		n.Attachments = append(n.Attachments, to)
		return nil
	})
	return to, err
}

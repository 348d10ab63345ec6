package engine

import (
	"context"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/scenario-run/scenario/engine/link"
	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/step"
)

// Recreate makes a node anew. What faults in force have done to its limits,
// networks and links holds for the new one as well.
func (c nodesOf) Recreate(ctx context.Context, address string, with step.NodeChange) error {
	x := c.x
	var n *node
	var spec runtime.NodeSpec
	started, running := false, false
	old, err := c.created(address, func(found *node) {
		n, spec, started, running = found, found.spec, found.launches > 0, found.running()
	})
	switch {
	case err != nil:
		return err
	case n.decl.Kind != "" && with.IP == step.NewIP:
		return step.Failf(`recreate %s: a %s node is told its address when it is made, so that it can't be "new"`, address, n.decl.Kind)
	case !started:
		return notRunning("%s has not been started, so that there is nothing to make anew", address)
	}
	if running {
		if err := c.Stop(ctx, address, -1); err != nil && runtime.KindOf(err) != runtime.NotRunning {
			return err
		}
	}
	if spec, err = x.changed(ctx, n, spec, old, with); err != nil {
		return err
	}
	if err := c.replace(ctx, n, old, spec); err != nil {
		return err
	}
	if with.IP == step.NewIP {
		if err := x.linksMoved(ctx); err != nil {
			return err
		}
	}
	return c.Start(ctx, address)
}

// changed is what a node is made of now: as it was, where faults and connects
// have left it, with what is to be other.
func (x *executor) changed(ctx context.Context, n *node, spec runtime.NodeSpec, old runtime.NodeID, with step.NodeChange) (runtime.NodeSpec, error) {
	limits, err := x.Runtime.Limits(ctx, old)
	if err != nil {
		return spec, err
	}
	spec.CPUs, spec.Memory = limits.CPUs, limits.Memory
	on, err := x.Runtime.Attachments(ctx, old)
	if err != nil {
		return spec, err
	}
	if with.Command != nil {
		spec.Command = with.Command
	}
	spec.Env = maps.Clone(spec.Env)
	if spec.Env == nil {
		spec.Env = map[string]string{}
	}
	maps.Copy(spec.Env, with.Env)
	x.ask(func() {
		if with.Image != "" {
			spec.Image = with.Image
			if made, ok := x.places.images[strings.TrimPrefix(with.Image, "image.")]; ok {
				spec.Image = made.Ref
			}
		}
		spec.Networks, err = x.attachmentsOf(n, spec.Networks, on, with.IP)
	})
	return spec, err
}

// attachmentsOf are the networks that a node is on, those that a fault has taken
// it off among them, as they were made and as they are now. On the loop.
func (x *executor) attachmentsOf(n *node, made, on []runtime.Attachment, ips step.IPChoice) ([]runtime.Attachment, error) {
	var all []runtime.Attachment
	for i, name := range n.networks {
		at := runtime.Attachment{Network: x.places.networks[name].ID}
		same := func(other runtime.Attachment) bool { return other.Network == at.Network }
		if k := slices.IndexFunc(made, same); k >= 0 {
			at.Aliases = made[k].Aliases
		}
		if k := slices.IndexFunc(on, same); k >= 0 {
			at.Aliases = on[k].Aliases
		}
		// A network that a fault has taken it off gets it back where it was.
		if ips == step.NewIP && n.cut[name] == "" {
			ip, err := x.takeAddress(n, name)
			if err != nil {
				return nil, err
			}
			n.ips[i] = ip.String()
		}
		ip, err := netip.ParseAddr(n.ips[i])
		if err != nil {
			return nil, err
		}
		at.IP = ip
		all = append(all, at)
	}
	n.facts.IP = n.ips[0]
	return all, nil
}

// replace removes a node that does not run and creates it anew, off the networks
// that faults have taken it off.
func (c nodesOf) replace(ctx context.Context, n *node, old runtime.NodeID, spec runtime.NodeSpec) error {
	x := c.x
	x.followerOf(n).end(x.Clock) // all that it printed is read
	if err := x.Runtime.RemoveNode(ctx, old); err != nil {
		return err
	}
	id, err := x.Runtime.CreateNode(ctx, x.scope, spec)
	if err != nil {
		x.ask(func() { n.id = "" })
		return about("create", n.decl.Address, err)
	}
	var again []*live
	x.ask(func() {
		n.made(id, spec)
		n.starts = n.launches // no news of the old one is taken for this one's
		for _, l := range x.faults {
			if l.InForce() && l.On(n.decl.Address) {
				again = append(again, x.lives[l])
			}
		}
	})
	x.markLog(n, "made anew from "+spec.Image)
	if _, err := x.recut(ctx, n, id); err != nil {
		return err
	}
	for _, f := range again {
		if err := x.writeIntent(f); err != nil { // who heals from outside must know it by its id
			return err
		}
	}
	return nil
}

// markLog writes a line of ours to a node's log.
func (x *executor) markLog(n *node, text string) {
	file := x.openLog(x.logFile(n))
	defer file.close()
	file.write(x.Clock.Now().UTC().Format(time.RFC3339Nano) + " [scenario] " + text)
}

// linksMoved puts rules in force everywhere as addresses are now.
func (x *executor) linksMoved(ctx context.Context) error {
	var links []link.Link
	x.ask(func() { links = x.links.all() })
	return x.eachEnd(ctx, links, x.putInForce)
}

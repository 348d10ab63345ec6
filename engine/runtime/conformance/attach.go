package conformance

import (
	"context"
	"net"
	"slices"
	"time"

	"github.com/scenario-run/scenario/engine/runtime"
)

func canDisconnect(c runtime.Capabilities) bool { return c.Disconnect }

// attachment is where a node is on a network, if it is.
func (l *lab) attachment(id runtime.NodeID, network string) (runtime.Attachment, bool) {
	l.Helper()
	all, err := l.Attachments(l.ctx, id)
	l.must(err)
	i := slices.IndexFunc(all, func(at runtime.Attachment) bool { return at.Network == network })
	if i < 0 {
		return runtime.Attachment{}, false
	}
	return all[i], true
}

// wantAttached checks where a node is on a network, by all of its names.
func (l *lab) wantAttached(id runtime.NodeID, want runtime.Attachment) {
	l.Helper()
	got, on := l.attachment(id, want.Network)
	slices.Sort(got.Aliases)
	slices.Sort(want.Aliases)
	if !on || got.IP != want.IP || !slices.Equal(got.Aliases, want.Aliases) {
		l.Errorf("attached %v: %+v, want %+v", on, got, want)
	}
}

var attachRules = map[string]func(*lab){
	"a node that has ended is off a network too, and is put back where it was": func(l *lab) {
		l.needs(canDisconnect)
		spec := l.spec("a", Sleep)
		id := l.create(spec)
		network := spec.Networks[0].Network
		_, err := l.StartNode(l.ctx, id)
		l.must(err)
		was, _ := l.attachment(id, network)
		l.must(l.Disconnect(l.ctx, id, network))
		l.must(l.StopNode(l.ctx, id, 0))
		if at, on := l.attachment(id, network); on {
			l.Errorf("it is still on the network: %+v", at)
		}
		l.must(l.Connect(l.ctx, id, was))
		l.wantAttached(id, was)
		_, err = l.StartNode(l.ctx, id)
		l.must(err)
		l.wantAttached(id, was)
	},
	"a node is off a network until it is connected again, at the address and by the names that it had": func(l *lab) {
		l.needs(canDisconnect)
		spec := l.spec("a", Serve)
		id := l.create(spec)
		network := spec.Networks[0].Network
		_, err := l.StartNode(l.ctx, id)
		l.must(err)
		agent := l.agent("")
		l.untilServed(agent, "a-alias:8080")
		was, _ := l.attachment(id, network)
		l.wantAttached(id, runtime.Attachment{Network: network, IP: spec.Networks[0].IP, Aliases: []string{"a", "a-alias"}})
		l.must(l.Disconnect(l.ctx, id, network))
		if at, on := l.attachment(id, network); on {
			l.Errorf("it is still on the network: %+v", at)
		}
		ctx, cancel := context.WithTimeout(l.ctx, 300*time.Millisecond)
		defer cancel()
		if conn, err := agent.Dial(ctx, "tcp", net.JoinHostPort(was.IP.String(), "8080")); err == nil {
			l.must(conn.Close())
			l.Error("it still answers")
		}
		l.wantKind(l.Disconnect(l.ctx, id, network), runtime.Conflict)
		l.must(l.Connect(l.ctx, id, was))
		l.wantAttached(id, was)
		l.wantKind(l.Connect(l.ctx, id, was), runtime.Conflict)
		for _, host := range []string{"a", "a-alias", was.IP.String()} {
			l.untilServed(agent, net.JoinHostPort(host, "8080"))
		}
	},
	"a node that is off its network is so after a restart too": func(l *lab) {
		l.needs(canDisconnect)
		spec := l.spec("a", Sleep)
		id := l.create(spec)
		network := spec.Networks[0].Network
		_, err := l.StartNode(l.ctx, id)
		l.must(err)
		was, _ := l.attachment(id, network)
		l.must(l.Disconnect(l.ctx, id, network))
		l.must(l.StopNode(l.ctx, id, 0))
		_, err = l.StartNode(l.ctx, id)
		l.must(err)
		if at, on := l.attachment(id, network); on {
			l.Errorf("the restart has put it back: %+v", at)
		}
		l.must(l.Connect(l.ctx, id, was))
		l.wantAttached(id, was)
	},
	"a node is on a second network as soon as it is connected": func(l *lab) {
		l.needs(canDisconnect)
		second, err := l.CreateNetwork(l.ctx, l.scope, runtime.NetworkSpec{Name: "second"})
		l.must(err)
		id, _ := l.start("a", Serve)
		at := runtime.Attachment{Network: second.ID, IP: second.FirstHost, Aliases: []string{"a", "other"}}
		l.must(l.Connect(l.ctx, id, at))
		l.wantAttached(id, at)
		agent, err := l.Agent(l.ctx, l.scope, runtime.Place{Network: second.ID})
		l.must(err)
		l.untilServed(agent, "other:8080")
	},
	"published ports are told after a node was connected again": func(l *lab) {
		l.needs(canDisconnect)
		spec := l.spec("a", Sleep)
		spec.Ports = []int{8080}
		id := l.create(spec)
		_, err := l.StartNode(l.ctx, id)
		l.must(err)
		was, _ := l.attachment(id, spec.Networks[0].Network)
		l.must(l.Disconnect(l.ctx, id, was.Network))
		l.must(l.Connect(l.ctx, id, was))
		state, err := l.InspectNode(l.ctx, id)
		l.must(err)
		if state.Ports["8080"] == "" {
			l.Errorf("ports %v", state.Ports)
		}
	},
}

// untilServed waits until something at an address accepts.
func (l *lab) untilServed(a runtime.Agent, address string) {
	l.Helper()
	l.eventually(address+" serves", func() bool {
		ctx, cancel := context.WithTimeout(l.ctx, time.Second)
		defer cancel()
		conn, err := a.Dial(ctx, "tcp", address)
		if err == nil {
			l.must(conn.Close())
		}
		return err == nil
	})
}

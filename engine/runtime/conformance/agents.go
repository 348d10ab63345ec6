package conformance

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/scenario-run/scenario/engine/runtime"
)

func hasAgent(c runtime.Capabilities) bool { return c.Agent }

// agent returns the agent of the lab's network, or of a node.
func (l *lab) agent(from runtime.NodeID) runtime.Agent {
	l.Helper()
	l.needs(hasAgent)
	a, err := l.Agent(l.ctx, l.scope, runtime.Place{Network: l.network().ID, Node: from})
	l.must(err)
	return a
}

// served starts a node that serves, and returns when it does.
func (l *lab) served(a runtime.Agent, host string) (runtime.NodeID, runtime.NodeState) {
	l.Helper()
	id, state := l.start(host, Serve)
	l.eventually(host+" serves", func() bool {
		conn, err := a.Dial(l.ctx, "tcp", net.JoinHostPort(state.IP.String(), "8080"))
		if err == nil {
			l.must(conn.Close())
		}
		return err == nil
	})
	return id, state
}

// wantEcho checks that what is sent to the address comes back.
func (l *lab) wantEcho(a runtime.Agent, address string) {
	l.Helper()
	conn, err := a.Dial(l.ctx, "tcp", address)
	if err != nil {
		l.Errorf("dial %s: %v", address, err)
		return
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "ping"); err != nil {
		l.Errorf("write to %s: %v", address, err)
	}
	got := make([]byte, 4)
	if _, err := io.ReadFull(conn, got); err != nil || string(got) != "ping" {
		l.Errorf("%s answers %q, %v", address, got, err)
	}
}

var agentRules = map[string]func(*lab){
	"an agent reaches nodes by host name, alias and address": func(l *lab) {
		a := l.agent("")
		_, state := l.served(a, "a")
		for _, host := range []string{"a", "a-alias", state.IP.String()} {
			l.wantEcho(a, net.JoinHostPort(host, "8080"))
		}
	},
	"a node's agent is inside it": func(l *lab) {
		id, _ := l.served(l.agent(""), "a")
		l.wantEcho(l.agent(id), "127.0.0.1:8080")
		l.wantEcho(l.agent(id), "a:8080")
	},
	"a node's agent is that of its present start": func(l *lab) {
		outside := l.agent("")
		id, _ := l.served(outside, "a")
		l.wantEcho(l.agent(id), "127.0.0.1:8080")
		l.must(l.SignalNode(l.ctx, id, "SIGKILL"))
		_, err := l.WaitExit(l.ctx, id)
		l.must(err)
		_, err = l.Agent(l.ctx, l.scope, runtime.Place{Network: l.network().ID, Node: id})
		l.wantKind(err, runtime.NotRunning)
		state, err := l.StartNode(l.ctx, id)
		l.must(err)
		l.eventually("a serves again", func() bool {
			conn, err := outside.Dial(l.ctx, "tcp", net.JoinHostPort(state.IP.String(), "8080"))
			if err == nil {
				l.must(conn.Close())
			}
			return err == nil
		})
		l.wantEcho(l.agent(id), "127.0.0.1:8080")
	},
	"an agent among a node's processes is one of their present start": func(l *lab) {
		l.needs(hasAgent)
		id, _ := l.start("a", Sleep)
		at := runtime.Place{Node: id, Space: runtime.ProcessSpace}
		a, err := l.Agent(l.ctx, l.scope, at)
		l.must(err)
		ctx, cancel := context.WithCancel(l.ctx)
		l.must(a.Run(ctx, EchoJob, nil, func([]byte) error { cancel(); return nil }))
		l.must(l.SignalNode(l.ctx, id, "SIGKILL"))
		_, err = l.WaitExit(l.ctx, id)
		l.must(err)
		_, err = l.Agent(l.ctx, l.scope, at)
		l.wantKind(err, runtime.NotRunning)
		_, err = l.StartNode(l.ctx, id)
		l.must(err)
		a, err = l.Agent(l.ctx, l.scope, at)
		l.must(err)
		ctx, cancel = context.WithCancel(l.ctx)
		l.must(a.Run(ctx, EchoJob, nil, func([]byte) error { cancel(); return nil }))
	},
	"an agent that is alone reaches nobody": func(l *lab) {
		_, state := l.served(l.agent(""), "a")
		alone, err := l.Agent(l.ctx, l.scope, runtime.Place{Space: runtime.AloneSpace})
		l.must(err)
		ctx, cancel := context.WithTimeout(l.ctx, 500*time.Millisecond)
		defer cancel()
		if _, err := alone.Dial(ctx, "tcp", net.JoinHostPort(state.IP.String(), "8080")); err == nil {
			l.Errorf("it reached %s", state.IP)
		}
	},
	"refused, not found and timed out are told apart": func(l *lab) {
		a := l.agent("")
		_, running := l.served(a, "a")
		down := l.spec("b", Sleep)
		l.create(down)
		ctx, cancel := context.WithTimeout(l.ctx, 500*time.Millisecond)
		defer cancel()
		_, err := a.Dial(ctx, "tcp", net.JoinHostPort(running.IP.String(), "1"))
		if !errors.Is(err, syscall.ECONNREFUSED) {
			l.Errorf("a port without a listener: %v", err)
		}
		_, err = a.Dial(l.ctx, "tcp", "no-such-node:8080")
		var dns *net.DNSError
		if !errors.As(err, &dns) {
			l.Errorf("a name that is not there: %v", err)
		}
		_, err = a.Dial(ctx, "tcp", net.JoinHostPort(down.Networks[0].IP.String(), "8080"))
		if !os.IsTimeout(err) {
			l.Errorf("an address without a node: %v", err)
		}
	},
	"a connection to a node that dies ends": func(l *lab) {
		a := l.agent("")
		id, state := l.served(a, "a")
		conn, err := a.Dial(l.ctx, "tcp", net.JoinHostPort(state.IP.String(), "8080"))
		l.must(err)
		defer conn.Close()
		l.must(l.SignalNode(l.ctx, id, "SIGKILL"))
		if n, err := conn.Read(make([]byte, 1)); err == nil {
			l.Errorf("read %d bytes", n)
		}
	},
	"a job's lines come in order, until it is told to end": func(l *lab) {
		a := l.agent("")
		ctx, cancel := context.WithCancel(l.ctx)
		var lines []string
		err := a.Run(ctx, EchoJob, []byte("spec"), func(line []byte) error {
			lines = append(lines, string(line))
			if len(lines) == 2 {
				cancel()
			}
			return nil
		})
		if got := strings.Join(lines, ","); err != nil || got != "spec,more,end" {
			l.Errorf("got %s, %v", got, err)
		}
		if err := a.Run(l.ctx, "no-such-job", nil, nil); err == nil || !strings.Contains(err.Error(), "no-such-job") {
			l.Errorf("an unknown job: %v", err)
		}
	},
}

// EchoJob is a job that agents in these tests must have, as Echo.
const EchoJob = "conformance-echo"

// Echo writes its specification and "more", waits until it is told to end, and
// writes "end".
func Echo(ctx context.Context, spec []byte, out func([]byte) error) error {
	if err := errors.Join(out(spec), out([]byte("more"))); err != nil {
		return err
	}
	<-ctx.Done()
	return out([]byte("end"))
}

package fake

import (
	"context"
	"net"
	"os"
	"slices"
	"syscall"

	"github.com/scenario-run/scenario/engine/lookup"
	"github.com/scenario-run/scenario/engine/runtime"
)

type agent struct {
	r       *Runtime
	network string
	from    runtime.NodeID
	space   runtime.Space
	volume  string
}

// Agent returns an agent at once.
func (r *Runtime) Agent(ctx context.Context, _ runtime.Scope, at runtime.Place) (runtime.Agent, error) {
	network := at.Network
	if at.Node != "" {
		n, err := r.find(ctx, "Agent", at.Node)
		if err != nil {
			return nil, err
		}
		if err := r.needRunning(n, "agent of"); err != nil {
			return nil, err
		}
		return &agent{r: r, network: network, from: at.Node, space: at.Space}, nil
	}
	if at.Space == runtime.AloneSpace {
		return &agent{r: r, space: at.Space}, r.enter(ctx, "Agent", string(at.Space))
	}
	if at.Volume != "" {
		return r.agentOf(ctx, at.Volume)
	}
	if err := r.enter(ctx, "Agent", network); err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.networks[network]; !ok {
		return nil, failure(runtime.NotFound, "agent", "no network %s", network)
	}
	return &agent{r: r, network: network}, nil
}

// Dial meets the node that has the name or address: a running one serves or
// refuses, a paused one accepts and hangs, one that is down times out by its
// address and is not found by its name.
func (a *agent) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	if err := a.r.enter(ctx, "Dial", address); err != nil {
		return nil, err
	}
	if a.space == runtime.AloneSpace || a.volume != "" {
		return nil, &net.OpError{Op: "dial", Net: network, Err: os.NewSyscallError("connect", syscall.ENETUNREACH)}
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, &net.OpError{Op: "dial", Net: network, Err: err}
	}
	n, byName := a.resolve(host)
	a.r.mu.Lock()
	running, paused := n != nil && n.state.Running, n != nil && n.state.Paused
	a.r.mu.Unlock()
	if !running {
		if byName || net.ParseIP(host) == nil {
			return nil, &net.OpError{Op: "dial", Net: network, Err: &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}}
		}
		<-ctx.Done()
		return nil, &net.OpError{Op: "dial", Net: network, Err: os.ErrDeadlineExceeded}
	}
	serve, ok := n.script.Serve[port]
	if !ok && !paused {
		return nil, &net.OpError{Op: "dial", Net: network, Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	}
	ours, theirs := net.Pipe()
	a.r.mu.Lock()
	n.conns = append(n.conns, theirs)
	a.r.mu.Unlock()
	if !paused {
		go serve(theirs)
	}
	return ours, nil
}

// resolve finds the node by its host name, an alias or its address.
func (a *agent) resolve(host string) (n *node, byName bool) {
	a.r.mu.Lock()
	defer a.r.mu.Unlock()
	if from := a.r.nodes[a.from]; from != nil && (host == "localhost" || host == "127.0.0.1") {
		return from, false
	}
	for _, n := range a.r.nodes {
		for _, at := range n.spec.Networks {
			if a.from == "" && at.Network != a.network {
				continue
			}
			if host == n.spec.Host || slices.Contains(at.Aliases, host) {
				return n, true
			}
			if host == n.ips[at.Network].String() {
				return n, false
			}
		}
	}
	return nil, false
}

// Run runs a job of Options.Jobs, or one that the agent's space is for.
func (a *agent) Run(ctx context.Context, job string, spec []byte, line func([]byte) error) error {
	if job == runtime.SeriesJob {
		return runtime.Series(ctx, spec, line, a.Run)
	}
	if err := a.r.enter(ctx, "Run", job); err != nil {
		return err
	}
	if run, ok := a.r.opts.Jobs[job]; ok {
		return run(ctx, spec, line)
	}
	if a.volume != "" {
		return a.onVolume(job, spec, line)
	}
	switch a.space {
	case runtime.ProcessSpace:
		return a.onProcesses(job, spec, line)
	case runtime.AloneSpace:
		return a.tryOut(job, line)
	}
	if a.from != "" && (job == lookup.FailJob || job == lookup.LookJob) {
		return a.onLookups(job, spec, line)
	}
	return a.keepRules(job, spec, line)
}

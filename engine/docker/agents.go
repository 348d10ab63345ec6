package docker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"github.com/moby/moby/api/pkg/stdcopy"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/events"
	"github.com/moby/moby/api/types/mount"
	"github.com/moby/moby/client"

	"github.com/scenario-run/scenario/engine/agent"
	"github.com/scenario-run/scenario/engine/agent/cgroup"
	"github.com/scenario-run/scenario/engine/agent/fill"
	"github.com/scenario-run/scenario/engine/runtime"
)

// agentKey is what an agent belongs to.
type agentKey struct {
	run, variant string
	at           runtime.Place
}

func (k agentKey) scope() runtime.Scope { return runtime.Scope{Run: k.run, Variant: k.variant} }

type startedAgent struct {
	r      *Runtime
	id     string // of its container
	client *agent.Client
	since  time.Time // of a node's agent: the node's start that it lives in
}

var _ runtime.AgentEnd = (*startedAgent)(nil)

// Done is closed when the session is over.
func (a *startedAgent) Done() <-chan struct{} { return a.client.Lost() }

// exitLimit is how long the daemon may take to tell of an agent's exit, whose
// output it has closed already.
const exitLimit = 2 * time.Second

// ExitCode asks the daemon for what it remembers: by now the container is
// removed, or about to be.
func (a *startedAgent) ExitCode(ctx context.Context) (code int, known bool) {
	ctx, cancel := context.WithTimeout(ctx, exitLimit)
	defer cancel()
	stream := a.r.api.Events(ctx, client.EventsListOptions{
		Since:   "1", // all that it remembers
		Filters: make(client.Filters).Add("container", a.id).Add("event", string(events.ActionDie)),
	})
	select {
	case message := <-stream.Messages:
		return eventOf(message).ExitCode, true
	case <-stream.Err: // it has come to nothing, or the time is over
		return 0, false
	}
}

// Agent returns the agent of a network or of a node, and starts it if needed.
// A node's agent lives in a namespace of the node's present start: after a
// restart, ask again.
func (r *Runtime) Agent(ctx context.Context, scope runtime.Scope, at runtime.Place) (runtime.Agent, error) {
	handle := &agentHandle{r: r, scope: scope, key: agentKey{run: scope.Run, variant: scope.Variant, at: at}}
	if from := at.Node; from != "" {
		state, err := r.InspectNode(ctx, from)
		if err != nil {
			return nil, err
		}
		if !state.Running {
			return nil, &runtime.Error{
				Kind: runtime.NotRunning, Op: "start an agent in " + r.name(from), Err: fmt.Errorf("%s is not running", r.name(from)),
			}
		}
		handle.key.at.Network = "" // one agent, whichever network it was asked for
		handle.since = state.StartedAt
	}
	if _, err := handle.client(ctx); err != nil {
		return nil, err
	}
	return handle, nil
}

// agentHandle finds its agent again if that was lost.
type agentHandle struct {
	r     *Runtime
	scope runtime.Scope
	key   agentKey
	since time.Time
}

var _ runtime.Agent = (*agentHandle)(nil)

// Dial connects from the agent's place; a lost agent is replaced once.
func (h *agentHandle) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	for attempt := 1; ; attempt++ {
		c, err := h.client(ctx)
		if err != nil {
			return nil, err
		}
		conn, err := c.Dial(ctx, network, address)
		if err == nil || attempt == 2 || !errors.Is(err, agent.ErrLost) || ctx.Err() != nil {
			return conn, h.lost(err)
		}
	}
}

// Run runs a job. It is not repeated, since it may have had an effect.
func (h *agentHandle) Run(ctx context.Context, job string, spec []byte, line func([]byte) error) error {
	c, err := h.client(ctx)
	if err != nil {
		return err
	}
	return h.lost(c.Run(ctx, job, spec, line))
}

// End is that of the present session.
func (h *agentHandle) End() runtime.AgentEnd {
	h.r.mu.Lock()
	defer h.r.mu.Unlock()
	if a := h.known(); a != nil {
		return a
	}
	gone := &ended{make(chan struct{})}
	close(gone.done)
	return gone
}

// ended is the end of an agent that was gone before it could be asked for.
type ended struct{ done chan struct{} }

func (e *ended) Done() <-chan struct{} { return e.done }

func (*ended) ExitCode(context.Context) (int, bool) { return 0, false }

// lost says whose fault the loss of an agent is.
func (h *agentHandle) lost(err error) error {
	if err == nil || !errors.Is(err, agent.ErrLost) {
		return err
	}
	kind := runtime.Internal
	if h.key.at.Node != "" {
		kind = runtime.NotRunning
	}
	return &runtime.Error{Kind: kind, Op: "reach " + h.what(), Err: err}
}

func (h *agentHandle) what() string {
	switch at := h.key.at; {
	case at.Space == runtime.AloneSpace:
		return "an agent on no network"
	case at.Volume != "":
		return "the agent of volume " + at.Volume
	case at.Node == "":
		return "the agent of the network"
	case at.Space == runtime.ProcessSpace:
		return "the agent among the processes of " + h.r.name(at.Node)
	case at.Space == runtime.LimitSpace:
		return "the agent that reads the control groups of " + h.r.name(at.Node)
	default:
		return "the agent of " + h.r.name(at.Node)
	}
}

// client returns the agent's session, starting the agent if there is none. A
// start that is under way is waited for, whoever asked for it.
func (h *agentHandle) client(ctx context.Context) (*agent.Client, error) {
	for {
		c, start := h.knownOrStarting()
		if c != nil {
			return c, nil
		}
		select {
		case <-start.done:
		case <-ctx.Done():
			return nil, fmt.Errorf("start %s: %w", h.what(), context.Cause(ctx))
		}
		if start.since.Equal(h.since) { // else it was for another start of the node
			return start.client, start.err
		}
	}
}

// knownOrStarting returns the session of a living agent, or else the start that
// is under way, which it begins if there is none.
func (h *agentHandle) knownOrStarting() (*agent.Client, *agentStart) {
	h.r.mu.Lock()
	defer h.r.mu.Unlock()
	if a := h.known(); a != nil {
		return a.client, nil
	}
	if s := h.r.starting[h.key]; s != nil {
		return nil, s
	}
	return nil, h.begin()
}

// known returns a living agent. Under the runtime's lock.
func (h *agentHandle) known() *startedAgent {
	a := h.r.agents[h.key]
	if a == nil || !a.since.Equal(h.since) {
		return nil
	}
	select {
	case <-a.client.Lost():
		return nil
	default:
		return a
	}
}

// agentHost puts an agent into its place, with the one capability that it needs
// there.
func agentHost(at runtime.Place) *container.HostConfig {
	host := &container.HostConfig{
		NetworkMode: container.NetworkMode(at.Network), AutoRemove: true, ReadonlyRootfs: true,
		CapDrop: []string{"ALL"}, CapAdd: []string{"NET_ADMIN"}, SecurityOpt: []string{"no-new-privileges"},
		LogConfig: container.LogConfig{Type: "none"},
		Resources: container.Resources{CPUShares: agentShares},
	}
	within := "container:" + string(at.Node)
	switch {
	case at.Space == runtime.AloneSpace:
		host.NetworkMode = "none"
	case at.Volume != "":
		host.NetworkMode, host.CapAdd = "none", []string{"DAC_OVERRIDE"} // the volume may have become another user's
		host.Mounts = []mount.Mount{{
			Type: mount.TypeVolume, Source: at.Volume, Target: fill.Root, VolumeOptions: &mount.VolumeOptions{NoCopy: true},
		}}
	case at.Node == "":
		host.Sysctls = portsOfTraffic()
	case at.Space == runtime.ProcessSpace:
		host.NetworkMode, host.PidMode, host.CapAdd = "none", container.PidMode(within), []string{"KILL"}
	case at.Space == runtime.LimitSpace:
		host.NetworkMode, host.PidMode, host.CapAdd = "none", container.PidMode(within), nil
		host.CgroupnsMode = container.CgroupnsModeHost // or it would see its own group as the root
		host.Mounts = []mount.Mount{{Type: mount.TypeBind, Source: cgroup.HostMount, Target: cgroup.Host, ReadOnly: true}}
	default:
		host.NetworkMode = container.NetworkMode(within)
	}
	return host
}

// portsOfTraffic lets traffic make thousands of connections a second to one
// address. The kernel remembers each for a minute at the side that closes it first,
// and the port is taken as long: of 28,000, that is 470 a second. A port may be
// used again after a second if both sides have timestamps, which tell the old
// connection's packets from those of the new one (RFC 6191).
func portsOfTraffic() map[string]string {
	return map[string]string{"net.ipv4.tcp_tw_reuse": "1", "net.ipv4.ip_local_port_range": "10240 65535"}
}

// agentPipe is the agent's standard input and output, taken out of the
// attached stream.
type agentPipe struct {
	*io.PipeReader
	attached client.HijackedResponse
	stderr   *capped
	ended    chan struct{}
}

func newAgentPipe(attached client.HijackedResponse) *agentPipe {
	output, writer := io.Pipe()
	p := &agentPipe{output, attached, &capped{limit: 4096}, make(chan struct{})}
	go func() {
		defer close(p.ended)
		_, err := stdcopy.StdCopy(writer, p.stderr, attached.Reader)
		writer.CloseWithError(err)
	}()
	return p
}

func (p *agentPipe) Write(b []byte) (int, error) { return p.attached.Conn.Write(b) }

// Close closes both, and waits until nothing reads any more.
func (p *agentPipe) Close() error {
	err := errors.Join(p.attached.Conn.Close(), p.PipeReader.Close())
	<-p.ended
	return err
}

// errors returns what the agent wrote to its standard error, once it is closed.
func (p *agentPipe) errors() string {
	<-p.ended
	return strings.TrimSpace(p.stderr.String())
}

// closeAgents ends the agents of the scopes that are chosen.
func (r *Runtime) closeAgents(chosen func(runtime.Scope) bool) error {
	r.mu.Lock()
	var closing []*startedAgent
	for key, a := range r.agents {
		if chosen(key.scope()) {
			closing = append(closing, a)
			delete(r.agents, key)
		}
	}
	r.mu.Unlock()
	var errs []error
	for _, a := range closing {
		errs = append(errs, a.client.Close())
	}
	return errors.Join(errs...)
}

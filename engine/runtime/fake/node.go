package fake

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"slices"
	"time"

	"github.com/scenario-run/scenario/engine/process"
	"github.com/scenario-run/scenario/engine/runtime"
)

type node struct {
	id       runtime.NodeID
	scope    runtime.Scope
	spec     runtime.NodeSpec
	script   Script
	state    runtime.NodeState
	starts   int
	exited   chan struct{} // closed while the node does not run
	lastExit int           // code of the last exit
	log      []logLine
	grown    chan struct{} // closed and replaced when log or state change
	conns    []net.Conn
	ips      map[string]netip.Addr // by network
	procs    []process.Process     // of the present start
	held     []process.ID          // those that an agent has stopped
}

// CreateNode makes a node that does what Options.Script says of it.
func (r *Runtime) CreateNode(ctx context.Context, scope runtime.Scope, spec runtime.NodeSpec) (runtime.NodeID, error) {
	if err := r.enter(ctx, "CreateNode", spec.Address); err != nil {
		return "", err
	}
	var script Script
	if r.opts.Script != nil {
		script = r.opts.Script(spec)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.next++
	n := &node{
		id: runtime.NodeID(fmt.Sprintf("node-%d", r.next)), scope: scope, spec: spec, script: script,
		exited: make(chan struct{}), grown: make(chan struct{}), ips: map[string]netip.Addr{},
	}
	close(n.exited)
	for i, at := range spec.Networks {
		ip, err := r.place(spec, at)
		if err != nil {
			return "", err
		}
		n.ips[at.Network] = ip
		if i == 0 {
			n.state.IP = ip
		}
	}
	r.nodes[n.id] = n
	return n.id, nil
}

// place finds the address of a node on a network.
func (r *Runtime) place(spec runtime.NodeSpec, at runtime.Attachment) (netip.Addr, error) {
	op := "create " + spec.Address
	network, ok := r.networks[at.Network]
	if !ok {
		return netip.Addr{}, failure(runtime.NotFound, op, "no network %s", at.Network)
	}
	taken := func(ip netip.Addr) bool {
		return slices.ContainsFunc(slices.Collect(maps.Values(r.nodes)), func(n *node) bool { return n.ips[at.Network] == ip })
	}
	if !at.IP.IsValid() {
		for taken(network.dynamic) {
			network.dynamic = network.dynamic.Next()
		}
		return network.dynamic, nil
	}
	if !network.network.Subnet.Contains(at.IP) {
		return netip.Addr{}, failure(runtime.Conflict, op, "%s is not in %s", at.IP, network.network.Subnet)
	}
	if taken(at.IP) {
		return netip.Addr{}, failure(runtime.Conflict, op, "%s is taken", at.IP)
	}
	return at.IP, nil
}

// find returns a node, after recording the call.
func (r *Runtime) find(ctx context.Context, op string, id runtime.NodeID) (*node, error) {
	r.mu.Lock()
	n := r.nodes[id]
	r.mu.Unlock()
	address := string(id)
	if n != nil {
		address = n.spec.Address
	}
	if err := r.enter(ctx, op, address); err != nil {
		return nil, err
	}
	if n == nil {
		return nil, failure(runtime.NotFound, op, "no node %s", id)
	}
	return n, nil
}

// RemoveNode removes a node.
func (r *Runtime) RemoveNode(ctx context.Context, id runtime.NodeID) error {
	n, err := r.find(ctx, "RemoveNode", id)
	if err != nil {
		return err
	}
	r.exit(n, 137)
	r.forget(func() { delete(r.nodes, id) })
	return nil
}

// StartNode starts a node, unless it runs.
func (r *Runtime) StartNode(ctx context.Context, id runtime.NodeID) (runtime.NodeState, error) {
	n, err := r.find(ctx, "StartNode", id)
	if err != nil {
		return runtime.NodeState{}, err
	}
	r.mu.Lock()
	if n.state.Running {
		defer r.mu.Unlock()
		return n.copyState(), nil
	}
	start := n.starts
	n.starts++
	r.mu.Unlock()

	if n.script.Start != nil {
		if err := n.script.Start(start); err != nil {
			r.mu.Lock()
			n.state.Error = err.Error()
			r.mu.Unlock()
			return runtime.NodeState{}, err
		}
	}
	r.mu.Lock()
	r.run(n, start)
	state := n.copyState()
	r.mu.Unlock()
	if n.script.Exits != nil {
		if code, exits := n.script.Exits(start); exits {
			r.exit(n, code)
		}
	}
	return state, nil
}

// ComeBack starts the node of that address again, as its restart policy says.
func (r *Runtime) ComeBack(address string) {
	n := r.byAddress(address)
	r.mu.Lock()
	defer r.mu.Unlock()
	start := n.starts
	n.starts++
	n.state.Restarts++
	r.run(n, start)
}

// run makes the process of a node run. The caller holds the lock.
func (r *Runtime) run(n *node, start int) {
	r.forgetLinks(n.id)
	n.beginProcesses(start)
	n.exited = make(chan struct{})
	n.state.Running, n.state.Started, n.state.Error = true, true, ""
	n.state.ExitCode, n.state.StartedAt, n.state.ExitedAt = 0, r.opts.Now(), time.Time{}
	n.state.Ports = n.publish(start)
	r.emit(n, "start", 0)
	n.print(r.opts.Now(), n.script.Prints...)
}

// publish gives each start other ports on the host, as Docker does.
func (n *node) publish(start int) map[string]string {
	ports := map[string]string{}
	for i, p := range n.spec.Ports {
		ports[fmt.Sprint(p)] = fmt.Sprintf("127.0.0.1:%d", 40000+100*start+i)
	}
	return ports
}

func (n *node) copyState() runtime.NodeState {
	s := n.state
	s.Ports = maps.Clone(s.Ports)
	s.Logs = "fake logs " + n.spec.Host
	if s.Running {
		s.Shell = "fake shell " + n.spec.Host
	}
	return s
}

func (n *node) print(at time.Time, lines ...string) {
	for _, l := range lines {
		n.log = append(n.log, logLine{at, l})
	}
	n.changed()
}

func (n *node) changed() {
	close(n.grown)
	n.grown = make(chan struct{})
}

// exit ends a running node.
func (r *Runtime) exit(n *node, code int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.exitLocked(n, code)
}

func (r *Runtime) exitLocked(n *node, code int) {
	if !n.state.Running {
		return
	}
	n.state.Running, n.state.Paused = false, false
	n.state.ExitCode, n.state.ExitedAt, n.state.Ports = code, r.opts.Now(), nil
	n.lastExit = code
	for _, c := range n.conns {
		c.Close() // a pipe's Close returns nil
	}
	n.conns = nil
	r.emit(n, "exit", code)
	close(n.exited)
	n.changed()
}

// Exit makes the node of that address exit by itself.
func (r *Runtime) Exit(address string, code int) { r.exit(r.byAddress(address), code) }

// ExitIfThere is Exit of a node that may have been removed meanwhile.
func (r *Runtime) ExitIfThere(address string, code int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, n := range r.nodes {
		if n.spec.Address == address {
			r.exitLocked(n, code)
		}
	}
}

// OOM makes the kernel kill the node of that address.
func (r *Runtime) OOM(address string) {
	n := r.byAddress(address)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.emit(n, "oom", 0)
	r.exitLocked(n, 137)
}

// OOMOfOne makes the kernel kill a process of the node of that address, whose
// first process lives on.
func (r *Runtime) OOMOfOne(address string) {
	n := r.byAddress(address)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.emit(n, "oom", 0)
}

// Print adds lines to the log of the node of that address.
func (r *Runtime) Print(address string, lines ...string) {
	n := r.byAddress(address)
	r.mu.Lock()
	defer r.mu.Unlock()
	n.print(r.opts.Now(), lines...)
}

// byAddress panics where there is no such node: a bug of the test.
func (r *Runtime) byAddress(address string) *node {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, n := range r.nodes {
		if n.spec.Address == address {
			return n
		}
	}
	panic("fake: no node " + address)
}

// ID is how this place calls the node of that address.
func (r *Runtime) ID(address string) runtime.NodeID { return r.byAddress(address).id }

// Spec returns what the node of that address was created with.
func (r *Runtime) Spec(address string) runtime.NodeSpec { return r.byAddress(address).spec }

// SignalNode ends a node if the signal does.
func (r *Runtime) SignalNode(ctx context.Context, id runtime.NodeID, signal string) error {
	n, err := r.find(ctx, "SignalNode", id)
	if err != nil {
		return err
	}
	if err := r.needRunning(n, "signal"); err != nil {
		return err
	}
	r.mu.Lock()
	n.signalProcess(process.Main, signal)
	r.mu.Unlock()
	if code, exits := n.signal(signal); exits {
		r.exit(n, code)
	}
	return nil
}

func (n *node) signal(signal string) (code int, exits bool) {
	if signal == "SIGKILL" {
		return 137, true
	}
	if n.script.Signal != nil {
		return n.script.Signal(signal)
	}
	number, ends := map[string]int{"SIGINT": 2, "SIGQUIT": 3, "SIGTERM": 15}[signal]
	return 128 + number, ends
}

// needRunning says that the node is down.
func (r *Runtime) needRunning(n *node, op string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !n.state.Running {
		return failure(runtime.NotRunning, op+" "+n.spec.Address, "%s is not running", n.spec.Address)
	}
	return nil
}

// needAwake says that the node is down or paused.
func (r *Runtime) needAwake(n *node, op string) error {
	if err := r.needRunning(n, op); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if n.state.Paused {
		return failure(runtime.NotRunning, op+" "+n.spec.Address, "%s is paused", n.spec.Address)
	}
	return nil
}

// StopNode asks and then kills at once: no time passes here.
func (r *Runtime) StopNode(ctx context.Context, id runtime.NodeID, _ time.Duration) error {
	n, err := r.find(ctx, "StopNode", id)
	if err != nil {
		return err
	}
	signal := n.spec.StopSignal
	if signal == "" {
		signal = "SIGTERM"
	}
	code, exits := n.signal(signal)
	if !exits {
		code = 137
	}
	r.exit(n, code)
	return nil
}

// PauseNode freezes a node.
func (r *Runtime) PauseNode(ctx context.Context, id runtime.NodeID) error {
	n, err := r.find(ctx, "PauseNode", id)
	if err != nil {
		return err
	}
	if err := r.needAwake(n, "pause"); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	n.state.Paused = true
	r.emit(n, "pause", 0)
	return nil
}

// UnpauseNode thaws a node, if it is frozen.
func (r *Runtime) UnpauseNode(ctx context.Context, id runtime.NodeID) error {
	n, err := r.find(ctx, "UnpauseNode", id)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if n.state.Paused {
		n.state.Paused = false
		r.emit(n, "unpause", 0)
	}
	return nil
}

// InspectNode returns the state.
func (r *Runtime) InspectNode(ctx context.Context, id runtime.NodeID) (runtime.NodeState, error) {
	n, err := r.find(ctx, "InspectNode", id)
	if err != nil {
		return runtime.NodeState{}, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return n.copyState(), nil
}

// usedMemory is what every node that runs uses.
const usedMemory = 1 << 20

// Usage says that a node uses half a CPU and 1 MiB.
func (r *Runtime) Usage(ctx context.Context, id runtime.NodeID) (runtime.Usage, error) {
	n, err := r.find(ctx, "Usage", id)
	if err != nil {
		return runtime.Usage{}, err
	}
	if err := r.needRunning(n, "usage of"); err != nil {
		return runtime.Usage{}, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.opts.Now()
	return runtime.Usage{At: now, CPU: now.Sub(n.state.StartedAt) / 2, Memory: usedMemory}, nil
}

// WaitExit waits for the exit.
func (r *Runtime) WaitExit(ctx context.Context, id runtime.NodeID) (runtime.NodeState, error) {
	n, err := r.find(ctx, "WaitExit", id)
	if err != nil {
		return runtime.NodeState{}, err
	}
	r.mu.Lock()
	exited := n.exited
	r.mu.Unlock()
	select {
	case <-exited:
		r.mu.Lock()
		defer r.mu.Unlock()
		s := n.copyState()
		if s.Running { // again, by its restart policy
			s.Running, s.ExitCode = false, n.lastExit
		}
		return s, nil
	case <-ctx.Done():
		return runtime.NodeState{}, fmt.Errorf("wait for the exit of %s: %w", n.spec.Address, context.Cause(ctx))
	}
}

// Exec asks the node's script.
func (r *Runtime) Exec(ctx context.Context, id runtime.NodeID, spec runtime.ExecSpec) (runtime.ExecResult, error) {
	n, err := r.find(ctx, "Exec", id)
	if err != nil {
		return runtime.ExecResult{}, err
	}
	if err := r.needAwake(n, "exec in"); err != nil {
		return runtime.ExecResult{}, err
	}
	if n.script.Exec == nil {
		return runtime.ExecResult{}, nil
	}
	result, err := n.script.Exec(ctx, spec)
	if err != nil && ctx.Err() != nil && r.needRunning(n, "exec in") == nil {
		err = &runtime.GoesOn{Err: err}
	}
	if err != nil {
		return result, err
	}
	if spec.Out != nil {
		if _, err := spec.Out.Write(result.Stdout); err != nil {
			return result, err
		}
		result.Stdout = nil
	}
	limit := spec.Limit
	if limit == 0 {
		limit = 1 << 20
	}
	for _, stream := range []*[]byte{&result.Stdout, &result.Stderr} {
		if len(*stream) > limit {
			*stream, result.Truncated = (*stream)[:limit], true
		}
	}
	return result, nil
}

// Inspect returns the specification and the state.
func (r *Runtime) Inspect(ctx context.Context, id runtime.NodeID) ([]byte, error) {
	n, err := r.find(ctx, "Inspect", id)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return json.Marshal(map[string]any{"Spec": n.spec, "State": n.copyState()})
}

// Package steptest is an environment for tests of vocabularies: nodes that
// change state as they are told, a clock that never waits, and a record of
// what was asked of them. It knows nothing of Docker and starts nothing.
package steptest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/link"
	"github.com/scenario-run/scenario/engine/lookup"
	"github.com/scenario-run/scenario/engine/process"
	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/step"
)

// Node is a node of a World.
type Node struct {
	Address  string
	Host, IP string    // made from Address if empty
	Kind     string    // "ray"
	Args     cty.Value // of the kind's block
	State    runtime.NodeState
	Usage    step.Usage
	Limits   runtime.Limits
	// Attachments are its networks; none: it is on "default", at IP.
	Attachments []step.Attachment
	Log         []string
	Files       map[string][]byte
	// Processes are those in it. SIGKILL and SIGTERM end them, unless
	// OnProcessSignal says otherwise.
	Processes []process.Process
	exited    chan struct{} // closed while it does not run
}

// World is nodes and what a step can reach besides. Set its functions before
// it is used. It is safe for concurrent use.
type World struct {
	Clock *Clock
	// OnExec answers Exec; without it every command exits 0.
	OnExec func(ctx context.Context, address string, spec runtime.ExecSpec) (runtime.ExecResult, error)
	// OnDial answers Dial; without it connections go from this process.
	OnDial func(ctx context.Context, from, network, address string) (net.Conn, error)
	// OnStart is asked before a node counts as started; nil lets it. WaitReady
	// asks OnReady.
	OnStart, OnReady func(ctx context.Context, address string) error
	// OnSignal sees each signal to a node, or to processes in it, after their
	// state has changed; SIGKILL
	// makes a node exit with 137, what other signals do it says itself, with Exit.
	OnSignal func(address, signal string)
	// OnProcessList is called before the processes of a node are listed.
	OnProcessList func(address string)
	// OnProcessSignal is asked what a signal to a process does, in place of what
	// it would; nil: what it would.
	OnProcessSignal func(address, signal string, p *process.Process)
	// OnLimit does to a node's limits what a call would; nil: what it says.
	OnLimit func(*runtime.Limits)
	// IgnoreDisconnect makes taking nodes off networks do nothing.
	IgnoreDisconnect bool
	// Volume is what some of the nodes have; nil: none has one. IgnoreFill makes
	// filling it, and giving it back, do nothing.
	Volume     *Volume
	IgnoreFill bool
	// UnknownNames are those that no look-up finds.
	UnknownNames []string
	// Starts are when steps were started, by address.
	Starts map[string]time.Time
	// Statistics is what stopping a workload yields, by address.
	Statistics map[string]cty.Value
	// OnHeal is asked for each fault that is healed.
	OnHeal func(step string) error
	// Sequence is what faults have been begun, nil once they have been ended.
	Sequence *step.Sequence

	mu       sync.Mutex
	nodes    map[string]*Node
	order    []string
	calls    []string
	progress []string
	links    []link.Link
	failing  *lookup.Failure
}

// New makes a world of running nodes.
func New(nodes ...Node) *World {
	w := &World{Clock: &Clock{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}, nodes: map[string]*Node{}}
	for i, n := range nodes {
		if n.Host == "" {
			n.Host = n.Address[len("node."):]
		}
		if n.IP == "" {
			n.IP = fmt.Sprintf("10.0.0.%d", 128+i)
		}
		if n.Attachments == nil {
			n.Attachments = []step.Attachment{attachment("default", n.IP, n.Host)}
		}
		n.State.Running, n.State.Started, n.State.StartedAt = true, true, w.Clock.Now()
		n.exited = make(chan struct{})
		w.nodes[n.Address] = &n
		w.order = append(w.order, n.Address)
	}
	return w
}

// Env is the environment of a step in this world.
func (w *World) Env() *step.Env {
	return &step.Env{
		Step:      "action.test",
		Nodes:     nodes{w},
		Workloads: workloads{w},
		Faults:    faults{w},
		Links:     links{w},
		Lookups:   lookups{w},
		Processes: processes{w},
		Disks:     disks{w},
		Started:   func(step string) time.Time { return w.Starts[step] },
		Draw:      func(n int) int { return n - 1 },
		Clock:     w.Clock,
		Dial: func(ctx context.Context, from, network, address string) (net.Conn, error) {
			if w.OnDial != nil {
				return w.OnDial(ctx, from, network, address)
			}
			return (&net.Dialer{}).DialContext(ctx, network, address)
		},
		Progress: func(text string) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.progress = append(w.progress, text)
		},
	}
}

// Calls are what was asked of the nodes, in order: "kill node.head SIGKILL".
func (w *World) Calls() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]string(nil), w.calls...)
}

// Progress are the lines that were reported.
func (w *World) Progress() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]string(nil), w.progress...)
}

// Exit makes a running node exit.
func (w *World) Exit(address string, code int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := w.nodes[address]
	if !n.State.Running {
		return
	}
	n.State.Running, n.State.Paused = false, false
	n.State.ExitCode, n.State.ExitedAt = code, w.Clock.Now()
	close(n.exited)
}

// Unstarted makes a node one that has never been started.
func (w *World) Unstarted(address string) {
	w.Exit(address, 0)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.nodes[address].State = runtime.NodeState{}
}

// OOM makes a running node exit for using too much memory.
func (w *World) OOM(address string) {
	w.Exit(address, 137)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.nodes[address].State.OOMKilled = true
}

// change finds a node, notes the call and changes the node.
func (w *World) change(address, call string, do func(*Node) error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	n, ok := w.nodes[address]
	if !ok {
		return &runtime.Error{Kind: runtime.NotFound, Op: call, Err: fmt.Errorf("no node %s", address)}
	}
	w.calls = append(w.calls, call)
	return do(n)
}

func notRunning(op string) error {
	return &runtime.Error{Kind: runtime.NotRunning, Op: op, Err: errors.New("the node is not running")}
}

type workloads struct{ w *World }

func (x workloads) Stop(_ context.Context, address string) (cty.Value, error) {
	v, ok := x.w.Statistics[address]
	if !ok {
		return cty.NilVal, fmt.Errorf("no workload %s", address)
	}
	return v, nil
}

type faults struct{ w *World }

func (x faults) Heal(_ context.Context, steps ...string) error {
	for _, s := range steps {
		if x.w.OnHeal == nil {
			continue
		}
		if err := x.w.OnHeal(s); err != nil {
			return err
		}
	}
	return nil
}

func (x faults) Begin(s step.Sequence) error {
	x.w.Sequence = &s
	return nil
}

func (x faults) Begun(ctx context.Context) error {
	if x.w.Sequence == nil {
		return errors.New("nothing is being injected")
	}
	return ctx.Err()
}

func (x faults) End(context.Context) error {
	x.w.Sequence = nil
	return nil
}

// Clock is a clock on which sleeping takes no time but moves it.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// Now returns the clock's time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Sleep moves the clock; a context that has ended stops it.
func (c *Clock) Sleep(ctx context.Context, d time.Duration) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	return nil
}

var _ step.Clock = (*Clock)(nil)

func (n *Node) value() cty.Value {
	state := "ready"
	switch {
	case n.State.Paused:
		state = "paused"
	case !n.State.Running:
		state = "exited"
	}
	v := map[string]cty.Value{
		"name":    cty.StringVal(n.Host),
		"address": cty.StringVal(n.Address),
		"host":    cty.StringVal(n.Host),
		"ip":      cty.StringVal(n.IP),
		"image":   cty.StringVal("test"),
		"state":   cty.StringVal(state),
		"ports":   cty.MapValEmpty(cty.String),
	}
	if len(v) != len(schema.NodeType.AttributeTypes()) {
		panic("steptest: schema.NodeType has changed")
	}
	return cty.ObjectVal(v)
}

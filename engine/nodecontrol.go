package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/zclconf/go-cty/cty"
	"golang.org/x/sync/errgroup"

	"github.com/scenario-run/scenario/engine/event"
	"github.com/scenario-run/scenario/engine/plan"
	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/step"
)

// nodesOf is step.Nodes for one step.
type nodesOf struct {
	x  *executor
	by string // ID of the vertex
}

var _ step.Nodes = nodesOf{}

// with runs f on the loop with a node; an unknown address is an error.
func (c nodesOf) with(address string, f func(n *node)) error {
	found := false
	c.x.ask(func() {
		if n := c.x.nodes[address]; n != nil {
			found = true
			f(n)
		}
	})
	if !found {
		return &runtime.Error{Kind: runtime.NotFound, Err: fmt.Errorf("there is no node %s", address)}
	}
	return nil
}

// created is with for a node that has been made.
func (c nodesOf) created(address string, f func(n *node)) (id runtime.NodeID, err error) {
	err = c.with(address, func(n *node) {
		if id = n.id; id != "" {
			f(n)
		}
	})
	if err == nil && id == "" {
		err = &runtime.Error{Kind: runtime.NotFound, Err: fmt.Errorf("%s has not been created", address)}
	}
	return id, err
}

// notRunning is the failure of a step that needs a node to run. Its kind tells
// probes, to which it is an answer.
func notRunning(format string, args ...any) error {
	return step.Failf("%w", &runtime.Error{Kind: runtime.NotRunning, Err: fmt.Errorf(format, args...)})
}

// up is created for a node that must run.
func (c nodesOf) up(address string, f func(n *node)) (id runtime.NodeID, err error) {
	var down error
	id, err = c.created(address, func(n *node) {
		switch {
		case n.running():
			f(n)
		case n.state == nodeExited:
			down = notRunning("%s does not run: it exited with code %d", address, n.exitCode)
		default:
			down = notRunning("%s does not run: it has not been started", address)
		}
	})
	return id, errors.Join(err, down)
}

func (c nodesOf) All() []string { return slices.Clone(c.x.order) }

func (c nodesOf) Facts(address string) (f step.Facts) {
	_ = c.with(address, func(n *node) { f = n.facts })
	return f
}

func (c nodesOf) Kind(address string) (kind string, args cty.Value) {
	_ = c.with(address, func(n *node) { kind, args = n.decl.Kind, n.kind })
	return kind, args
}

func (c nodesOf) Value(address string) cty.Value {
	v := cty.DynamicVal
	_ = c.with(address, func(n *node) { v = n.value() })
	return v
}

func (c nodesOf) Runs(address string) (runs bool) {
	_ = c.with(address, func(n *node) { runs = n.running() && !n.gone })
	return runs
}

func (c nodesOf) State(ctx context.Context, address string) (runtime.NodeState, error) {
	id, err := c.created(address, func(*node) {})
	if err != nil {
		return runtime.NodeState{}, err
	}
	st, err := c.x.Runtime.InspectNode(ctx, id)
	if err != nil {
		return st, err
	}
	err = c.with(address, func(n *node) { st.OOMKilled = !st.Running && n.oom })
	return st, err
}

func (c nodesOf) Usage(ctx context.Context, address string) (u step.Usage, err error) {
	id, err := c.up(address, func(*node) {})
	if err != nil {
		return u, err
	}
	var now runtime.Usage
	err = c.x.onNode(ctx, address, func() error {
		now, err = c.x.Runtime.Usage(ctx, id)
		return err
	})
	if err != nil {
		return u, err
	}
	u.Memory = now.Memory
	err = c.with(address, func(n *node) {
		before := n.used
		if before.At.Before(n.startedAt) { // of an earlier start, or none
			before = runtime.Usage{At: n.startedAt}
		}
		if span := now.At.Sub(before.At); span > 0 && now.CPU >= before.CPU {
			u.CPUPercent = 100 * float64(now.CPU-before.CPU) / float64(span)
		}
		n.used = now
	})
	return u, err
}

// Start starts nodes side by side. Those that depend on others among them wait
// until these are ready.
func (c nodesOf) Start(ctx context.Context, addresses ...string) error {
	type signals struct{ launched, ready chan struct{} }
	among := map[string]signals{}
	for _, a := range addresses {
		among[a] = signals{make(chan struct{}), make(chan struct{})}
	}
	group, ctx := errgroup.WithContext(ctx)
	for a, mine := range among {
		var first, ready []string
		if err := c.with(a, func(n *node) { first, ready = n.out.StartAfter, n.decl.DependsOn }); err != nil {
			return err
		}
		group.Go(func() error {
			return safely(func() error {
				for _, other := range first {
					await(ctx, among[other].launched)
				}
				for _, other := range ready {
					await(ctx, among[other].ready)
				}
				if ctx.Err() != nil {
					return context.Cause(ctx)
				}
				if err := c.Launch(ctx, a); err != nil {
					return err
				}
				close(mine.launched)
				if err := c.WaitReady(ctx, a); err != nil {
					return err
				}
				close(mine.ready)
				return nil
			})
		})
	}
	err := group.Wait()
	if p, ok := err.(*panicked); ok {
		panic(p)
	}
	return err
}

// await waits for one of the nodes that are started together; a nil channel is
// of a node that is not among them.
func await(ctx context.Context, signal <-chan struct{}) {
	if signal == nil {
		return
	}
	select {
	case <-signal:
	case <-ctx.Done():
	}
}

func (c nodesOf) Launch(ctx context.Context, address string) error {
	x := c.x
	var n *node
	already := false
	id, err := c.created(address, func(found *node) {
		if n = found; n.running() {
			already = true
			return
		}
		x.newStart(n)
		x.startEnds(n)
	})
	if err != nil || already {
		return err
	}
	st, err := c.launch(ctx, n, id)
	if err != nil {
		x.ask(func() { x.notStarted(n) })
		return err
	}
	x.ask(func() { x.running(n, st) })
	return nil
}

// launch waits for the node's gate and starts its process.
func (c nodesOf) launch(ctx context.Context, n *node, id runtime.NodeID) (runtime.NodeState, error) {
	for _, other := range n.out.StartAfter {
		c.x.awaitFirstStart(ctx, other)
	}
	if n.out.Gate != nil {
		if err := c.x.passGate(ctx, n); err != nil {
			return runtime.NodeState{}, err
		}
	}
	// What it printed before must not be taken for what it prints now.
	c.x.followerOf(n).end(c.x.Clock)
	called := c.x.now()
	st, err := c.x.Runtime.StartNode(ctx, id)
	if err != nil {
		return st, about("start", n.decl.Address, err)
	}
	// The place's clock may be another one.
	if st.StartedAt.After(called) && st.StartedAt.Before(c.x.now()) {
		called = st.StartedAt
	}
	return st, c.x.reinstate(ctx, n, id, called)
}

// reinstate puts in force again, in a node that was started no earlier than
// since, what faults want there and a start undoes.
func (x *executor) reinstate(ctx context.Context, n *node, id runtime.NodeID, since time.Time) error {
	if err := x.recutStarted(ctx, n, id); err != nil {
		return err
	}
	if err := x.relink(ctx, n, since); err != nil {
		return err
	}
	return x.refail(ctx, n.decl.Address)
}

// awaitFirstStart waits for the process of a node that the beginning starts. It
// is no error if that does not come: then the run has another cause to fail.
func (x *executor) awaitFirstStart(ctx context.Context, address string) {
	var launched, over <-chan struct{}
	x.ask(func() {
		if v := x.byID[address]; v != nil && v.Kind == plan.NodeVertex && v.at != finished {
			launched, over = x.nodes[address].launched, v.done
		}
	})
	if launched == nil {
		return
	}
	select {
	case <-launched:
	case <-over:
	case <-ctx.Done():
	}
}

// notStarted takes back a start that did not come about. On the loop.
func (x *executor) notStarted(n *node) {
	n.launches--
	if !n.gone {
		n.gone = true
		close(n.down)
	}
	state := nodeExited
	if n.launches == 0 {
		state = nodeCreated
	}
	x.become(n, state, event.NodeChanged{})
}

func (c nodesOf) Kill(ctx context.Context, address, signal string) error {
	id, err := c.up(address, func(n *node) { n.asked = n.asked || ends(signal) })
	if err != nil {
		return err
	}
	err = c.x.onNode(ctx, address, func() error { return c.x.Runtime.SignalNode(ctx, id, signal) })
	if err != nil {
		return err
	}
	if signal != "SIGKILL" {
		return nil
	}
	_, err = c.WaitExit(ctx, address)
	return err
}

// ends says that a process may end by a signal; others are for it to handle.
func ends(signal string) bool {
	return !slices.Contains([]string{"SIGUSR1", "SIGUSR2", "SIGHUP", "SIGWINCH", "SIGCONT", "SIGSTOP", "SIGCHLD", "SIGURG"}, signal)
}

func (c nodesOf) Stop(ctx context.Context, address string, grace time.Duration) error {
	id, err := c.up(address, func(n *node) {
		n.asked = true
		if grace < 0 {
			grace = n.grace
		}
	})
	if err != nil {
		return err
	}
	err = c.x.onNode(ctx, address, func() error { return c.x.Runtime.StopNode(ctx, id, grace) })
	if err != nil {
		return err
	}
	_, err = c.WaitExit(ctx, address)
	return err
}

func (c nodesOf) Pause(ctx context.Context, address string) error {
	id, err := c.up(address, func(*node) {})
	if err != nil {
		return err
	}
	err = c.x.onNode(ctx, address, func() error { return c.x.Runtime.PauseNode(ctx, id) })
	if err != nil {
		return err
	}
	return c.with(address, func(n *node) { c.x.become(n, nodePaused, event.NodeChanged{}) })
}

func (c nodesOf) Unpause(ctx context.Context, address string) error {
	id, err := c.created(address, func(*node) {})
	if err != nil {
		return err
	}
	err = c.x.onNode(ctx, address, func() error { return c.x.Runtime.UnpauseNode(ctx, id) })
	if err != nil {
		return err
	}
	return c.with(address, c.x.thawed)
}

func (c nodesOf) ExpectExit(address string) {
	_ = c.with(address, func(n *node) { n.asked = true })
}

func (c nodesOf) WaitExit(ctx context.Context, address string) (runtime.NodeState, error) {
	launches := 0
	var known *runtime.NodeState
	id, err := c.created(address, func(n *node) {
		if launches = n.launches; n.gone { // it was seen already, and need not be asked for again
			known = &runtime.NodeState{Started: true, ExitCode: n.exitCode, OOMKilled: n.oom, StartedAt: n.startedAt}
		}
	})
	if err != nil {
		return runtime.NodeState{}, err
	}
	if known != nil {
		return *known, nil
	}
	st, err := c.x.Runtime.WaitExit(ctx, id)
	if err != nil {
		return st, err
	}
	return st, c.with(address, func(n *node) {
		if n.launches == launches {
			c.x.exited(n, st.ExitCode)
		}
	})
}

func (c nodesOf) Exec(ctx context.Context, address string, spec runtime.ExecSpec) (runtime.ExecResult, error) {
	paused := false
	id, err := c.up(address, func(n *node) { paused = n.state == nodePaused })
	if err != nil {
		return runtime.ExecResult{}, err
	}
	if paused {
		return runtime.ExecResult{}, notRunning("%s is paused: nothing can be run in it", address)
	}
	start := c.x.presentStart(address)
	r, err := c.x.Runtime.Exec(ctx, id, spec)
	if err == nil && r.ExitCode == killedCode {
		err = c.diedMeanwhile(ctx, start)
	}
	err = c.x.unlessEnded(ctx, start, err)
	var left *runtime.GoesOn
	if errors.As(err, &left) {
		c.x.emit(event.Warning{Text: leftRunning(spec.Command, address, left.PID)})
	}
	return r, err
}

// leftRunning tells of a command that nobody waits for any more.
func leftRunning(command []string, address string, pid int) string {
	text := fmt.Sprintf("the command %q goes on in %s", strings.Join(command, " "), address)
	if pid != 0 {
		text += fmt.Sprintf(" (process %d of its host)", pid)
	}
	return firstLine(text) + ": it ends with its node, or by itself"
}

const (
	// killedCode is the exit code of a command that SIGKILL ended, as it ends
	// all that runs in a node whose main process exits.
	killedCode = 128 + 9
	// deathLimit is how long the exit of a node is waited for whose command was
	// killed: the command's end is told first.
	deathLimit = 500 * time.Millisecond
)

// diedMeanwhile tells a command that was killed from one whose node exited.
func (c nodesOf) diedMeanwhile(ctx context.Context, start nodeStart) error {
	if start.down == nil {
		return nil
	}
	code, ended := c.x.awaitEnd(ctx, start, deathLimit)
	if !ended {
		return nil // it goes on, as far as can be seen
	}
	return notRunning("%s exited with code %d while the command ran", start.address, code)
}

func (c nodesOf) LogTail(ctx context.Context, address string, lines int) ([]string, error) {
	var follow *follower
	up := false
	if err := c.with(address, func(n *node) { follow, up = n.follow, n.running() }); err != nil {
		return nil, err
	}
	if up {
		return follow.tail(lines), nil
	}
	return follow.lastWords(ctx, c.x.Clock, lines), nil
}

// detailOf is the text of log lines as a detail.
func detailOf(tail []string) string {
	if len(tail) == 0 {
		return "it has printed nothing"
	}
	return strings.Join(tail, "\n")
}

package engine

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/lang"
	"github.com/scenario-run/scenario/engine/event"
	"github.com/scenario-run/scenario/engine/fault"
	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/step"
)

// The states of a node, as expressions and events have them. Before it is
// created it has none.
const (
	nodeCreated  = "created"
	nodeStarting = "starting"
	nodeReady    = "ready"
	nodePaused   = "paused"
	nodeExited   = "exited"
)

// node is a node with its state. The loop owns all of it; what is set by
// createNode does not change afterwards.
type node struct {
	decl     *lang.Node
	networks []string          // names
	cut      map[string]string // networks that it was taken off, by name → the step that did
	ips      []string          // one for each network
	facts    step.Facts

	// Set by createNode.
	id       runtime.NodeID
	image    string
	spec     runtime.NodeSpec // that it was created with
	kind     cty.Value        // arguments of the kind's block
	out      step.KindOutput
	init     bool // its first process is an init of the place's, not the node's own
	ready    readiness
	grace    time.Duration
	stopSlow time.Duration // at teardown; 0: killed
	mayExit  bool

	launched  chan struct{} // closed when its process has run for the first time
	state     string
	isReady   bool
	ports     map[string]string
	startedAt time.Time // as the runtime says
	upSince   time.Time // when that was known here
	launches  int       // starts that were called for
	starts    int       // start events seen
	asked     bool
	gone      bool          // the exit that ended the current start is known
	down      chan struct{} // closed when the current start has ended; nil before the first
	exitCode  int
	oom       bool          // a process of the current start was killed for want of memory
	oomTold   chan struct{} // closed when that is known; nil before the first start
	// starved is the failure that a process was killed for want of memory, while
	// the node itself has not exited for it; nil if there is none.
	starved  *event.Cause
	used     runtime.Usage // when that was last asked
	follow   *follower
	followed bool // the current start has its follower
}

// readiness is what a node's ready block says.
type readiness struct {
	http   string
	https  string
	tcp    int
	log    *regexp.Regexp
	exec   []string
	within time.Duration
	where  string // of within
	ofKind func(context.Context, *step.Env) error
}

// fromOutside says that what is asked reaches the node over its network.
func (r *readiness) fromOutside() bool {
	return r.http != "" || r.https != "" || r.tcp != 0 || r.ofKind != nil
}

func (x *executor) addNodes() error {
	var bad error
	x.ask(func() {
		for _, d := range x.decl.Nodes {
			if x.nodes[d.Address] != nil {
				bad = fmt.Errorf("bug: the plan has %s twice", d.Address)
				return
			}
			x.nodes[d.Address] = &node{decl: d, launched: make(chan struct{}), cut: map[string]string{}, facts: step.Facts{Address: d.Address, Name: d.Name, Host: d.Host}}
			x.order = append(x.order, d.Address)
		}
	})
	return bad
}

// value is the node as expressions see it.
func (n *node) value() cty.Value {
	text := func(s string) cty.Value {
		if s == "" {
			return cty.UnknownVal(cty.String)
		}
		return cty.StringVal(s)
	}
	ports := cty.UnknownVal(cty.Map(cty.String))
	if n.state != "" {
		ports = cty.MapValEmpty(cty.String)
	}
	if len(n.ports) > 0 {
		m := map[string]cty.Value{}
		for port, at := range n.ports {
			m[port] = cty.StringVal(at)
		}
		ports = cty.MapVal(m)
	}
	return cty.ObjectVal(map[string]cty.Value{
		"name":    cty.StringVal(n.decl.Name),
		"address": cty.StringVal(n.decl.Address),
		"host":    cty.StringVal(n.decl.Host),
		"ip":      text(n.facts.IP),
		"image":   text(n.image),
		"state":   text(n.state),
		"ports":   ports,
	})
}

func (n *node) running() bool {
	return n.state == nodeStarting || n.state == nodeReady || n.state == nodePaused
}

// become changes a node's state and says so. On the loop.
func (x *executor) become(n *node, state string, more event.NodeChanged) {
	if n.state == state {
		return
	}
	n.state = state
	more.Node, more.State, more.IP, more.Ports = n.decl.Address, state, n.facts.IP, n.ports
	x.emit(more)
}

// watchLimit is how long the runtime may take to begin to tell of its nodes.
const watchLimit = 30 * time.Second

// watch begins to follow what happens to the nodes.
func (x *executor) watch(ctx context.Context) error {
	ctx, cancel := withLimit(ctx, x.Clock, &limit{what: "the time limit of a call", of: watchLimit})
	defer cancel()
	// The watch outlives this call, but the call itself has a limit.
	watching, giveUp := context.WithCancelCause(x.base)
	called := context.AfterFunc(ctx, func() { giveUp(context.Cause(ctx)) })
	events, err := x.Runtime.Watch(watching, x.scope)
	called()
	if err != nil {
		giveUp(err)
		return err // which says what was called
	}
	x.task(func() {
		for e := range events {
			x.do(func() { x.happened(e) })
		}
	})
	return nil
}

// happened takes in an event of the runtime. On the loop.
func (x *executor) happened(e runtime.NodeEvent) {
	if e.Err != nil {
		if x.base.Err() == nil && !x.tearing {
			x.lostRuntime("lost sight of the nodes", e.Err)
		}
		return
	}
	n := x.nodeOf(e)
	if n == nil {
		return
	}
	switch e.Kind {
	case "start":
		x.sawStart(n)
	case "oom":
		x.ranOutOfMemory(n)
	case "exit":
		// An exit that is reported while a newer start was called for belongs
		// to an older one.
		if n.starts == n.launches {
			x.exited(n, e.ExitCode)
		}
	case "pause":
		x.become(n, nodePaused, event.NodeChanged{})
	case "unpause":
		x.thawed(n)
	}
}

func (x *executor) nodeOf(e runtime.NodeEvent) *node {
	for _, n := range x.nodes {
		if n.id == e.Node && n.id != "" {
			return n
		}
	}
	return nil
}

// sawStart takes in a start. One that nobody called for is the runtime's own,
// by the node's restart policy.
func (x *executor) sawStart(n *node) {
	n.starts++
	if n.starts <= n.launches {
		return
	}
	x.newStart(n)
	x.startEnds(n)
	x.running(n, runtime.NodeState{StartedAt: x.now(), Ports: n.ports})
	address, id, since := n.decl.Address, n.id, x.now()
	x.task(func() {
		err := x.reinstate(x.base, n, id, since)
		if err != nil && runtime.KindOf(err) != runtime.NotRunning && x.base.Err() == nil {
			// The heal of a fault sees whether it was in force to its end.
			x.emit(event.Warning{Text: fmt.Sprintf("%s started by itself, and faults are not in force in it again: %s", address, err)})
		}
		// Nobody waits for it: what it runs into shows where the node is used.
		_ = nodesOf{x, ""}.WaitReady(x.base, address)
	})
}

// newStart makes a node forget its last start. On the loop.
func (x *executor) newStart(n *node) {
	n.launches++
	n.asked, n.gone, n.oom, n.isReady, n.followed = false, false, false, false, false
	n.starved = nil
	n.down, n.oomTold = make(chan struct{}), make(chan struct{})
	x.become(n, nodeStarting, event.NodeChanged{})
}

// running takes in that the process of a node's current start runs. On the
// loop.
func (x *executor) running(n *node, st runtime.NodeState) {
	n.startedAt, n.upSince, n.ports = st.StartedAt, x.now(), st.Ports
	select {
	case <-n.launched:
	default:
		close(n.launched)
	}
	x.prepareLinks(n)
	x.prepareProcesses(n)
	x.prepareLimits(n)
	x.follow(n)
}

// follow follows the log of a node's current start, from the moment that the
// first of two things is known: that it runs, or that it has exited.
func (x *executor) follow(n *node) {
	if !n.followed {
		n.follow, n.followed = x.followLog(n, n.follow), true
	}
}

func (x *executor) thawed(n *node) {
	switch {
	case n.state != nodePaused:
	case n.isReady:
		x.become(n, nodeReady, event.NodeChanged{})
	default:
		x.become(n, nodeStarting, event.NodeChanged{})
	}
}

// tailLines is how many lines of a node's log a failure shows.
const tailLines = 20

// exited takes in that a node's current start has ended. On the loop.
func (x *executor) exited(n *node, code int) {
	if n.gone || n.launches == 0 {
		return
	}
	n.gone, n.exitCode, n.isReady = true, code, false
	close(n.down)
	if x.tearing {
		n.state = nodeExited
		return
	}
	change := event.NodeChanged{ExitCode: &code, OOMKilled: n.oom, Seconds: x.upFor(n)}
	by := x.explanation(n)
	if n.asked || n.mayExit || x.lost || by != nil {
		if !n.asked && by != nil && by.MayExit {
			change.AllowedBy = by.Step
		}
		x.become(n, nodeExited, change)
		return
	}
	x.follow(n)
	follow, address := n.follow, n.decl.Address
	n.state = nodeExited
	// The verdict stands and nothing more is started at once; what the node
	// said last is added to it.
	c := n.causeOfExit(change, x.faultOn(n))
	if x.blameCause(address, c, c.State); x.verdict.cause == c {
		x.verdict.diedAt = x.now()
	}
	x.halt(fmt.Sprintf("%s exited with code %d", address, code))
	oomTold := n.oomTold
	x.deaths.Add(1)
	x.task(func() {
		defer x.deaths.Done()
		tail := follow.lastWords(x.base, x.Clock, tailLines)
		oom := change.OOMKilled || code == killedExit && x.await(oomTold, "the wait for the reason of an exit")
		x.ask(func() {
			if oom && !change.OOMKilled {
				known := exitCause(address, code, oom, nil)
				c.Message, c.Hint, change.OOMKilled = known.Message, known.Hint, true
			}
			change.Node, change.State, change.IP, change.Unasked, change.Log = address, nodeExited, n.facts.IP, true, tail
			c.Detail, c.LogOf = strings.Join(tail, "\n"), address
			x.emit(change)
		})
	})
}

func (x *executor) upFor(n *node) float64 {
	if n.startedAt.IsZero() {
		return 0
	}
	return max(0, x.now().Sub(n.startedAt).Seconds())
}

// exitCause is the cause of a scenario that a node's own exit ended, with the
// fault that was on it then, if there was one.
func exitCause(address string, code int, oom bool, during *fault.Life) *event.Cause {
	c := &event.Cause{
		State:   event.Failed,
		Message: fmt.Sprintf("%s exited with code %d; no step had asked for that", address, code),
		Hint:    "set may_exit = true on the node if it may",
	}
	if during != nil {
		c.Message = fmt.Sprintf("%s exited with code %d while %s was in effect; no step had asked for that", address, code, during.Step)
		c.Hint = fmt.Sprintf("if that is how it should answer to the fault, set may_exit = true on %s", during.Step)
	}
	if oom {
		c.Message = fmt.Sprintf("%s was killed for using too much memory (code %d)", address, code)
		c.Hint = "give it more memory"
	}
	return c
}

// explanation is a fault by which the exit of a node is no surprise, or nil. On
// the loop.
func (x *executor) explanation(n *node) *fault.Life {
	return x.lastFault(func(l *fault.Life) bool { return l.Explains(n.decl.Address) })
}

// faultOn is the last fault that is on a node, or nil. On the loop.
func (x *executor) faultOn(n *node) *fault.Life {
	return x.lastFault(func(l *fault.Life) bool { return l.InForce() && l.On(n.decl.Address) })
}

func (x *executor) lastFault(is func(*fault.Life) bool) *fault.Life {
	for _, l := range slices.Backward(x.faults) {
		if is(l) {
			return l
		}
	}
	return nil
}

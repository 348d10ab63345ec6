package conformance

import (
	"context"
	"crypto/rand"
	"strings"
	"testing"
	"time"

	"github.com/scenario-run/scenario/engine/runtime"
)

// limit is how long one rule may take to be seen.
const limit = 60 * time.Second

// Options say what a place offers to the tests.
type Options struct {
	Image string // that has sh and python3
	// New returns the place. Each rule asks for one, and closes it.
	New func(t *testing.T) runtime.Runtime
	// Beside returns the same place as another process would see it. Nil: only
	// one process can.
	Beside func(t *testing.T, r runtime.Runtime) runtime.Runtime
}

// Run checks every rule, each in a scope of its own which is swept afterwards.
func Run(t *testing.T, opts Options) {
	for name, rules := range map[string]map[string]func(*lab){
		"nodes":    nodeRules,
		"exec":     execRules,
		"limits":   limitRules,
		"attach":   attachRules,
		"volumes":  volumeRules,
		"files":    fileRules,
		"logs":     logRules,
		"networks": networkRules,
		"events":   eventRules,
		"agents":   agentRules,
		"sweep":    sweepRules,
	} {
		for rule, check := range rules {
			t.Run(name+"/"+rule, func(t *testing.T) {
				t.Parallel()
				check(newLab(t, opts))
			})
		}
	}
}

// lab is a place with a scope.
type lab struct {
	*testing.T
	runtime.Runtime
	ctx   context.Context
	image string
	scope runtime.Scope
	opts  Options
	net   *runtime.Network
	used  int
}

func newLab(t *testing.T, opts Options) *lab {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), limit)
	t.Cleanup(cancel)
	l := &lab{
		T: t, Runtime: opts.New(t), ctx: ctx, image: opts.Image, opts: opts,
		scope: runtime.Scope{
			Run: "conf" + strings.ToLower(rand.Text()[:8]), Variant: "v", Owner: "test",
			Expires: time.Now().Add(time.Hour).Truncate(time.Second).UTC(),
		},
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		defer cancel()
		swept, err := l.Sweep(ctx, runtime.Scope{Run: l.scope.Run}, nil)
		if err != nil || len(swept.Left) > 0 {
			t.Errorf("sweep left %v, %v", swept.Left, err)
		}
		if err := l.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return l
}

// network returns the lab's network.
func (l *lab) network() runtime.Network {
	l.Helper()
	if l.net == nil {
		n, err := l.CreateNetwork(l.ctx, l.scope, runtime.NetworkSpec{Name: "default"})
		l.must(err)
		l.net = &n
	}
	return *l.net
}

// spec is a node on the lab's network with the next address.
func (l *lab) spec(host string, p Program) runtime.NodeSpec {
	l.Helper()
	n := l.network()
	ip := n.FirstHost
	for range l.used {
		ip = ip.Next()
	}
	l.used++
	return runtime.NodeSpec{
		Address: "node." + host, Host: host, Image: l.image, Command: p.Command,
		Networks: []runtime.Attachment{{Network: n.ID, IP: ip, Aliases: []string{host + "-alias"}}},
	}
}

func (l *lab) create(spec runtime.NodeSpec) runtime.NodeID {
	l.Helper()
	id, err := l.CreateNode(l.ctx, l.scope, spec)
	l.must(err)
	return id
}

// start creates and starts a node.
func (l *lab) start(host string, p Program) (runtime.NodeID, runtime.NodeState) {
	l.Helper()
	id := l.create(l.spec(host, p))
	state, err := l.StartNode(l.ctx, id)
	l.must(err)
	return id, state
}

func (l *lab) must(err error) {
	l.Helper()
	if err != nil {
		l.Fatalf("%v (kind %s)", err, runtime.KindOf(err))
	}
}

// wantKind checks the kind of an error.
func (l *lab) wantKind(err error, kind runtime.Kind) {
	l.Helper()
	if err == nil || runtime.KindOf(err) != kind {
		l.Errorf("got %v (kind %s), want kind %s", err, runtime.KindOf(err), kind)
	}
}

// eventually asks until the condition holds: for what a place does in its own
// time and offers no event for.
func (l *lab) eventually(what string, holds func() bool) {
	l.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-l.ctx.Done():
			l.Fatalf("not seen within %s: %s", limit, what)
		}
	}
}

// needs skips a rule where the place can't.
func (l *lab) needs(can func(runtime.Capabilities) bool) {
	l.Helper()
	info, err := l.Info(l.ctx)
	l.must(err)
	if !can(info.Can) {
		l.Skipf("%s can't: %s", info.Name, info.Can.AgentReason)
	}
}

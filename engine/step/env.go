package step

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/engine/disk"
	"github.com/scenario-run/scenario/engine/link"
	"github.com/scenario-run/scenario/engine/lookup"
	"github.com/scenario-run/scenario/engine/process"
	"github.com/scenario-run/scenario/engine/runtime"
)

// Env is what the engine hands to a definition. It is the definition's only
// way to the outside.
type Env struct {
	Step  string // address of the step or probe
	Nodes Nodes
	// Dial connects from inside the run: from is a node's address ("from
	// inside its network namespace"), "" for the network's agent, "host" for
	// the engine's own host.
	Dial func(ctx context.Context, from, network, address string) (net.Conn, error)
	// Workloads and Faults are the running ones, by address of their steps.
	Workloads Workloads
	Faults    Faults
	Links     Links
	Lookups   Lookups
	Processes Processes
	Disks     Disks
	// Started says when a step was started last; the zero time if it was not.
	Started func(step string) time.Time
	// Draw returns a number below n, by the run's seed and the step: the same
	// seed, the same number.
	Draw func(n int) int
	// Progress puts a line about the running step on the timeline.
	Progress func(text string)
	Clock    Clock
}

// HTTP returns a client whose connections come from there (see Dial), without
// keep-alive, proxies and redirects. secure says what https servers must show;
// nil: what this machine asks of them.
func (e *Env) HTTP(from string, secure *tls.Config) *http.Client {
	return &http.Client{
		Transport: ending{&http.Transport{
			DisableKeepAlives: true,
			TLSClientConfig:   secure,
			DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
				if of, ok := ctx.Value(requestKey{}).(context.Context); ok {
					ctx = of
				}
				return e.Dial(ctx, from, network, address)
			},
		}},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// ending makes connecting end with the request. net/http goes on by itself, for
// the sake of requests to come; where packets are dropped, which is what
// scenarios do, attempts would pile up for minutes.
type ending struct{ transport *http.Transport }

type requestKey struct{}

// RoundTrip sends a request.
func (e ending) RoundTrip(r *http.Request) (*http.Response, error) {
	return e.transport.RoundTrip(r.WithContext(context.WithValue(r.Context(), requestKey{}, r.Context())))
}

// Nodes acts on the nodes of the variant, by their addresses. The engine
// knows of each exit that is asked for here, so that it can tell it from one
// that is not.
type Nodes interface {
	// All lists the addresses, in plan order.
	All() []string
	// Facts and Kind say what is known of a node: its kind ("" or "ray") and
	// the arguments of the kind's block (cty.NilVal without one).
	Facts(address string) Facts
	Kind(address string) (kind string, args cty.Value)
	// Value is the node as expressions see it.
	Value(address string) cty.Value

	// Runs says that a node was started and has not exited since, as far as the
	// engine has been told; State asks the place where it lives.
	Runs(address string) bool
	State(ctx context.Context, address string) (runtime.NodeState, error)
	// Usage says what a running node uses.
	Usage(ctx context.Context, address string) (Usage, error)
	// Start starts nodes that do not run, side by side, and waits until each is
	// ready. It ends faults that had taken them down.
	Start(ctx context.Context, addresses ...string) error
	// Launch starts one node without waiting for readiness; WaitReady waits.
	Launch(ctx context.Context, address string) error
	WaitReady(ctx context.Context, address string) error
	// Kill signals the node's main process and, if the signal is SIGKILL, waits
	// for its exit. Stop asks and then kills after grace (negative: the node's own).
	Kill(ctx context.Context, address, signal string) error
	Stop(ctx context.Context, address string, grace time.Duration) error
	// Recreate stops a node, makes it anew in its place, and starts it as Start
	// does. Its networks, volumes and limits stay; its disk is new.
	Recreate(ctx context.Context, address string, with NodeChange) error
	Pause(ctx context.Context, address string) error
	Unpause(ctx context.Context, address string) error
	// Limits says what a node may use. LimitCPUs and LimitMemory (in bytes)
	// change that, for later starts too; 0 lifts a limit.
	Limits(ctx context.Context, address string) (Limits, error)
	LimitCPUs(ctx context.Context, address string, cpus float64) error
	LimitMemory(ctx context.Context, address string, bytes int64) error
	// Attachments returns the networks that a node is on. Disconnect takes it off
	// one of them. Connect puts it on one, at an address that is free where at
	// has none, and returns where it is then; one that a fault has taken the node
	// off, only for that fault.
	Attachments(ctx context.Context, address string) ([]Attachment, error)
	Disconnect(ctx context.Context, address string, from Attachment) error
	Connect(ctx context.Context, address string, to Attachment) (Attachment, error)
	// ExpectExit says that the node may exit from now until its next start.
	ExpectExit(address string)
	WaitExit(ctx context.Context, address string) (runtime.NodeState, error)

	Exec(ctx context.Context, address string, spec runtime.ExecSpec) (runtime.ExecResult, error)
	// WriteFile and ReadFile reach the files of a node that was created, whether
	// it runs or not: see runtime.Runtime.
	WriteFile(ctx context.Context, address, path string, f runtime.NewFile) error
	ReadFile(ctx context.Context, address, path string, limit int64) (runtime.File, error)
	// Log hands out the lines that a node has printed in all its starts, from a
	// time on.
	Log(ctx context.Context, address string, since time.Time, line func(text string)) error
	// LogTail returns the last lines of what the node printed since its start.
	LogTail(ctx context.Context, address string, lines int) ([]string, error)
}

// Usage is what a node uses.
type Usage struct {
	Memory int64 // bytes
	// CPUPercent is the time of CPUs that it used since Usage was last asked
	// of it, and at first since its start, in per cent of one CPU.
	CPUPercent float64
}

// Limits are those of a node, and what its machine has.
type Limits struct {
	runtime.Limits
	Machine runtime.Limits
}

// NodeChange is what is other about a node that is made anew; zero values leave
// what was.
type NodeChange struct {
	Image   string // as files have it
	Command []string
	Env     map[string]string // in addition
	IP      IPChoice
}

// IPChoice says which addresses a node gets that is made anew.
type IPChoice string

// The choices.
const (
	SameIP IPChoice = "same"
	NewIP  IPChoice = "new"
)

// Attachment is a node's place on a network. By its name a network is found
// that has no id here.
type Attachment struct {
	runtime.Attachment
	Name string `json:"name"` // as files have it, without "network."; "default" for the run's own
}

// Workloads are the running workloads.
type Workloads interface {
	// Stop ends a workload, waits for what is in flight, and returns its
	// statistics.
	Stop(ctx context.Context, address string) (cty.Value, error)
}

// Faults are the faults of the run.
type Faults interface {
	// Heal heals and verifies the faults of those steps. One that is healed
	// already is passed over.
	Heal(ctx context.Context, steps ...string) error
	// Begin injects faults in the name of the step, one after the other, until
	// End; it returns at once. Begun returns when the first of them is in effect.
	Begin(s Sequence) error
	Begun(ctx context.Context) error
	// End injects nothing more, and heals what is still in effect.
	End(ctx context.Context) error
}

// Sequence are faults to inject, one after the other.
type Sequence struct {
	// Every is the time from one injection to the next. One that takes longer is
	// waited for.
	Every time.Duration
	// Next is asked for one after the other, n from 0 on, and returns what comes
	// then; nil: nothing.
	Next func(n int) *Injection
	// Nodes are those that may be hit, of which Keep stay untouched at any time.
	Nodes []string
	Keep  int
	// Faults are those to choose from, in words; who injects them says at the end
	// which never were.
	Faults []string
}

// Injection is a fault of a sequence.
type Injection struct {
	Type  string
	Of    int       // which of the sequence's Faults it is
	Args  cty.Value // as the type's Intent takes them; "for" says when it ends
	Nodes []string  // that it will hit
	// After are the numbers of those before that must have been healed.
	After []int
}

// Links puts in force what the step's fault does to the packets between nodes.
// What is in force at an end is what all faults want there together.
type Links interface {
	// Set returns when every end that runs has its rules; one that is started
	// later gets them with its start.
	Set(ctx context.Context, links []link.Link) error
	// Observe sends packets of its own, and returns when each way was seen to
	// meet its rules, or to be as slow as it should be. Where other faults keep
	// all packets from there, it is enough that it is in force.
	Observe(ctx context.Context) (LinksSeen, error)
	// Clear takes back what Set has put in force. It is inconclusive if that
	// was not in force any more.
	Clear(ctx context.Context) error
	// Cleared is nil when no end has rules that no other fault wants.
	Cleared(ctx context.Context) error
}

// LinksSeen is the effect of a fault on links.
type LinksSeen struct {
	Ends []string // what was seen at each end, one line each
	Note string   // by which means, if it is not the usual one, and that nothing gets there, if so
}

// Lookups lets the look-up of names fail in nodes, for the step's fault. What
// fails in a node is what all faults want there together.
type Lookups interface {
	// Found is nil when there is something to fail: each of the names is found
	// in one of the nodes, in each node one of them, and by asking a server. No
	// names: a server answers in each node. Failures in force don't count, nor
	// what only other faults keep from being found.
	Found(ctx context.Context, nodes, names []string) error
	// Fail returns when every one of the nodes that runs has it in force; one
	// that is started later gets it with its start.
	Fail(ctx context.Context, nodes []string, f lookup.Failure) error
	// Observe looks the names up in each node, and returns one line for each.
	Observe(ctx context.Context) ([]string, error)
	// Clear takes back what Fail has put in force. It is inconclusive if that
	// was not in force any more.
	Clear(ctx context.Context) error
	// Cleared is nil when in none of the nodes anything fails that no other
	// fault wants.
	Cleared(ctx context.Context, nodes []string) error
}

// Processes are those in nodes that run, seen and signalled without a tool in
// the node.
type Processes interface {
	// List returns all processes of a node, by their numbers.
	List(ctx context.Context, node string) ([]process.Process, error)
	// Signal sends a signal, as "SIGKILL", to those that are still the same
	// processes, and returns them. What is stopped so goes on at the latest when
	// this process ends, whatever becomes of it.
	Signal(ctx context.Context, node, signal string, to []process.ID) ([]process.ID, error)
}

// Disks fills volumes of nodes, for the step's fault.
type Disks interface {
	// Volume finds the volume that a path in a node is on. It is a failure if that
	// is none, or one without a size: nothing can be filled then.
	Volume(node, path string) (Volume, error)
	// Space looks at a volume, whether a node that has it runs or not.
	Space(ctx context.Context, volume string) (disk.Space, error)
	// Fill leaves no more than so many bytes free on a volume. What was taken is
	// free again at the latest when this process ends, whatever becomes of it.
	Fill(ctx context.Context, volume string, leave int64) error
	// Release gives back what Fill has taken. It is inconclusive if that was
	// free before.
	Release(ctx context.Context, volume string) error
}

// Volume is one of a size.
type Volume struct {
	Name  string   `json:"name"` // as files have it, without "volume."
	Size  int64    `json:"size"`
	Nodes []string `json:"nodes"` // that have it
}

// Clock is time. Tests replace it.
type Clock interface {
	Now() time.Time
	// Sleep waits, or returns ctx's error if that ends first.
	Sleep(ctx context.Context, d time.Duration) error
}

// SystemClock is the real one.
type SystemClock struct{}

// Now returns the time.
func (SystemClock) Now() time.Time { return time.Now() }

// Sleep waits for d.
func (SystemClock) Sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Poll calls ask every interval until it returns nil, and returns its last
// error joined with why it gave up when ctx ends. ask gets a context of its own
// that ends with ctx.
func Poll(ctx context.Context, clock Clock, every time.Duration, ask func(context.Context) error) error {
	var last error
	for {
		err := ask(ctx)
		if err == nil || IsFinal(err) {
			return err
		}
		if ctx.Err() != nil && last != nil {
			err = last // that it was cut off says less than what was seen before
		}
		last = err
		if clock.Sleep(ctx, every) != nil {
			return &Timeout{Last: err, Cause: context.Cause(ctx)}
		}
	}
}

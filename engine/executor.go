package engine

import (
	"context"
	"sync"
	"time"

	"github.com/scenario-run/scenario/dsl/lang"
	"github.com/scenario-run/scenario/engine/event"
	"github.com/scenario-run/scenario/engine/fault"
	"github.com/scenario-run/scenario/engine/link"
	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/step"
)

// executor carries out one variant. Its loop is the one goroutine that reads
// and writes the fields below the line; all others hand it functions with do
// and ask.
type executor struct {
	*run
	variant Variant
	decl    *lang.Variant
	key     string // of events
	dirName string // below the run's directory
	scope   runtime.Scope
	redact  *redactor
	env     step.Env // without what belongs to a step
	journal *fault.Journal
	base    context.Context // ends when everything of the variant must
	kernel  link.Kernel     // what the machine can do, if a step needs to know
	opened  time.Time       // when the variant began

	calls chan func()
	over  chan struct{}  // closed when the loop has ended
	after sync.Mutex     // taken by ask in place of the loop
	tasks sync.WaitGroup // goroutines that belong to the variant as a whole

	// ---- owned by the loop

	vertices   []*vertex
	byID       map[string]*vertex
	groups     map[string]*group // by the IDs of their ends, and of their rounds
	nodes      map[string]*node
	order      []string // node addresses, in plan order
	places     provisioned
	inRounds   map[*group][]*lang.Probe // probes of rounds by time that go on
	traffic    map[string]*workloadRun  // by address of the step
	sentLate   []string                 // of the traffic that was, a sentence each
	faults     []*fault.Life            // in the order of their injection
	lives      map[*fault.Life]*live
	links      linkMatrix
	lookups    lookupFailures
	keepers    keepers
	injecting  map[string]*injections // by the ID of the step
	tearing    bool                   // teardown has begun
	lost       bool                   // the runtime can't be reached any more
	brokenLogs []error                // see logFailed
	deaths     sync.WaitGroup         // unasked exits whose last words are being read
	leftover   []event.LeftBehind
	kept       []event.Kept // nodes that stay

	executing bool // the first step has started
	phase     phase
	ctx       context.Context // of the phase's vertices
	cancel    context.CancelCauseFunc
	left      int           // vertices of the phase that have not finished
	busy      int           // those that have been launched, and rounds that are being made
	lasting   int           // those of busy that end only when an effect does
	idle      chan struct{} // closed when there is nothing else left
	isIdle    bool
	joined    chan struct{} // closed when left is 0
	halted    string        // why nothing more is started; empty while going on
	verdict   verdict
}

// verdict is what is known of how the variant goes.
type verdict struct {
	state    event.State
	cause    *event.Cause
	from     string // the vertex that the cause came from
	timedOut bool
	internal bool
	// diedAt is when the node exited that is the cause; zero for other causes.
	diedAt time.Time
}

// do hands f to the loop. After the loop's end it does nothing.
func (x *executor) do(f func()) {
	select {
	case x.calls <- f:
	case <-x.over:
	}
}

// ask hands f to the loop and waits until it has run. Once the loop has ended
// callers run f themselves, one at a time. It must not be called by the loop.
func (x *executor) ask(f func()) {
	done := make(chan struct{})
	x.do(func() { defer close(done); f() })
	select {
	case <-done:
		return
	case <-x.over:
	}
	x.after.Lock()
	defer x.after.Unlock()
	select {
	case <-done: // the last thing that the loop did
	default:
		f()
	}
}

func (x *executor) loop(stop <-chan struct{}) {
	defer close(x.over)
	for {
		select {
		case f := <-x.calls:
			f()
		case <-stop:
			return
		}
	}
}

func (x *executor) emit(body event.Body) { x.stream.emit(x.key, body) }

func (x *executor) now() time.Time { return x.Clock.Now() }

// sinceOpened is a time in seconds since the variant began: what messages count
// by, as the timeline does.
func (x *executor) sinceOpened(t time.Time) float64 { return t.Sub(x.opened).Seconds() }

// since is a time in seconds since the run began.
func (x *executor) since(t time.Time) float64 { return t.Sub(x.began).Seconds() }

// counts says that a state decides something about the variant.
func counts(s event.State) bool {
	return s == event.Failed || s == event.Error || s == event.Inconclusive
}

// blameCause keeps the first of the worst causes. What fails while cleaning up
// counts only if nothing did before.
func (x *executor) blameCause(from string, cause *event.Cause, state event.State) {
	if x.phase == cleanupPhase && counts(x.verdict.state) {
		return
	}
	if x.verdict.state == "" || worse(state, x.verdict.state) {
		x.verdict.state, x.verdict.cause, x.verdict.from = state, cause, from
		x.verdict.diedAt = time.Time{}
	}
}

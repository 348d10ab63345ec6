package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	goruntime "runtime"
	"time"

	"github.com/scenario-run/scenario/engine/event"
	"github.com/scenario-run/scenario/engine/guardian"
	"github.com/scenario-run/scenario/engine/plan"
	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/step"
)

// Keep says when nodes outlive the run.
type Keep string

// When nodes are kept. The zero value is KeepNever.
const (
	KeepNever  Keep = "never"
	KeepFailed Keep = "failed"
	KeepAlways Keep = "always"
)

// Job sends traffic from the engine's own host: spec goes in, the lines of
// samples come out, until ctx ends. See runtime.Agent.Run.
type Job func(ctx context.Context, spec []byte, line func([]byte) error) error

// Options are what a run is carried out with. Registry, Runtime, Dir, RunID
// and Owner must be set.
type Options struct {
	Registry *step.Registry
	Runtime  runtime.Runtime
	Clock    step.Clock // nil: the system's
	Dir      string     // the run's directory, absolute; made if it is not there
	Latest   string     // path of a link that is to lead to Dir; empty: none
	Machines string     // directory in which what machines can do is remembered; empty: nowhere
	RunID    string     // from NewRunID
	Owner    string     // from Owner
	Keep     Keep
	// Timeout is the limit of the whole run; 0: none.
	Timeout time.Duration
	// Parallel is how many variants run side by side; 0: one.
	Parallel int
	// StopAtFailure starts no further variant once one has not passed.
	StopAtFailure bool
	// Sinks get every event after the log has it, in order, from one goroutine.
	Sinks []event.Sink
	// Jobs are the kinds of traffic that can be sent from = "host".
	Jobs map[string]Job
	// Interrupts are the signals that ask the run to end: the first one starts
	// nothing more, the second skips cleanup steps, the third returns at once.
	Interrupts <-chan os.Signal
	// Load is the load of this machine, averaged over a minute, and the number of
	// its CPUs; nil, or false: that isn't known.
	Load func() (load float64, cpus int, ok bool)
	// Invalid are the files that could not be loaded.
	Invalid []event.FileInvalid
	// Warned are files that could be, but not without warnings.
	Warned []event.FileWarned
	// Source returns the text of a source file, for excerpts. Nil, or nil
	// returned: no excerpts.
	Source func(file string) []byte
	About  About
}

// About is what run.json says of a run beside what the engine knows itself.
type About struct {
	Version   string              `json:"version"`
	Args      []string            `json:"args"`
	Variables map[string]Variable `json:"variables,omitempty"`
	Revision  string              `json:"revision,omitempty"` // of the scenarios' git repository
}

// Variable is a variable's value, as text, and where it came from.
type Variable struct {
	Value string `json:"value"`
	From  string `json:"from"`
}

// Variant is one variant of one scenario, planned.
type Variant struct {
	Plan *plan.Plan
	JSON []byte // content of plan.json
	Seed int64
	// Repeat is the command that runs just this again.
	Repeat string
}

// Result is how a run went. ExitCode follows the table in ExitCode.
type Result struct {
	State    event.State
	ExitCode int
	Variants []VariantResult
	// Abandoned says that a third interrupt ended the run at once: what it made
	// is still there, for the guardian to remove.
	Abandoned bool
}

// VariantResult is how a variant went.
type VariantResult struct {
	Scenario string
	Variant  string
	State    event.State
	Cause    *event.Cause // nil if it passed
	Step     string       // the vertex that the cause came from
	Seconds  float64
	TimedOut bool
	Left     int // things left behind
	internal bool
}

// Run carries out variants, one after the other or so many side by side as the
// options say. The error says that the run
// could not be recorded or that the program is at fault; the result holds in
// any case.
func Run(ctx context.Context, opts Options, variants ...Variant) (Result, error) {
	if opts.Clock == nil {
		opts.Clock = step.SystemClock{}
	}
	if opts.Source == nil {
		opts.Source = func(string) []byte { return nil }
	}
	r := &run{Options: opts, began: opts.Clock.Now(), codes: map[int]bool{}}
	dir, err := openDir(opts.Dir, opts.Latest)
	if err != nil {
		return r.result(event.Error, codeError), err
	}
	r.dir = dir
	r.stream = newStream(r.Clock, r.began, dir.events, opts.Sinks)
	r.secrets = newRedactor(allSecrets(variants))
	r.stream.redact("", r.secrets)
	r.interrupts = listen(opts.Interrupts, func(name string, n int) {
		r.stream.emit("", event.Interrupted{Signal: name, Count: n})
		if name == "SIGQUIT" {
			r.writeStacks()
		}
	})
	defer r.interrupts.stop()
	return r.carryOut(ctx, variants)
}

// writeStacks writes down what every goroutine is at: who sends SIGQUIT may want
// to know why nothing goes on.
func (r *run) writeStacks() {
	const most = 16 << 20
	buf := make([]byte, most)
	if err := r.dir.write("goroutines.txt", buf[:goruntime.Stack(buf, true)]); err != nil {
		r.stream.failed(err)
	}
}

// run is a run that is going on.
type run struct {
	Options
	began      time.Time
	dir        *runDir
	stream     *stream
	interrupts *interrupts
	secrets    *redactor        // of all variants
	variants   []*VariantResult // in the order given; nil: it has not ended
	codes      map[int]bool     // exit codes that came up
	place      string           // what the runtime says that it is
}

func (r *run) carryOut(ctx context.Context, variants []Variant) (Result, error) {
	scenarios := map[string]bool{}
	for _, v := range variants {
		scenarios[v.Plan.Variant.Scenario.Name] = true
	}
	r.stream.emit("", event.RunStarted{
		Run: r.RunID, Version: r.About.Version, Args: r.About.Args, Dir: r.Dir,
		Scenarios: len(scenarios), Variants: len(variants), Parallel: r.Parallel,
	})
	for _, bad := range r.Invalid {
		r.stream.emit("", bad)
		r.codes[codeInvalid] = true
	}
	for _, doubtful := range r.Warned {
		r.stream.emit("", doubtful)
	}
	if len(variants) > 0 {
		r.prepare(ctx)
	}
	if err := r.record(nil); err != nil {
		r.stream.failed(err)
	}
	if r.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = withLimit(ctx, r.Clock, &limit{what: "the run's time limit", of: r.Timeout, where: "--timeout", run: true})
		defer cancel()
	}
	r.all(ctx, variants)
	if code := r.interrupts.code(); code != 0 {
		r.codes[code] = true
	}
	return r.close()
}

// prepareLimit is how long looking for leftovers may take: nothing of this run
// depends on it.
const prepareLimit = 30 * time.Second

// prepare removes what runs left whose process is gone, and asks what this
// run runs on.
func (r *run) prepare(ctx context.Context) {
	ctx, done := withLimit(ctx, r.Clock, &limit{what: "the time limit of preparing", of: prepareLimit})
	defer done()
	ctx, cancel := r.until(ctx, 1)
	defer cancel()
	swept, err := guardian.SweepLeftovers(ctx, r.Runtime, r.Clock.Now())
	for _, what := range swept.Removed {
		r.stream.emit("", event.Warning{Text: "removed " + what + " of an earlier run whose process is gone"})
	}
	for _, left := range swept.Left {
		r.stream.emit("", event.Warning{Text: fmt.Sprintf("left of an earlier run: %s: %s; remove it with: %s", left.What, left.Reason, left.Command)})
	}
	if err != nil && runtime.KindOf(err) != runtime.Unreachable {
		// That nothing can be reached shows when this run's own network is made.
		r.stream.emit("", event.Warning{Text: "could not look for what earlier runs left: " + err.Error()})
	}
	info, err := r.Runtime.Info(ctx)
	if err != nil {
		info.Name = "unknown: " + err.Error()
	}
	r.place = info.Name
}

func allSecrets(variants []Variant) (all []string) {
	for _, v := range variants {
		all = append(all, v.Plan.Variant.Secrets...)
	}
	return all
}

// close ends the stream and sums up.
func (r *run) close() (Result, error) {
	if r.interrupts.count() >= 3 {
		code := r.interrupts.code()
		res := r.result(event.Cancelled, code)
		r.stream.emit("", event.RunFinished{State: res.State, ExitCode: code, Seconds: r.elapsed()})
		r.stream.abandon()
		res.Abandoned = true
		return res, nil
	}
	if r.stream.err() != nil {
		r.codes[codeError] = true
	}
	code := worst(r.codes)
	res := r.result(stateOf(code), code)
	r.stream.emit("", event.RunFinished{State: res.State, ExitCode: code, Seconds: r.elapsed()})
	err := errors.Join(r.record(r.outcome(res)), r.stream.close())
	if err != nil && worst(map[int]bool{code: true, codeError: true}) != code {
		res = r.result(event.Error, codeError)
	}
	return res, err
}

func (r *run) result(state event.State, code int) Result {
	res := Result{State: state, ExitCode: code}
	for _, v := range r.variants {
		if v != nil {
			res.Variants = append(res.Variants, *v)
		}
	}
	return res
}

func (r *run) elapsed() float64 { return r.Clock.Now().Sub(r.began).Seconds() }

// variantStarted is the event that opens a variant.
func (r *run) variantStarted(v Variant, dir string) event.VariantStarted {
	s := v.Plan.Variant.Scenario
	return event.VariantStarted{
		Scenario: s.Name, Variant: v.Plan.Variant.Key, Description: s.Description, File: s.File,
		Dir: dir, Tags: s.Tags, Seed: v.Seed, Steps: describeSteps(v.Plan),
	}
}

// Owner names this process, so that another can see whether it is gone.
func Owner() string { return guardian.Owner() }

// marshal is json.Marshal of what can always be marshalled.
func marshal(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic("engine: " + err.Error())
	}
	return b
}

package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/scenario-run/scenario/engine/process"
	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/step"
	"github.com/scenario-run/scenario/engine/traffic"
)

// How long a program may take to end after SIGTERM, and how often it is told,
// since one that has just begun may not be seen yet; then SIGKILL ends it.
const (
	programGrace = 5 * time.Second
	programEvery = time.Second
	stderrKept   = 64 << 10
)

// program is a command in a node that is a workload's traffic.
type program struct {
	nodes     step.Nodes
	processes step.Processes
	clock     step.Clock
	node      string
	command   []string
	before    map[process.ID]bool // what ran in the node before it was started
	over      chan programEnd     // gets one

	mu   sync.Mutex
	seen []process.Process // what it may be, of when it had printed something

	looking sync.WaitGroup
}

type programEnd struct {
	runtime.ExecResult
	err error
}

// programJob runs a program whose lines are the operations of a workload.
func (x *executor) programJob(v *vertex, t step.Traffic) Job {
	return func(ctx context.Context, spec []byte, line func([]byte) error) error {
		var s traffic.ProgramSpec
		if err := json.Unmarshal(spec, &s); err != nil {
			return fmt.Errorf("bug: the specification of a program: %w", err)
		}
		p := &program{
			nodes: nodesOf{x, v.ID}, processes: processesOf{x, v.ID}, clock: x.Clock,
			node: t.From, command: t.Program, over: make(chan programEnd, 1),
		}
		return p.run(ctx, traffic.NewTranscript(s, x.Clock.Now, line))
	}
}

// run runs the program until it ends, which is a failure, ctx does, or it
// prints what is no operation; then it is told to end, and its end awaited.
func (p *program) run(ctx context.Context, said *traffic.Transcript) error {
	all, err := p.processes.List(ctx, p.node)
	if err != nil {
		return p.notRun(err)
	}
	p.before = map[process.ID]bool{}
	for _, q := range all {
		p.before[q.ID] = true
	}
	life, abandon := context.WithCancel(context.WithoutCancel(ctx))
	defer abandon()
	out := &operations{to: said, bad: make(chan struct{}), begun: sync.OnceFunc(func() { p.lookEarly(life) })}
	defer p.looking.Wait()
	go func() {
		r, err := p.nodes.Exec(life, p.node, runtime.ExecSpec{Command: p.command, Out: out, Limit: stderrKept})
		p.over <- programEnd{r, err}
	}()
	select {
	case end := <-p.over:
		if out.failed != nil {
			return out.failed
		}
		return p.endedByItself(end)
	case <-out.bad:
		p.end(life, abandon)
		return out.failed
	case <-ctx.Done():
		p.end(life, abandon)
		return said.Stop()
	}
}

// lookEarly looks at what runs in the node while the program is young: it may
// give itself another title, by which nobody finds it.
func (p *program) lookEarly(ctx context.Context) {
	p.looking.Go(func() {
		all, err := p.mayBe(ctx)
		if err != nil {
			return // then its command line is all there is to go by
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		p.seen = all
	})
}

// mayBe lists what runs in the node, was run there from outside, and was not
// there before the program.
func (p *program) mayBe(ctx context.Context) ([]process.Process, error) {
	ctx, cancel := withLimit(ctx, p.clock, &limit{what: "the time limit of a look at processes", of: programEvery})
	defer cancel()
	all, err := p.processes.List(ctx, p.node)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, func(q process.Process) bool {
		return p.before[q.ID] || q.Parent != 0 || q.PID == process.Main || q.Ended()
	}), nil
}

// operations takes what a program prints. It never ends the wait for the
// program, which has to be told to end first.
type operations struct {
	to     *traffic.Transcript
	begun  func()        // called when there is something, and must not wait
	bad    chan struct{} // closed at the first line that is none, once failed is set
	failed error
}

// Write takes in some of it.
func (o *operations) Write(p []byte) (int, error) {
	if o.failed != nil {
		return len(p), nil
	}
	o.begun()
	if _, err := o.to.Write(p); err != nil {
		o.failed = step.Failf("%w", err).With("", `A program prints one JSON object a line, such as {"ok": true, "start": 1767225600.25, "end": 1767225600.31}; what else it has to say goes to its standard error.`)
		close(o.bad)
	}
	return len(p), nil
}

// endedByItself says that a program did not go on until it was stopped.
func (p *program) endedByItself(end programEnd) error {
	if end.err != nil {
		return p.notRun(end.err)
	}
	detail := ""
	if said := strings.TrimSpace(strings.ToValidUTF8(string(end.Stderr), "\uFFFD")); said != "" {
		lines := strings.Split(said, "\n")
		detail = "stderr:\n" + strings.Join(lines[max(0, len(lines)-20):], "\n")
	}
	return step.Failf("%s in %s ended by itself, with exit code %d", p.command[0], p.node, end.ExitCode).
		With(detail, "The program of a workload goes on until SIGTERM ends it.")
}

// notRun tells what became of the node from what broke around it.
func (p *program) notRun(err error) error {
	if runtime.KindOf(err) != runtime.NotRunning {
		return err
	}
	return step.Failf("run %s in %s: %w", p.command[0], p.node, err).
		With("", "The node of a workload's program must run as long as the workload does: stop_workload ends it before.")
}

// end tells the program to end, and returns when it has, or when nothing more
// can be done; that it goes on then, the timeline says.
func (p *program) end(ctx context.Context, abandon func()) {
	for spent := time.Duration(0); spent < programGrace; spent += programEvery {
		if p.signal(ctx, "SIGTERM"); p.wait(ctx) {
			return
		}
	}
	if p.signal(ctx, "SIGKILL"); p.wait(ctx) {
		return
	}
	abandon()
	<-p.over
}

// signal sends the program a signal. One that can't be sent ends nothing, which
// is seen to.
func (p *program) signal(ctx context.Context, signal string) {
	all, err := p.mayBe(ctx)
	if err != nil {
		return
	}
	p.mu.Lock()
	id, found := pick(all, p.seen, p.command)
	p.mu.Unlock()
	if !found {
		return
	}
	ctx, cancel := withLimit(ctx, p.clock, &limit{what: "the time limit of a signal", of: programEvery})
	defer cancel()
	_, _ = p.processes.Signal(ctx, p.node, signal, []process.ID{id})
}

// pick finds the program among processes that it may be: by its command line, by
// what that was when it was young, or because there is no other, of those that
// were there when it had printed something.
func pick(now, young []process.Process, command []string) (id process.ID, found bool) {
	is := func(q process.Process) bool { return isProgram(q, command) }
	if i := slices.IndexFunc(now, is); i >= 0 {
		return now[i].ID, true
	}
	there := func(q process.Process) bool {
		return slices.ContainsFunc(now, func(r process.Process) bool { return r.ID == q.ID })
	}
	if i := slices.IndexFunc(young, is); i >= 0 {
		return young[i].ID, there(young[i])
	}
	left := slices.DeleteFunc(slices.Clone(young), func(q process.Process) bool { return !there(q) })
	if len(left) != 1 {
		return id, false
	}
	return left[0].ID, true
}

// isProgram says that the command line of a process, behind the interpreter if it
// is a script, is a command.
func isProgram(p process.Process, command []string) bool {
	if len(p.Command) < len(command) {
		return false
	}
	line := p.Command[len(p.Command)-len(command):]
	return path.Base(line[0]) == path.Base(command[0]) && slices.Equal(line[1:], command[1:])
}

// wait waits a while for the program's end.
func (p *program) wait(ctx context.Context) bool {
	ctx, cancel := withLimit(ctx, p.clock, &limit{what: "the wait for a program", of: programEvery})
	defer cancel()
	select {
	case <-p.over:
		return true
	case <-ctx.Done():
		return false
	}
}

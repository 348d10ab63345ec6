package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/scenario-run/scenario/engine/process"
	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/step"
	"github.com/scenario-run/scenario/engine/traffic"
)

// runner is a node in which a program runs.
type runner struct {
	step.Nodes
	mu      sync.Mutex
	begun   bool
	shows   []string // the program's command line
	title   []string // that the program gives itself once it has been looked at
	signals []string
	dies    map[string]bool // by which signals
	told    chan struct{}   // closed when it dies
	play    func(ctx context.Context, r *runner, out func(string)) (runtime.ExecResult, error)
}

func (r *runner) Exec(ctx context.Context, _ string, spec runtime.ExecSpec) (runtime.ExecResult, error) {
	r.mu.Lock()
	r.begun = true
	r.mu.Unlock()
	return r.play(ctx, r, func(text string) { fmt.Fprint(spec.Out, text) })
}

var other = process.Process{ID: process.ID{PID: 20, Started: 1}, Command: []string{"python3", "/client.py", "-v"}}

func (r *runner) List(context.Context, string) ([]process.Process, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := []process.Process{{ID: process.ID{PID: 1}, Command: []string{"python3", "/client.py", "-v"}}, other}
	if r.begun {
		all = append(all,
			process.Process{ID: process.ID{PID: 30, Started: 2}, Parent: 20, Command: []string{"python3", "/client.py", "-v"}},
			process.Process{ID: process.ID{PID: 31, Started: 3}, Command: []string{"sleep", "1"}},
			process.Process{ID: process.ID{PID: 32, Started: 3}, Command: r.shows})
		if r.title != nil {
			r.shows = r.title
		}
	}
	return all, nil
}

func (r *runner) Signal(_ context.Context, _ string, signal string, to []process.ID) ([]process.ID, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.signals = append(r.signals, fmt.Sprint(signal, " ", to[0].PID))
	if r.dies[signal] {
		r.dies = nil
		close(r.told)
	}
	return to, nil
}

// untilTold plays a program that prints an operation and goes on until a signal
// that it dies of.
func untilTold(ctx context.Context, r *runner, out func(string)) (runtime.ExecResult, error) {
	now := float64(time.Now().UnixNano()) / 1e9
	out(fmt.Sprintf(`{"ok": true, "start": %f, "end": %f}`+"\n", now, now))
	select {
	case <-r.told:
		return runtime.ExecResult{ExitCode: 143}, nil
	case <-ctx.Done():
		return runtime.ExecResult{}, ctx.Err()
	}
}

func (r *runner) program(ctx context.Context) (samples int, err error) {
	r.told, r.shows = make(chan struct{}), []string{"/usr/bin/env", "/bin/python3", "/client.py", "-v"}
	p := &program{nodes: r, processes: r, clock: step.SystemClock{}, node: "node.client", command: []string{"python3", "/client.py", "-v"}, over: make(chan programEnd, 1)}
	err = p.run(ctx, traffic.NewTranscript(traffic.ProgramSpec{Workers: 1}, time.Now, func(line []byte) error {
		if strings.Contains(string(line), `"seq"`) {
			samples++
		}
		return nil
	}))
	return samples, err
}

func TestAProgramIsToldToEndAndItsEndAwaited(t *testing.T) {
	for _, tt := range []struct {
		name    string
		dies    []string
		signals string
		took    time.Duration
	}{
		{"at once", []string{"SIGTERM"}, "[SIGTERM 32]", 0},
		{"only by force", []string{"SIGKILL"}, "[SIGTERM 32 SIGTERM 32 SIGTERM 32 SIGTERM 32 SIGTERM 32 SIGKILL 32]", 5 * time.Second},
		{"never", nil, "[SIGTERM 32 SIGTERM 32 SIGTERM 32 SIGTERM 32 SIGTERM 32 SIGKILL 32]", 6 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := &runner{play: untilTold, dies: map[string]bool{}}
				for _, s := range tt.dies {
					r.dies[s] = true
				}
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				began := time.Now()
				samples, err := r.program(ctx)
				if took := time.Since(began) - time.Minute; err != nil || samples != 1 || took != tt.took {
					t.Errorf("%d samples, %v, %s after it was to stop", samples, err, took)
				}
				if got := fmt.Sprint(r.signals); got != tt.signals {
					t.Errorf("signals %s, want %s", got, tt.signals)
				}
			})
		})
	}
}

func TestAProgramThatPrintsWhatIsNoOperationIsEndedAndFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &runner{dies: map[string]bool{"SIGTERM": true}, play: func(ctx context.Context, r *runner, out func(string)) (runtime.ExecResult, error) {
			out("Starting\nmore\n")
			return untilTold(ctx, r, out)
		}}
		_, err := r.program(t.Context())
		var e *step.Error
		if !errors.As(err, &e) || e.Verdict != step.Failed || !strings.Contains(err.Error(), `line 1 of the program is no operation`) || e.Hint == "" {
			t.Errorf("got %v", err)
		}
		if len(r.signals) != 1 {
			t.Errorf("signals %v", r.signals)
		}
	})
}

func TestAProgramThatEndsByItselfHasFailed(t *testing.T) {
	r := &runner{play: func(context.Context, *runner, func(string)) (runtime.ExecResult, error) {
		return runtime.ExecResult{ExitCode: 3, Stderr: []byte("Traceback\nboom\n")}, nil
	}}
	_, err := r.program(t.Context())
	var e *step.Error
	if !errors.As(err, &e) || e.Verdict != step.Failed || !strings.Contains(err.Error(), "python3 in node.client ended by itself, with exit code 3") || !strings.Contains(e.Detail, "boom") {
		t.Errorf("got %v", err)
	}
	down := errors.New("the node is down")
	r = &runner{play: func(context.Context, *runner, func(string)) (runtime.ExecResult, error) {
		return runtime.ExecResult{}, down
	}}
	if _, err := r.program(t.Context()); !errors.Is(err, down) {
		t.Errorf("got %v", err)
	}
}

func TestAProgramIsFoundThoughItGivesItselfAnotherTitle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &runner{play: untilTold, dies: map[string]bool{"SIGTERM": true}, title: []string{"client: busy"}}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if _, err := r.program(ctx); err != nil || fmt.Sprint(r.signals) != "[SIGTERM 32]" {
			t.Errorf("%v, signals %v", err, r.signals)
		}
	})
}

func TestAProgramIsPickedOnlyWhereItIsCertainWhichItIs(t *testing.T) {
	proc := func(pid int, line ...string) process.Process {
		return process.Process{ID: process.ID{PID: pid, Started: uint64(pid)}, Command: line}
	}
	type list = []process.Process
	command := []string{"/bin/client", "-v"}
	is, titled, beside := proc(30, "/bin/client", "-v"), proc(30, "client: busy"), proc(31, "sleep", "9")
	for _, tt := range []struct {
		name       string
		now, young list
		want       int // 0: none
	}{
		{"by its command line", list{beside, is}, nil, 30},
		{"by what that was", list{beside, titled}, list{beside, is}, 30},
		{"as the only one there was", list{proc(29, "other"), titled}, list{titled}, 30},
		{"as the only one that is left of those there were", list{titled, proc(40, "other")}, list{titled, beside}, 30},
		{"one of two", list{titled, beside}, list{titled, beside}, 0},
		{"one that was never seen young", list{titled}, nil, 0},
		{"one that has ended", list{beside}, list{is, beside}, 0},
		{"another of its number", list{{ID: process.ID{PID: 30, Started: 99}}}, list{titled}, 0},
	} {
		id, found := pick(tt.now, tt.young, command)
		if found != (tt.want != 0) || found && id.PID != tt.want {
			t.Errorf("%s: %v %v", tt.name, id, found)
		}
	}
}

package engine

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/engine/event"
	"github.com/scenario-run/scenario/engine/step"
)

func TestTheScenariosOwnTimeLimitIsAFailureOfIt(t *testing.T) {
	s := newScene()
	s.timeout = 7 * time.Second
	s.node("a", nil)
	s.then(s.action("it", hangs))
	s.inCleanup(s.action("tidy", nothing))
	p := s.play(t, t.TempDir())
	p.expect(t, 1)
	p.expectCause(t, "scenario's time limit of 7s")
	if p.Variants[0].Step != "action.it" || p.Variants[0].TimedOut {
		t.Errorf("%+v", p.Variants[0])
	}
	p.step(t, "cleanup/action.tidy")
}

func TestTheRunsTimeLimitEndsItWithExitCode8(t *testing.T) {
	s := newScene()
	s.opts.Timeout = 7 * time.Second
	s.then(s.action("it", hangs))
	p := s.play(t, t.TempDir())
	p.expect(t, 8)
	p.expectCause(t, "run's time limit of 7s (--timeout)")
}

func TestCleanupHasALimitAndEachStepOfItRuns(t *testing.T) {
	s := newScene()
	s.cleanup = 5 * time.Second
	s.then(s.action("it", nothing))
	s.inCleanup(s.action("bad", fails(step.Failf("no"))))
	s.inCleanup(s.action("slow", hangs))
	s.inCleanup(s.action("late", nothing))
	p := s.play(t, t.TempDir())
	p.expect(t, 1)
	p.expectCause(t, "no")
	if got := p.step(t, "cleanup/action.slow"); got.State != event.Failed || !strings.Contains(got.Cause.Message, "time limit of cleanup of 5s") {
		t.Errorf("%+v", got.Cause)
	}
	if got := p.step(t, "cleanup/action.late").State; got != event.Skipped {
		t.Errorf("%s", got)
	}
}

func TestInterrupts(t *testing.T) {
	tests := []struct {
		name    string
		signals []os.Signal
		want    string // of cleanup
		counts  int    // as how many they count
	}{
		{"the first heals, cleans up and removes", []os.Signal{syscall.SIGINT}, "passed cleanup/action.tidy", 1},
		{"the second skips cleanup, and still removes", []os.Signal{syscall.SIGINT, syscall.SIGHUP}, "", 2},
		{"the third returns at once", []os.Signal{syscall.SIGINT, syscall.SIGINT, syscall.SIGINT}, "", 3},
		{"SIGQUIT is like the second", []os.Signal{syscall.SIGQUIT}, "", 2},
		{"SIGQUIT after the first is the second", []os.Signal{syscall.SIGINT, syscall.SIGQUIT}, "", 2},
		{"one after SIGQUIT returns at once", []os.Signal{syscall.SIGQUIT, syscall.SIGQUIT}, "", 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newScene()
			dir := t.TempDir()
			var signals chan os.Signal
			var release chan struct{}
			s.node("a", nil)
			f := &testFault{}
			s.then(s.fault("f", f, cty.EmptyObjectVal))
			s.then(s.action("it", func(ctx context.Context, env *step.Env) (step.Result, error) {
				for _, sig := range tt.signals {
					signals <- sig
				}
				<-ctx.Done()
				if tt.counts > 1 {
					// Until all signals have been taken in.
					<-release
				}
				return step.Result{}, context.Cause(ctx)
			}))
			s.then(s.action("next", nothing))
			s.inCleanup(s.action("tidy", nothing))
			var p played
			s.within(t, func() {
				signals, release = make(chan os.Signal, 3), make(chan struct{})
				s.opts.Interrupts = signals
				time.AfterFunc(time.Second, func() { close(release) })
				began := time.Now()
				p = s.run(dir)
				if tt.counts == 3 && time.Since(began) > 0 {
					t.Errorf("it took %s", time.Since(began))
				}
				time.Sleep(time.Minute) // for what was left alone
			})
			if p.ExitCode != 130 || p.State != event.Cancelled {
				t.Errorf("exit code %d, %s\n%s", p.ExitCode, p.State, p.text())
			}
			if tt.want != "" {
				expectOrder(t, p.order(), tt.want)
			}
			told := of[event.Interrupted](p)
			if got := len(told); got != len(tt.signals) || told[got-1].Count != tt.counts {
				t.Errorf("%d signals recorded: %+v", got, told)
			}
			stacks, err := os.ReadFile(filepath.Join(dir, "goroutines.txt"))
			if slices.Contains(tt.signals, os.Signal(syscall.SIGQUIT)) != strings.Contains(string(stacks), "goroutine ") {
				t.Errorf("goroutines.txt: %.40q, %v", stacks, err)
			}
			if tt.counts == 3 {
				return
			}
			p.expectEmpty(t)
			if f.healed != 1 {
				t.Errorf("healed %d times", f.healed)
			}
			if got := p.step(t, "action.next").State; got != event.Cancelled {
				t.Errorf("next is %s", got)
			}
			if got := p.step(t, "action.it").State; got != event.Cancelled {
				t.Errorf("it is %s", got)
			}
		})
	}
}

package engine

import (
	"context"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/scenario-run/scenario/engine/event"
	"github.com/scenario-run/scenario/engine/step"
)

func TestVariantsRunSideBySideAsFarAsAllowed(t *testing.T) {
	for parallel, want := range map[int]time.Duration{0: 40 * time.Second, 1: 40 * time.Second, 2: 20 * time.Second, 3: 20 * time.Second, 9: 10 * time.Second} {
		s := newScene()
		s.also = []string{"b", "c", "d"}
		s.opts.Parallel = parallel
		s.then(s.action("it", sleeps(10*time.Second)))
		p := s.play(t, t.TempDir())
		p.expect(t, 0)
		end := p.events[len(p.events)-1]
		if end.Mono != want {
			t.Errorf("%d side by side took %s, want %s", parallel, end.Mono, want)
		}
		var names []string
		for _, v := range p.Variants {
			names = append(names, v.Scenario)
		}
		if want := []string{"s", "b", "c", "d"}; !slices.Equal(names, want) {
			t.Errorf("results are of %v, not in the order given", names)
		}
	}
}

func TestNothingIsStartedAfterAFailureIfSo(t *testing.T) {
	for _, c := range []struct {
		stop     bool
		parallel int
		want     []event.State
	}{
		{false, 1, []event.State{event.Failed, event.Failed, event.Failed}},
		{true, 1, []event.State{event.Failed, event.Cancelled, event.Cancelled}},
		{true, 2, []event.State{event.Failed, event.Failed, event.Cancelled}},
	} {
		s := newScene()
		s.also = []string{"b", "c"}
		s.opts.StopAtFailure, s.opts.Parallel = c.stop, c.parallel
		s.then(s.action("it", fails(step.Failf("no"))))
		p := s.play(t, t.TempDir())
		p.expect(t, 1)
		var got []event.State
		for _, v := range p.Variants {
			got = append(got, v.State)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("stop %v, %d side by side: %v, want %v", c.stop, c.parallel, got, c.want)
		}
	}
}

func TestAnInterruptEndsAllThatRunSideBySide(t *testing.T) {
	var signals chan os.Signal
	s := newScene()
	s.also = []string{"b", "c"}
	s.opts.Parallel = 2
	s.then(s.action("it", func(ctx context.Context, _ *step.Env) (step.Result, error) {
		select {
		case signals <- os.Interrupt:
		default: // one is enough
		}
		<-ctx.Done()
		return step.Result{}, context.Cause(ctx)
	}))
	var p played
	dir := t.TempDir()
	s.within(t, func() {
		signals = make(chan os.Signal, 1)
		s.opts.Interrupts = signals
		p = s.run(dir)
	})
	p.expect(t, 130)
	for _, v := range p.Variants {
		if v.State != event.Cancelled {
			t.Errorf("%s is %s", v.Scenario, v.State)
		}
	}
	if len(p.Variants) != 3 {
		t.Errorf("%d results", len(p.Variants))
	}
}

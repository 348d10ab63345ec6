package machine_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/scenario-run/scenario/engine/link"
	"github.com/scenario-run/scenario/engine/machine"
	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/runtime/fake"
)

// place is a fake machine of which agents are counted.
func place(lacks link.Kernel) (*fake.Runtime, *int) {
	agents := 0
	return fake.New(fake.Options{Lacks: lacks, Fail: func(_ context.Context, op, _ string) error {
		if op == "Agent" {
			agents++
		}
		return nil
	}}), &agents
}

func TestAnAnswerIsRememberedForTheSameMachine(t *testing.T) {
	where, agents := place(link.Kernel{link.Netem: "no"})
	now := time.Unix(0, 0)
	m := machine.Memory{Dir: t.TempDir(), Now: func() time.Time { return now }}
	ask := func(want int, of ...link.Ability) {
		t.Helper()
		k, err := m.Kernel(t.Context(), where, runtime.Scope{Run: "r"}, of...)
		if err != nil || !k.Can(link.HTB) || k.Can(link.Netem) {
			t.Errorf("%v %v", k, err)
		}
		if *agents != want {
			t.Errorf("asked %d times, not %d", *agents, want)
		}
	}
	ask(1, link.HTB, link.Netem)
	ask(1, link.HTB, link.Netem)
	now = now.Add(time.Hour)
	ask(1, link.HTB)
	// What was missing may have been installed meanwhile.
	ask(2, link.Netem)
	if _, err := m.Renew(t.Context(), where, runtime.Scope{Run: "r"}); err != nil || *agents != 3 {
		t.Errorf("%v %d", err, *agents)
	}
}

func TestWithoutAMemoryItIsAskedEachTime(t *testing.T) {
	where, agents := place(nil)
	for range 2 {
		if _, err := (machine.Memory{Now: time.Now}).Kernel(t.Context(), where, runtime.Scope{Run: "r"}, link.HTB); err != nil {
			t.Fatal(err)
		}
	}
	if *agents != 2 {
		t.Errorf("asked %d times", *agents)
	}
}

func TestAMachineThatRunsNoAgentSaysWhy(t *testing.T) {
	why := errors.New("the daemon runs windows")
	where := fake.New(fake.Options{Fail: func(_ context.Context, op, _ string) error {
		if op == "Agent" {
			return why
		}
		return nil
	}})
	if _, err := (machine.Memory{Now: time.Now}).Kernel(t.Context(), where, runtime.Scope{Run: "r"}, link.HTB); !errors.Is(err, why) {
		t.Errorf("%v", err)
	}
}

package process

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/engine/process"
	"github.com/scenario-run/scenario/engine/step"
	"github.com/scenario-run/scenario/engine/step/steptest"
)

// world is a node with a main process, and two workers of which the one with
// the higher number is the older.
func world() *steptest.World {
	p := func(pid int, started uint64, name, state, title string) process.Process {
		return process.Process{ID: process.ID{PID: pid, Started: started}, Name: name, State: process.State(state), Command: strings.Fields(title)}
	}
	return steptest.New(steptest.Node{Address: "node.a", Processes: []process.Process{
		p(1, 10, "init", "S", "init"),
		p(7, 30, "worker", "S", "worker --slot 1"),
		p(9, 20, "worker", "S", "worker --slot 0"),
		p(11, 15, "worker", "Z", ""),
	}})
}

type given map[string]cty.Value

func named(name string) given {
	return given{"node": cty.StringVal("node.a"), "name": cty.StringVal(name)}
}

func (g given) and(name, value string) given {
	g[name] = cty.StringVal(value)
	return g
}

// inject carries a fault out until it is active.
func inject(t *testing.T, w *steptest.World, d step.Definition, args given) (step.Intent, step.Observed, error) {
	t.Helper()
	in, err := d.Fault.Intent(t.Context(), w.Env(), steptest.Args(t, d, args))
	if err != nil {
		return in, step.Observed{}, err
	}
	if err := d.Fault.Inject(t.Context(), w.Env(), in); err != nil {
		return in, step.Observed{}, err
	}
	seen, err := d.Fault.Observe(t.Context(), w.Env(), in)
	return in, seen, err
}

func heal(t *testing.T, w *steptest.World, d step.Definition, in step.Intent) error {
	t.Helper()
	return errors.Join(d.Fault.Heal(t.Context(), w.Env(), in), d.Fault.Verify(t.Context(), w.Env(), in))
}

// states are those of the node's processes, without the ones that have ended.
func states(w *steptest.World) string {
	var all []string
	for _, p := range w.Processes("node.a") {
		if !p.Ended() {
			all = append(all, p.Title()+" "+string(p.State))
		}
	}
	return strings.Join(all, ", ")
}

func wantVerdict(t *testing.T, err error, verdict step.Verdict, text string) {
	t.Helper()
	var own *step.Error
	if !errors.As(err, &own) || own.Verdict != verdict || !strings.Contains(err.Error(), text) {
		t.Errorf("error %v; want %s with %q", err, verdict, text)
	}
}

func TestThoseAreKilledThatAreNamedAndChosen(t *testing.T) {
	for _, test := range []struct {
		name    string
		args    given
		hits    string
		survive string
	}{
		{"all", named("worker"), "a: worker pid 9 ended by SIGKILL, a: worker pid 7 ended by SIGKILL", "init S"},
		{"the first is the oldest", named("worker").and("which", "first"), "a: worker pid 9 ended by SIGKILL", "init S, worker --slot 1 S"},
		{"one at random", named("worker").and("which", "random"), "a: worker pid 7 ended by SIGKILL", "init S, worker --slot 0 S"},
		{"by command line", given{"node": cty.StringVal("node.a"), "command": cty.StringVal("slot [1-9]")}.and("signal", "SIGTERM"), "a: worker pid 7 ended by SIGTERM", "init S, worker --slot 0 S"},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := world()
			_, seen, err := inject(t, w, killProcess(), test.args)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(seen.Hits, ", "); got != test.hits {
				t.Errorf("hits %s; want %s", got, test.hits)
			}
			if got := states(w); got != test.survive {
				t.Errorf("left: %s; want %s", got, test.survive)
			}
			if calls := w.Calls(); calls[0] != "expect exit node.a" {
				t.Errorf("the node's exit was not announced before: %v", calls)
			}
		})
	}
}

func TestTheResultAreTheNumbers(t *testing.T) {
	_, seen, err := inject(t, world(), killProcess(), named("worker"))
	if err != nil {
		t.Fatal(err)
	}
	if got := seen.Value.GetAttr("pids"); got.LengthInt() != 2 || !got.Index(cty.NumberIntVal(0)).RawEquals(cty.NumberIntVal(9)) {
		t.Errorf("%#v", got)
	}
}

func TestNoHitIsAFailureThatSaysWhatThereIs(t *testing.T) {
	for _, d := range []step.Definition{killProcess(), pauseProcess()} {
		_, _, err := inject(t, world(), d, named("nobody"))
		wantVerdict(t, err, step.Failed, "no process in node.a is named nobody")
		var own *step.Error
		if errors.As(err, &own) && !strings.Contains(own.Detail, "worker --slot 1") {
			t.Errorf("detail %q", own.Detail)
		}
	}
}

// Negative control: with the signal replaced by nothing, and the observation
// left as it is, a fault must not pass for active.
func TestASignalWithoutEffectIsNeverActive(t *testing.T) {
	for _, d := range []step.Definition{killProcess(), pauseProcess()} {
		w := world()
		w.OnProcessSignal = func(string, string, *process.Process) {}
		in, err := d.Fault.Intent(t.Context(), w.Env(), steptest.Args(t, d, named("worker")))
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Fault.Inject(t.Context(), w.Env(), in); err != nil {
			t.Fatal(err)
		}
		ctx := ending(t, w)
		_, err = d.Fault.Observe(ctx, w.Env(), in)
		if err == nil || !strings.Contains(err.Error(), "worker pid 9 in node.a") {
			t.Errorf("%s: %v", d.Name, err)
		}
	}
}

func TestATargetThatEndedByItselfBeforeIsNoHit(t *testing.T) {
	w, d := world(), killProcess()
	in, err := d.Fault.Intent(t.Context(), w.Env(), steptest.Args(t, d, named("worker")))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Env().Processes.Signal(t.Context(), "node.a", "SIGKILL", []process.ID{{PID: 7, Started: 30}, {PID: 9, Started: 20}}); err != nil {
		t.Fatal(err)
	}
	wantVerdict(t, d.Fault.Inject(t.Context(), w.Env(), in), step.Failed, "ended by itself before it got SIGKILL")
}

func TestANodeThatExitsWithItsProcessIsStartedByHeal(t *testing.T) {
	w, d := world(), killProcess()
	w.OnProcessSignal = func(_, _ string, p *process.Process) {
		p.State = process.Zombie
		go w.Exit("node.a", 1)
	}
	in, _, err := inject(t, w, d, named("init"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Env().Nodes.WaitExit(t.Context(), "node.a"); err != nil {
		t.Fatal(err)
	}
	if err := d.Fault.Verify(t.Context(), w.Env(), in); err == nil {
		t.Error("a node that is down passes for healed")
	}
	if err := heal(t, w, d, in); err != nil {
		t.Error(err)
	}
}

func TestANodeThatDiesWhileProcessesAreStopped(t *testing.T) {
	w, d := world(), pauseProcess()
	in, err := d.Fault.Intent(t.Context(), w.Env(), steptest.Args(t, d, named("worker")))
	if err := errors.Join(err, d.Fault.Inject(t.Context(), w.Env(), in)); err != nil {
		t.Fatal(err)
	}
	w.Exit("node.a", 137)
	_, err = d.Fault.Observe(t.Context(), w.Env(), in)
	wantVerdict(t, err, step.Failed, "node.a exited with code 137 meanwhile")
	if err := heal(t, w, d, in); err != nil {
		t.Error(err)
	}
}

func TestWhatIsStoppedGoesOnWhenHealed(t *testing.T) {
	w, d := world(), pauseProcess()
	in, seen, err := inject(t, w, d, named("worker"))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := states(w), "init S, worker --slot 1 T, worker --slot 0 T"; got != want || seen.Summary != "a: worker pid 9, worker pid 7 stopped" {
		t.Errorf("%s, %q", got, seen.Summary)
	}
	if err := d.Fault.Verify(ending(t, w), w.Env(), in); err == nil {
		t.Error("what is still stopped passes for healed")
	}
	_, _, err = inject(t, w, d, named("worker"))
	wantVerdict(t, err, step.Failed, "is stopped already")
	if err := heal(t, w, d, in); err != nil {
		t.Error(err)
	}
	if got, want := states(w), "init S, worker --slot 1 S, worker --slot 0 S"; got != want {
		t.Errorf("after it: %s", got)
	}
}

func TestWhatWentOnBeforeItWasHealedIsInconclusive(t *testing.T) {
	w, d := world(), pauseProcess()
	in, _, err := inject(t, w, d, named("worker"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Env().Processes.Signal(t.Context(), "node.a", "SIGCONT", []process.ID{{PID: 7, Started: 30}}); err != nil {
		t.Fatal(err)
	}
	wantVerdict(t, heal(t, w, d, in), step.Inconclusive, "worker pid 7 in node.a was not stopped to the end")
}

func TestAStoppedProcessThatIsKilledNeedsNoHeal(t *testing.T) {
	w, d := world(), pauseProcess()
	in, _, err := inject(t, w, d, named("worker"))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := inject(t, w, killProcess(), named("worker")); err != nil {
		t.Fatal(err)
	}
	if err := heal(t, w, d, in); err != nil {
		t.Error(err)
	}
	w.Exit("node.a", 1)
	if err := heal(t, w, d, in); err != nil {
		t.Errorf("with its node down: %v", err)
	}
}

func TestNothingIsDoneInANodeThatIsDownOrPaused(t *testing.T) {
	for _, d := range []step.Definition{killProcess(), pauseProcess()} {
		w := world()
		if err := w.Env().Nodes.Pause(t.Context(), "node.a"); err != nil {
			t.Fatal(err)
		}
		_, _, err := inject(t, w, d, named("worker"))
		wantVerdict(t, err, step.Failed, "node.a is paused")
		w.Exit("node.a", 0)
		if _, _, err := inject(t, w, d, named("worker")); err == nil {
			t.Errorf("%s: done in a node that is down", d.Name)
		}
	}
}

func TestArgumentsThatSayNothingAreRefused(t *testing.T) {
	for want, args := range map[string]given{
		"name or command is missing": {"node": cty.StringVal("node.a")},
		"exclude each other":         named("x").and("command", "y"),
		"name is empty":              named(""),
		"no process ends by SIGSTOP": named("x").and("signal", "SIGSTOP"),
	} {
		d := killProcess()
		attrs := map[string]cty.Value{}
		for _, a := range d.Args.Attrs {
			attrs[a.Name] = cty.NullVal(a.ValueType())
		}
		for name, v := range args {
			attrs[name] = v
		}
		if err := d.Check(cty.ObjectVal(attrs)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", args, err, want)
		}
	}
}

func TestTheProbeCountsThoseThatRun(t *testing.T) {
	w, d := world(), processes()
	v, err := d.Probe(t.Context(), w.Env(), steptest.Args(t, d, named("worker")))
	if err != nil {
		t.Fatal(err)
	}
	one := v.GetAttr("processes").Index(cty.NumberIntVal(0))
	if !v.GetAttr("count").RawEquals(cty.NumberIntVal(2)) || one.GetAttr("command").AsString() != "worker --slot 1" {
		t.Errorf("%#v", v)
	}
	w.Exit("node.a", 1)
	v, err = d.Probe(t.Context(), w.Env(), steptest.Args(t, d, named("worker")))
	if err != nil || !v.GetAttr("count").RawEquals(cty.Zero) {
		t.Errorf("of a node that is down: %#v, %v", v, err)
	}
}

// ending is a context that ends after a look or two.
func ending(t *testing.T, w *steptest.World) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	go func() {
		for began := w.Clock.Now(); w.Clock.Now().Sub(began) < 2*lookEvery; {
			runtime.Gosched()
		}
		cancel()
	}()
	return ctx
}

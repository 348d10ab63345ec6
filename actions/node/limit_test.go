package node

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/step/steptest"
)

// limits are the two faults, with a limit for each.
var limits = map[string]struct {
	arg  given
	want runtime.Limits
	text string
}{
	"limit_cpu":    {given{"cpus": cty.NumberFloatVal(0.25)}, runtime.Limits{CPUs: 0.25}, "0.25 CPUs"},
	"limit_memory": {given{"memory": cty.StringVal("64m")}, runtime.Limits{Memory: 64 << 20}, "64m of memory"},
}

func on(args given, nodes ...string) given {
	all := given{"nodes": strs(nodes...)}
	for k, v := range args {
		all[k] = v
	}
	return all
}

func limitsOf(t *testing.T, w *steptest.World, address string) runtime.Limits {
	t.Helper()
	l, err := w.Env().Nodes.Limits(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	return l.Limits
}

func TestALimitIsActiveWhenSeenAndHealedToWhatWasBefore(t *testing.T) {
	for name, l := range limits {
		for _, before := range []runtime.Limits{{}, {CPUs: 2, Memory: 1 << 30}} {
			w := steptest.New(steptest.Node{Address: "node.head", Limits: before}, steptest.Node{Address: "node.b"})
			f, intent := mustInject(t, w, name, on(l.arg, "node.head", "node.b"))
			seen, err := f.Observe(t.Context(), w.Env(), intent)
			if want := []string{"head: " + l.text, "b: " + l.text}; err != nil || !slices.Equal(seen.Hits, want) {
				t.Errorf("%s: hits %v, %v", name, seen.Hits, err)
			}
			if got := limitsOf(t, w, "node.b"); got != l.want {
				t.Errorf("%s: %+v, want %+v", name, got, l.want)
			}
			if err := f.Verify(t.Context(), w.Env(), intent); err == nil {
				t.Errorf("%s: verified while in force", name)
			}
			if err := errors.Join(f.Heal(t.Context(), w.Env(), intent), f.Verify(t.Context(), w.Env(), intent)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if got := limitsOf(t, w, "node.head"); got != before {
				t.Errorf("%s: %+v after the heal, %+v before", name, got, before)
			}
		}
	}
}

func TestTheTwoLimitsOfANodeLeaveEachOtherAlone(t *testing.T) {
	w := world()
	cpu, first := mustInject(t, w, "limit_cpu", on(limits["limit_cpu"].arg, "node.head"))
	memory, second := mustInject(t, w, "limit_memory", on(limits["limit_memory"].arg, "node.head"))
	if err := errors.Join(cpu.Heal(t.Context(), w.Env(), first), cpu.Verify(t.Context(), w.Env(), first)); err != nil {
		t.Error(err)
	}
	if got := limitsOf(t, w, "node.head"); got != limits["limit_memory"].want {
		t.Errorf("%+v", got)
	}
	if _, err := memory.Observe(t.Context(), w.Env(), second); err != nil {
		t.Error(err)
	}
}

// Negative control: the call does nothing, and what is observed is real.
func TestALimitThatIsNotInForceIsNeverActive(t *testing.T) {
	for name, l := range limits {
		w := world()
		w.OnLimit = func(*runtime.Limits) {}
		f, intent := mustInject(t, w, name, on(l.arg, "node.head"))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := f.Observe(ctx, w.Env(), intent); err == nil {
			t.Errorf("%s was active", name)
		}
	}
}

func TestALimitThatIsRoundedToPagesIsInForce(t *testing.T) {
	w := world()
	w.OnLimit = func(l *runtime.Limits) { l.Memory = 100_000_000 &^ 4095 }
	f, intent := mustInject(t, w, "limit_memory", on(given{"memory": cty.StringVal("100000000")}, "node.head"))
	if _, err := f.Observe(t.Context(), w.Env(), intent); err != nil {
		t.Error(err)
	}
}

func TestALimitThatSystemdRoundsUpIsInForce(t *testing.T) {
	for got, active := range map[float64]bool{0.125: true, 0.13: true, 0.135: false, 0.12: false} {
		w := world()
		w.OnLimit = func(l *runtime.Limits) { l.CPUs = got }
		f, intent := mustInject(t, w, "limit_cpu", on(given{"cpus": cty.NumberFloatVal(0.125)}, "node.head"))
		ctx, cancel := context.WithCancel(t.Context())
		if !active {
			cancel() // or it would be looked at again and again
		}
		_, err := f.Observe(ctx, w.Env(), intent)
		cancel()
		if (err == nil) != active {
			t.Errorf("%g in place of 0.125: %v", got, err)
		}
	}
}

func TestWhatLimitsNothingIsAFailure(t *testing.T) {
	for name, l := range limits {
		w := steptest.New(steptest.Node{Address: "node.head", Limits: l.want})
		_, _, err := inject(t, w, name, on(l.arg, "node.head"))
		failed(t, err, "limit node.head to "+l.text+": it has no more than "+l.text+" already")
	}
	_, _, err := inject(t, world(), "limit_cpu", on(given{"cpus": cty.NumberIntVal(4)}, "node.head"))
	failed(t, err, "its machine has no more than 4 CPUs")
	_, _, err = inject(t, world(), "limit_memory", on(given{"memory": cty.StringVal("8g")}, "node.head"))
	failed(t, err, "its machine has no more than 8g of memory")
	_, _, err = inject(t, world(), "limit_cpu", on(limits["limit_cpu"].arg))
	failed(t, err, "there is nothing to limit")
}

func TestALimitNeedsANodeThatRuns(t *testing.T) {
	for name, l := range limits {
		w := world()
		w.Exit("node.head", 4)
		_, _, err := inject(t, w, name, on(l.arg, "node.worker[0]", "node.head"))
		failed(t, err, "limit node.head: it is down already (exit code 4)")
		if calls := w.Calls(); len(calls) > 0 {
			t.Errorf("%s: %v was done before", name, calls)
		}
	}
}

func TestANodeThatDiesWhileItIsLimited(t *testing.T) {
	for name, l := range limits {
		w := world()
		f, intent := mustInject(t, w, name, on(l.arg, "node.head"))
		w.Exit("node.head", 3)
		began := w.Clock.Now()
		_, err := f.Observe(t.Context(), w.Env(), intent)
		failed(t, err, "node.head exited with code 3 while it was limited")
		if w.Clock.Now().Sub(began) > time.Second {
			t.Errorf("%s: waited for what can't come", name)
		}
		if err := errors.Join(f.Heal(t.Context(), w.Env(), intent), f.Verify(t.Context(), w.Env(), intent)); err != nil {
			t.Errorf("%s: what is down must not start limited: %v", name, err)
		}
	}
}

func TestAKillForTooMuchMemoryIsTheEffectOfItsLimit(t *testing.T) {
	w := world()
	f, intent := mustInject(t, w, "limit_memory", on(limits["limit_memory"].arg, "node.head"))
	w.OOM("node.head")
	seen, err := f.Observe(t.Context(), w.Env(), intent)
	if err != nil || !strings.Contains(seen.Summary, "killed for using more than 64m of memory (exit code 137)") {
		t.Errorf("got %q, %v", seen.Summary, err)
	}
}

func TestLimitsOutOfRangeAreRefused(t *testing.T) {
	for name, bad := range map[string][]cty.Value{
		"limit_cpu":    {cty.NumberIntVal(0), cty.NumberFloatVal(-1), cty.NumberFloatVal(0.001)},
		"limit_memory": {cty.StringVal("5m"), cty.StringVal("0"), cty.StringVal("much")},
	} {
		args := definition(t, name).Args
		a, ok := args.Attr(strings.TrimPrefix(name, "limit_"))
		if !ok {
			a, _ = args.Attr("cpus")
		}
		for _, v := range bad {
			if err := a.Refuse(v); err == nil {
				t.Errorf("%s takes %#v", name, v)
			}
		}
	}
}

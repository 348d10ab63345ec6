package doctor

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/machine"
	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/runtime/fake"
)

// examined is what is found of a place, by check.
func examined(t *testing.T, opts fake.Options) map[string]Finding {
	t.Helper()
	fault := func(name string, takes schema.Resource) schema.Type {
		return schema.Type{Kind: schema.Fault, Name: name, Takes: []schema.Resource{takes}}
	}
	m := Machine{
		Connect: func() (runtime.Runtime, error) { return fake.New(opts), nil },
		Types:   []schema.Type{fault("limit_cpu", schema.CPU), fault("limit_memory", schema.Memory), fault("fill_disk", schema.Disk), fault("kill", schema.Down)},
		Memory:  machine.Memory{Now: time.Now}, Scope: runtime.Scope{Run: "r", Variant: "doctor"}, Runs: t.TempDir(), Now: time.Now,
	}
	found := map[string]Finding{}
	for _, f := range Examine(t.Context(), m) {
		found[f.Check] = f
	}
	return found
}

func TestWhatAPlaceCanNotLimitIsSaidWithWhatMendsIt(t *testing.T) {
	can := func(change func(*runtime.Capabilities)) *runtime.Capabilities {
		c := runtime.Capabilities{Agent: true, CPULimit: true, MemoryLimit: true, SwapLimit: true}
		change(&c)
		return &c
	}
	for name, test := range map[string]struct {
		opts              fake.Options
		check, text, mend string
	}{
		"no quota":        {fake.Options{Can: can(func(c *runtime.Capabilities) { c.CPULimit = false })}, "limit_cpu", "can't be injected: the daemon has no quota of CPU time", "Delegate=cpu"},
		"no memory limit": {fake.Options{Can: can(func(c *runtime.Capabilities) { c.MemoryLimit = false })}, "limit_memory", "can't be injected: the daemon has no limit of memory", "Delegate=cpu"},
		"no swap limit":   {fake.Options{Can: can(func(c *runtime.Capabilities) { c.SwapLimit = false })}, "limit_memory", "this kernel does not count swap", "swapaccount=1"},
		"a clock ahead":   {fake.Options{Ahead: 3200 * time.Millisecond}, "clock", "that of the nodes is 3.2s ahead of this one", "timedatectl"},
		"a clock behind":  {fake.Options{Ahead: -time.Minute}, "clock", "that of the nodes is 1m0s behind this one", "timedatectl"},
		"no volume": {fake.Options{Fail: func(_ context.Context, op, _ string) error {
			if op == "CreateVolume" {
				return &runtime.Error{Kind: runtime.Internal, Err: errors.New("no tmpfs here"), Hint: "mount one"}
			}
			return nil
		}}, "fill_disk", "can't be injected: no tmpfs here", "mount one"},
	} {
		t.Run(name, func(t *testing.T) {
			got := examined(t, test.opts)[test.check]
			if got.State != Limited || !strings.Contains(got.Text, test.text) || !strings.Contains(got.Mend, test.mend) {
				t.Errorf("%+v", got)
			}
		})
	}
	for check, f := range examined(t, fake.Options{}) {
		if f.State != Good {
			t.Errorf("%s of a place that can do everything: %+v", check, f)
		}
	}
}

func TestWarningsAboutLimitsAreSaidOnce(t *testing.T) {
	got := withoutLimits([]string{"WARNING: No swap limit support", "WARNING: bridge-nf-call-iptables is disabled", "WARNING: No memory limit support", "WARNING: No cpu cfs quota support"})
	if !slices.Equal(got, []string{"WARNING: bridge-nf-call-iptables is disabled"}) {
		t.Errorf("%q", got)
	}
}

package doctor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/guardian"
	"github.com/scenario-run/scenario/engine/link"
	"github.com/scenario-run/scenario/engine/machine"
	"github.com/scenario-run/scenario/engine/runtime"
)

// State is how something stands.
type State string

// The states.
const (
	Good    State = "ok"      // nothing to do
	Limited State = "limited" // scenarios run, some of them otherwise or not at all
	Broken  State = "broken"  // no scenario can run
)

// Finding is one thing that was looked at.
type Finding struct {
	Check string `json:"check"` // what was looked at: docker, agent, a fault's type
	State State  `json:"state"`
	Text  string `json:"text"`
	// Mend is the command or change that mends it; empty where nothing has to
	// be, or can.
	Mend string `json:"mend,omitempty"`
}

// Machine is what is looked at.
type Machine struct {
	Connect func() (runtime.Runtime, error)
	Types   []schema.Type // that files can name
	Memory  machine.Memory
	Scope   runtime.Scope // of what is made in order to look
	Runs    string        // directory in which runs are recorded; need not be there yet
	Now     func() time.Time
}

// Examine looks at everything. That a look fails is a finding; what is found
// after the place where nodes live did not answer is about the rest.
func Examine(ctx context.Context, m Machine) []Finding {
	found := m.place(ctx)
	return append(found, recording(m.Runs))
}

// Worst is the worst state of all.
func Worst(all []Finding) State {
	worst := Good
	for _, f := range all {
		if f.State == Broken || f.State == Limited && worst == Good {
			worst = f.State
		}
	}
	return worst
}

const placeCheck = "runtime"

// place looks at where nodes live.
func (m Machine) place(ctx context.Context) []Finding {
	rt, err := m.Connect()
	if err != nil {
		return []Finding{broken(placeCheck, err)}
	}
	defer rt.Close() // there is nobody to tell, and nothing depends on it
	info, err := rt.Info(ctx)
	if err != nil {
		return []Finding{broken(placeCheck, err)}
	}
	found := []Finding{{Check: placeCheck, State: Good, Text: info.Name}}
	found = append(found, size(info.Machine), clock(info.Ahead))
	for _, w := range withoutLimits(info.Warnings) {
		found = append(found, Finding{Check: placeCheck, State: Limited, Text: w})
	}
	tried := m.try(ctx, rt, info)
	swept, err := rt.Sweep(context.WithoutCancel(ctx), runtime.Scope{Run: m.Scope.Run}, nil)
	if err == nil && len(swept.Left) > 0 {
		l := swept.Left[0]
		tried = append(tried, Finding{"cleanup", Limited, fmt.Sprintf("%s could not be removed: %s", l.What, l.Reason), l.Command})
	}
	if err != nil {
		tried = append(tried, broken("cleanup", err))
	}
	return append(append(found, tried...), m.leftovers(ctx, rt))
}

// Less than this and a scenario of a few nodes starves. A Ray head takes
// 660 MB, its worker 260 MB.
const (
	fewCPUs      = 2
	littleMemory = 2 << 30
)

func size(has runtime.Limits) Finding {
	f := Finding{Check: "size", State: Good, Text: fmt.Sprintf("%g CPUs, %s of memory", has.CPUs, bytes(has.Memory))}
	if has.CPUs < fewCPUs || has.Memory < littleMemory {
		f.State = Limited
		f.Text += ": nodes that need more starve each other, which looks like a fault of theirs"
		f.Mend = fmt.Sprintf("give the machine of the nodes %d CPUs and %s", fewCPUs, bytes(littleMemory))
	}
	return f
}

// try makes what every run makes: a network, and an agent.
func (m Machine) try(ctx context.Context, rt runtime.Runtime, info runtime.Info) []Finding {
	network, err := rt.CreateNetwork(ctx, m.Scope, runtime.NetworkSpec{Name: "default"})
	if err != nil {
		return []Finding{broken("network", err)}
	}
	found := []Finding{{Check: "network", State: Good, Text: "made one, " + network.Subnet.String()}}
	if !info.Can.Agent {
		return append(found, Finding{
			"agent", Broken, info.Can.AgentReason,
			"run scenario on a machine of the daemon's own system and architecture, from a static build (CGO_ENABLED=0)",
		})
	}
	var kernel link.Kernel
	var disks []Finding
	var both sync.WaitGroup // each starts a container
	both.Go(func() { kernel, err = m.Memory.Renew(ctx, rt, m.Scope) })
	both.Go(func() { disks = m.disks(ctx, rt) })
	both.Wait()
	if err != nil {
		return append(found, broken("agent", err))
	}
	found = append(found, Finding{Check: "agent", State: Good, Text: "runs beside nodes"})
	return slices.Concat(found, m.needs(kernel), m.limits(info.Can), disks, []Finding{processes(kernel)})
}

// leftovers says what runs left whose process is gone.
func (m Machine) leftovers(ctx context.Context, rt runtime.Runtime) Finding {
	owned, err := rt.Owners(ctx)
	if err != nil {
		return broken("leftovers", err)
	}
	runs, kept := map[string]bool{}, map[string]bool{}
	for _, o := range owned {
		switch {
		case o.Kept:
			kept[o.Run] = true
		case guardian.Gone(o.Scope, m.Now()):
			runs[o.Run] = true
		}
	}
	switch {
	case len(runs) > 0:
		return Finding{"leftovers", Limited, fmt.Sprintf("%d of earlier runs whose process is gone; the next run removes them", len(runs)), "scenario clean"}
	case len(kept) > 0:
		return Finding{"leftovers", Good, fmt.Sprintf("none, but %d runs that were kept on purpose", len(kept)), "scenario clean --all"}
	}
	return Finding{Check: "leftovers", State: Good, Text: "none"}
}

// broken is a look that failed.
func broken(check string, err error) Finding {
	f := Finding{Check: check, State: Broken, Text: err.Error()}
	var r *runtime.Error
	if errors.As(err, &r) {
		f.Mend = r.Hint
	}
	return f
}

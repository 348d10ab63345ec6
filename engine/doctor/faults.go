package doctor

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/disk"
	"github.com/scenario-run/scenario/engine/link"
	"github.com/scenario-run/scenario/engine/runtime"
)

// The commands that let a kernel limit nodes, on the machine of the daemon.
const (
	mendSwap = `on the machine of the nodes: add "cgroup_enable=memory swapaccount=1" to GRUB_CMDLINE_LINUX in /etc/default/grub, then update-grub and reboot`
	// A daemon without root has of the controllers what systemd leaves to its user.
	mendControllers = `on the machine of the nodes: let the user of a rootless daemon have the controllers (systemctl edit user@.service: [Service] Delegate=cpu cpuset io memory pids), or use a kernel with them`
)

// limits says of each type that limits nodes whether the daemon can.
func (m Machine) limits(can runtime.Capabilities) (found []Finding) {
	for _, t := range m.taking(schema.CPU) {
		f := Finding{Check: t.Name, State: Good, Text: "by the daemon"}
		if !can.CPULimit {
			f = Finding{t.Name, Limited, "can't be injected: the daemon has no quota of CPU time", mendControllers}
		}
		found = append(found, f)
	}
	for _, t := range m.taking(schema.Memory) {
		f := Finding{Check: t.Name, State: Good, Text: "by the daemon, swap included"}
		switch {
		case !can.MemoryLimit:
			f = Finding{t.Name, Limited, "can't be injected: the daemon has no limit of memory", mendControllers}
		case !can.SwapLimit:
			f = Finding{t.Name, Limited, "by the daemon, but this kernel does not count swap: where there is any, nodes take that instead", mendSwap}
		}
		found = append(found, f)
	}
	return found
}

// withoutLimits are the warnings of a daemon beside those about what limits says.
func withoutLimits(warnings []string) []string {
	return slices.DeleteFunc(slices.Clone(warnings), func(w string) bool {
		w = strings.ToLower(w)
		return strings.Contains(w, "no swap limit") || strings.Contains(w, "no memory limit") || strings.Contains(w, "no cpu cfs")
	})
}

// processes says how processes in nodes are signalled.
func processes(kernel link.Kernel) Finding {
	const check = "processes"
	if kernel.Can(link.PidFD) {
		return Finding{Check: check, State: Good, Text: "signalled from beside nodes, by pidfd"}
	}
	// What is signalled by its number might, in theory, be another one by then.
	return Finding{
		check, Limited,
		fmt.Sprintf("signalled from beside nodes by their numbers, for want of pidfd (%s): one that ends at that moment may leave its number to another", kernel[link.PidFD]),
		kernel.Mend(link.PidFD),
	}
}

// smallVolume is what is made in order to try.
const smallVolume = 1 << 20

// disks says of each type that fills volumes whether one can be made, and looked
// at from beside nodes.
func (m Machine) disks(ctx context.Context, rt runtime.Runtime) (found []Finding) {
	types := m.taking(schema.Disk)
	if len(types) == 0 {
		return nil
	}
	space, err := m.tryVolume(ctx, rt)
	for _, t := range types {
		f := Finding{Check: t.Name, State: Good, Text: "on volumes with a size, which are in memory"}
		switch {
		case err != nil:
			f = broken(t.Name, err)
			f.State, f.Text = Limited, "can't be injected: "+f.Text
		case space.Size > 2*smallVolume: // as if it had none
			f = Finding{t.Name, Limited, fmt.Sprintf("can't be injected: a volume of %s is one of %s", bytes(smallVolume), bytes(space.Size)), "use a daemon whose volumes of the driver local can be of the type tmpfs"}
		}
		found = append(found, f)
	}
	return found
}

func (m Machine) tryVolume(ctx context.Context, rt runtime.Runtime) (s disk.Space, err error) {
	id, err := rt.CreateVolume(ctx, m.Scope, runtime.VolumeSpec{Name: "doctor", Size: smallVolume})
	if err != nil {
		return s, err
	}
	agent, err := rt.Agent(ctx, m.Scope, runtime.Place{Volume: id})
	if err != nil {
		return s, err
	}
	return s, agent.Run(ctx, disk.LookJob, nil, func(line []byte) error { return json.Unmarshal(line, &s) })
}

// taking are the faults that take a resource of their nodes.
func (m Machine) taking(r schema.Resource) (all []schema.Type) {
	for _, t := range m.Types {
		if t.Kind == schema.Fault && slices.Contains(t.Takes, r) {
			all = append(all, t)
		}
	}
	return all
}

// littleAhead is how far clocks may be apart: logs are told apart by the second.
const littleAhead = time.Second

// clock says whether the daemon's machine has the time of this one.
func clock(ahead time.Duration) Finding {
	f := Finding{Check: "clock", State: Good, Text: "that of the nodes goes with this one"}
	if ahead.Abs() > littleAhead {
		order := "ahead of"
		if ahead < 0 {
			order = "behind"
		}
		f = Finding{
			f.Check, Limited, fmt.Sprintf("that of the nodes is %s %s this one: times in their logs are off by that", ahead.Abs().Round(time.Second/10), order),
			"on both machines: timedatectl set-ntp true",
		}
	}
	return f
}

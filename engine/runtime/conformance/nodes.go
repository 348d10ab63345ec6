package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/netip"
	"strings"

	"github.com/scenario-run/scenario/engine/runtime"
)

var nodeRules = map[string]func(*lab){
	"a created node has not started": func(l *lab) {
		id := l.create(l.spec("a", Sleep))
		state, err := l.InspectNode(l.ctx, id)
		l.must(err)
		if state.Running || state.Started {
			l.Errorf("state %+v", state)
		}
	},
	"a started node runs, at the address that it asked for": func(l *lab) {
		spec := l.spec("a", Sleep)
		state, err := l.StartNode(l.ctx, l.create(spec))
		l.must(err)
		if !state.Running || !state.Started || state.Paused || state.IP != spec.Networks[0].IP || state.StartedAt.IsZero() {
			l.Errorf("state %+v", state)
		}
	},
	"a node says how to look into it": func(l *lab) {
		id := l.create(l.spec("a", Sleep))
		state, err := l.InspectNode(l.ctx, id)
		l.must(err)
		if state.Logs == "" || state.Shell != "" {
			l.Errorf("before its start: logs by %q, a shell by %q", state.Logs, state.Shell)
		}
		_, err = l.StartNode(l.ctx, id)
		l.must(err)
		state, err = l.InspectNode(l.ctx, id)
		l.must(err)
		if state.Logs == "" || state.Shell == "" {
			l.Errorf("while it runs: logs by %q, a shell by %q", state.Logs, state.Shell)
		}
	},
	"starting a node that runs changes nothing": func(l *lab) {
		id, first := l.start("a", Sleep)
		again, err := l.StartNode(l.ctx, id)
		l.must(err)
		if !again.StartedAt.Equal(first.StartedAt) {
			l.Errorf("started at %s, then at %s", first.StartedAt, again.StartedAt)
		}
	},
	"a killed node exits with 137, and can be started again at the same address": func(l *lab) {
		id, first := l.start("a", Sleep)
		l.must(l.SignalNode(l.ctx, id, "SIGKILL"))
		state, err := l.WaitExit(l.ctx, id)
		l.must(err)
		if state.Running || state.ExitCode != 137 || state.ExitedAt.Before(first.StartedAt) {
			l.Errorf("after the kill: %+v", state)
		}
		state, err = l.StartNode(l.ctx, id)
		l.must(err)
		if !state.Running || !state.StartedAt.After(first.StartedAt) || state.IP != first.IP {
			l.Errorf("after the start: %+v", state)
		}
	},
	"a signal that the process handles is its own exit": func(l *lab) {
		id, _ := l.start("a", Sleep)
		l.untilTrapped(id)
		l.must(l.SignalNode(l.ctx, id, "SIGTERM"))
		state, err := l.WaitExit(l.ctx, id)
		l.must(err)
		if state.ExitCode != 143 {
			l.Errorf("exit code %d", state.ExitCode)
		}
	},
	"a node that does not stop when asked is killed": func(l *lab) {
		id, _ := l.start("a", Stubborn)
		l.untilTrapped(id)
		l.must(l.StopNode(l.ctx, id, 0))
		state, err := l.InspectNode(l.ctx, id)
		l.must(err)
		if state.Running || state.ExitCode != 137 {
			l.Errorf("state %+v", state)
		}
		l.must(l.StopNode(l.ctx, id, 0)) // asking again is no error
	},
	"a node that exits at once tells its code": func(l *lab) {
		id, _ := l.start("a", ExitThree)
		state, err := l.WaitExit(l.ctx, id)
		l.must(err)
		if state.Running || !state.Started || state.ExitCode != 3 {
			l.Errorf("state %+v", state)
		}
	},
	"a command that does not exist is the node's fault, and named": func(l *lab) {
		id := l.create(l.spec("a", Missing))
		_, err := l.StartNode(l.ctx, id)
		l.wantKind(err, runtime.NodeFault)
		if err != nil && (!strings.Contains(err.Error(), Missing.Command[0]) || !strings.Contains(err.Error(), "node.a")) {
			l.Errorf("the message is %q", err)
		}
	},
	"what a node uses is counted, and only while it runs": func(l *lab) {
		id, _ := l.start("a", Busy)
		first, err := l.Usage(l.ctx, id)
		l.must(err)
		l.eventually("CPU is used", func() bool {
			now, err := l.Usage(l.ctx, id)
			l.must(err)
			if now.CPU < first.CPU || now.At.Before(first.At) || now.Memory <= 0 {
				l.Errorf("%+v after %+v", now, first)
			}
			return now.CPU > first.CPU
		})
		l.must(l.SignalNode(l.ctx, id, "SIGKILL"))
		_, err = l.WaitExit(l.ctx, id)
		l.must(err)
		_, err = l.Usage(l.ctx, id)
		l.wantKind(err, runtime.NotRunning)
	},
	"waiting for an exit ends with the context": func(l *lab) {
		id, _ := l.start("a", Sleep)
		ctx, cancel := context.WithCancel(l.ctx)
		done := make(chan error)
		go func() {
			_, err := l.WaitExit(ctx, id)
			done <- err
		}()
		cancel()
		if err := <-done; err == nil {
			l.Error("no error")
		}
	},
	"a node that never ran has exited": func(l *lab) {
		state, err := l.WaitExit(l.ctx, l.create(l.spec("a", Sleep)))
		l.must(err)
		if state.Running || state.Started {
			l.Errorf("state %+v", state)
		}
	},
	"a paused node runs but can't be used, until it is thawed": func(l *lab) {
		l.needs(func(c runtime.Capabilities) bool { return c.Pause })
		id, _ := l.start("a", Sleep)
		l.must(l.PauseNode(l.ctx, id))
		state, err := l.InspectNode(l.ctx, id)
		l.must(err)
		if !state.Running || !state.Paused {
			l.Errorf("state %+v", state)
		}
		l.wantKind(l.PauseNode(l.ctx, id), runtime.NotRunning)
		_, err = l.Exec(l.ctx, id, Cat)
		l.wantKind(err, runtime.NotRunning)
		l.must(l.UnpauseNode(l.ctx, id))
		l.must(l.UnpauseNode(l.ctx, id)) // is thawed already
		_, err = l.Exec(l.ctx, id, Cat)
		l.must(err)
	},
	"a paused node can be killed": func(l *lab) {
		l.needs(func(c runtime.Capabilities) bool { return c.Pause })
		id, _ := l.start("a", Sleep)
		l.must(l.PauseNode(l.ctx, id))
		l.must(l.SignalNode(l.ctx, id, "SIGKILL"))
		_, err := l.WaitExit(l.ctx, id)
		l.must(err)
		l.must(l.UnpauseNode(l.ctx, id)) // has nothing left to thaw
	},
	"what needs a running node says that it is down": func(l *lab) {
		id := l.create(l.spec("a", Sleep))
		l.wantKind(l.SignalNode(l.ctx, id, "SIGKILL"), runtime.NotRunning)
		l.wantKind(l.PauseNode(l.ctx, id), runtime.NotRunning)
		_, err := l.Exec(l.ctx, id, Cat)
		l.wantKind(err, runtime.NotRunning)
		l.must(l.UnpauseNode(l.ctx, id))
	},
	"a node that is not there is not found": func(l *lab) {
		_, err := l.StartNode(l.ctx, "no-such-node")
		l.wantKind(err, runtime.NotFound)
		_, err = l.InspectNode(l.ctx, "no-such-node")
		l.wantKind(err, runtime.NotFound)
		l.wantKind(l.UnpauseNode(l.ctx, "no-such-node"), runtime.NotFound)
	},
	"a node that is removed leaves its name, its address and its volumes to another": func(l *lab) {
		volume, err := l.CreateVolume(l.ctx, l.scope, runtime.VolumeSpec{Name: "data"})
		l.must(err)
		spec := l.spec("a", Sleep)
		spec.Mounts = []runtime.Mount{{Volume: volume, Target: "/data"}}
		id := l.create(spec)
		first, err := l.StartNode(l.ctx, id)
		l.must(err)
		_, err = l.Exec(l.ctx, id, Keep)
		l.must(err)
		l.must(l.RemoveNode(l.ctx, id))
		_, err = l.InspectNode(l.ctx, id)
		l.wantKind(err, runtime.NotFound)
		l.wantKind(l.RemoveNode(l.ctx, id), runtime.NotFound)
		again := l.create(spec)
		state, err := l.StartNode(l.ctx, again)
		l.must(err)
		if state.IP != first.IP || again == id {
			l.Errorf("%s at %s, then %s at %s", id, first.IP, again, state.IP)
		}
		r, err := l.Exec(l.ctx, again, Kept)
		l.must(err)
		if string(r.Stdout) != "kept" {
			l.Errorf("the volume has %q", r.Stdout)
		}
	},
	"an address is given once": func(l *lab) {
		spec := l.spec("a", Sleep)
		_, err := l.StartNode(l.ctx, l.create(spec))
		l.must(err)
		spec.Address, spec.Host = "node.b", "b"
		id, err := l.CreateNode(l.ctx, l.scope, spec)
		if err == nil {
			_, err = l.StartNode(l.ctx, id)
		}
		l.wantKind(err, runtime.Conflict)
	},
	"published ports are told at each start": func(l *lab) {
		spec := l.spec("a", Sleep)
		spec.Ports = []int{8080, 9090}
		id := l.create(spec)
		for range 2 {
			state, err := l.StartNode(l.ctx, id)
			l.must(err)
			for _, p := range spec.Ports {
				at, err := netip.ParseAddrPort(state.Ports[fmt.Sprint(p)])
				if err != nil || at.Addr() != netip.AddrFrom4([4]byte{127, 0, 0, 1}) || at.Port() == 0 {
					l.Errorf("port %d is published at %q", p, state.Ports[fmt.Sprint(p)])
				}
			}
			l.must(l.StopNode(l.ctx, id, 0))
		}
	},
	"inspection shows all that is known": func(l *lab) {
		data, err := l.Inspect(l.ctx, l.create(l.spec("a", Sleep)))
		l.must(err)
		if !json.Valid(data) || !bytes.Contains(data, []byte("node.a")) {
			l.Errorf("got %s", data)
		}
	},
	"a call whose context has ended does nothing": func(l *lab) {
		spec := l.spec("a", Sleep)
		ctx, cancel := context.WithCancel(l.ctx)
		cancel()
		if _, err := l.CreateNode(ctx, l.scope, spec); err == nil {
			l.Error("no error")
		}
	},
}

// untilTrapped waits until a shell has set its trap: it then has a child.
func (l *lab) untilTrapped(id runtime.NodeID) {
	l.Helper()
	l.eventually("the process handles signals", func() bool {
		r, err := l.Exec(l.ctx, id, runtime.ExecSpec{Command: []string{"sh", "-c", "grep -q sleep /proc/[0-9]*/comm"}})
		l.must(err)
		return r.ExitCode == 0
	})
}

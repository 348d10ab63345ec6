package steptest

import (
	"context"
	"fmt"
	"slices"

	"github.com/scenario-run/scenario/engine/process"
	"github.com/scenario-run/scenario/engine/step"
)

// processes are those of a World's nodes.
type processes struct{ w *World }

var _ step.Processes = processes{}

func (x processes) List(ctx context.Context, address string) (all []process.Process, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if x.w.OnProcessList != nil {
		x.w.OnProcessList(address)
	}
	x.w.mu.Lock()
	defer x.w.mu.Unlock()
	n, ok := x.w.nodes[address]
	if !ok || !n.State.Running {
		return nil, notRunning("list the processes of " + address)
	}
	return slices.Clone(n.Processes), nil
}

func (x processes) Signal(_ context.Context, address, signal string, to []process.ID) (sent []process.ID, err error) {
	err = x.w.change(address, fmt.Sprint("signal ", address, " ", signal), func(n *Node) error {
		if !n.State.Running {
			return notRunning("signal processes of " + address)
		}
		for _, id := range to {
			i := slices.IndexFunc(n.Processes, func(p process.Process) bool { return p.ID == id && !p.Ended() })
			if i < 0 {
				continue
			}
			sent = append(sent, id)
			signalled := signalProcess
			if x.w.OnProcessSignal != nil {
				signalled = x.w.OnProcessSignal
			}
			signalled(address, signal, &n.Processes[i])
		}
		return nil
	})
	if len(sent) > 0 && x.w.OnSignal != nil {
		x.w.OnSignal(address, signal)
	}
	return sent, err
}

// signalProcess is what a signal does.
func signalProcess(_, signal string, p *process.Process) {
	switch signal {
	case "SIGKILL", "SIGTERM":
		p.State = process.Zombie
	case "SIGSTOP":
		p.State = process.Stopped
	case "SIGCONT":
		p.State = "S"
	}
}

// Processes are those that are in a node now.
func (w *World) Processes(address string) []process.Process {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.nodes[address].Processes)
}

// SetProcesses makes them those that are in a node from now on.
func (w *World) SetProcesses(address string, list ...process.Process) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.nodes[address].Processes = list
}

package fake

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/scenario-run/scenario/engine/process"
)

// Processes returns the processes of a node, by its address in the file.
func (r *Runtime) Processes(address string) []process.Process {
	n := r.byAddress(address)
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(n.procs)
}

// StopProcess stops a process of the node of that address, as somebody else than
// its agent.
func (r *Runtime) StopProcess(address, name string) {
	n := r.byAddress(address)
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range n.procs {
		if p.Name == name {
			n.signalProcess(p.PID, "SIGSTOP")
		}
	}
}

// beginProcesses is what a start does to a node's processes: it has those that
// its script says beside the main one. The caller holds the lock.
func (n *node) beginProcesses(start int) {
	n.held = nil
	n.procs = []process.Process{{Name: "main", Command: n.spec.Command, State: "S"}}
	for _, name := range n.script.Processes {
		n.procs = append(n.procs, process.Process{Name: name, Command: []string{name}, Parent: process.Main, State: "S"})
	}
	for i := range n.procs {
		n.procs[i].ID = process.ID{PID: process.Main + i, Started: uint64(1000*(start+1) + i)}
	}
}

// onProcesses carries out the jobs of an agent that are about processes.
func (a *agent) onProcesses(job string, spec []byte, line func([]byte) error) error {
	a.r.mu.Lock()
	n := a.r.nodes[a.from]
	a.r.mu.Unlock()
	if err := a.r.needRunning(n, "agent of"); err != nil {
		return err
	}
	var answer any
	switch job {
	case process.ListJob:
		a.r.mu.Lock()
		answer = slices.Clone(n.procs)
		a.r.mu.Unlock()
	case process.SignalJob:
		var s process.Signal
		if err := json.Unmarshal(spec, &s); err != nil {
			return err
		}
		answer = a.r.signalProcesses(n, s)
	default:
		return fmt.Errorf("the agent has no job %q", job)
	}
	text, err := json.Marshal(answer)
	if err != nil {
		return err
	}
	return line(text)
}

func (r *Runtime) signalProcesses(n *node, s process.Signal) (outcomes []process.Outcome) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, id := range s.To {
		if s.Signal == "SIGSTOP" {
			n.held = append(n.held, id)
		}
		outcome := process.Gone
		switch there := slices.ContainsFunc(n.procs, func(p process.Process) bool { return p.ID == id }); {
		case there && id.PID == process.Main && s.Signal != "SIGCONT":
			outcome = process.Shielded
		case there:
			outcome = process.Sent
			n.signalProcess(id.PID, s.Signal)
		}
		outcomes = append(outcomes, outcome)
	}
	return outcomes
}

// signalProcess is what signals do to processes here. The caller holds the
// lock.
func (n *node) signalProcess(pid int, signal string) {
	i := slices.IndexFunc(n.procs, func(p process.Process) bool { return p.PID == pid })
	switch {
	case i < 0:
	case signal == "SIGSTOP":
		n.procs[i].State = process.Stopped
	case signal == "SIGCONT":
		n.procs[i].State = "S"
		n.held = slices.DeleteFunc(n.held, func(id process.ID) bool { return id == n.procs[i].ID })
	case pid != process.Main && (signal == "SIGKILL" || signal == "SIGTERM"):
		n.procs = slices.Delete(n.procs, i, i+1)
	}
}

// release lets go on what an agent has stopped. The caller holds the lock.
func (n *node) release() {
	for _, id := range slices.Clone(n.held) {
		n.signalProcess(id.PID, "SIGCONT")
	}
}

package steptest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/step"
)

type nodes struct{ w *World }

var _ step.Nodes = nodes{}

func (x nodes) All() []string { return x.w.order }

func (x nodes) node(address string) *Node {
	x.w.mu.Lock()
	defer x.w.mu.Unlock()
	return x.w.nodes[address]
}

func (x nodes) Facts(address string) step.Facts {
	n := x.node(address)
	return step.Facts{Address: n.Address, Name: n.Host, Host: n.Host, IP: n.IP}
}

func (x nodes) Kind(address string) (string, cty.Value) {
	n := x.node(address)
	return n.Kind, n.Args
}

func (x nodes) Value(address string) (v cty.Value) {
	x.w.mu.Lock()
	defer x.w.mu.Unlock()
	return x.w.nodes[address].value()
}

func (x nodes) Runs(address string) bool {
	x.w.mu.Lock()
	defer x.w.mu.Unlock()
	n, ok := x.w.nodes[address]
	return ok && n.State.Running
}

func (x nodes) State(ctx context.Context, address string) (s runtime.NodeState, err error) {
	if err := ctx.Err(); err != nil {
		return s, err
	}
	x.w.mu.Lock()
	defer x.w.mu.Unlock()
	n, ok := x.w.nodes[address]
	if !ok {
		return s, &runtime.Error{Kind: runtime.NotFound, Err: fmt.Errorf("no node %s", address)}
	}
	return n.State, nil
}

func (x nodes) Usage(ctx context.Context, address string) (step.Usage, error) {
	s, err := x.State(ctx, address)
	if err == nil && !s.Running {
		err = notRunning("usage of " + address)
	}
	if err != nil {
		return step.Usage{}, err
	}
	return x.node(address).Usage, nil
}

func (x nodes) Start(ctx context.Context, addresses ...string) error {
	for _, a := range addresses {
		if err := x.start(ctx, "start", a); err != nil {
			return err
		}
		if err := x.WaitReady(ctx, a); err != nil {
			return err
		}
	}
	return nil
}

func (x nodes) Launch(ctx context.Context, address string) error {
	return x.start(ctx, "launch", address)
}

func (x nodes) start(ctx context.Context, call, address string) error {
	if x.w.OnStart != nil {
		if err := x.w.OnStart(ctx, address); err != nil {
			return err
		}
	}
	return x.w.change(address, call+" "+address, func(n *Node) error {
		if n.State.Running {
			return nil
		}
		n.State.Running, n.State.ExitCode = true, 0
		n.State.StartedAt = x.w.Clock.Now()
		n.exited = make(chan struct{})
		return nil
	})
}

func (x nodes) WaitReady(ctx context.Context, address string) error {
	if x.w.OnReady == nil {
		return nil
	}
	return x.w.OnReady(ctx, address)
}

func (x nodes) Kill(_ context.Context, address, signal string) error {
	call := strings.Join([]string{"kill", address, signal}, " ")
	err := x.w.change(address, call, func(n *Node) error {
		if !n.State.Running {
			return notRunning(call)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if signal == "SIGKILL" {
		x.w.Exit(address, 137)
	}
	if x.w.OnSignal != nil {
		x.w.OnSignal(address, signal)
	}
	return nil
}

func (x nodes) Stop(_ context.Context, address string, grace time.Duration) error {
	call := fmt.Sprintf("stop %s %s", address, grace)
	if err := x.w.change(address, call, func(n *Node) error { return nil }); err != nil {
		return err
	}
	x.w.Exit(address, 0)
	return nil
}

func (x nodes) Pause(_ context.Context, address string) error {
	return x.w.change(address, "pause "+address, func(n *Node) error {
		if !n.State.Running {
			return notRunning("pause " + address)
		}
		n.State.Paused = true
		return nil
	})
}

func (x nodes) Unpause(_ context.Context, address string) error {
	return x.w.change(address, "unpause "+address, func(n *Node) error {
		if !n.State.Paused {
			return notRunning("unpause " + address)
		}
		n.State.Paused = false
		return nil
	})
}

func (x nodes) ExpectExit(address string) {
	x.w.mu.Lock()
	defer x.w.mu.Unlock()
	x.w.calls = append(x.w.calls, "expect exit "+address)
}

func (x nodes) WaitExit(ctx context.Context, address string) (runtime.NodeState, error) {
	x.w.mu.Lock()
	exited := x.w.nodes[address].exited
	x.w.mu.Unlock()
	select {
	case <-exited:
		return x.State(context.WithoutCancel(ctx), address)
	case <-ctx.Done():
		return runtime.NodeState{}, context.Cause(ctx)
	}
}

func (x nodes) Exec(ctx context.Context, address string, spec runtime.ExecSpec) (runtime.ExecResult, error) {
	call := "exec " + address + " " + strings.Join(spec.Command, " ")
	err := x.w.change(address, call, func(n *Node) error {
		if !n.State.Running || n.State.Paused {
			return notRunning(call)
		}
		return nil
	})
	if err != nil || x.w.OnExec == nil {
		return runtime.ExecResult{}, err
	}
	return x.w.OnExec(ctx, address, spec)
}

func (x nodes) LogTail(_ context.Context, address string, lines int) ([]string, error) {
	log := x.node(address).Log
	return log[max(0, len(log)-lines):], nil
}

// What the nodes of a World share.
const (
	machineCPUs   = 4
	machineMemory = 8 << 30
)

func (x nodes) Limits(ctx context.Context, address string) (step.Limits, error) {
	if _, err := x.State(ctx, address); err != nil {
		return step.Limits{}, err
	}
	x.w.mu.Lock()
	defer x.w.mu.Unlock()
	return step.Limits{Limits: x.w.nodes[address].Limits, Machine: runtime.Limits{CPUs: machineCPUs, Memory: machineMemory}}, nil
}

func (x nodes) LimitCPUs(_ context.Context, address string, cpus float64) error {
	return x.limit(address, fmt.Sprintf("limit cpus %s %g", address, cpus), func(l *runtime.Limits) { l.CPUs = cpus })
}

func (x nodes) LimitMemory(_ context.Context, address string, bytes int64) error {
	return x.limit(address, fmt.Sprintf("limit memory %s %d", address, bytes), func(l *runtime.Limits) { l.Memory = bytes })
}

func (x nodes) limit(address, call string, change func(*runtime.Limits)) error {
	if x.w.OnLimit != nil {
		change = x.w.OnLimit
	}
	return x.w.change(address, call, func(n *Node) error {
		change(&n.Limits)
		return nil
	})
}

func (x nodes) Recreate(ctx context.Context, address string, with step.NodeChange) error {
	err := x.w.change(address, fmt.Sprintf("recreate %s %+v", address, with), func(n *Node) error {
		if !n.State.Started {
			return notRunning("recreate " + address)
		}
		return nil
	})
	if err != nil {
		return err
	}
	x.w.Exit(address, 0)
	return x.Start(ctx, address)
}

func (x nodes) WriteFile(_ context.Context, address, path string, f runtime.NewFile) error {
	call := fmt.Sprintf("write %s %s", address, path)
	if f.Executable {
		call += ", executable"
	}
	return x.w.change(address, call, func(n *Node) error {
		if n.Files == nil {
			n.Files = map[string][]byte{}
		}
		n.Files[path] = f.Content
		return nil
	})
}

func (x nodes) ReadFile(ctx context.Context, address, path string, limit int64) (runtime.File, error) {
	if _, err := x.State(ctx, address); err != nil {
		return runtime.File{}, err
	}
	x.w.mu.Lock()
	defer x.w.mu.Unlock()
	content, ok := x.w.nodes[address].Files[path]
	if !ok {
		return runtime.File{}, &runtime.Error{Kind: runtime.NotFound, Err: fmt.Errorf("no file %s", path)}
	}
	sum := sha256.Sum256(content)
	return runtime.File{Size: int64(len(content)), SHA256: hex.EncodeToString(sum[:]), Content: content[:min(int64(len(content)), limit)]}, nil
}

// Log hands out all lines since the zero time, and else none.
func (x nodes) Log(_ context.Context, address string, since time.Time, line func(string)) error {
	for _, text := range x.node(address).Log {
		if since.IsZero() {
			line(text)
		}
	}
	return nil
}

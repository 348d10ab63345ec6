package machine

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/scenario-run/scenario/engine/link"
	"github.com/scenario-run/scenario/engine/runtime"
)

// Look has an agent try out what the kernel can do. The agent belongs to the
// scope, and goes with its Sweep.
func Look(ctx context.Context, place runtime.Runtime, scope runtime.Scope) (link.Kernel, error) {
	agent, err := place.Agent(ctx, scope, runtime.Place{Space: runtime.AloneSpace})
	if err != nil {
		return nil, fmt.Errorf("find out what the kernel can do: %w", err)
	}
	var found link.Kernel
	err = agent.Run(ctx, link.CanJob, nil, func(line []byte) error { return json.Unmarshal(line, &found) })
	if err != nil {
		return nil, fmt.Errorf("find out what the kernel can do: %w", err)
	}
	return found, nil
}

// Memory keeps answers in a directory, one file for each machine.
type Memory struct {
	Dir string // empty: nothing is kept
	Now func() time.Time
}

// version is that of what is tried. An answer of another one is none.
const version = 3

// forgetAfter is how long an answer counts that says that something can't be
// done: what was missing may have been installed since.
const forgetAfter = 10 * time.Minute

// answer is what is kept.
type answer struct {
	Version int         `json:"version"`
	Machine string      `json:"machine"`
	At      time.Time   `json:"at"`
	Kernel  link.Kernel `json:"kernel"`
}

// Kernel is what the kernel can do, by Look unless it is remembered. Of answers
// from the past those count that are about the abilities given.
func (m Memory) Kernel(ctx context.Context, place runtime.Runtime, scope runtime.Scope, of ...link.Ability) (link.Kernel, error) {
	info, err := place.Info(ctx)
	if err != nil {
		return nil, err
	}
	if known := m.recall(info.ID, of); known != nil {
		return known, nil
	}
	return m.Renew(ctx, place, scope)
}

// Renew looks again, whatever is remembered.
func (m Memory) Renew(ctx context.Context, place runtime.Runtime, scope runtime.Scope) (link.Kernel, error) {
	info, err := place.Info(ctx)
	if err != nil {
		return nil, err
	}
	found, err := Look(ctx, place, scope)
	if err != nil {
		return nil, err
	}
	// Whoever can't remember looks again.
	_ = m.keep(info.ID, found)
	return found, nil
}

func (m Memory) recall(machine string, of []link.Ability) link.Kernel {
	if m.Dir == "" || machine == "" {
		return nil
	}
	text, err := os.ReadFile(m.file(machine))
	if err != nil {
		return nil
	}
	var a answer
	if json.Unmarshal(text, &a) != nil || a.Version != version || a.Machine != machine {
		return nil
	}
	for _, ability := range of {
		if !a.Kernel.Can(ability) && m.Now().Sub(a.At) > forgetAfter {
			return nil
		}
	}
	return a.Kernel
}

func (m Memory) keep(machine string, found link.Kernel) error {
	if m.Dir == "" || machine == "" {
		return nil
	}
	text, err := json.Marshal(answer{version, machine, m.Now(), found})
	if err != nil {
		return err
	}
	if err := os.MkdirAll(m.Dir, 0o755); err != nil {
		return err
	}
	// Another run may be reading it.
	f, err := os.CreateTemp(m.Dir, "new-*")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err := errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return os.Rename(f.Name(), m.file(machine))
}

func (m Memory) file(machine string) string {
	return filepath.Join(m.Dir, fmt.Sprintf("%x.json", sha256.Sum256([]byte(machine))))
}

package fake

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/scenario-run/scenario/engine/disk"
	"github.com/scenario-run/scenario/engine/runtime"
)

// Room returns the room on a volume, by its name in the file.
func (r *Runtime) Room(name string) disk.Space {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, v := range r.volumes {
		if v.name == name {
			return v.space
		}
	}
	return disk.Space{}
}

// LapseVolume ends the lease of the agent of a volume: what it has taken is free.
func (r *Runtime) LapseVolume(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, v := range r.volumes {
		if v.name == name {
			v.release()
		}
	}
}

func (v *volume) release() {
	v.space.Free += v.space.Held
	v.space.Held = 0
}

func (r *Runtime) agentOf(ctx context.Context, id string) (runtime.Agent, error) {
	if err := r.enter(ctx, "Agent", id); err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.volumes[id] == nil {
		return nil, failure(runtime.NotFound, "agent", "no volume %s", id)
	}
	return &agent{r: r, volume: id}, nil
}

// onVolume carries out the jobs of an agent that has a volume.
func (a *agent) onVolume(job string, spec []byte, line func([]byte) error) error {
	a.r.mu.Lock()
	defer a.r.mu.Unlock()
	v := a.r.volumes[a.volume]
	switch job {
	case disk.FillJob:
		var want disk.Fill
		if err := json.Unmarshal(spec, &want); err != nil {
			return err
		}
		taken := max(0, v.space.Free-want.Leave)
		v.space.Held += taken
		v.space.Free -= taken
	case disk.ReleaseJob:
		v.release()
	case disk.LookJob:
	default:
		return fmt.Errorf("the agent of a volume has no job %q", job)
	}
	return answer(line, v.space, nil)
}

package docker

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"

	"github.com/scenario-run/scenario/engine/agent"
	"github.com/scenario-run/scenario/engine/runtime"
)

// abandonLimit bounds the removal of an agent that could not be started.
const abandonLimit = 10 * time.Second

// errSwept is why a start is given up that a sweep of its scope meets.
var errSwept = errors.New("what its run has is being removed")

// agentStart is a start of an agent under way. It goes on when those who wait
// for it leave: one who has two seconds for a question would otherwise never
// get its answer from a daemon that needs three, and each attempt would leave a
// container behind.
type agentStart struct {
	since  time.Time // of a node's agent: the node's start that it will live in
	giveUp context.CancelCauseFunc
	done   chan struct{} // closed when client or err is set
	client *agent.Client
	err    error
}

// begin starts the agent. Under the runtime's lock.
func (h *agentHandle) begin() *agentStart {
	ctx, giveUp := context.WithCancelCause(h.r.life)
	s := &agentStart{since: h.since, giveUp: giveUp, done: make(chan struct{})}
	h.r.starting[h.key] = s
	call := h.r.making.begin(h.scope)
	go func() { // Sweep and Close wait for it
		defer h.r.making.end(call)
		defer giveUp(context.Canceled)
		ctx, cancel := context.WithTimeout(ctx, makeLimit)
		defer cancel()
		id, c, err := h.r.startAgent(ctx, h.scope, h.key)
		h.ended(s, id, c, h.r.failed(ctx, "start "+h.what(), err))
	}()
	return s
}

// ended takes in how the start of a container ended, and tells those who wait for
// it.
func (h *agentHandle) ended(s *agentStart, id string, c *agent.Client, err error) {
	h.r.mu.Lock()
	delete(h.r.starting, h.key)
	old := h.r.agents[h.key]
	if err == nil {
		h.r.agents[h.key] = &startedAgent{r: h.r, id: id, client: c, since: s.since}
	}
	h.r.mu.Unlock()
	if err == nil && old != nil {
		err = old.client.Close() // of an earlier start, or lost
	}
	s.client, s.err = c, err
	close(s.done)
}

// giveUpStarts ends the starts of the scopes that are chosen.
func (r *Runtime) giveUpStarts(chosen func(runtime.Scope) bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for key, s := range r.starting {
		if chosen(key.scope()) {
			s.giveUp(errSwept)
		}
	}
}

// startAgent makes an agent and begins its session. Of one that does not come
// up nothing stays.
func (r *Runtime) startAgent(ctx context.Context, scope runtime.Scope, key agentKey) (id string, c *agent.Client, err error) {
	image, err := r.agentImage(ctx)
	if err != nil {
		return "", nil, err
	}
	if key.at.Volume != "" { // else the daemon makes one that isn't there
		if _, err := r.api.VolumeInspect(ctx, key.at.Volume, client.VolumeInspectOptions{}); err != nil {
			return "", nil, err
		}
	}
	if id, err = r.createAgent(ctx, scope, key.at, image); err != nil {
		return "", nil, err
	}
	if c, err = r.runAgent(ctx, id); err != nil {
		return "", nil, errors.Join(err, r.abandon(ctx, id))
	}
	return id, c, nil
}

// createAgent makes the container of an agent whose lease is its standard
// input: the daemon closes that when this process ends, and removes the
// container when the agent does.
func (r *Runtime) createAgent(ctx context.Context, scope runtime.Scope, at runtime.Place, image string) (id string, err error) {
	err = r.limited(ctx, func() error {
		// The daemon goes on with it though the start is given up, and only its
		// answer says what there is to remove.
		ctx, cancel := context.WithTimeout(r.life, makeLimit)
		defer cancel()
		created, err := r.api.ContainerCreate(ctx, client.ContainerCreateOptions{
			Config: &container.Config{
				Image: image, Entrypoint: append([]string{agentPath}, r.opts.AgentArgs...), User: "0:0",
				OpenStdin: true, StdinOnce: true, AttachStdin: true, AttachStdout: true, AttachStderr: true,
				Labels: labels(scope, map[string]string{labelRole: roleAgent}),
			},
			HostConfig: agentHost(at),
		})
		id = created.ID
		return err
	})
	return id, err
}

// runAgent starts an agent's container and begins a session with what runs in it.
func (r *Runtime) runAgent(ctx context.Context, id string) (*agent.Client, error) {
	attached, err := r.api.ContainerAttach(ctx, id, client.ContainerAttachOptions{
		Stream: true, Stdin: true, Stdout: true, Stderr: true,
	})
	if err != nil {
		return nil, err
	}
	pipe := newAgentPipe(attached.HijackedResponse)
	err = r.limited(ctx, func() error {
		_, err := r.api.ContainerStart(ctx, id, client.ContainerStartOptions{})
		return err
	})
	if err != nil {
		return nil, errors.Join(err, pipe.Close())
	}
	c, err := agent.NewClient(ctx, pipe)
	if err != nil {
		if said := pipe.errors(); said != "" {
			return nil, fmt.Errorf("%w; it says: %s", err, said)
		}
		return nil, err
	}
	return c, nil
}

// abandon removes the container of an agent that did not come up. One that has
// ended goes by itself, and of a daemon that is gone the start has said so.
func (r *Runtime) abandon(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), abandonLimit)
	defer cancel()
	_, err := r.api.ContainerRemove(ctx, id, client.ContainerRemoveOptions{Force: true, RemoveVolumes: true})
	if err == nil || errdefs.IsNotFound(err) || strings.Contains(err.Error(), "already in progress") || ctx.Err() == nil && lost(err) {
		return nil
	}
	return fmt.Errorf("remove its container %s: %w", id[:min(12, len(id))], err)
}

package docker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/network"
	"github.com/moby/moby/api/types/volume"
	"github.com/moby/moby/client"
	"golang.org/x/sync/errgroup"

	"github.com/scenario-run/scenario/engine/runtime"
)

// detachLimit is how long a network or volume may stay in use after the
// containers that used it are gone.
const detachLimit = 5 * time.Second

// Sweep removes what carries the scope's labels.
func (r *Runtime) Sweep(ctx context.Context, scope runtime.Scope, keep []runtime.NodeID) (runtime.Swept, error) {
	r.giveUpStarts(within(scope))
	if err := r.making.wait(ctx, within(scope)); err != nil {
		return runtime.Swept{}, fmt.Errorf("wait for what is still being made: %w", err)
	}
	found, err := r.list(ctx, of(scope))
	if err != nil {
		return runtime.Swept{}, r.failed(ctx, "list what belongs to run "+scope.Run, err)
	}
	s := &sweep{r: r}
	used := map[string]bool{} // networks and volumes of containers that stay
	var containers errgroup.Group
	for _, c := range found.containers {
		if slices.Contains(keep, runtime.NodeID(c.ID)) {
			uses(c, used)
			containers.Go(func() error { return r.markKept(ctx, c) })
			continue
		}
		containers.Go(func() error { s.container(ctx, c); return nil })
	}
	marked := containers.Wait()
	// The agents have ended with their containers; this frees their sessions.
	closed := r.closeAgents(within(scope))

	var rest sync.WaitGroup
	for _, n := range found.networks {
		if !used[n.ID] {
			rest.Go(func() { s.network(ctx, n) })
		}
	}
	for _, v := range found.volumes {
		if !used[v.Name] {
			rest.Go(func() { s.volume(ctx, v) })
		}
	}
	rest.Wait()
	if s.lost != nil {
		return s.swept, r.failed(ctx, "remove what belongs to run "+scope.Run, s.lost)
	}
	return s.swept, errors.Join(r.failed(ctx, "mark what is kept", marked), closed)
}

// listing is what belongs to some scopes.
type listing struct {
	containers []container.Summary
	networks   []network.Summary
	volumes    []volume.Volume
}

func (r *Runtime) list(ctx context.Context, filter client.Filters) (listing, error) {
	var found listing
	var asked errgroup.Group
	asked.Go(func() error {
		list, err := r.api.ContainerList(ctx, client.ContainerListOptions{All: true, Filters: filter})
		found.containers = list.Items
		return err
	})
	asked.Go(func() error {
		list, err := r.api.NetworkList(ctx, client.NetworkListOptions{Filters: filter})
		found.networks = list.Items
		return err
	})
	asked.Go(func() error {
		list, err := r.api.VolumeList(ctx, client.VolumeListOptions{Filters: filter})
		found.volumes = list.Items
		return err
	})
	return found, asked.Wait()
}

// uses notes the networks and volumes of a container.
func uses(c container.Summary, used map[string]bool) {
	if c.NetworkSettings != nil {
		for _, e := range c.NetworkSettings.Networks {
			used[e.NetworkID] = true
		}
	}
	for _, m := range c.Mounts {
		used[m.Name] = true
	}
}

func containerName(c container.Summary) string {
	if len(c.Names) == 0 {
		return c.ID
	}
	return strings.TrimPrefix(c.Names[0], "/")
}

func kept(c container.Summary) bool { return strings.HasSuffix(containerName(c), keptSuffix) }

// markKept makes every process see that the container is kept on purpose.
func (r *Runtime) markKept(ctx context.Context, c container.Summary) error {
	if kept(c) {
		return nil
	}
	_, err := r.api.ContainerRename(ctx, c.ID, client.ContainerRenameOptions{NewName: containerName(c) + keptSuffix})
	return err
}

// sweep collects what became of each thing.
type sweep struct {
	r     *Runtime
	mu    sync.Mutex
	swept runtime.Swept
	lost  error // the daemon went: nothing can be said
}

// container removes one at once, with its anonymous volumes.
func (s *sweep) container(ctx context.Context, c container.Summary) {
	name := containerName(c)
	err := s.r.limited(ctx, func() error {
		_, err := s.r.api.ContainerRemove(ctx, c.ID, client.ContainerRemoveOptions{Force: true, RemoveVolumes: true})
		return err
	})
	if err != nil && strings.Contains(err.Error(), "already in progress") {
		wait := s.r.api.ContainerWait(ctx, c.ID, client.ContainerWaitOptions{Condition: container.WaitConditionRemoved})
		select {
		case <-wait.Result:
			err = nil
		case err = <-wait.Error:
		}
	}
	s.record("container "+name, "docker rm -f -v "+name, err)
}

func (s *sweep) network(ctx context.Context, n network.Summary) {
	remove := func() error {
		return s.r.limited(ctx, func() error {
			_, err := s.r.api.NetworkRemove(ctx, n.ID, client.NetworkRemoveOptions{})
			return err
		})
	}
	err := retryInUse(ctx, remove)
	if hasEndpoints(err) {
		err = s.r.removeHeld(ctx, n.ID, remove)
	}
	command := "docker network rm " + n.ID[:min(shortID, len(n.ID))]
	if known := (*runtime.Error)(nil); errors.As(err, &known) && known.Hint != "" {
		command = known.Hint + " && " + command
	}
	s.record("network "+n.Name, command, err)
}

func (s *sweep) volume(ctx context.Context, v volume.Volume) {
	err := retryInUse(ctx, func() error {
		_, err := s.r.api.VolumeRemove(ctx, v.Name, client.VolumeRemoveOptions{Force: true})
		return err
	})
	s.record("volume "+v.Name, "docker volume rm "+v.Name, err)
}

// retryInUse repeats a removal while something that is going away still uses
// the thing; the daemon offers nothing to wait for.
func retryInUse(ctx context.Context, remove func() error) error {
	ctx, cancel := context.WithTimeout(ctx, detachLimit)
	defer cancel()
	for pause := 5 * time.Millisecond; ; pause = min(2*pause, 200*time.Millisecond) {
		err := remove()
		if err == nil || !hasEndpoints(err) && !strings.Contains(err.Error(), "in use") {
			return err
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return err
		}
	}
}

// record notes how a removal ended. What is not there has been removed.
func (s *sweep) record(what, command string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case err == nil || errdefs.IsNotFound(err):
		s.swept.Removed = append(s.swept.Removed, what)
	case lost(err):
		s.lost = err
		fallthrough
	default:
		s.swept.Left = append(s.swept.Left, runtime.Leftover{What: what, Reason: s.r.plain(err).Error(), Command: command})
	}
}

// Owners finds every scope by the labels.
func (r *Runtime) Owners(ctx context.Context) ([]runtime.Owned, error) {
	found, err := r.list(ctx, make(client.Filters).Add("label", labelRun))
	if err != nil {
		return nil, r.failed(ctx, "list what runs have left", err)
	}
	owners := map[[2]string]*runtime.Owned{}
	owned := func(labels map[string]string, created time.Time) *runtime.Owned {
		scope := scopeOf(labels)
		key := [2]string{scope.Run, scope.Variant}
		o := owners[key]
		if o == nil {
			o = &runtime.Owned{Scope: scope, CreatedAt: created}
			owners[key] = o
		}
		if !created.IsZero() && created.Before(o.CreatedAt) {
			o.CreatedAt = created
		}
		return o
	}
	for _, c := range found.containers {
		o := owned(c.Labels, time.Unix(c.Created, 0))
		if c.Labels[labelRole] == roleNode {
			o.Nodes++
			o.NodeNames = append(o.NodeNames, containerName(c))
			o.Kept = o.Kept || kept(c)
		}
	}
	for _, n := range found.networks {
		owned(n.Labels, n.Created).Networks++
	}
	for _, v := range found.volumes {
		owned(v.Labels, parseTime(v.CreatedAt)).Volumes++
	}
	var list []runtime.Owned
	for _, o := range owners {
		slices.Sort(o.NodeNames)
		list = append(list, *o)
	}
	slices.SortFunc(list, func(a, b runtime.Owned) int {
		return cmp.Or(strings.Compare(a.Run, b.Run), strings.Compare(a.Variant, b.Variant))
	})
	return list, nil
}

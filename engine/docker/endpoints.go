package docker

import (
	"context"
	"fmt"
	"strings"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/client"

	"github.com/scenario-run/scenario/engine/runtime"
)

// hasEndpoints says that a network could not be removed for what is on it.
func hasEndpoints(err error) bool {
	return err != nil && strings.Contains(err.Error(), "active endpoints")
}

// dropEndpoints takes off a network what the daemon has forgotten to when its
// containers went, as can happen on a busy machine, and says how many endpoints
// of containers that are there it has left alone. An endpoint without a container
// is removed by its name, and by force only.
func (r *Runtime) dropEndpoints(ctx context.Context, network string) (left int, err error) {
	found, err := r.api.NetworkInspect(ctx, network, client.NetworkInspectOptions{})
	if err != nil {
		return 0, err
	}
	for container, endpoint := range found.Network.Containers {
		_, err := r.api.ContainerInspect(ctx, container, client.ContainerInspectOptions{})
		if err == nil {
			left++
			continue
		}
		if !errdefs.IsNotFound(err) {
			return left, err
		}
		_, err = r.api.NetworkDisconnect(ctx, network, client.NetworkDisconnectOptions{Container: endpoint.Name, Force: true})
		if err != nil && !errdefs.IsNotFound(err) {
			return left, err
		}
	}
	return left, nil
}

// removeHeld removes a network that has endpoints though what was on it is gone.
// Where the daemon counts some that it doesn't have any more, only its restart
// helps.
func (r *Runtime) removeHeld(ctx context.Context, id string, remove func() error) error {
	left, err := r.dropEndpoints(ctx, id)
	if err != nil {
		return fmt.Errorf("see which endpoints it has: %w", err)
	}
	err = remove()
	if !hasEndpoints(err) || left > 0 {
		return err
	}
	return &runtime.Error{
		Kind: runtime.Conflict, Err: fmt.Errorf("%w; the daemon has lost sight of them: only its restart, which stops other containers too, removes it", r.plain(err)),
		Hint: "sudo systemctl restart docker",
	}
}

package docker

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/client"

	"github.com/scenario-run/scenario/engine/runtime"
)

const noImageHint = "name an image that is here (docker images), or load it (docker load); " +
	"where no registry answers, make setup makes a base image"

// EnsureImage pulls an image that is not here, or builds one that has not been
// built of the same content.
func (r *Runtime) EnsureImage(ctx context.Context, spec runtime.ImageSpec, progress func(runtime.Progress)) (runtime.Image, error) {
	if progress == nil {
		progress = func(runtime.Progress) {}
	}
	if spec.Build != nil {
		image, err := r.build(ctx, spec, progress)
		return image, r.failed(ctx, "build image "+spec.Name, err)
	}
	image, err := r.pull(ctx, spec.Pull, progress)
	return image, r.failed(ctx, "get image "+spec.Pull, err)
}

// local returns an image that is here; the error says if it is not.
func (r *Runtime) local(ctx context.Context, ref, how string) (runtime.Image, error) {
	found, err := r.api.ImageInspect(ctx, ref)
	if err != nil {
		return runtime.Image{}, err
	}
	return runtime.Image{Ref: ref, Digest: found.ID, How: how}, nil
}

func (r *Runtime) pull(ctx context.Context, ref string, progress func(runtime.Progress)) (runtime.Image, error) {
	unlock, err := r.locks.lock(ctx, "image "+ref)
	if err != nil {
		return runtime.Image{}, err
	}
	defer unlock()
	image, err := r.local(ctx, ref, "local")
	if err == nil || !errdefs.IsNotFound(err) {
		return image, err
	}
	progress(runtime.Progress{Text: "pulling " + ref, Stage: true})
	if err := r.fetch(ctx, ref, progress); err != nil {
		if ctx.Err() != nil {
			return runtime.Image{}, context.Cause(ctx)
		}
		failed := &runtime.Error{Kind: runtime.NotFound, Op: "get image " + ref, Err: r.plain(err), Hint: noImageHint}
		if kind := runtime.KindOf(r.failed(ctx, "", err)); kind == runtime.NoSpace {
			failed.Kind, failed.Hint = kind, "docker system df; docker system prune"
		}
		return runtime.Image{}, failed
	}
	return r.local(ctx, ref, "pulled")
}

// fetch pulls from the registry.
func (r *Runtime) fetch(ctx context.Context, ref string, progress func(runtime.Progress)) error {
	response, err := r.api.ImagePull(ctx, ref, client.ImagePullOptions{})
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for message, err := range response.JSONMessages(ctx) {
		if err != nil {
			return errors.Join(err, response.Close())
		}
		if message.Error != nil {
			return errors.Join(message.Error, response.Close())
		}
		// One line for each state of each layer, not for each of its bytes.
		line := strings.TrimSpace(fmt.Sprint(message.ID, " ", message.Status))
		if !seen[line] {
			seen[line] = true
			progress(runtime.Progress{Text: line})
		}
	}
	return response.Close()
}

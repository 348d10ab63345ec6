package docker

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/api/types/image"
	"github.com/moby/moby/client"

	"github.com/scenario-run/scenario/engine/runtime"
)

// labelImage is of the images that are built here: the name in the file.
const labelImage = "scenario.image"

// DropImages removes what was built here, and the images of agents.
func (r *Runtime) DropImages(ctx context.Context, before time.Time) (runtime.Swept, error) {
	var swept runtime.Swept
	for _, of := range []client.Filters{
		make(client.Filters).Add("label", labelImage),
		make(client.Filters).Add("reference", agentRepository),
	} {
		more, err := r.dropImages(ctx, of, before)
		swept.Removed, swept.Left = append(swept.Removed, more.Removed...), append(swept.Left, more.Left...)
		if err != nil {
			return swept, r.failed(ctx, "remove images", err)
		}
	}
	return swept, nil
}

// dropImages removes the images of a filter that were made before a time,
// except the newest of each name and those that a container uses: the daemon
// refuses these, since nothing is forced.
func (r *Runtime) dropImages(ctx context.Context, of client.Filters, before time.Time) (runtime.Swept, error) {
	var swept runtime.Swept
	list, err := r.api.ImageList(ctx, client.ImageListOptions{Filters: of})
	if err != nil {
		return swept, err
	}
	for _, ref := range dispensable(list.Items, before) {
		_, err := r.api.ImageRemove(ctx, ref, client.ImageRemoveOptions{PruneChildren: true})
		switch {
		case err == nil:
			swept.Removed = append(swept.Removed, "image "+ref)
		case errdefs.IsNotFound(err), errdefs.IsConflict(err): // gone, or used
		case lost(err):
			return swept, err
		default:
			swept.Left = append(swept.Left, runtime.Leftover{What: "image " + ref, Reason: r.plain(err).Error(), Command: "docker rmi " + ref})
		}
	}
	return swept, nil
}

// dispensable are the references of images made before a time, the newest of
// each name apart. An image that has lost its only name is one by its id.
func dispensable(images []image.Summary, before time.Time) (refs []string) {
	newest := slices.Clone(images)
	slices.SortStableFunc(newest, func(a, b image.Summary) int { return cmp.Compare(b.Created, a.Created) })
	seen := map[string]bool{}
	for _, i := range newest {
		old := time.Unix(i.Created, 0).Before(before)
		if len(i.RepoTags) == 0 && old {
			refs = append(refs, i.ID)
		}
		for _, ref := range i.RepoTags {
			name, _, _ := strings.Cut(ref, ":")
			if !made(name) {
				continue // a name that a person gave it
			}
			if seen[name] && old {
				refs = append(refs, ref)
			}
			seen[name] = true
		}
	}
	return refs
}

// made says that a repository is one that images are named after here.
func made(repository string) bool {
	return repository == agentRepository || strings.HasPrefix(repository, builtPrefix)
}

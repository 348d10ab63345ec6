package docker

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/client"

	"github.com/scenario-run/scenario/engine/runtime"
)

// WriteFile goes by the daemon, which needs nothing in the container.
func (r *Runtime) WriteFile(ctx context.Context, id runtime.NodeID, name string, f runtime.NewFile) error {
	packed, err := tarOf(map[string]runtime.NewFile{name: f})
	if err == nil {
		err = r.limited(ctx, func() error {
			_, err := r.api.CopyToContainer(ctx, string(id), client.CopyToContainerOptions{DestinationPath: "/", Content: packed})
			return err
		})
	}
	op := fmt.Sprintf("write %s in %s", name, r.name(id))
	return r.failed(ctx, op, unwritable(op, err))
}

// unwritable tells of a file that can't be written for what is there in the
// node, or for how that is mounted: it is neither the daemon's nor our fault.
func unwritable(op string, err error) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	for _, why := range []string{"cannot overwrite", "not a directory", "read-only file system", "marked read-only"} {
		if !strings.Contains(text, why) {
			continue
		}
		if _, after, ok := strings.Cut(text, "Error processing tar file"); ok { // the process that did it
			if _, reason, ok := strings.Cut(after, ": "); ok {
				text = reason
			}
		}
		return &runtime.Error{Kind: runtime.NodeFault, Op: op, Err: &shortened{text, err}}
	}
	return err
}

// mostLinks is how many links to links are followed, as the kernel does.
const mostLinks = 40

// ReadFile goes by the daemon too, which hands out links as such.
func (r *Runtime) ReadFile(ctx context.Context, id runtime.NodeID, name string, limit int64) (runtime.File, error) {
	op := fmt.Sprintf("read %s in %s", name, r.name(id))
	for range mostLinks {
		found, err := r.api.CopyFromContainer(ctx, string(id), client.CopyFromContainerOptions{SourcePath: name})
		if errdefs.IsNotFound(err) {
			return runtime.File{}, &runtime.Error{Kind: runtime.NotFound, Op: op, Err: r.plain(err)}
		}
		if err != nil {
			return runtime.File{}, r.failed(ctx, op, err)
		}
		if found.Stat.Mode&os.ModeSymlink != 0 {
			if err := found.Content.Close(); err != nil {
				return runtime.File{}, r.failed(ctx, op, err)
			}
			if name = found.Stat.LinkTarget; !path.IsAbs(name) {
				name = path.Join(path.Dir(name), name)
			}
			continue
		}
		if found.Stat.Mode.IsDir() { // all that is below it would come
			return runtime.File{Directory: true}, r.failed(ctx, op, found.Content.Close())
		}
		file, err := unpack(found.Content, limit)
		return file, r.failed(ctx, op, errors.Join(err, found.Content.Close()))
	}
	return runtime.File{}, &runtime.Error{Kind: runtime.NodeFault, Op: op, Err: errors.New("too many links to links")}
}

// unpack reads the one file of an archive.
func unpack(packed io.Reader, limit int64) (runtime.File, error) {
	archive := tar.NewReader(packed)
	header, err := archive.Next()
	if err != nil {
		return runtime.File{}, err
	}
	hash := sha256.New()
	content := capped{limit: int(limit)}
	if _, err := io.Copy(io.MultiWriter(hash, &content), archive); err != nil {
		return runtime.File{}, err
	}
	return runtime.File{Size: header.Size, SHA256: hex.EncodeToString(hash.Sum(nil)), Content: content.Bytes()}, nil
}

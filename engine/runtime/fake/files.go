package fake

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"strings"

	"github.com/scenario-run/scenario/engine/runtime"
)

// WriteFile keeps the content.
func (r *Runtime) WriteFile(ctx context.Context, id runtime.NodeID, path string, f runtime.NewFile) error {
	n, err := r.find(ctx, "WriteFile", id)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for there := range n.spec.Files {
		if strings.HasPrefix(there, path+"/") || strings.HasPrefix(path, there+"/") {
			return failure(runtime.NodeFault, "write "+path, "%s has %s", n.spec.Address, there)
		}
	}
	files := maps.Clone(n.spec.Files)
	if files == nil {
		files = map[string][]byte{}
	}
	files[path] = f.Content
	n.spec.Files = files
	return nil
}

// ReadFile returns what was written, or was there from the beginning.
func (r *Runtime) ReadFile(ctx context.Context, id runtime.NodeID, path string, limit int64) (runtime.File, error) {
	n, err := r.find(ctx, "ReadFile", id)
	if err != nil {
		return runtime.File{}, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	content, ok := n.spec.Files[path]
	if !ok {
		return runtime.File{}, failure(runtime.NotFound, "read "+path, "no such file in %s", n.spec.Address)
	}
	sum := sha256.Sum256(content)
	return runtime.File{Size: int64(len(content)), SHA256: hex.EncodeToString(sum[:]), Content: content[:min(int64(len(content)), limit)]}, nil
}

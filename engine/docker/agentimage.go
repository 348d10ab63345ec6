package docker

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"strings"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/client"

	"github.com/scenario-run/scenario/engine/runtime"
)

const (
	agentRepository = "scenario-agent"
	// agentPath is where the program lies in the image.
	agentPath = "/scenario"
)

// agentImage returns the image with the program as its only file, made once
// for each content of it.
func (r *Runtime) agentImage(ctx context.Context) (string, error) {
	unlock, err := r.locks.lock(ctx, "agent image")
	if err != nil {
		return "", err
	}
	defer unlock()
	r.mu.Lock()
	tag := r.agentTag
	r.mu.Unlock()
	if tag != "" {
		return tag, nil
	}
	if tag, err = r.storeAgentImage(ctx); err != nil {
		return "", err
	}
	r.mu.Lock()
	r.agentTag = tag
	r.mu.Unlock()
	return tag, nil
}

func (r *Runtime) storeAgentImage(ctx context.Context) (string, error) {
	info, err := r.Info(ctx)
	if err != nil {
		return "", err
	}
	if !info.Can.Agent {
		return "", &runtime.Error{Kind: runtime.Unsupported, Op: "run an agent", Err: errors.New(info.Can.AgentReason)}
	}
	program, err := os.Open(r.opts.AgentBinary)
	if err != nil {
		return "", err
	}
	defer program.Close() // read only
	hash := sha256.New()
	size, err := io.Copy(hash, program)
	if err != nil {
		return "", err
	}
	tag := agentRepository + ":" + hex.EncodeToString(hash.Sum(nil))[:12]
	if _, err := r.api.ImageInspect(ctx, tag); err == nil || !errdefs.IsNotFound(err) {
		return tag, err
	}
	if _, err := program.Seek(0, io.SeekStart); err != nil {
		return "", err
	}
	packed, writer := io.Pipe()
	go func() { writer.CloseWithError(packProgram(writer, program, size)) }() // ends with the import, which closes its input
	imported, err := r.api.ImageImport(ctx, client.ImageImportSource{Source: packed, SourceName: "-"}, tag,
		client.ImageImportOptions{Message: "the agent of scenario"})
	if err != nil {
		return "", errors.Join(err, packed.Close())
	}
	return tag, errors.Join(drain(imported), packed.Close(), r.dropOldAgents(ctx))
}

// oldAgent is the age from which an agent's image that nothing uses is removed
// without being asked: each build of this program makes another.
const oldAgent = 24 * time.Hour

// dropOldAgents makes room when a new one has come. What can't be removed is in
// use, and stays.
func (r *Runtime) dropOldAgents(ctx context.Context) error {
	_, err := r.dropImages(ctx, make(client.Filters).Add("reference", agentRepository), time.Now().Add(-oldAgent))
	return err
}

func packProgram(to io.Writer, program io.Reader, size int64) error {
	w := tar.NewWriter(to)
	if err := w.WriteHeader(&tar.Header{Name: strings.TrimPrefix(agentPath, "/"), Mode: 0o755, Size: size}); err != nil {
		return err
	}
	if _, err := io.Copy(w, program); err != nil {
		return err
	}
	return w.Close()
}

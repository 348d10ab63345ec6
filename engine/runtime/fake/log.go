package fake

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/scenario-run/scenario/engine/runtime"
)

type logLine struct {
	at   time.Time
	text string
}

// Logs streams the lines that the node printed.
func (r *Runtime) Logs(ctx context.Context, id runtime.NodeID, since time.Time, follow bool) (io.ReadCloser, error) {
	n, err := r.find(ctx, "Logs", id)
	if err != nil {
		return nil, err
	}
	if !follow {
		r.mu.Lock()
		defer r.mu.Unlock()
		return io.NopCloser(bytes.NewReader(format(n.log, since))), nil
	}
	reader, writer := io.Pipe()
	go func() { writer.CloseWithError(r.follow(ctx, n, since, writer)) }() // ends with ctx, the node or the reader
	return reader, nil
}

// follow writes lines until the node does not run.
func (r *Runtime) follow(ctx context.Context, n *node, since time.Time, w io.Writer) error {
	for written := 0; ; {
		r.mu.Lock()
		lines, grown, running := n.log[written:], n.grown, n.state.Running
		r.mu.Unlock()
		written += len(lines)
		if _, err := w.Write(format(lines, since)); err != nil {
			return err
		}
		if !running {
			return nil
		}
		select {
		case <-grown:
		case <-ctx.Done():
			return nil
		}
	}
}

func format(lines []logLine, since time.Time) []byte {
	var b strings.Builder
	for _, l := range lines {
		if !l.at.Before(since) {
			fmt.Fprintf(&b, "%s %s\n", l.at.UTC().Format(time.RFC3339Nano), l.text)
		}
	}
	return []byte(b.String())
}

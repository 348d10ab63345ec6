package docker

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/moby/moby/api/pkg/stdcopy"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"

	"github.com/scenario-run/scenario/engine/runtime"
)

// logStart is a start of a node, and the time from which its output is logged.
type logStart struct{ startedAt, from time.Time }

// logFrom returns the time from which the log is that of the present start. The
// daemon notes a start when the process already runs, so what it prints first
// is logged before StartedAt; the call comes before all of it, and the exit
// before where the daemon's clock is another.
func logFrom(c container.InspectResponse, called time.Time) time.Time {
	exited := parseTime(c.State.FinishedAt)
	if called.After(exited) && called.Before(parseTime(c.State.StartedAt)) {
		return called
	}
	return exited
}

// logSince turns the time of a start into that from which its output is logged.
func (r *Runtime) logSince(ctx context.Context, id runtime.NodeID, since time.Time) (time.Time, error) {
	if since.IsZero() {
		return since, nil
	}
	r.mu.Lock()
	start := r.starts[id]
	r.mu.Unlock()
	if start.startedAt.Equal(since) {
		return start.from, nil
	}
	found, err := r.api.ContainerInspect(ctx, string(id), client.ContainerInspectOptions{})
	if err != nil {
		return since, err
	}
	if s := found.Container.State; s.Running && parseTime(s.StartedAt).Equal(since) {
		return logFrom(found.Container, time.Time{}), nil
	}
	return since, nil
}

// Logs streams both outputs in the order in which the daemon got them. since
// may be the time of a start; the log is then what was printed since that.
func (r *Runtime) Logs(ctx context.Context, id runtime.NodeID, since time.Time, follow bool) (io.ReadCloser, error) {
	options := client.ContainerLogsOptions{ShowStdout: true, ShowStderr: true, Timestamps: true, Follow: follow}
	op := "read the log of " + r.name(id)
	since, err := r.logSince(ctx, id, since)
	if err != nil {
		return nil, r.failed(ctx, op, err)
	}
	if !since.IsZero() {
		options.Since = fmt.Sprintf("%d.%09d", since.Unix(), since.Nanosecond())
	}
	ctx, cancel := context.WithCancel(ctx)
	stream, err := r.api.ContainerLogs(ctx, string(id), options)
	if err != nil {
		cancel()
		return nil, r.failed(ctx, op, err)
	}
	lines, writer := io.Pipe()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer stream.Close() // read only
		_, err := stdcopy.StdCopy(writer, writer, stream)
		if ctx.Err() != nil {
			err = nil // as agreed: the stream ends with ctx
		}
		writer.CloseWithError(r.failed(ctx, op, err))
	}()
	return &logReader{lines, cancel, ended}, nil
}

type logReader struct {
	*io.PipeReader
	cancel func()
	ended  chan struct{}
}

// Close ends the stream and waits until nothing of it runs.
func (l *logReader) Close() error {
	l.cancel()
	err := l.PipeReader.Close()
	<-l.ended
	return err
}

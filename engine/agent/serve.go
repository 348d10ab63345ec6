package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"github.com/hashicorp/yamux"

	"github.com/scenario-run/scenario/engine/runtime"
)

// Job is something that an agent can run: spec goes in, lines come out. It
// must end soon after ctx does; what it still writes then arrives.
type Job func(ctx context.Context, spec []byte, out func(line []byte) error) error

// Serve is an agent's life: it answers the session on stdin and stdout until
// stdin ends, the other side stops answering, or ctx ends. Then everything that
// it had open is closed and every job has ended.
func Serve(ctx context.Context, stdin io.Reader, stdout io.Writer, jobs map[string]Job) error {
	session, err := yamux.Server(&joining{ReadWriteCloser: stdio{stdin, stdout}}, config(5*time.Second, 10*time.Second))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	// Close reports what it closes; there is nobody left to tell.
	stop := context.AfterFunc(ctx, func() { _ = session.Close() })
	defer stop()

	var streams sync.WaitGroup
	defer streams.Wait()
	defer cancel()
	for {
		stream, err := session.AcceptStream()
		if err != nil {
			// However a session ends, the lease is over.
			return nil
		}
		streams.Go(func() { serveStream(ctx, stream, jobs) })
	}
}

// config is that of both ends: ping every interval, and give up on an answer or
// a blocked write after timeout.
func config(interval, timeout time.Duration) *yamux.Config {
	c := yamux.DefaultConfig()
	c.KeepAliveInterval = interval
	c.ConnectionWriteTimeout = timeout
	c.AcceptBacklog = 4096
	c.StreamOpenTimeout = 0 // a dial has its own limit
	c.LogOutput = io.Discard
	return c
}

// stdio makes one connection of two.
type stdio struct {
	io.Reader
	io.Writer
}

// Close closes both where they can be.
func (s stdio) Close() error {
	var errs []error
	for _, end := range []any{s.Reader, s.Writer} {
		if c, ok := end.(io.Closer); ok {
			errs = append(errs, c.Close())
		}
	}
	return errors.Join(errs...)
}

// serveStream answers the requests of a stream: one to dial, or jobs one after
// the other. An error that can't be written has no reader: the stream or the
// session is gone.
func serveStream(ctx context.Context, stream *yamux.Stream, jobs map[string]Job) {
	defer stream.Close()
	in, out := &frameReader{r: stream}, &frameWriter{w: stream}
	for f := in.frame(); f.err == nil; {
		var req request
		if err := json.Unmarshal(f.payload, &req); err != nil || f.kind != requestFrame {
			_ = out.writeJSON(errorFrame, wireError{Text: fmt.Sprintf("not a request: frame %d: %v", f.kind, err)})
			return
		}
		if req.Job == "" {
			serveDial(ctx, in, out, req)
			return
		}
		if f = serveJob(ctx, in, out, jobs, req); f.kind != requestFrame {
			return // it told the job to finish, and closes
		}
	}
}

// serveJob runs a job, and returns what the client sends next. While the job
// goes on, that tells it to finish, as the stream's end does.
func serveJob(ctx context.Context, in *frameReader, out *frameWriter, jobs map[string]Job, req request) frame {
	ctx, cancel := context.WithCancel(ctx)
	next := make(chan frame, 1)
	go func() { // ends with the stream at the latest
		defer cancel()
		next <- in.frame()
	}()
	err := runJob(ctx, jobs, req, out)
	if err != nil && !errors.Is(err, context.Canceled) {
		if text, bad := json.Marshal(encodeError(err)); bad == nil {
			_ = out.last(errorFrame, text)
		}
	} else {
		_ = out.last(endFrame, nil)
	}
	return <-next
}

func runJob(ctx context.Context, jobs map[string]Job, req request, out *frameWriter) error {
	run := func(ctx context.Context, name string, spec []byte, out func([]byte) error) error {
		job, ok := jobs[name]
		if !ok {
			return fmt.Errorf("the agent has no job %q", name)
		}
		return job(ctx, spec, out)
	}
	out.gather()
	write := func(line []byte) error { return out.write(dataFrame, line) }
	if req.Job == runtime.SeriesJob {
		return runtime.Series(ctx, req.Spec, write, run)
	}
	return run(ctx, req.Job, req.Spec, write)
}

// serveDial connects, and copies both ways until the client closes the stream.
func serveDial(ctx context.Context, in *frameReader, out *frameWriter, req request) {
	ctx, cancel := context.WithCancel(ctx)
	conns := make(chan net.Conn, 1)
	var sender sync.WaitGroup
	defer sender.Wait()
	defer close(conns)
	sender.Go(func() {
		defer cancel() // the client is gone: give up, close the connection
		// It sends nothing before the answer, so this returns with its first
		// data, or with the end of a client that does not want to wait.
		t, size, err := in.next()
		if err != nil {
			return
		}
		if conn := <-conns; conn != nil {
			fromClient(conn, in, t, size)
		}
	})
	conn, err := dial(ctx, req)
	if err != nil {
		_ = out.writeJSON(errorFrame, encodeError(err))
		return
	}
	context.AfterFunc(ctx, func() { _ = conn.Close() })
	conns <- conn
	addresses := conn.LocalAddr().String() + " " + conn.RemoteAddr().String()
	if err := out.write(dialledFrame, []byte(addresses)); err != nil {
		return
	}
	if err := toClient(out, conn); err != nil && ctx.Err() == nil {
		_ = out.writeJSON(errorFrame, encodeError(err))
	}
}

func dial(ctx context.Context, req request) (net.Conn, error) {
	if req.Timeout > 0 {
		var stop func()
		ctx, stop = context.WithTimeout(ctx, time.Duration(req.Timeout))
		defer stop()
	}
	return (&net.Dialer{}).DialContext(ctx, req.Network, req.Address)
}

// toClient copies what the connection receives, up to and including its end.
func toClient(out *frameWriter, conn net.Conn) error {
	buf := make([]byte, chunk)
	for {
		n, err := conn.Read(buf)
		if n > 0 || err == nil {
			if err := out.write(dataFrame, buf[:n]); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return out.write(endFrame, nil)
		}
		if err != nil {
			return err
		}
	}
}

// fromClient writes what the client sends to the connection, beginning with
// the frame whose header has been read, until the client closes the stream. An
// error of the connection is seen, and reported, by toClient.
func fromClient(conn net.Conn, in *frameReader, t frameType, size int) {
	buf := make([]byte, chunk)
	for {
		if half, ok := conn.(interface{ CloseWrite() error }); ok && t == endFrame {
			_ = half.CloseWrite()
		}
		for size > 0 {
			n, err := in.payload(buf)
			if err != nil {
				return
			}
			size -= n
			_, _ = conn.Write(buf[:n])
		}
		var err error
		if t, size, err = in.next(); err != nil {
			return
		}
	}
}

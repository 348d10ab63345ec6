package agent

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"github.com/hashicorp/yamux"
)

// drainLimit is how long a job that was told to finish may go on.
const drainLimit = 30 * time.Second

// Client drives an agent.
type Client struct {
	session *yamux.Session
	mu      sync.Mutex
	idle    []exchange // those whose job has ended, for the next
}

// mostIdle is how many streams are kept for jobs to come.
const mostIdle = 8

// NewClient begins a session over conn, which it owns from now on, and returns
// when the agent has answered.
func NewClient(ctx context.Context, conn io.ReadWriteCloser) (*Client, error) {
	session, err := yamux.Client(&joining{ReadWriteCloser: conn}, config(10*time.Second, 30*time.Second))
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	// A ping returns when the session is closed.
	stop := context.AfterFunc(ctx, func() { _ = session.Close() })
	_, err = session.Ping()
	if !stop() {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%w: no answer: %w", ErrLost, err), session.Close())
	}
	return &Client{session: session}, nil
}

// Lost is closed when the session is over.
func (c *Client) Lost() <-chan struct{} { return c.session.CloseChan() }

// Close ends the session, and with it the agent.
func (c *Client) Close() error { return c.session.Close() }

// exchange is a stream, with its last request sent.
type exchange struct {
	*yamux.Stream
	in  *frameReader
	out *frameWriter
}

// open opens a stream with a request. Where the way to the agent is blocked this
// takes until the session gives up on it; the caller waits no longer than ctx.
func (c *Client) open(ctx context.Context, req request) (exchange, error) {
	type result struct {
		exchange
		err error
	}
	opened := make(chan result, 1)
	go func() {
		e, err := c.send(req)
		opened <- result{e, err}
	}()
	select {
	case o := <-opened:
		return o.exchange, o.err
	case <-ctx.Done():
		go func() {
			if o := <-opened; o.err == nil {
				_ = o.Close() // always nil
			}
		}()
		return exchange{}, ctx.Err()
	}
}

func (c *Client) send(req request) (exchange, error) {
	e, ok := c.takeIdle(req)
	if !ok {
		stream, err := c.session.OpenStream()
		if err != nil {
			return exchange{}, fmt.Errorf("%w: %w", ErrLost, err)
		}
		e = exchange{stream, &frameReader{r: stream}, &frameWriter{w: stream}}
		if req.Job != "" {
			e.in.r = bufio.NewReaderSize(stream, chunk) // many short frames
		}
	}
	if err := e.out.writeJSON(requestFrame, req); err != nil {
		return exchange{}, errors.Join(fmt.Errorf("%w: %w", ErrLost, err), e.Close())
	}
	return e, nil
}

// takeIdle takes a stream out that is kept for jobs, for a request of one.
func (c *Client) takeIdle(req request) (e exchange, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	last := len(c.idle) - 1
	if last < 0 || req.Job == "" {
		return exchange{}, false
	}
	e, c.idle = c.idle[last], c.idle[:last]
	return e, true
}

// keep keeps a stream on which nothing is under way any more, or closes it if
// there are enough.
func (c *Client) keep(e exchange) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.idle) == mostIdle {
		_ = e.Close() // always nil
		return
	}
	c.idle = append(c.idle, e)
}

// Dial connects from the agent's place. Its errors are those that a net.Dialer
// there would return; the connection can close its writing half.
func (c *Client) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	req := request{Network: network, Address: address}
	if deadline, ok := ctx.Deadline(); ok {
		// The agent gives up a little earlier, since it knows what it waited for:
		// an answer to a name, or to a connection.
		left := time.Until(deadline)
		req.Timeout = max(int64(left-min(left/10, 50*time.Millisecond)), 1)
	}
	e, err := c.open(ctx, req)
	if err != nil {
		return nil, dialError(ctx, network, address, err)
	}
	stop := context.AfterFunc(ctx, func() { _ = e.SetReadDeadline(time.Unix(1, 0)) })
	t, payload, err := e.in.whole()
	stopped := stop()
	switch {
	case err == nil && t == errorFrame:
		err = decodeError(payload)
	case err == nil && t == dialledFrame && stopped:
		return newConn(e, network, string(payload)), nil
	case err == nil && t != dialledFrame:
		err = fmt.Errorf("the agent answers with a frame of type %d", t)
	default:
		err = dialError(ctx, network, address, err)
	}
	_ = e.Close() // always nil; joined, it would hide a timeout from os.IsTimeout
	return nil, err
}

// dialError is why a dial was given up here.
func dialError(ctx context.Context, network, address string, err error) error {
	failed := &net.OpError{Op: "dial", Net: network, Addr: addr{network, address}}
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		failed.Err = timeoutError{}
	case ctx.Err() != nil:
		failed.Err = ctx.Err()
	case errors.Is(err, ErrLost):
		return err
	default:
		return fmt.Errorf("%w: %w", ErrLost, err)
	}
	return failed
}

// Run runs a job. When ctx ends the job is told to finish, and what it still
// writes is read; ending for that reason is no error. An error of line ends the
// job and is returned.
func (c *Client) Run(ctx context.Context, job string, spec []byte, line func([]byte) error) error {
	e, err := c.open(ctx, request{Job: job, Spec: spec})
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() {
		// If it can't be told, reading fails as well.
		_ = e.out.write(endFrame, nil)
		_ = e.SetReadDeadline(time.Now().Add(drainLimit))
	})
	ended, err := e.readJob(job, line)
	if stop() && ended {
		c.keep(e)
		return err
	}
	_ = e.Close() // always nil
	return err
}

// readJob reads what a job writes, and says whether it has come to its end.
func (e exchange) readJob(job string, line func([]byte) error) (ended bool, err error) {
	for {
		t, payload, err := e.in.whole()
		switch {
		case errors.Is(err, yamux.ErrTimeout):
			return false, fmt.Errorf("job %s did not finish within %s of being told to", job, drainLimit)
		case err != nil:
			return false, fmt.Errorf("%w: %w", ErrLost, err)
		case t == endFrame:
			return true, nil
		case t == errorFrame:
			return true, fmt.Errorf("job %s: %w", job, decodeError(payload))
		}
		if err := line(payload); err != nil {
			return false, err
		}
	}
}

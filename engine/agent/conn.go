package agent

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/hashicorp/yamux"
)

// conn is a connection that an agent has dialled.
type conn struct {
	exchange
	network       string
	local, remote string
	ended         error // what every further Read returns
	closed        atomic.Bool
}

var _ net.Conn = (*conn)(nil)

func newConn(e exchange, network, addresses string) *conn {
	local, remote, _ := strings.Cut(addresses, " ")
	return &conn{exchange: e, network: network, local: local, remote: remote}
}

// Read reads what the connection received. Of a datagram, what does not fit
// into p is lost.
func (c *conn) Read(p []byte) (int, error) {
	if c.ended != nil {
		return 0, c.ended
	}
	datagrams := strings.HasPrefix(c.network, "udp")
	for c.in.left == 0 || datagrams {
		t, size, err := c.in.next()
		if err != nil {
			return 0, c.failed("read", err)
		}
		switch t {
		case endFrame:
			c.ended = io.EOF
			return 0, c.ended
		case errorFrame:
			c.ended = c.readError(size)
			return 0, c.ended
		}
		if datagrams {
			if size == 0 {
				return 0, nil
			}
			break
		}
	}
	n, err := c.in.payload(p)
	if err != nil {
		return n, c.failed("read", err)
	}
	return n, nil
}

func (c *conn) readError(size int) error {
	payload := make([]byte, size)
	for n := 0; n < size; {
		m, err := c.in.payload(payload[n:])
		if err != nil {
			return c.failed("read", err)
		}
		n += m
	}
	return decodeError(payload)
}

// Write sends p, in frames that a reader takes at once.
func (c *conn) Write(p []byte) (int, error) {
	for n := 0; ; {
		m := min(len(p)-n, chunk)
		if err := c.out.write(dataFrame, p[n:n+m]); err != nil {
			return n, c.failed("write", err)
		}
		if n += m; n == len(p) {
			return n, nil
		}
	}
}

// CloseWrite says that no more will be sent.
func (c *conn) CloseWrite() error {
	if err := c.out.write(endFrame, nil); err != nil {
		return c.failed("close", err)
	}
	return nil
}

// Close closes both ways, and ends a Read that waits.
func (c *conn) Close() error {
	c.closed.Store(true)
	return errors.Join(c.SetReadDeadline(time.Unix(1, 0)), c.exchange.Close())
}

// failed turns an error of the stream into one of a connection.
func (c *conn) failed(op string, err error) error {
	switch {
	case c.closed.Load():
		err = net.ErrClosed
	case errors.Is(err, yamux.ErrTimeout):
		err = os.ErrDeadlineExceeded
	default:
		err = fmt.Errorf("%w: %w", ErrLost, err)
	}
	return &net.OpError{Op: op, Net: c.network, Addr: c.RemoteAddr(), Err: err}
}

// LocalAddr and RemoteAddr are as the agent sees them.
func (c *conn) LocalAddr() net.Addr  { return addr{c.network, c.local} }
func (c *conn) RemoteAddr() net.Addr { return addr{c.network, c.remote} }

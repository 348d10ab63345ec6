package traffic

import (
	"bufio"
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// wire sends HTTP/1.1 requests, each from the goroutine that asks: dialling,
// writing and reading one after the other, with one deadline for all of it.
//
// net/http's Transport does the same with two goroutines for each connection
// and some channels between them, so that it can serve contexts, proxies,
// HTTP/2 and early answers. A workload needs none of these, and what sending
// costs limits its rate: docs/decisions/0141.
type wire struct {
	dial      dialer
	keepalive bool
	kept      int64       // bytes of a body that are kept
	secure    *tls.Config // for https, without a server's name; not nil if that is asked

	mu   sync.Mutex
	idle map[string][]*wireConn // by where to; the one used last is last
}

// wireConn is a connection that can carry one request after the other.
type wireConn struct {
	net.Conn
	raw  net.Conn // below TLS
	key  string
	in   *bufio.Reader
	left int64 // bytes that may still be read of what is bounded, headers
}

// maxHeader is how many bytes an answer's status and headers may have, as for
// net/http.
const maxHeader = 10 << 20

// background is the size from which on a body is written while the answer is
// read, since a server may answer and never read it.
const background = 64 << 10

func (c *wireConn) Read(p []byte) (int, error) {
	if c.left <= 0 {
		return 0, unexpectedf("the answer's headers have more than %d bytes", maxHeader)
	}
	n, err := c.Conn.Read(p[:min(int64(len(p)), c.left)])
	c.left -= int64(n)
	return n, err
}

// ask sends a request and reads its answer within a time limit.
func (w *wire) ask(r Request, limit time.Duration) Reply {
	deadline := time.Now().Add(limit)
	req, err := r.prepare(context.Background())
	if err != nil {
		return Reply{Err: err}
	}
	req.Close = !w.keepalive
	key := req.URL.Scheme + "://" + req.URL.Host
	if c := w.take(key); c != nil {
		reply, answering := w.exchange(c, req, len(r.Body), deadline)
		if reply.Err == nil || answering || !safe(r.Method) || !time.Now().Before(deadline) {
			return reply
		}
		// The server closed it just then, as one may that has waited long.
		if req, err = r.prepare(context.Background()); err != nil {
			return Reply{Err: err}
		}
	}
	c, err := w.connect(req.URL, key, deadline)
	if err != nil {
		return Reply{Err: err}
	}
	reply, _ := w.exchange(c, req, len(r.Body), deadline)
	return reply
}

// take takes a connection that is alive from those that are idle.
func (w *wire) take(key string) *wireConn {
	for {
		w.mu.Lock()
		list := w.idle[key]
		if len(list) == 0 {
			w.mu.Unlock()
			return nil
		}
		c := list[len(list)-1]
		w.idle[key] = list[:len(list)-1]
		w.mu.Unlock()
		if c.in.Buffered() == 0 && alive(c.raw) {
			return c
		}
		c.Close() // the other side did first
	}
}

func (w *wire) put(c *wireConn) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.idle[c.key] = append(w.idle[c.key], c)
}

// close closes what is idle.
func (w *wire) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, list := range w.idle {
		for _, c := range list {
			c.Close() // nobody is interested in how that goes
		}
	}
	clear(w.idle)
}

func (w *wire) connect(u *url.URL, key string, deadline time.Time) (*wireConn, error) {
	ctx, cancel := context.WithDeadline(context.Background(), deadline)
	defer cancel()
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	raw, err := w.dial(ctx, "tcp", net.JoinHostPort(u.Hostname(), port))
	if err != nil {
		return nil, err
	}
	c := &wireConn{Conn: raw, raw: raw, key: key}
	if u.Scheme == "https" {
		config := w.secure.Clone()
		config.ServerName = u.Hostname()
		secure := tls.Client(raw, config)
		if err := secure.HandshakeContext(ctx); err != nil {
			raw.Close() // the handshake says more
			return nil, err
		}
		c.Conn = secure
	}
	c.in = bufio.NewReader(c)
	return c, nil
}

// exchange sends one request over a connection, which is its to keep or close.
// answering says that an answer, or a part of one, came.
func (w *wire) exchange(c *wireConn, req *http.Request, size int, deadline time.Time) (reply Reply, answering bool) {
	again, whole := false, false
	defer func() {
		if again {
			w.put(c)
			return
		}
		if whole {
			leave(c.raw)
		}
		c.Close() // its answer is read, or there will be none
	}()
	if err := c.SetDeadline(deadline); err != nil {
		return Reply{Err: err}, false
	}
	written := c.send(req, size)
	resp, err := c.answer(req)
	if err != nil {
		answering = c.left < maxHeader
		if !answering {
			err = firstOf(written, err)
		}
		return Reply{Err: err, Sent: true}, answering
	}
	body, total, err := readBody(resp.Body, w.kept)
	if err != nil {
		return Reply{Err: err, Sent: true, Bytes: total}, true
	}
	whole = true
	again = w.keepalive && !resp.Close && resp.StatusCode != http.StatusSwitchingProtocols && isWritten(written)
	return Reply{Status: resp.StatusCode, Header: resp.Header, Body: body, Bytes: total, Sent: true}, true
}

// send writes a request; the channel has how that went. One with a long body
// is still being written when it returns.
func (c *wireConn) send(req *http.Request, size int) <-chan error {
	written := make(chan error, 1)
	write := func() {
		out := bufio.NewWriterSize(c.Conn, 1024)
		err := req.Write(out)
		if err == nil {
			err = out.Flush()
		}
		written <- err
	}
	if size > background {
		go write() // ends when the connection is closed, at the latest at the deadline
		return written
	}
	write()
	return written
}

// answer reads an answer up to its body, passing over those that only say that
// one will come.
func (c *wireConn) answer(req *http.Request) (*http.Response, error) {
	for {
		c.left = maxHeader
		resp, err := http.ReadResponse(c.in, req)
		if err != nil {
			return nil, err
		}
		if resp.StatusCode >= 200 || resp.StatusCode == http.StatusSwitchingProtocols {
			c.left = 1<<63 - 1
			return resp, nil
		}
	}
}

// firstOf prefers the reason why a request could not be written to why its
// answer could not be read.
func firstOf(written <-chan error, read error) error {
	select {
	case err := <-written:
		if err != nil {
			return err
		}
	default: // the answer failed first
	}
	return read
}

func isWritten(written <-chan error) bool {
	select {
	case err := <-written:
		return err == nil
	default:
		return false
	}
}

// readBody reads a body to its end, and keeps its beginning.
func readBody(from io.ReadCloser, kept int64) (body []byte, total int64, err error) {
	defer from.Close()
	if kept > 0 {
		body, err = io.ReadAll(io.LimitReader(from, kept))
		total = int64(len(body))
	}
	if err == nil {
		var rest int64
		rest, err = io.Copy(io.Discard, from)
		total += rest
	}
	return body, total, err
}

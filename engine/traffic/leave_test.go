//go:build linux

package traffic

import (
	"errors"
	"io"
	"net"
	"net/http"
	"syscall"
	"testing"
	"time"
)

// A server that has closed its end with its answer need not remember the
// connection; one that has not must not take the close for a failure.
func TestAConnectionIsLeftAsTheServerLeavesIt(t *testing.T) {
	for name, tt := range map[string]struct {
		closes bool
		want   error
	}{"closed by the server": {true, syscall.ECONNRESET}, "left open by the server": {false, io.EOF}} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		seen := make(chan error, 1)
		go func() { seen <- answerOnce(l, tt.closes) }()
		w := &wire{dial: (&net.Dialer{}).DialContext, idle: map[string][]*wireConn{}}
		reply := w.ask(Request{Method: http.MethodGet, URL: "http://" + l.Addr().String()}, 5*time.Second)
		if reply.Err != nil || reply.Status != 200 || reply.Bytes != 2 {
			t.Errorf("%s: %+v", name, reply)
		}
		if err := <-seen; !errors.Is(err, tt.want) {
			t.Errorf("%s: it sees %v, want %v", name, err, tt.want)
		}
	}
}

// answerOnce answers one request, closing its end with the answer if it is to,
// and returns what it sees after it.
func answerOnce(l net.Listener, closes bool) error {
	accepted, err := l.Accept()
	if err != nil {
		return err
	}
	defer accepted.Close()
	conn := accepted.(*net.TCPConn)
	if _, err := conn.Read(make([]byte, 4096)); err != nil {
		return err
	}
	if err := cork(conn); err != nil {
		return err
	}
	if _, err := io.WriteString(conn, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok"); err != nil {
		return err
	}
	if closes {
		err = conn.CloseWrite()
	} else {
		err = conn.SetNoDelay(true) // which lets go of what was held
	}
	if err != nil {
		return err
	}
	_, err = conn.Read(make([]byte, 1))
	return err
}

// cork holds what is written until the end of it comes, in one packet with that.
func cork(c *net.TCPConn) error {
	raw, err := c.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = raw.Control(func(fd uintptr) { failed = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, syscall.TCP_CORK, 1) })
	return errors.Join(err, failed)
}

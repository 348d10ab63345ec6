package agent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// start runs an agent over pipes, as a container would, and returns its client.
// The agent must have ended by the end of the test.
func start(t *testing.T, jobs map[string]Job) *Client {
	t.Helper()
	agentIn, toAgent := io.Pipe()
	fromAgent, agentOut := io.Pipe()
	served := make(chan error, 1)
	go func() { served <- Serve(context.Background(), agentIn, agentOut, jobs) }()
	c, err := NewClient(t.Context(), struct {
		io.Reader
		io.Writer
		io.Closer
	}{fromAgent, toAgent, closers{toAgent, fromAgent}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return c
}

type closers []io.Closer

func (cs closers) Close() error {
	var errs []error
	for _, c := range cs {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}

// listen returns the address of a listener that hands connections to serve.
func listen(t *testing.T, serve func(*net.TCPConn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go serve(conn.(*net.TCPConn))
		}
	}()
	return l.Addr().String()
}

func TestAConnectionCarriesBothWaysAndClosesByHalves(t *testing.T) {
	address := listen(t, func(conn *net.TCPConn) {
		defer conn.Close()
		sent, err := io.ReadAll(conn) // returns when the client closed its half
		fmt.Fprintf(conn, "%d bytes, %v", len(sent), err)
	})
	conn, err := start(t, nil).Dial(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	if got := conn.RemoteAddr().String(); got != address {
		t.Errorf("remote address %s, dialled %s", got, address)
	}
	// More than a window and a frame.
	if _, err := conn.Write(bytes.Repeat([]byte("x"), 1<<20)); err != nil {
		t.Fatal(err)
	}
	if err := conn.(interface{ CloseWrite() error }).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(conn)
	if err != nil || string(got) != "1048576 bytes, <nil>" {
		t.Errorf("got %q, %v", got, err)
	}
	if err := conn.Close(); err != nil {
		t.Error(err)
	}
}

func TestDialErrorsKeepTheirClass(t *testing.T) {
	c := start(t, nil)
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	refusing := closed.Addr().String()
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, address string
		timeout       time.Duration
		is            func(error) bool
		text          string
	}{
		{"refused", refusing, time.Minute, func(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }, "dial tcp " + refusing + ": connect: connection refused"},
		{"timed out", "127.0.0.1:1", time.Nanosecond, func(err error) bool {
			return os.IsTimeout(err) && errors.Is(err, context.DeadlineExceeded)
		}, "i/o timeout"},
		{"no such name", "no-such-host.invalid:80", time.Minute, func(err error) bool {
			var dns *net.DNSError
			return errors.As(err, &dns) && dns.Name == "no-such-host.invalid"
		}, "lookup no-such-host.invalid"},
		{"not an address", "127.0.0.1", time.Minute, func(err error) bool { return !os.IsTimeout(err) }, "missing port in address"},
	} {
		t.Run(test.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), test.timeout)
			defer cancel()
			_, err := c.Dial(ctx, "tcp", test.address)
			if err == nil || !test.is(err) || !strings.Contains(err.Error(), test.text) {
				t.Errorf("got %v (%#v), want %q", err, err, test.text)
			}
		})
	}
}

func TestErrorsSurviveTheWire(t *testing.T) {
	op := func(err error) error {
		return &net.OpError{Op: "dial", Net: "tcp", Addr: addr{"tcp", "10.0.0.1:80"}, Err: err}
	}
	for _, err := range []error{
		op(os.NewSyscallError("connect", syscall.EHOSTUNREACH)),
		op(os.NewSyscallError("connect", syscall.ENETUNREACH)),
		op(os.NewSyscallError("read", syscall.ECONNRESET)),
		op(timeoutError{}),
		op(&net.DNSError{Err: "no such host", Name: "x", Server: "127.0.0.11:53", IsNotFound: true}),
		op(&net.DNSError{Err: "i/o timeout", Name: "x", IsTimeout: true}),
		errors.New("anything else"),
	} {
		got := encodeError(err).decode()
		if got.Error() != err.Error() || os.IsTimeout(got) != os.IsTimeout(err) {
			t.Errorf("got %v (timeout %v), want %v (timeout %v)", got, os.IsTimeout(got), err, os.IsTimeout(err))
		}
		var was, is syscall.Errno
		if errors.As(err, &was) && !(errors.As(got, &is) && was == is) {
			t.Errorf("%v lost its number", err)
		}
	}
}

func TestAResetIsSeenAsAReset(t *testing.T) {
	address := listen(t, func(conn *net.TCPConn) {
		conn.SetLinger(0)
		conn.Close()
	})
	conn, err := start(t, nil).Dial(t.Context(), "tcp", address)
	if err == nil {
		defer conn.Close()
		_, err = conn.Read(make([]byte, 1))
	}
	if !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("got %v", err)
	}
}

func TestClosingAConnectionClosesItAtTheAgent(t *testing.T) {
	seen := make(chan error, 1)
	address := listen(t, func(conn *net.TCPConn) {
		_, err := conn.Read(make([]byte, 1))
		seen <- err
	})
	conn, err := start(t, nil).Dial(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	reading := make(chan error, 1)
	go func() {
		_, err := conn.Read(make([]byte, 1))
		reading <- err
	}()
	if err := conn.Close(); err != nil {
		t.Error(err)
	}
	if err := <-reading; !errors.Is(err, net.ErrClosed) {
		t.Errorf("a waiting read returns %v", err)
	}
	if err := <-seen; err != io.EOF {
		t.Errorf("the server reads %v", err)
	}
}

func TestAReadEndsAtItsDeadlineAndCanBeRepeated(t *testing.T) {
	goOn := make(chan struct{})
	address := listen(t, func(conn *net.TCPConn) {
		defer conn.Close()
		<-goOn
		io.WriteString(conn, "late")
	})
	conn, err := start(t, nil).Dial(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.SetReadDeadline(time.Now())
	if _, err := conn.Read(make([]byte, 1)); !os.IsTimeout(err) || !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	close(goOn)
	conn.SetReadDeadline(time.Time{})
	if got, err := io.ReadAll(conn); err != nil || string(got) != "late" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestHTTPGoesThroughTheAgent(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "hello ", r.URL.Path)
	}))
	defer server.Close()
	client := &http.Client{Transport: &http.Transport{DialContext: start(t, nil).Dial, DisableKeepAlives: true}}
	answer, err := client.Get(server.URL + "/x")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if body, err := io.ReadAll(answer.Body); err != nil || string(body) != "hello /x" {
		t.Errorf("got %q, %v", body, err)
	}
}

func TestDatagramsKeepTheirBounds(t *testing.T) {
	server, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	go func() {
		buf := make([]byte, 100)
		for {
			n, from, err := server.ReadFrom(buf)
			if err != nil {
				return
			}
			server.WriteTo(buf[:n], from)
		}
	}()
	conn, err := start(t, nil).Dial(t.Context(), "udp", server.LocalAddr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for _, text := range []string{"one", "three"} {
		if _, err := io.WriteString(conn, text); err != nil {
			t.Fatal(err)
		}
	}
	buf := make([]byte, 100)
	n, err := conn.Read(buf[:2]) // what does not fit is lost
	if err != nil || string(buf[:n]) != "on" {
		t.Errorf("got %q, %v", buf[:n], err)
	}
	if n, err = conn.Read(buf); err != nil || string(buf[:n]) != "three" {
		t.Errorf("got %q, %v", buf[:n], err)
	}
}

// writes are what was written to it, each on its own.
type writes struct {
	io.ReadWriteCloser
	all []string
}

func (w *writes) Write(p []byte) (int, error) {
	w.all = append(w.all, string(p))
	return len(p), nil
}

func TestAHeaderGoesWithItsData(t *testing.T) {
	const data, update = "\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x03", "\x00\x01\x00\x01\x00\x00\x00\x01\x00\x00\x00\x03"
	to := &writes{}
	j := &joining{ReadWriteCloser: to}
	for _, part := range []string{data, "abc", update, data, update[:3]} {
		if n, err := j.Write([]byte(part)); n != len(part) || err != nil {
			t.Errorf("%q: %d %v", part, n, err)
		}
	}
	if want := []string{data + "abc", update, data + update[:3]}; !slices.Equal(to.all, want) {
		t.Errorf("%q, want %q", to.all, want)
	}
}

func BenchmarkDial(b *testing.B) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			conn.Close()
		}
	}()
	agentIn, toAgent := io.Pipe()
	fromAgent, agentOut := io.Pipe()
	go Serve(context.Background(), agentIn, agentOut, nil)
	c, err := NewClient(b.Context(), struct {
		io.Reader
		io.Writer
		io.Closer
	}{fromAgent, toAgent, toAgent})
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	for b.Loop() {
		conn, err := c.Dial(b.Context(), "tcp", l.Addr().String())
		if err != nil {
			b.Fatal(err)
		}
		conn.Close()
	}
}

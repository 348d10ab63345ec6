//go:build linux

package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// serve answers requests on a port of its own choice, which it prints, until
// ctx or its standard input ends.
//
// It does as little as a server can, so that the cores are the senders': one
// thread, and accept, read, write and close for a connection that carries one
// request. With net.Listener, a goroutine for each connection and what the
// runtime does to wake it, it took as much as a sender, and what was sent late
// or not answered in time said how many cores the machine has.
func serve(ctx context.Context) error {
	runtime.LockOSThread()
	s, port, err := listen()
	if err != nil {
		return err
	}
	over, tell, err := os.Pipe()
	if err != nil {
		return err
	}
	defer over.Close()
	context.AfterFunc(ctx, func() { _ = tell.Close() }) // at the latest the other has closed it
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // its end is what counts
		_ = tell.Close()
	}()
	fmt.Printf("http://127.0.0.1:%d/\n", port)
	return s.loop(int(over.Fd()))
}

// server has its connections by their descriptors, each with what it has got of
// a request.
type server struct {
	epoll, listener int
	partial         map[int][]byte
	buf             []byte
	kept, last      []byte // answers, on a connection that is kept and one that is not
}

// backlog is how many connections may wait: as many as a sender has in flight,
// and more.
const backlog = 4096

func listen() (*server, int, error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, 0, fmt.Errorf("make a socket: %w", err)
	}
	// A connection is handed out with its request, so that it needs no wait.
	if err := unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_DEFER_ACCEPT, 1); err != nil {
		return nil, 0, fmt.Errorf("accept with the request: %w", err)
	}
	if err := unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return nil, 0, fmt.Errorf("bind: %w", err)
	}
	if err := unix.Listen(fd, backlog); err != nil {
		return nil, 0, fmt.Errorf("listen: %w", err)
	}
	at, err := unix.Getsockname(fd)
	if err != nil {
		return nil, 0, fmt.Errorf("find the port: %w", err)
	}
	epoll, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, 0, fmt.Errorf("epoll: %w", err)
	}
	s := &server{epoll: epoll, listener: fd, partial: map[int][]byte{}, buf: make([]byte, 4096), kept: reply(""), last: reply("Connection: close\r\n")}
	return s, at.(*unix.SockaddrInet4).Port, s.watch(fd)
}

func (s *server) watch(fd int) error {
	err := unix.EpollCtl(s.epoll, unix.EPOLL_CTL_ADD, fd, &unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(fd)})
	if err != nil {
		return fmt.Errorf("watch a connection: %w", err)
	}
	return nil
}

// loop answers what comes until over is readable or closed.
func (s *server) loop(over int) error {
	if err := s.watch(over); err != nil {
		return err
	}
	for events := make([]unix.EpollEvent, 256); ; {
		n, err := unix.EpollWait(s.epoll, events, -1)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return fmt.Errorf("wait for requests: %w", err)
		}
		for _, e := range events[:n] {
			switch fd := int(e.Fd); fd {
			case over:
				return nil
			case s.listener:
				err = s.accept()
			default:
				err = s.read(fd)
			}
			if err != nil {
				return err
			}
		}
	}
}

// accept takes in what waits. One that has more to say later is watched.
func (s *server) accept() error {
	for {
		fd, _, err := unix.Accept4(s.listener, unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC)
		switch err {
		case nil:
		case unix.EAGAIN:
			return nil
		case unix.EINTR, unix.ECONNABORTED:
			continue
		default:
			return fmt.Errorf("accept: %w", err)
		}
		s.partial[fd] = nil
		if err := s.read(fd); err != nil {
			return err
		}
		if _, open := s.partial[fd]; open {
			if err := s.watch(fd); err != nil {
				return err
			}
		}
	}
}

// read reads what a connection has, and answers when that ends a request.
// Requests have no bodies. A connection is closed after the request that says it
// is the last, and when the client is gone.
func (s *server) read(fd int) error {
	n, err := unix.Read(fd, s.buf)
	if err == unix.EAGAIN || err == unix.EINTR {
		return nil
	}
	if err != nil || n == 0 {
		return s.close(fd)
	}
	request := s.buf[:n]
	if before := s.partial[fd]; len(before) > 0 {
		request = append(before, request...)
	}
	if !bytes.HasSuffix(request, []byte("\r\n\r\n")) {
		s.partial[fd] = bytes.Clone(request)
		return nil
	}
	s.partial[fd] = s.partial[fd][:0]
	last := bytes.Contains(request, []byte("Connection: close"))
	reply := s.kept
	if last {
		reply = s.last
	}
	if n, err := unix.Write(fd, reply); err != nil || n < len(reply) || last {
		return s.close(fd) // whoever does not read its answers has none
	}
	return nil
}

func reply(header string) []byte {
	return []byte("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 10\r\n" + header + "\r\n{\"pid\": 7}")
}

func (s *server) close(fd int) error {
	delete(s.partial, fd)
	if err := unix.Close(fd); err != nil {
		return fmt.Errorf("close a connection: %w", err)
	}
	return nil
}

// target is the server as a process.
type target struct {
	url   string
	cmd   *exec.Cmd
	stdin io.Closer
}

func startServer(ctx context.Context) (*target, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, self, "-serve")
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	url, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		return nil, fmt.Errorf("the server did not say where it listens: %w", err)
	}
	return &target{strings.TrimSpace(url), cmd, stdin}, nil
}

// cpu is the CPU time that the server has taken so far (proc_pid_stat(5), fields
// 14 and 15, in hundredths of a second).
func (t *target) cpu() (time.Duration, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", t.cmd.Process.Pid))
	if err != nil {
		return 0, fmt.Errorf("look at the server: %w", err)
	}
	_, after, _ := bytes.Cut(text, []byte(") "))
	fields := strings.Fields(string(after))
	if len(fields) < 13 {
		return 0, fmt.Errorf("the server's stat is %q", text)
	}
	user, err := strconv.Atoi(fields[11])
	system, systemErr := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond, errors.Join(err, systemErr)
}

func (t *target) stop() {
	if err := t.stdin.Close(); err != nil {
		fmt.Fprintln(os.Stderr, "traffic:", err)
	}
	if err := t.cmd.Wait(); err != nil {
		fmt.Fprintln(os.Stderr, "traffic: server:", err)
	}
}

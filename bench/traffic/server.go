package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
)

// serve answers requests on a port of its own choice, which it prints, until
// ctx or its standard input ends. It does as little as a server can, so that
// the cores are the senders'.
func serve(ctx context.Context) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println("http://" + l.Addr().String() + "/")
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	context.AfterFunc(ctx, func() { _ = l.Close() }) // ends Accept, which says so
	go func() {
		defer cancel()
		_, _ = io.Copy(io.Discard, os.Stdin) // its end is what counts
	}()
	for {
		conn, err := l.Accept()
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		go answer(conn)
	}
}

// answer answers the requests of a connection, which have no bodies, until one
// says that it is the last, or the client is gone.
func answer(conn net.Conn) {
	defer conn.Close()
	const head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 10\r\n"
	const body = "\r\n{\"pid\": 7}"
	buf, n := make([]byte, 4096), 0
	for {
		m, err := conn.Read(buf[n:])
		n += m
		if err != nil {
			return
		}
		if !bytes.HasSuffix(buf[:n], []byte("\r\n\r\n")) {
			continue
		}
		last := bytes.Contains(buf[:n], []byte("Connection: close"))
		n = 0
		reply := head + body
		if last {
			reply = head + "Connection: close\r\n" + body
		}
		if _, err := io.WriteString(conn, reply); err != nil || last {
			return
		}
	}
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

func (t *target) stop() {
	if err := t.stdin.Close(); err != nil {
		fmt.Fprintln(os.Stderr, "traffic:", err)
	}
	if err := t.cmd.Wait(); err != nil {
		fmt.Fprintln(os.Stderr, "traffic: server:", err)
	}
}

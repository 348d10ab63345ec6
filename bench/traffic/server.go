package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
)

// serve answers requests on a port of its own choice, which it prints, until
// ctx or its standard input ends.
func serve(ctx context.Context) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println("http://" + l.Addr().String() + "/")
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"pid": 7}`) // a client that is gone is none of our business
	})}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	context.AfterFunc(ctx, func() { _ = server.Close() }) // ends Serve, which says so
	go func() {
		defer cancel()
		_, _ = io.Copy(io.Discard, os.Stdin) // its end is what counts
	}()
	if err := server.Serve(l); err != http.ErrServerClosed {
		return err
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

func (t *target) stop() {
	if err := t.stdin.Close(); err != nil {
		fmt.Fprintln(os.Stderr, "traffic:", err)
	}
	if err := t.cmd.Wait(); err != nil {
		fmt.Fprintln(os.Stderr, "traffic: server:", err)
	}
}

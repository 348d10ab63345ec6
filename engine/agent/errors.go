package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"
)

// ErrLost is what every call returns once the session is over: the agent is
// gone, or does not answer.
var ErrLost = errors.New("the agent is gone")

// wireError carries an error of package net so that the other side can tell
// refused from timed out from not found, as if it had dialled itself. Both
// sides run the same binary, so error numbers mean the same.
type wireError struct {
	Text    string        `json:"text"`
	Op      string        `json:"op,omitempty"`
	Net     string        `json:"net,omitempty"`
	Addr    string        `json:"addr,omitempty"`
	Errno   int           `json:"errno,omitempty"`
	Syscall string        `json:"syscall,omitempty"`
	Timeout bool          `json:"timeout,omitempty"`
	DNS     *net.DNSError `json:"dns,omitempty"`
}

func encodeError(err error) wireError {
	w := wireError{Text: err.Error()}
	var op *net.OpError
	if errors.As(err, &op) {
		w.Op, w.Net = op.Op, op.Net
		if op.Addr != nil {
			w.Addr = op.Addr.String()
		}
		w.Text = op.Err.Error()
	}
	var dns *net.DNSError
	var call *os.SyscallError
	var errno syscall.Errno
	var timeout net.Error
	switch {
	case errors.As(err, &dns):
		w.DNS = &net.DNSError{
			Err: dns.Err, Name: dns.Name, Server: dns.Server,
			IsTimeout: dns.IsTimeout, IsTemporary: dns.IsTemporary, IsNotFound: dns.IsNotFound,
		}
	case errors.As(err, &errno):
		w.Errno = int(errno)
		if errors.As(err, &call) {
			w.Syscall = call.Syscall
		}
	case errors.As(err, &timeout) && timeout.Timeout(), errors.Is(err, context.DeadlineExceeded):
		w.Timeout = true
	}
	return w
}

func (w wireError) decode() error {
	var err error
	switch {
	case w.DNS != nil:
		err = w.DNS
	case w.Errno != 0 && w.Syscall != "":
		err = os.NewSyscallError(w.Syscall, syscall.Errno(w.Errno))
	case w.Errno != 0:
		err = syscall.Errno(w.Errno)
	case w.Timeout:
		err = timeoutError{}
	default:
		err = errors.New(w.Text)
	}
	if w.Op == "" {
		return err
	}
	op := &net.OpError{Op: w.Op, Net: w.Net, Err: err}
	if w.Addr != "" {
		op.Addr = addr{w.Net, w.Addr}
	}
	return op
}

func decodeError(payload []byte) error {
	var w wireError
	if err := json.Unmarshal(payload, &w); err != nil {
		return fmt.Errorf("read the agent's error: %w", err)
	}
	return w.decode()
}

// timeoutError is a net.Error like that of package net.
type timeoutError struct{}

func (timeoutError) Error() string   { return "i/o timeout" }
func (timeoutError) Timeout() bool   { return true }
func (timeoutError) Temporary() bool { return true }
func (timeoutError) Is(target error) bool {
	return target == context.DeadlineExceeded || target == os.ErrDeadlineExceeded
}

// addr is an address as text.
type addr struct{ network, text string }

func (a addr) Network() string { return a.network }
func (a addr) String() string  { return a.text }

package traffic

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"syscall"
	"testing"
)

func TestErrorsAreClassifiedThroughEveryWrapping(t *testing.T) {
	dial := func(err error) error { return &net.OpError{Op: "dial", Net: "tcp", Err: err} }
	call := func(n syscall.Errno) error { return dial(os.NewSyscallError("connect", n)) }
	for _, tt := range []struct {
		err  error
		want Class
	}{
		{nil, ""},
		{call(syscall.ECONNREFUSED), Refused},
		{dial(syscall.ECONNREFUSED), Refused},
		{fmt.Errorf("ask: %w", &url.Error{Op: "Get", URL: "http://x", Err: call(syscall.ECONNREFUSED)}), Refused},
		{call(syscall.ECONNRESET), Reset},
		{call(syscall.EPIPE), Reset},
		{io.EOF, Reset},
		{&url.Error{Op: "Get", Err: io.ErrUnexpectedEOF}, Reset},
		{net.ErrClosed, Reset},
		{call(syscall.ETIMEDOUT), Timeout},
		{context.DeadlineExceeded, Timeout},
		{dial(os.ErrDeadlineExceeded), Timeout},
		{&url.Error{Op: "Get", Err: context.DeadlineExceeded}, Timeout},
		{call(syscall.EHOSTUNREACH), Unreachable},
		{call(syscall.ENETUNREACH), Unreachable},
		{dial(&net.DNSError{Err: "no such host", Name: "web", IsNotFound: true}), DNS},
		{dial(&net.DNSError{Err: "i/o timeout", Name: "web", IsTimeout: true}), DNS},
		{call(syscall.EADDRNOTAVAIL), Saturated},
		{fmt.Errorf("told: %w", &failure{Down, "the node is down"}), Down},
		{statusError(404), HTTP4xx},
		{statusError(503), HTTP5xx},
		{statusError(302), Unexpected},
		{errors.New("malformed HTTP response"), Unexpected},
		{call(syscall.EINVAL), Unexpected},
	} {
		if got := Classify(tt.err); got != tt.want {
			t.Errorf("%v: %q, want %q", tt.err, got, tt.want)
		}
	}
}

package traffic

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
)

// Class is how a request failed.
type Class string

// The classes.
const (
	Refused     Class = "refused"     // nobody listens
	Reset       Class = "reset"       // the connection broke
	Timeout     Class = "timeout"     // no answer in time
	DNS         Class = "dns"         // the name could not be looked up
	Unreachable Class = "unreachable" // no route
	HTTP4xx     Class = "http_4xx"    // a status that was not expected
	HTTP5xx     Class = "http_5xx"
	Unexpected  Class = "unexpected" // an answer that was not expected, or any other error
	WentBack    Class = "went_back"  // a captured number that must only grow did not
	Saturated   Class = "saturated"  // not sent: too many in flight, or no free port
	Down        Class = "down"       // the node that should ask is not running
)

// failure is an answer that was not expected.
type failure struct {
	class Class
	text  string
}

func (e *failure) Error() string { return e.text }

var byErrno = map[syscall.Errno]Class{
	syscall.ECONNREFUSED:  Refused,
	syscall.ECONNRESET:    Reset,
	syscall.ECONNABORTED:  Reset,
	syscall.EPIPE:         Reset,
	syscall.ETIMEDOUT:     Timeout,
	syscall.EHOSTUNREACH:  Unreachable,
	syscall.ENETUNREACH:   Unreachable,
	syscall.EHOSTDOWN:     Unreachable,
	syscall.ENETDOWN:      Unreachable,
	syscall.EADDRNOTAVAIL: Saturated,
	syscall.EMFILE:        Saturated,
	syscall.ENFILE:        Saturated,
}

// Classify says how a request failed.
func Classify(err error) Class {
	var (
		known *failure
		dns   *net.DNSError
		errno syscall.Errno
		netOp net.Error
	)
	switch {
	case err == nil:
		return ""
	case errors.As(err, &known):
		return known.class
	case errors.As(err, &dns):
		return DNS
	case errors.As(err, &errno) && byErrno[errno] != "":
		return byErrno[errno]
	case os.IsTimeout(err), errors.Is(err, context.DeadlineExceeded), errors.As(err, &netOp) && netOp.Timeout():
		return Timeout
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed):
		return Reset
	default:
		return Unexpected
	}
}

// statusError is an answer with a status that was not expected.
func statusError(code int) *failure {
	class := Unexpected
	switch code / 100 {
	case 4:
		class = HTTP4xx
	case 5:
		class = HTTP5xx
	}
	return &failure{class, fmt.Sprintf("status %d", code)}
}

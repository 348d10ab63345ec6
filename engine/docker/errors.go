package docker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"os"
	"regexp"
	"strings"
	"syscall"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/client"

	"github.com/scenario-run/scenario/engine/runtime"
)

// failed turns what the client returned into an error of package runtime. The
// daemon's status codes are too coarse to tell a node's fault from the lab's,
// so its words decide, as all its versions since 20.10 use them.
//
// A call that ended because its context did says nothing of the daemon, though
// the client takes it for a connection that failed: its error is the context's
// cause. ctx is the call's.
func (r *Runtime) failed(ctx context.Context, op string, err error) error {
	if err == nil {
		return nil
	}
	var done *runtime.Error
	if errors.As(err, &done) {
		return err
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%s: %w", op, err)
	}
	if lost(err) {
		if ctx.Err() != nil {
			return fmt.Errorf("%s: %w", op, context.Cause(ctx))
		}
		return &runtime.Error{Kind: runtime.Unreachable, Op: op, Err: r.unreachable(err), Hint: r.reachHint(err)}
	}
	text := err.Error()
	for _, s := range said {
		for _, words := range s.words {
			if strings.Contains(text, words) {
				return &runtime.Error{Kind: s.kind, Op: op, Err: r.plain(err), Hint: s.hint}
			}
		}
	}
	kind := runtime.Internal
	switch {
	case errdefs.IsNotFound(err):
		kind = runtime.NotFound
	case errdefs.IsConflict(err):
		kind = runtime.Conflict
	case errdefs.IsNotImplemented(err):
		kind = runtime.Unsupported
	}
	return &runtime.Error{Kind: kind, Op: op, Err: r.plain(err)}
}

// said has what the daemon says of things that its status codes don't tell
// apart. The first that matches counts.
var said = []struct {
	kind  runtime.Kind
	words []string
	hint  string
}{
	{runtime.NoSpace, []string{"no space left on device", "disk quota exceeded"}, "docker system df; docker system prune"},
	{runtime.NodeFault, []string{"executable file not found"}, "the image has no such program in its PATH: name one that it has, or its whole path"},
	{runtime.NodeFault, []string{"unable to find user", "unable to find group"}, ""},
	{runtime.Conflict, []string{
		"port is already allocated", "ddress already in use", "Pool overlaps with other one", "networks have overlapping IPv4",
		"is already in use by container", "cannot program address",
	}, ""},
	{runtime.NotRunning, []string{
		"is not running", "is paused", "is already paused", "is restarting", "non running container",
		"container not running", "a stopped container", "received 409", "No such exec instance",
	}, ""},
	{runtime.NotFound, []string{"is marked for removal", "bind source path does not exist"}, ""},
}

// lost says that the daemon is gone, or went while it was asked.
func lost(err error) bool {
	// A reply that breaks off within a line of its header looks malformed.
	if _, cut := errors.AsType[textproto.ProtocolError](err); cut {
		return true
	}
	return client.IsErrConnectionFailed(err) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNREFUSED) ||
		strings.Contains(err.Error(), "cannot connect to the Docker daemon")
}

// unreachable says where no daemon answers, or stopped to in the middle, and why:
// the client's own words say part of it twice, and add advice.
func (r *Runtime) unreachable(err error) error {
	host := r.api.DaemonHost()
	if refused(err) {
		return &shortened{"permission denied at " + host, err}
	}
	what := "no daemon answers at " + host
	if !client.IsErrConnectionFailed(err) && !errors.Is(err, syscall.ECONNREFUSED) {
		what = "the daemon at " + host + " went away"
	}
	if why := innermost(err); why != nil {
		what += ": " + why.Error()
	}
	return &shortened{what, err}
}

// innermost is what the system or the connection said, without what it was said
// of; nil if the client hasn't kept that.
func innermost(err error) error {
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		return errno
	}
	if broken, ok := errors.AsType[*net.DNSError](err); ok {
		return errors.New(broken.Err)
	}
	for _, broken := range []error{io.ErrUnexpectedEOF, io.EOF} {
		if errors.Is(err, broken) {
			return errors.New("the connection ended")
		}
	}
	if _, cut := errors.AsType[textproto.ProtocolError](err); cut {
		return errors.New("its answer broke off")
	}
	return nil
}

func refused(err error) bool {
	return errors.Is(err, os.ErrPermission) || strings.Contains(err.Error(), "permission denied")
}

func (r *Runtime) reachHint(err error) string {
	if refused(err) {
		return "sudo usermod -aG docker $USER, then log in again"
	}
	if r.api.DaemonHost() != client.DefaultDockerHost {
		return "start it, or choose one that runs with DOCKER_HOST or docker context use"
	}
	return "start it: sudo systemctl start docker (or: sudo service docker start)"
}

// wholeID matches the id of a container or a network, and digests.
var wholeID = regexp.MustCompile(`(?:sha256:)?\b[0-9a-f]{64}\b`)

// plain leaves out what says nothing: that the daemon answered with an error,
// and which of the layers below it did. It calls nodes what files call them, and
// anything else by its short id.
func (r *Runtime) plain(err error) error {
	text := strings.TrimPrefix(err.Error(), "Error response from daemon: ")
	text = wholeID.ReplaceAllStringFunc(text, r.called)
	if i := strings.LastIndex(text, "exec: \""); i > 0 {
		text = strings.TrimSuffix(text[i:], ": unknown")
	}
	if text == err.Error() {
		return err
	}
	return &shortened{text, err}
}

// called is what messages call what the daemon has an id for.
func (r *Runtime) called(id string) string {
	if strings.HasPrefix(id, "sha256:") {
		return id
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if address := r.addresses[runtime.NodeID(id)]; address != "" {
		return address
	}
	return id[:shortID]
}

// shortened is an error with other words.
type shortened struct {
	text string
	err  error
}

func (s *shortened) Error() string { return s.text }
func (s *shortened) Unwrap() error { return s.err }

package docker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/client"

	"github.com/scenario-run/scenario/engine/runtime"
)

// The messages are those of daemons 20.10 to 28.
func TestWhatTheDaemonSaysBecomesAKind(t *testing.T) {
	api, err := client.New()
	if err != nil {
		t.Fatal(err)
	}
	defer api.Close()
	node := strings.Repeat("abcdef0123456789", 4)
	r := &Runtime{api: api, addresses: map[runtime.NodeID]string{runtime.NodeID(node): "node.a"}}
	said := func(text string) error { return errors.New("Error response from daemon: " + text) }
	for _, test := range []struct {
		err  error
		kind runtime.Kind
		text string
	}{
		{said(`OCI runtime create failed: container_linux.go:380: starting container process caused: exec: "nope": executable file not found in $PATH: unknown`),
			runtime.NodeFault, `start node.a: exec: "nope": executable file not found in $PATH`},
		{said(`failed to create task for container: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: exec: "/nope": stat /nope: no such file or directory: unknown`),
			runtime.NodeFault, `start node.a: exec: "/nope": stat /nope: no such file or directory`},
		{said(`OCI runtime create failed: container_linux.go:380: starting container process caused: exec: "/etc/passwd": permission denied: unknown`),
			runtime.NodeFault, `start node.a: exec: "/etc/passwd": permission denied`},
		{said(`unable to find user nobody2: no matching entries in passwd file`), runtime.NodeFault, ""},
		{said(`mkdir /var/lib/docker/overlay2/0a-init: no space left on device`), runtime.NoSpace, ""},
		{said(`write /var/lib/docker/tmp/x: disk quota exceeded`), runtime.NoSpace, ""},
		{said(`driver failed programming external connectivity on endpoint a: Bind for 127.0.0.1:80 failed: port is already allocated`), runtime.Conflict, ""},
		{said(`Address already in use`), runtime.Conflict, ""},
		{said(`Pool overlaps with other one on this address space`), runtime.Conflict, ""},
		{said(`cannot create network e (br-e): conflicts with network 6 (br-6): networks have overlapping IPv4`), runtime.Conflict, ""},
		{said(`Conflict. The container name "/a" is already in use by container "b". You have to remove (or rename) that container to be able to reuse that name.`), runtime.Conflict, ""},
		{said(`Container 12 is not running`), runtime.NotRunning, ""},
		{said(`Container 12 is paused, unpause the container before exec`), runtime.NotRunning, ""},
		{said(`cannot join network of a non running container: 12`), runtime.NotRunning, ""},
		{fmt.Errorf("no such container: %w", errdefs.ErrNotFound), runtime.NotFound, ""},
		{fmt.Errorf("read: %w", io.ErrUnexpectedEOF), runtime.Unreachable, ""},
		{fmt.Errorf("read: %w", syscall.ECONNRESET), runtime.Unreachable, ""},
		{said(`something else`), runtime.Internal, "start node.a: something else"},
		{said("Container " + node + " is not running"), runtime.NotRunning, "start node.a: Container node.a is not running"},
		{said("Cannot update container " + node + ": cannot update a deleted process: unknown"), runtime.Internal,
			"start node.a: Cannot update container node.a: cannot update a deleted process: unknown"},
		{said("network " + strings.Repeat("0123456789abcdef", 4) + " is odd"), runtime.Internal, "start node.a: network 0123456789ab is odd"},
		{said("image sha256:" + node + " is odd"), runtime.Internal, "start node.a: image sha256:" + node + " is odd"},
	} {
		got := startFailed(r.failed(t.Context(), "start node.a", test.err))
		if kind := runtime.KindOf(got); kind != test.kind || test.text != "" && got.Error() != test.text {
			t.Errorf("%v:\ngot %s: %v", test.err, kind, got)
		}
		if !errors.Is(got, test.err) {
			t.Errorf("%v is not in the chain of %v", test.err, got)
		}
	}
}

func TestAnEndedContextIsNoFailureOfTheDaemon(t *testing.T) {
	r := &Runtime{}
	for _, cause := range []error{context.Canceled, context.DeadlineExceeded} {
		err := r.failed(t.Context(), "start node.a", fmt.Errorf("post: %w", cause))
		var failed *runtime.Error
		if errors.As(err, &failed) || !errors.Is(err, cause) {
			t.Errorf("got %v", err)
		}
	}
}

func TestATimeLimitInACallIsNoLostConnection(t *testing.T) {
	limit := errors.New("the step's time limit of 1s was reached")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(limit)
	api, err := client.New()
	if err != nil {
		t.Fatal(err)
	}
	defer api.Close()
	r := &Runtime{api: api}
	for _, said := range []error{
		fmt.Errorf("error during connect: Post: %w", io.EOF),
		fmt.Errorf("read: %w", syscall.ECONNRESET),
	} {
		err := r.failed(ctx, "start node.a", said)
		if !errors.Is(err, limit) || runtime.KindOf(err) == runtime.Unreachable {
			t.Errorf("%v: got %v (kind %s)", said, err, runtime.KindOf(err))
		}
		if err := r.failed(t.Context(), "start node.a", said); runtime.KindOf(err) != runtime.Unreachable {
			t.Errorf("%v while there is time: got %v (kind %s)", said, err, runtime.KindOf(err))
		}
	}
}

// A person reads one place and one reason, not what each layer below says of
// them.
func TestADaemonThatCannotBeReachedIsToldOnce(t *testing.T) {
	api, err := client.New(client.WithHost("unix:///run/none.sock"))
	if err != nil {
		t.Fatal(err)
	}
	defer api.Close()
	r := &Runtime{api: api}
	_, absent := api.Ping(t.Context(), client.PingOptions{})
	for _, test := range []struct {
		err        error
		text, hint string
	}{
		{absent, "watch the nodes: no daemon answers at unix:///run/none.sock: no such file or directory", "start it, or choose one that runs"},
		{fmt.Errorf("dial unix: %w", os.NewSyscallError("connect", syscall.ECONNREFUSED)),
			"watch the nodes: no daemon answers at unix:///run/none.sock: connection refused", "start it"},
		{fmt.Errorf("permission denied while trying to connect to the docker API: %w", os.NewSyscallError("connect", syscall.EACCES)),
			"watch the nodes: permission denied at unix:///run/none.sock", "usermod -aG docker"},
		{fmt.Errorf("error during connect: Get: %w", io.EOF), "watch the nodes: the daemon at unix:///run/none.sock went away: the connection ended", ""},
		{fmt.Errorf("read: %w", syscall.ECONNRESET), "watch the nodes: the daemon at unix:///run/none.sock went away: connection reset by peer", ""},
	} {
		// EACCES at the socket is no kind of loss by itself: the client makes it one.
		got := &runtime.Error{Op: "watch the nodes", Err: r.unreachable(test.err), Hint: r.reachHint(test.err)}
		if got.Error() != test.text || !strings.Contains(got.Hint, test.hint) {
			t.Errorf("%v:\ngot  %s (%s)\nwant %s (%s)", test.err, got, got.Hint, test.text, test.hint)
		}
		if !errors.Is(got, test.err) {
			t.Errorf("%v is not in the chain of %v", test.err, got)
		}
	}
}

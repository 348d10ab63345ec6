package docker

import (
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"os"
	goruntime "runtime"
	"sync"
	"time"

	"github.com/moby/moby/client"
	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"github.com/scenario-run/scenario/engine/runtime"
)

// maxCalls is how many calls that change something are in flight at once. The
// daemon serialises the set-up of networks; more than this only makes each
// call slower, and its time limits harder to keep.
const maxCalls = 16

// Options are what New may be told. All are optional.
type Options struct {
	// Host is the daemon's address, as in DOCKER_HOST. Empty: DOCKER_HOST,
	// else the current context of the docker command, else its default.
	Host string
	// AgentBinary is the static executable that agents run, with AgentArgs.
	// Empty: this process's own, with "agent".
	AgentBinary string
	AgentArgs   []string
}

// Runtime is a Docker daemon.
type Runtime struct {
	api   *client.Client
	opts  Options
	calls *semaphore.Weighted
	locks keyedLocks
	// making are the calls that outlive their callers; they end with life.
	making making
	life   context.Context
	end    context.CancelFunc

	mu        sync.Mutex
	info      *runtime.Info
	addresses map[runtime.NodeID]string // of nodes, for messages
	starts    map[runtime.NodeID]logStart
	agents    map[agentKey]*startedAgent
	starting  map[agentKey]*agentStart
	agentTag  string
}

var _ runtime.Runtime = (*Runtime)(nil)

// New connects to the daemon, and fails with kind runtime.Unreachable if none
// answers.
func New(ctx context.Context, opts Options) (*Runtime, error) {
	host := opts.Host
	if host == "" {
		var err error
		if host, err = hostFromContext(os.Getenv); err != nil {
			return nil, &runtime.Error{Kind: runtime.Unreachable, Op: "find the Docker daemon", Err: err, Hint: "docker context ls"}
		}
	}
	settings := []client.Opt{client.FromEnv, client.WithUserAgent("scenario")}
	if host != "" {
		settings = append(settings, client.WithHost(host))
	}
	api, err := client.New(settings...)
	if err != nil {
		return nil, &runtime.Error{
			Kind: runtime.Unreachable, Op: "connect to Docker", Err: err,
			Hint: "check DOCKER_HOST, DOCKER_CERT_PATH and DOCKER_API_VERSION",
		}
	}
	r := &Runtime{
		api:       api,
		opts:      opts,
		calls:     semaphore.NewWeighted(maxCalls),
		addresses: map[runtime.NodeID]string{},
		starts:    map[runtime.NodeID]logStart{},
		agents:    map[agentKey]*startedAgent{},
		starting:  map[agentKey]*agentStart{},
	}
	r.life, r.end = context.WithCancel(context.Background())
	if r.opts.AgentBinary == "" {
		if r.opts.AgentBinary, err = os.Executable(); err != nil {
			return nil, errors.Join(fmt.Errorf("find this program's file: %w", err), api.Close())
		}
		r.opts.AgentArgs = []string{"agent"}
	}
	if _, err := api.Ping(ctx, client.PingOptions{NegotiateAPIVersion: true}); err != nil {
		return nil, errors.Join(r.failed(ctx, "connect to Docker", err), api.Close())
	}
	return r, nil
}

// Close ends the agents, the calls in flight and the connections.
func (r *Runtime) Close() error {
	r.end()
	all := func(runtime.Scope) bool { return true }
	return errors.Join(r.making.wait(context.Background(), all), r.closeAgents(all), r.api.Close())
}

// Info asks the daemon, once.
func (r *Runtime) Info(ctx context.Context) (runtime.Info, error) {
	r.mu.Lock()
	known := r.info
	r.mu.Unlock()
	if known != nil {
		return *known, nil
	}
	var version client.ServerVersionResult
	var info client.SystemInfoResult
	var asked errgroup.Group
	began := time.Now()
	asked.Go(func() (err error) { version, err = r.api.ServerVersion(ctx, client.ServerVersionOptions{}); return })
	asked.Go(func() (err error) { info, err = r.api.Info(ctx, client.InfoOptions{}); return })
	if err := asked.Wait(); err != nil {
		return runtime.Info{}, r.failed(ctx, "ask Docker what it is", err)
	}
	found := runtime.Info{
		Name: fmt.Sprintf("docker %s, API %s, %s/%s, cgroup v%s", version.Version, r.api.ClientVersion(),
			version.Os, version.Arch, info.Info.CgroupVersion),
		Version:  version.Version,
		OS:       version.Os,
		Arch:     version.Arch,
		Warnings: info.Info.Warnings,
		Machine:  runtime.Limits{CPUs: float64(info.Info.NCPU), Memory: info.Info.MemTotal},
		ID:       fmt.Sprintf("docker %s %s, kernel %s", info.Info.ID, version.Version, info.Info.KernelVersion),
		Ahead:    ahead(info.Info.SystemTime, began, time.Now()),
		Can: runtime.Capabilities{
			Pause: true, FixedAddresses: true, Disconnect: true,
			CPULimit: info.Info.CPUCfsPeriod && info.Info.CPUCfsQuota, MemoryLimit: info.Info.MemoryLimit, SwapLimit: info.Info.SwapLimit,
		},
	}
	found.Can.AgentReason = r.whyNoAgent(version.Os, version.Arch)
	found.Can.Agent = found.Can.AgentReason == ""
	r.mu.Lock()
	r.info = &found
	r.mu.Unlock()
	return found, nil
}

// ahead is by how much a time that was told between two others is certainly after
// them, or, below 0, before. A daemon that tells none is in time.
func ahead(told string, from, to time.Time) time.Duration {
	at, err := time.Parse(time.RFC3339Nano, told)
	switch {
	case err != nil:
		return 0
	case at.After(to):
		return at.Sub(to)
	case at.Before(from):
		return at.Sub(from)
	}
	return 0
}

// whyNoAgent says why this program can't run beside nodes, or "".
func (r *Runtime) whyNoAgent(system, arch string) string {
	if here := goruntime.GOOS + "/" + goruntime.GOARCH; here != system+"/"+arch {
		return fmt.Sprintf("this program is built for %s, the daemon runs %s/%s", here, system, arch)
	}
	program, err := elf.Open(r.opts.AgentBinary)
	if err != nil {
		return fmt.Sprintf("this program can't be read: %v", err)
	}
	defer program.Close() // read only
	for _, segment := range program.Progs {
		if segment.Type == elf.PT_INTERP {
			return "this program is linked dynamically, so it can't run in an empty container: build it with CGO_ENABLED=0"
		}
	}
	return ""
}

// limited makes a call once there is room for it.
func (r *Runtime) limited(ctx context.Context, call func() error) error {
	if err := r.calls.Acquire(ctx, 1); err != nil {
		return err
	}
	defer r.calls.Release(1)
	return call()
}

// name is what messages call a node.
func (r *Runtime) name(id runtime.NodeID) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if address := r.addresses[id]; address != "" {
		return address
	}
	return "container " + string(id[:min(len(id), 12)])
}

// keyedLocks are locks by name that can be waited for with a context.
type keyedLocks struct {
	mu   sync.Mutex
	held map[string]chan struct{} // closed when released
}

// lock returns what releases the lock, or ctx's error.
func (k *keyedLocks) lock(ctx context.Context, key string) (func(), error) {
	for {
		k.mu.Lock()
		other, ok := k.held[key]
		if !ok {
			released := make(chan struct{})
			if k.held == nil {
				k.held = map[string]chan struct{}{}
			}
			k.held[key] = released
			k.mu.Unlock()
			return func() {
				k.mu.Lock()
				defer k.mu.Unlock()
				delete(k.held, key)
				close(released)
			}, nil
		}
		k.mu.Unlock()
		select {
		case <-other:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// drain reads a stream to its end and closes it.
func drain(body io.ReadCloser) error {
	_, err := io.Copy(io.Discard, body)
	return errors.Join(err, body.Close())
}

package docker

import (
	"archive/tar"
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/mount"
	"github.com/moby/moby/api/types/network"
	"github.com/moby/moby/client"

	"github.com/scenario-run/scenario/engine/runtime"
)

// CreateNode makes a container, connects it and puts its files into it.
func (r *Runtime) CreateNode(ctx context.Context, scope runtime.Scope, spec runtime.NodeSpec) (runtime.NodeID, error) {
	op := "create " + spec.Address
	config := client.ContainerCreateOptions{
		Name:             nameOf(scope, spec.Host),
		Config:           containerConfig(scope, spec),
		HostConfig:       hostConfig(spec),
		NetworkingConfig: &network.NetworkingConfig{},
	}
	if len(spec.Networks) > 0 {
		first := spec.Networks[0]
		config.NetworkingConfig.EndpointsConfig = map[string]*network.EndpointSettings{first.Network: endpoint(spec, first)}
	}
	var id string
	err := r.make(ctx, scope, func(ctx context.Context) error {
		created, err := r.api.ContainerCreate(ctx, config)
		if err != nil {
			return err
		}
		id = created.ID
		// Before 1.44 the API connects one network at creation.
		for _, at := range spec.Networks[min(1, len(spec.Networks)):] {
			_, err := r.api.NetworkConnect(ctx, at.Network, client.NetworkConnectOptions{
				Container: id, EndpointConfig: endpoint(spec, at),
			})
			if err != nil {
				return err
			}
		}
		if len(spec.Files) == 0 {
			return nil
		}
		files, err := tarOf(newFiles(spec.Files))
		if err != nil {
			return err
		}
		_, err = r.api.CopyToContainer(ctx, id, client.CopyToContainerOptions{DestinationPath: "/", Content: files})
		return err
	})
	if err != nil {
		return "", r.failed(ctx, op, err)
	}
	r.mu.Lock()
	r.addresses[runtime.NodeID(id)] = spec.Address
	r.mu.Unlock()
	return runtime.NodeID(id), nil
}

func containerConfig(scope runtime.Scope, spec runtime.NodeSpec) *container.Config {
	hostname := spec.Hostname
	if hostname == "" {
		hostname = spec.Host
	}
	var env []string
	for _, name := range slices.Sorted(maps.Keys(spec.Env)) {
		env = append(env, name+"="+spec.Env[name])
	}
	exposed := network.PortSet{}
	for _, p := range spec.Ports {
		exposed[tcp(p)] = struct{}{}
	}
	return &container.Config{
		Image:        spec.Image,
		Cmd:          spec.Command,
		Entrypoint:   spec.Entrypoint,
		Env:          env,
		User:         spec.User,
		Hostname:     hostname,
		StopSignal:   spec.StopSignal,
		ExposedPorts: exposed,
		Labels:       labels(scope, map[string]string{labelRole: roleNode, labelAddress: spec.Address}),
	}
}

// Weights where CPU is short, in Docker's unit. The agent's is high: what
// measures must not wait for what is measured.
const (
	usualShares = 1024 // of a container that says nothing
	agentShares = 8 * usualShares
)

func hostConfig(spec runtime.NodeSpec) *container.HostConfig {
	published := network.PortMap{}
	for _, p := range spec.Ports {
		published[tcp(p)] = []network.PortBinding{{HostIP: netip.AddrFrom4([4]byte{127, 0, 0, 1})}}
	}
	host := &container.HostConfig{
		NetworkMode:   "none",
		PortBindings:  published,
		RestartPolicy: container.RestartPolicy{Name: container.RestartPolicyMode(spec.Restart)},
		Privileged:    spec.Privileged,
		CapAdd:        spec.CapAdd,
		ShmSize:       spec.ShmSize,
		Mounts:        mounts(spec.Mounts),
		// Logs are read back whatever the daemon's default driver is; the limit
		// is far above what is read, and keeps a node in a loop from filling
		// the disk.
		LogConfig: container.LogConfig{Type: "json-file", Config: map[string]string{"max-size": "100m", "max-file": "3"}},
		Resources: container.Resources{
			CPUPeriod: cpuPeriod,
			CPUQuota:  cpuQuota(spec.CPUs),
			CPUShares: int64(math.Round(spec.CPUShare * usualShares)),
			Memory:    spec.Memory,
			// As much with swap as without: none, so that the limit is one.
			MemorySwap: spec.Memory,
		},
	}
	if len(spec.Networks) > 0 {
		host.NetworkMode = container.NetworkMode(spec.Networks[0].Network)
	}
	if spec.Init {
		host.Init = &spec.Init
	}
	return host
}

func tcp(port int) network.Port {
	p, _ := network.PortFrom(uint16(port), network.TCP) // fails for an empty protocol only
	return p
}

func mounts(specs []runtime.Mount) []mount.Mount {
	var all []mount.Mount
	for _, m := range specs {
		one := mount.Mount{Type: mount.TypeVolume, Source: m.Volume, Target: m.Target, ReadOnly: m.ReadOnly}
		if m.Volume == "" {
			one.Type, one.Source = mount.TypeBind, m.HostPath
		}
		all = append(all, one)
	}
	return all
}

func endpoint(spec runtime.NodeSpec, at runtime.Attachment) *network.EndpointSettings {
	e := &network.EndpointSettings{Aliases: at.Aliases}
	if !slices.Contains(at.Aliases, spec.Host) {
		e.Aliases = append([]string{spec.Host}, at.Aliases...)
	}
	if at.IP.IsValid() {
		e.IPAMConfig = &network.EndpointIPAMConfig{IPv4Address: at.IP}
	}
	return e
}

// tarOf packs files. Parent directories are left out: the daemon makes those
// that are missing, and would change the mode of those that are there.
func tarOf(files map[string]runtime.NewFile) (io.Reader, error) {
	var packed bytes.Buffer
	w := tar.NewWriter(&packed)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		f := files[name]
		mode := int64(0o644)
		if f.Executable || bytes.HasPrefix(f.Content, []byte("#!")) {
			mode = 0o755
		}
		err := w.WriteHeader(&tar.Header{
			Name: strings.TrimPrefix(name, "/"), Mode: mode, Size: int64(len(f.Content)), ModTime: time.Now(), Format: tar.FormatPAX,
		})
		if err != nil {
			return nil, fmt.Errorf("file %s: %w", name, err)
		}
		if _, err := w.Write(f.Content); err != nil {
			return nil, fmt.Errorf("file %s: %w", name, err)
		}
	}
	return &packed, w.Close()
}

func newFiles(contents map[string][]byte) map[string]runtime.NewFile {
	files := map[string]runtime.NewFile{}
	for name, content := range contents {
		files[name] = runtime.NewFile{Content: content}
	}
	return files
}

// RemoveNode removes the container with the volumes that have no name.
func (r *Runtime) RemoveNode(ctx context.Context, id runtime.NodeID) error {
	err := r.limited(ctx, func() error {
		_, err := r.api.ContainerRemove(ctx, string(id), client.ContainerRemoveOptions{Force: true, RemoveVolumes: true})
		return err
	})
	return r.failed(ctx, "remove "+r.name(id), err)
}

// StartNode starts the container and reads its address and ports, which each
// start may change.
func (r *Runtime) StartNode(ctx context.Context, id runtime.NodeID) (runtime.NodeState, error) {
	var called time.Time
	err := r.limited(ctx, func() error {
		called = time.Now()
		_, err := r.api.ContainerStart(ctx, string(id), client.ContainerStartOptions{})
		return err
	})
	if err != nil {
		return runtime.NodeState{}, startFailed(r.failed(ctx, "start "+r.name(id), err))
	}
	found, err := r.api.ContainerInspect(ctx, string(id), client.ContainerInspectOptions{})
	if err != nil {
		return runtime.NodeState{}, r.failed(ctx, "inspect "+r.name(id), err)
	}
	state := stateOf(found.Container)
	r.mu.Lock()
	r.starts[id] = logStart{state.StartedAt, logFrom(found.Container, called)}
	r.mu.Unlock()
	return state, nil
}

// startFailed finds what only a start can tell: that the process could not be
// executed, which is the node's own fault.
func startFailed(err error) error {
	failed, ok := err.(*runtime.Error)
	if ok && failed.Kind == runtime.Internal && strings.HasPrefix(failed.Err.Error(), "exec: ") {
		failed.Kind = runtime.NodeFault
	}
	return err
}

// SignalNode sends a signal.
func (r *Runtime) SignalNode(ctx context.Context, id runtime.NodeID, signal string) error {
	_, err := r.api.ContainerKill(ctx, string(id), client.ContainerKillOptions{Signal: signal})
	return r.failed(ctx, fmt.Sprintf("send %s to %s", signal, r.name(id)), err)
}

// StopNode stops the container. The API counts in seconds; grace is rounded up.
// Less than zero is the container's own, or Docker's, default.
func (r *Runtime) StopNode(ctx context.Context, id runtime.NodeID, grace time.Duration) error {
	var options client.ContainerStopOptions
	if grace >= 0 {
		seconds := int(math.Ceil(grace.Seconds()))
		options.Timeout = &seconds
	}
	_, err := r.api.ContainerStop(ctx, string(id), options)
	return r.failed(ctx, "stop "+r.name(id), err)
}

// freezeAttempts is how often freezing is tried: with version 1 of cgroups, runc
// gives up on processes that start others meanwhile, and asks to try again.
const freezeAttempts = 5

// PauseNode freezes the container's processes.
func (r *Runtime) PauseNode(ctx context.Context, id runtime.NodeID) error {
	for attempt := 1; ; attempt++ {
		err := settled(ctx, func(ctx context.Context) error {
			_, err := r.api.ContainerPause(ctx, string(id), client.ContainerPauseOptions{})
			return err
		})
		if err == nil || attempt == freezeAttempts || !strings.Contains(err.Error(), "unable to freeze") {
			return r.failed(ctx, "pause "+r.name(id), err)
		}
	}
}

// UnpauseNode thaws them. What is not frozen is thawed already.
func (r *Runtime) UnpauseNode(ctx context.Context, id runtime.NodeID) error {
	_, err := r.api.ContainerUnpause(ctx, string(id), client.ContainerUnpauseOptions{})
	if err == nil {
		return nil
	}
	failed := r.failed(ctx, "unpause "+r.name(id), err)
	if kind := runtime.KindOf(failed); kind == runtime.Unreachable || kind == runtime.NotFound || ctx.Err() != nil {
		return failed
	}
	if state, err := r.InspectNode(ctx, id); err == nil && !state.Paused {
		return nil
	}
	return failed
}

// InspectNode asks for the state.
func (r *Runtime) InspectNode(ctx context.Context, id runtime.NodeID) (runtime.NodeState, error) {
	found, err := r.api.ContainerInspect(ctx, string(id), client.ContainerInspectOptions{})
	if err != nil {
		return runtime.NodeState{}, r.failed(ctx, "inspect "+r.name(id), err)
	}
	return stateOf(found.Container), nil
}

func stateOf(c container.InspectResponse) runtime.NodeState {
	s := runtime.NodeState{
		// A container that waits for its restart does not run.
		Running:   c.State.Running && !c.State.Restarting,
		Paused:    c.State.Paused,
		ExitCode:  c.State.ExitCode,
		StartedAt: parseTime(c.State.StartedAt),
		ExitedAt:  parseTime(c.State.FinishedAt),
		Restarts:  c.RestartCount,
		Error:     c.State.Error,
		Ports:     map[string]string{},
		Logs:      "docker logs " + strings.TrimPrefix(c.Name, "/"),
	}
	if s.Running {
		s.Shell = "docker exec -it " + strings.TrimPrefix(c.Name, "/") + " sh"
	}
	s.Started = !s.StartedAt.IsZero()
	if s.Running {
		s.ExitCode, s.ExitedAt = 0, time.Time{}
	}
	if c.NetworkSettings == nil {
		return s
	}
	for port, bindings := range c.NetworkSettings.Ports {
		if len(bindings) > 0 {
			s.Ports[port.Port()] = fmt.Sprintf("%s:%s", bindings[0].HostIP, bindings[0].HostPort)
		}
	}
	s.IP = firstAddress(c)
	return s
}

// firstAddress is that on the network which the container was created on; one
// that does not run has only the address that it asked for.
func firstAddress(c container.InspectResponse) netip.Addr {
	for name, e := range c.NetworkSettings.Networks {
		mode := string(c.HostConfig.NetworkMode)
		if len(c.NetworkSettings.Networks) > 1 && mode != name && mode != e.NetworkID {
			continue
		}
		if e.IPAddress.IsValid() {
			return e.IPAddress
		}
		if e.IPAMConfig != nil {
			return e.IPAMConfig.IPv4Address
		}
	}
	return netip.Addr{}
}

// parseTime reads a time of the daemon; "0001-01-01T00:00:00Z" stands for none.
func parseTime(text string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil || t.Year() <= 1 {
		return time.Time{}
	}
	return t
}

// WaitExit waits until the container does not run. That of one that never ran
// is now.
func (r *Runtime) WaitExit(ctx context.Context, id runtime.NodeID) (runtime.NodeState, error) {
	op := "wait for the exit of " + r.name(id)
	state, err := r.InspectNode(ctx, id)
	if err != nil || !state.Running {
		return state, err
	}
	// The channels end with ctx, so it need not be selected on.
	wait := r.api.ContainerWait(ctx, string(id), client.ContainerWaitOptions{Condition: container.WaitConditionNotRunning})
	var exit container.WaitResponse
	select {
	case exit = <-wait.Result:
	case err := <-wait.Error:
		return runtime.NodeState{}, r.failed(ctx, op, err)
	}
	state, err = r.InspectNode(ctx, id)
	if state.Running { // again, by its restart policy
		state.Running, state.ExitCode = false, int(exit.StatusCode)
	}
	return state, err
}

// Inspect returns what "docker inspect" shows.
func (r *Runtime) Inspect(ctx context.Context, id runtime.NodeID) ([]byte, error) {
	found, err := r.api.ContainerInspect(ctx, string(id), client.ContainerInspectOptions{})
	if err != nil {
		return nil, r.failed(ctx, "inspect "+r.name(id), err)
	}
	return found.Raw, nil
}

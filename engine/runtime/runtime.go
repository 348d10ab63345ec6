package runtime

import (
	"context"
	"io"
	"net"
	"net/netip"
	"time"
)

// Runtime is a place where nodes live. All methods are safe for concurrent
// use, return when ctx ends, and report failures as *Error (or wrap one) so
// that the engine can tell a broken lab from a product that refused.
//
// What a Runtime makes carries the labels of its Scope; Sweep finds it again.
type Runtime interface {
	// Info says what this place is and can do.
	Info(ctx context.Context) (Info, error)

	// EnsureImage makes an image available, by what its spec says, and returns
	// what to run. progress, if not nil, gets the lines of a build or pull; what
	// is there already has none.
	EnsureImage(ctx context.Context, spec ImageSpec, progress func(Progress)) (Image, error)

	// CreateNetwork makes a network. Without a subnet in the spec it chooses a
	// free one.
	CreateNetwork(ctx context.Context, scope Scope, spec NetworkSpec) (Network, error)
	// CreateVolume makes a volume and returns its id.
	CreateVolume(ctx context.Context, scope Scope, spec VolumeSpec) (string, error)

	// CreateNode makes a node, its files included, without starting it.
	CreateNode(ctx context.Context, scope Scope, spec NodeSpec) (NodeID, error)
	// RemoveNode removes a node, killed if it runs. Networks and volumes stay, and
	// its name and addresses are free.
	RemoveNode(ctx context.Context, id NodeID) error
	// StartNode starts a created or exited node and returns as soon as its
	// process runs.
	StartNode(ctx context.Context, id NodeID) (NodeState, error)
	// SignalNode sends a signal to the node's main process, as "SIGKILL".
	SignalNode(ctx context.Context, id NodeID, signal string) error
	// StopNode asks the node to stop and kills it after grace. It returns when
	// the node has exited.
	StopNode(ctx context.Context, id NodeID, grace time.Duration) error
	// PauseNode freezes every process of the node; UnpauseNode thaws them.
	PauseNode(ctx context.Context, id NodeID) error
	UnpauseNode(ctx context.Context, id NodeID) error
	// InspectNode returns the state as it is now.
	InspectNode(ctx context.Context, id NodeID) (NodeState, error)
	// Usage returns what a running node has used by now.
	Usage(ctx context.Context, id NodeID) (Usage, error)
	// Limits returns what a node may use at most, as it is in force.
	Limits(ctx context.Context, id NodeID) (Limits, error)
	// LimitCPUs and LimitMemory change a limit of a node, for its present start
	// and for later ones; 0 lifts it. Memory that a node uses already can't be
	// taken from it everywhere: then the limit is refused with kind NodeFault.
	LimitCPUs(ctx context.Context, id NodeID, cpus float64) error
	LimitMemory(ctx context.Context, id NodeID, bytes int64) error
	// Attachments returns the networks that a node is on, each with the node's
	// address and all of its names there.
	Attachments(ctx context.Context, id NodeID) ([]Attachment, error)
	// Connect puts a node on a network, under the names of the attachment alone;
	// Disconnect takes it off one. Both hold for later starts too. Published
	// ports may be others afterwards. What is so already is a Conflict.
	Connect(ctx context.Context, id NodeID, at Attachment) error
	Disconnect(ctx context.Context, id NodeID, network string) error
	// WaitExit blocks until the node does not run and returns its state then.
	WaitExit(ctx context.Context, id NodeID) (NodeState, error)

	// Exec runs a command inside a running node and waits for it. If ctx ends
	// first and the command goes on, the error is or wraps a *GoesOn.
	Exec(ctx context.Context, id NodeID, spec ExecSpec) (ExecResult, error)
	// WriteFile puts a file into a node that was created, whether it runs or not;
	// directories that are missing are made. ReadFile reads one, links followed,
	// and keeps its first bytes, up to limit; one that is not there is NotFound.
	// Neither sees what is mounted only while a node runs, such as /proc.
	WriteFile(ctx context.Context, id NodeID, path string, f NewFile) error
	ReadFile(ctx context.Context, id NodeID, path string, limit int64) (File, error)
	// Logs streams what the node printed, from a time on (zero: all; StartedAt:
	// all that this start printed), both streams in order, each line preceded
	// by its RFC 3339 time and a space.
	// follow goes on until the node exits or ctx ends.
	Logs(ctx context.Context, id NodeID, since time.Time, follow bool) (io.ReadCloser, error)

	// Watch streams what happens to the nodes of a scope from now on, until ctx
	// ends or the place is lost (then it yields one event with Err set). It
	// returns when the watch is in force.
	Watch(ctx context.Context, scope Scope) (<-chan NodeEvent, error)

	// Agent returns the agent of a place, starting it if it is not there. One of
	// a node is that of its present start: ask again after a restart.
	Agent(ctx context.Context, scope Scope, at Place) (Agent, error)

	// Inspect returns the whole of what the place knows of a node, as JSON, for
	// a person to read.
	Inspect(ctx context.Context, id NodeID) ([]byte, error)

	// Sweep removes everything of the scope: nodes first (killed, in parallel),
	// agents, then networks and volumes, except nodes to keep and what they
	// need. Asking again after success is not an error.
	Sweep(ctx context.Context, scope Scope, keep []NodeID) (Swept, error)
	// Owners lists the scopes that have anything in this place.
	Owners(ctx context.Context) ([]Owned, error)

	// DropImages removes the images that were made here for runs, built or of
	// agents, before a time and that no node uses, except the newest of each
	// name.
	DropImages(ctx context.Context, before time.Time) (Swept, error)

	// Close releases connections. It removes nothing.
	Close() error
}

// Agent asks and sends from inside a network.
type Agent interface {
	// Dial connects from the agent's place. network is "tcp" or "udp".
	Dial(ctx context.Context, network, address string) (net.Conn, error)
	// Run starts a job of the agent, such as traffic: spec goes in, and the
	// lines that the job writes come out, until it ends or ctx does. A job
	// whose ctx ends is told to finish, and what it still writes is read.
	Run(ctx context.Context, job string, spec []byte, line func([]byte) error) error
	// End is that of the agent that answers now. The next call may start
	// another, of which it says nothing.
	End() AgentEnd
}

// AgentEnd is the end of an agent, and with it of what it kept in force. That of
// one agent is equal to itself.
type AgentEnd interface {
	// Done is closed when it has come.
	Done() <-chan struct{}
	// ExitCode is what the agent exited with, if the place can tell, once it is
	// done.
	ExitCode(ctx context.Context) (code int, known bool)
}

// Place is where an agent is: on a network, which is where probes, readiness and
// traffic come from, in a namespace of a node, or beside a volume, which lives on
// as long as the agent does: whatever is on it stays while no node has it.
type Place struct {
	Network string // id; of no account with a Node
	Node    NodeID
	Space   Space  // of the Node, but for AloneSpace
	Volume  string // id; on no network and of no node then
}

// Space is a namespace of a node.
type Space string

// The spaces. An agent may do in each only what it is there for.
const (
	NetworkSpace Space = ""          // it dials from there, and changes what packets meet
	ProcessSpace Space = "processes" // it sees the node's processes, and signals them
	LimitSpace   Space = "limits"    // it reads what the kernel limits the node to, and what that uses
	// AloneSpace is of no node and on no network: there an agent tries out what
	// can be done, and disturbs nobody.
	AloneSpace Space = "alone"
)

// Scope is to whom things belong: one variant of one run.
type Scope struct {
	Run     string // the run's id
	Variant string // key of the variant; empty with Sweep: all of the run's
	// Owner says which process answers for it, as host/boot-id/pid/start-time,
	// so that another can see whether that process is gone.
	Owner   string
	Expires time.Time
}

// Owned is a scope with things in this place, as a sweep of leftovers sees it.
type Owned struct {
	Scope
	Kept      bool // kept on purpose, with --keep
	Nodes     int
	Networks  int
	Volumes   int
	CreatedAt time.Time
	NodeNames []string
}

// Swept says what a sweep removed and what it could not.
type Swept struct {
	Removed []string
	Left    []Leftover
}

// Leftover is something that could not be removed.
type Leftover struct {
	What    string // "container x", "network y"
	Reason  string
	Command string // that removes it by hand
}

// Info is what a place is.
type Info struct {
	Name    string // "docker 20.10.24, API 1.41, linux/amd64, cgroup v1"
	Version string
	OS      string
	Arch    string
	// Warnings are what the place says of itself that it can't do: "No swap
	// limit support".
	Warnings []string
	Machine  Limits // of what there is, which all nodes share
	// ID tells this place, with the kernel that it runs on now, from all others.
	ID string
	// Ahead is by how much the clock of the place was ahead of this one's when it
	// was asked.
	Ahead time.Duration
	Can   Capabilities
}

// Capabilities are what not every place can do.
type Capabilities struct {
	Pause          bool
	FixedAddresses bool
	Disconnect     bool
	CPULimit       bool   // the kernel lets nodes be limited
	MemoryLimit    bool   // the same
	SwapLimit      bool   // what is beyond their memory limit can't be had as swap
	Agent          bool   // the engine's binary can run beside nodes
	AgentReason    string // why not
}

// ImageSpec says how to come by an image: Pull or Build.
type ImageSpec struct {
	Name  string // as the file names it, for messages
	Pull  string // a reference; used without asking a registry if present
	Build *BuildSpec
}

// BuildSpec is an image build. Its result is found again by the hash of all of
// it, the content of the context included.
type BuildSpec struct {
	Context    string // directory
	Dockerfile string // below Context; empty: "Dockerfile"
	Args       map[string]string
	Target     string
}

// Progress is a line of a build or pull.
type Progress struct {
	Text string
	// Stage says that a part of the work begins: the build or pull itself, a
	// step of a Dockerfile.
	Stage bool
}

// Image is an image that is there.
type Image struct {
	Ref    string // to create nodes with
	Digest string // "sha256:…"
	How    string // built, cached (built before), local, pulled
}

// NetworkSpec is a network to make.
type NetworkSpec struct {
	Name     string // as the file names it; "default" for the run's own
	Subnet   netip.Prefix
	Internal bool
	Driver   string
}

// Network is a network that is there.
type Network struct {
	ID     string
	Subnet netip.Prefix
	// Hosts yields the addresses that nodes get, in order, starting in the
	// upper half of the subnet.
	FirstHost netip.Addr
}

// VolumeSpec is a volume to make. Size 0 is without limit; otherwise it is a
// tmpfs of that many bytes.
type VolumeSpec struct {
	Name string
	Size int64
}

// NodeID names a node within a Runtime.
type NodeID string

// NodeSpec is a node to create.
type NodeSpec struct {
	Address    string // in the file: node.worker[0]
	Host       string // its name on its networks
	Image      string
	Command    []string
	Entrypoint []string
	Env        map[string]string
	Files      map[string][]byte // path in the node → content
	Mounts     []Mount
	Ports      []int // container ports to publish on 127.0.0.1
	Networks   []Attachment
	CPUs       float64
	Memory     int64   // bytes
	CPUShare   float64 // weight where CPU is short; 0 is 1, that of every node
	ShmSize    int64   // bytes
	User       string
	Hostname   string
	Privileged bool
	CapAdd     []string
	Init       bool
	Restart    string // "no", "on-failure", "always"
	StopSignal string
}

// Mount is a volume or a host path in a node.
type Mount struct {
	Volume   string // id, or
	HostPath string
	Target   string
	ReadOnly bool
}

// Attachment is a node's place on a network.
type Attachment struct {
	Network string     `json:"network"` // id
	IP      netip.Addr `json:"ip"`
	Aliases []string   `json:"aliases"`
}

// NodeState is how a node stands.
type NodeState struct {
	Running  bool
	Paused   bool
	Started  bool // has been started at least once
	ExitCode int
	// OOMKilled says that the last start ended for using too much memory. What
	// a place says of that when asked can be wrong; the engine knows by events.
	OOMKilled bool
	StartedAt time.Time
	ExitedAt  time.Time
	Restarts  int
	// Error is why the node could not be started, as the place says it.
	Error string
	IP    netip.Addr        // on its first network
	Ports map[string]string // "8080" → "127.0.0.1:49153"
	// Shell and Logs are the commands by which a person looks into the node.
	// One that does not run has no Shell.
	Shell, Logs string
}

// Usage is what a node has used.
type Usage struct {
	At     time.Time     // by the clock that CPU is counted with
	CPU    time.Duration // since its start, of all its processes and CPUs
	Memory int64         // bytes now, without what can be dropped at once
}

// Limits are what a node may use at most; 0 is all that there is.
type Limits struct {
	CPUs   float64 `json:"cpus,omitempty"`
	Memory int64   `json:"memory,omitempty"` // bytes, and no more with swap
}

// NodeEvent is something that happened to a node.
type NodeEvent struct {
	Node     NodeID
	Address  string // in the file
	Kind     string // start, exit, oom, pause, unpause
	ExitCode int
	At       time.Time
	Err      error // the place was lost; the last event
}

// File is a file in a node.
type File struct {
	Directory bool   // the rest is empty then
	Size      int64  // of all of it
	SHA256    string // of all of it, hexadecimal
	Content   []byte // its first bytes
}

// NewFile is a file to put into a node. It is root's, and all may read it.
type NewFile struct {
	Content    []byte
	Executable bool // what begins with #! is without that, too
}

// ExecSpec is a command to run in a node.
type ExecSpec struct {
	Command []string
	Stdin   []byte
	Env     map[string]string
	User    string
	Limit   int // bytes kept of each stream; 0: 1 MiB
	// Out gets what the command prints, as it comes, in place of the result's
	// Stdout. An error of it ends the wait for the command.
	Out io.Writer
}

// ExecResult is how a command ended. Truncated says that output was cut.
type ExecResult struct {
	ExitCode       int
	Stdout, Stderr []byte
	Truncated      bool
}

package ray

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/scenario-run/scenario/dsl/schema"
	"github.com/scenario-run/scenario/engine/step"
)

// Ports that Ray listens on. Each node has an address of its own, so they are
// the same everywhere; the node manager's is fixed, so that a raylet that
// comes back is found where it was.
const (
	gcsPort         = 6379
	dashboardPort   = 8265
	nodeManagerPort = 9379
	redisPort       = 6379
)

// shmExtra is what /dev/shm has beyond the object store: Ray refuses a store
// that would fill it.
const shmExtra = 64 << 20

// readyWithin is how long a node may take. A head needs about 8 s of CPU to
// start, and a machine that builds images beside it has little to spare.
const readyWithin = 2 * time.Minute

// headShare is the head's weight where CPU is short. In a cluster of machines
// the dozen processes that a head starts take no CPU from a worker; where both
// share one machine, they would make Serve late in answering just while the
// head comes back.
const headShare = 0.25

type nodeArgs struct {
	Role        string             `scn:"role,required" enum:"head,worker" doc:"What the node is in the cluster."`
	Head        *step.Node         `scn:"head" doc:"The head that a worker joins; required for a worker."`
	NumCPUs     *float64           `scn:"num_cpus" check:"amount" doc:"CPUs that Ray may hand out, by default those of the machine. 0 on the head keeps replicas and actors off it."`
	NumGPUs     *float64           `scn:"num_gpus" check:"amount" doc:"GPUs that Ray may hand out."`
	Resources   map[string]float64 `scn:"resources"`
	Labels      map[string]string  `scn:"labels" doc:"Labels of the Ray node."`
	ObjectStore string             `scn:"object_store_memory"`
	Storage     string             `scn:"storage" default:"memory" enum:"memory,rocksdb,redis" doc:"Where the head's GCS keeps its tables: with memory, a restarted head has forgotten everything."`
	StoragePath string             `scn:"storage_path" default:"/data/gcs" doc:"Directory of rocksdb in the node. Mount a volume there if the node is recreated."`
	Redis       *step.Node         `scn:"redis" doc:"The Redis node, listening on 6379; required for storage = \"redis\"."`
	Namespace   string             `scn:"namespace" doc:"Ray namespace of the drivers that this vocabulary runs in the node."`
	Dashboard   bool               `scn:"dashboard" default:"true" doc:"Whether the head serves the dashboard and REST. Without it only the probe ray_gcs and drivers can ask anything."`
	System      map[string]string  `scn:"system_config" doc:"Ray's internal settings of this node: each becomes the environment variable RAY_NAME."`
	Args        []string           `scn:"args" doc:"Further arguments of ray start."`
}

func nodeKind() step.Definition {
	return step.NewNodeKind(schema.Type{
		Name:    "ray",
		Check:   checkNode,
		Summary: "a node of a Ray cluster",
		Args: schema.Object{Attrs: []schema.Attr{
			{Name: "resources", Type: cty.Map(cty.Number), Check: checkResources, Doc: "Further resources by name."},
			{Name: "object_store_memory", Type: cty.String, Default: cty.StringVal("200000000"), Format: schema.Size, Check: checkObjectStore,
				Doc: "Size of the object store, 75m or more; /dev/shm is made to hold it."},
		}},
		Doc: "Fills in the command (`ray start --block`), the environment, shared memory and readiness of a head or a worker.\n\n" +
			"The head is ready when its REST API answers and it is in the node list since this start; a worker when it is ALIVE in that list since this start. " +
			"A worker's process is started right after the head's and waits for it; the head's is started when Redis answers, if it uses one. " +
			"Where CPU is short, the head gets a quarter of a worker's share. " +
			"Workers wait 600 s for a GCS that went away (Ray's own default is 60 s).",
		Examples: []schema.Example{clusterExample},
	}, expandNode)
}

func expandNode(a nodeArgs, in step.KindInput) (step.KindOutput, error) {
	if err := checkNode(in.Args); err != nil {
		return step.KindOutput{}, err
	}
	store, err := schema.ParseSize(a.ObjectStore)
	if err != nil {
		return step.KindOutput{}, err
	}
	out := step.KindOutput{
		Env:     a.env(in),
		ShmSize: store + shmExtra,
		Within:  readyWithin,
		Command: a.command(in, store),
	}
	self := in.Self.Address
	switch {
	case a.Role == "worker":
		head := string(*a.Head)
		out.StartAfter = []string{head}
		out.Ready = func(ctx context.Context, env *step.Env) error { return workerReady(ctx, env, self, head) }
	case a.Storage == "redis":
		redis := string(*a.Redis)
		out.StartAfter = []string{redis}
		out.Gate = answers(redis, redisPort)
	}
	if a.Role == "head" {
		out.CPUShare = headShare
		out.Ready = func(ctx context.Context, env *step.Env) error { return headReady(ctx, env, self) }
	}
	return out, nil
}

// leastObjectStore is with how little Ray starts (OBJECT_STORE_MINIMUM_MEMORY_BYTES).
const leastObjectStore = 75 << 20

func checkObjectStore(v cty.Value) error {
	n, err := schema.ParseSize(v.AsString())
	if err == nil && n < leastObjectStore {
		return fmt.Errorf("%s is too little; Ray starts with 75m or more", v.AsString())
	}
	return err
}

func checkResources(v cty.Value) error {
	var all []error
	for it := v.ElementIterator(); it.Next(); {
		name, amount := it.Element()
		if amount.IsNull() {
			continue // which is told of every map
		}
		if err := schema.CheckAmount(amount); err != nil {
			all = append(all, &schema.PartError{Path: cty.IndexPath(name), Err: err})
		}
	}
	return errors.Join(all...)
}

func checkNode(args cty.Value) error {
	switch {
	case says(args, "role", "worker") && missing(args, "head"):
		return errors.New("a worker needs its head: head = node.NAME")
	case says(args, "role", "head") && given(args, "head"):
		return errors.New("a head has no head; leave the argument out")
	case says(args, "role", "head") && says(args, "storage", "redis") && missing(args, "redis"):
		return errors.New("storage = \"redis\" needs the Redis node: redis = node.NAME")
	}
	return nil
}

func (a nodeArgs) command(in step.KindInput, store int64) []string {
	cmd := []string{"ray", "start"}
	if a.Role == "head" {
		cmd = append(cmd, "--head", "--port="+strconv.Itoa(gcsPort))
		if a.Dashboard {
			cmd = append(cmd, "--dashboard-host=0.0.0.0", "--dashboard-port="+strconv.Itoa(dashboardPort))
		} else {
			cmd = append(cmd, "--include-dashboard=false")
		}
	} else {
		cmd = append(cmd, "--address="+address(in.Node(string(*a.Head)).IP, gcsPort))
	}
	// The address rather than the name: the run's name server does not know a
	// node while it is down, and the address stays.
	cmd = append(cmd, "--node-ip-address="+in.Self.IP, "--node-manager-port="+strconv.Itoa(nodeManagerPort),
		"--object-store-memory="+strconv.FormatInt(store, 10))
	if a.NumCPUs != nil {
		cmd = append(cmd, "--num-cpus="+number(*a.NumCPUs))
	}
	if a.NumGPUs != nil {
		cmd = append(cmd, "--num-gpus="+number(*a.NumGPUs))
	}
	if len(a.Resources) > 0 {
		cmd = append(cmd, "--resources="+jsonText(a.Resources))
	}
	if len(a.Labels) > 0 {
		cmd = append(cmd, "--labels="+labels(a.Labels))
	}
	return append(append(cmd, "--block"), a.Args...)
}

func (a nodeArgs) env(in step.KindInput) map[string]string {
	env := map[string]string{
		"RAY_USAGE_STATS_ENABLED": "0", // a test cluster reports to nobody
	}
	if a.Role == "worker" {
		// Idle processes that Ray starts ahead, one for each CPU, when a node's
		// first driver connects: they would take all the CPU of a small machine
		// just when a reconfig's driver comes through and traffic is judged.
		env["RAY_prestart_worker_first_driver"] = "0"
		// How long a worker's processes wait for a GCS that went away.
		env["RAY_gcs_rpc_server_reconnect_timeout_s"] = "600"
		// The worker's process is started beside the head's, and must not give
		// up on a head that is slow to come.
		env["RAY_gcs_server_port_wait_time_s"] = strconv.Itoa(int(readyWithin.Seconds()))
	} else {
		// Serve's controller gives up a write to the GCS instead of hanging.
		env["RAY_SERVE_KV_TIMEOUT_S"] = "5"
	}
	if a.Role == "head" && a.Storage == "rocksdb" {
		env["RAY_gcs_storage"] = "rocksdb"
		env["RAY_gcs_storage_path"] = a.StoragePath
	}
	if a.Role == "head" && a.Storage == "redis" {
		env["RAY_REDIS_ADDRESS"] = address(in.Node(string(*a.Redis)).IP, redisPort)
	}
	for name, value := range a.System {
		env["RAY_"+name] = value
	}
	return env
}

func labels(m map[string]string) string {
	var text []byte
	for _, k := range sortedKeys(m) {
		if len(text) > 0 {
			text = append(text, ',')
		}
		text = append(text, k+"="+m[k]...)
	}
	return string(text)
}

// answers is a gate that opens when a node's port takes connections.
func answers(node string, port int) func(context.Context, *step.Env) error {
	return func(ctx context.Context, env *step.Env) error { return reachable(ctx, env, node, port) }
}

// dialTimeout bounds one attempt to connect. Nothing answers for the address
// of a node that is down, so that a connection would hang there.
const dialTimeout = time.Second

func dial(ctx context.Context, env *step.Env, addr string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	return env.Dial(ctx, "", "tcp", addr)
}

func reachable(ctx context.Context, env *step.Env, node string, port int) error {
	addr := address(env.Nodes.Facts(node).IP, port)
	conn, err := dial(ctx, env, addr)
	if err != nil {
		return fmt.Errorf("%s does not answer on %s: %w", node, addr, err)
	}
	return conn.Close()
}

func headReady(ctx context.Context, env *step.Env, head string) error {
	k, err := headOf(env, head)
	if err != nil {
		return err
	}
	if !k.Dashboard {
		return reachable(ctx, env, head, nodeManagerPort)
	}
	if _, err := newAPI(env, head).version(ctx); err != nil {
		return err
	}
	return listed(ctx, env, head, head)
}

func workerReady(ctx context.Context, env *step.Env, worker, head string) error {
	k, err := headOf(env, head)
	if err != nil {
		return err
	}
	if !k.Dashboard {
		return reachable(ctx, env, worker, nodeManagerPort)
	}
	return listed(ctx, env, head, worker)
}

// listed says whether a node is alive in the head's node list, since its
// present start: what a node was before may stay in the list as ALIVE until
// the GCS notices.
func listed(ctx context.Context, env *step.Env, head, node string) error {
	// A port costs nothing to try; a list costs the head 10 ms of CPU while it
	// is busy starting.
	if err := reachable(ctx, env, node, nodeManagerPort); err != nil {
		return err
	}
	list, err := newAPI(env, head).nodes(ctx)
	if err != nil {
		return err
	}
	ip := env.Nodes.Facts(node).IP
	i := slices.IndexFunc(list, func(n rayNode) bool { return n.IP == ip && n.State == alive })
	if i < 0 {
		return fmt.Errorf("%s (%s) is not ALIVE in Ray's node list", node, ip)
	}
	state, err := env.Nodes.State(ctx, node)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(list, func(n rayNode) bool {
		return n.IP == ip && n.State == alive && !n.startedAt().Before(state.StartedAt)
	}) {
		return fmt.Errorf("the node list of Ray has %s (%s) only as it was before this start", node, ip)
	}
	return nil
}

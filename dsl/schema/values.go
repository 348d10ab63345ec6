package schema

import "github.com/zclconf/go-cty/cty"

// NodeType is the type of a node in expressions. Ports maps container ports
// ("8080") to what they are published as ("127.0.0.1:49153"). State is one of
// NodeStates.
var NodeType = cty.Object(map[string]cty.Type{
	"name":    cty.String,
	"address": cty.String,
	"host":    cty.String,
	"ip":      cty.String,
	"image":   cty.String,
	"state":   cty.String,
	"ports":   cty.Map(cty.String),
})

// NodeStates are the states of a node, in the order in which it comes to them.
var NodeStates = []string{"created", "starting", "ready", "paused", "exited"}

// StepAttrs are what every step has beside its own results. Times are RFC 3339
// with nanoseconds; null until they come.
var StepAttrs = Object{Attrs: []Attr{
	{Name: "address", Type: cty.String, Doc: "How the step is named in plans and events, such as action.outage."},
	{Name: "state", Type: cty.String, Doc: "pending, running, passed, failed, error, inconclusive, skipped or cancelled.",
		Enum: []string{"pending", "running", "passed", "failed", "error", "inconclusive", "skipped", "cancelled"}},
	{Name: "started_at", Type: cty.String, Doc: "When the step started, as RFC 3339."},
	{Name: "ended_at", Type: cty.String, Doc: "When the step ended, as RFC 3339."},
	{Name: "elapsed_seconds", Type: cty.Number, Doc: "How many seconds the step took."},
	{Name: "attempts", Type: cty.Number, Doc: "How many attempts there were."},
	{Name: "error", Type: cty.String, Doc: "Why it failed; null if it did not."},
}}

// FaultAttrs are what every fault has beside StepAttrs and its own results.
var FaultAttrs = Object{Attrs: []Attr{
	{Name: "injected_at", Type: cty.String, Doc: "When the injection was called (t0), as RFC 3339."},
	{Name: "active_at", Type: cty.String, Doc: "When its effect was observed (t1), as RFC 3339."},
	{Name: "healed_at", Type: cty.String, Doc: "When its end was verified (t3), as RFC 3339."},
	{Name: "hits", Type: cty.List(cty.String), Doc: "What was hit, one line each."},
}}

// RepeatAttrs are what every repeat has beside StepAttrs.
var RepeatAttrs = Object{Attrs: []Attr{
	{Name: "rounds", Type: cty.Number, Doc: "How many rounds ran to their end."},
}}

// FaultArgs are what every fault takes beside its own arguments.
var FaultArgs = Object{Attrs: []Attr{
	{Name: "for", Type: cty.String, Format: PositiveDuration, Lasts: true, Doc: "Heal the fault after this long; the step has finished when it is healed. Without it, the step has finished once the fault is active, and the fault lasts until something heals it, at the latest the end of the scenario."},
	{Name: MayExitArg, Type: cty.Bool, Default: cty.False, Doc: "Whether its nodes may exit while it is in effect, in answer to it; the timeline says so. Otherwise that fails the scenario, unless the fault itself may end nodes, by taking them down, ending their processes or limiting their memory."},
}}

// MayExitArg is what a node and a fault call that the node may exit.
const MayExitArg = "may_exit"

// Statistics is the shape of a workload and of every window over one. See
// engine/workload for the exact meaning of each.
func Statistics(captured cty.Type) Object {
	num := func(name, doc string) Attr { return Attr{Name: name, Type: cty.Number, Doc: doc} }
	return Object{Attrs: []Attr{
		num("total", "Requests that were due in the window and have ended."),
		num("ok", "Requests that were answered as expected and are not late."),
		num("failed", "Requests that are neither ok nor late: not answered, or otherwise than expected."),
		num("unknown", "The part of failed that may have had an effect all the same, such as a request that was sent and never answered."),
		num("late", "Requests due while a fault was active and answered after its end; neither ok nor failed."),
		num("error_rate", "The share of requests that failed, from 0 to 1: failed / (ok + failed)."),
		num("rate", "Requests due in the window, per second of it."),
		num("max_gap_seconds", "The longest time in seconds without an ok answer."),
		num("recovery_seconds", "Seconds from the window's start to the first of 10 ok samples in a row that span 2 s, none failing after."),
		num("p50_seconds", "Half of the answers took this many seconds or less, counted from the time a request was due (nearest rank)."),
		num("p90_seconds", "As p50_seconds, for 90 of 100 answers."),
		num("p99_seconds", "As p50_seconds, for 99 of 100 answers."),
		num("max_seconds", "How many seconds the slowest answer took."),
		{Name: "classes", Type: cty.Map(cty.Number), Doc: "How many failed in which way: refused, reset, timeout, dns, http_5xx, unexpected…"},
		{Name: "captured", Type: captured, Doc: "Distinct captured strings, one list per name, sorted."},
		{Name: "duplicates", Type: captured, Doc: "As captured, of those seen more than once."},
	}}
}

// Captured is the type of captured in the statistics of a workload with an
// argument capture, a map with a key for each name: an object with a list of
// strings for each, as far as the names are known.
func Captured(args cty.Value) cty.Type {
	if args == cty.NilVal || !args.Type().IsObjectType() || !args.Type().HasAttribute("capture") {
		return cty.DynamicPseudoType
	}
	capture := args.GetAttr("capture")
	if !capture.IsKnown() {
		return cty.DynamicPseudoType
	}
	attrs := map[string]cty.Type{}
	if !capture.IsNull() {
		for name := range capture.AsValueMap() {
			attrs[name] = cty.List(cty.String)
		}
	}
	return cty.Object(attrs)
}

// And returns the attributes and blocks of o followed by those of the others.
func (o Object) And(others ...Object) Object {
	sum := Object{
		Attrs:  append([]Attr(nil), o.Attrs...),
		Blocks: append([]Block(nil), o.Blocks...),
	}
	for _, x := range others {
		sum.Attrs = append(sum.Attrs, x.Attrs...)
		sum.Blocks = append(sum.Blocks, x.Blocks...)
	}
	return sum
}

// NodeArgs are the arguments of a node block, without count and for_each and
// without the kinds' nested blocks. Arguments that the language gives a shape
// of its own (image, files, mounts) have the type in which they reach the
// engine.
var NodeArgs = Object{
	Attrs: []Attr{
		{Name: "image", Type: cty.String, Required: true, InPlan: true, Check: CheckImage, Doc: "The image: `image.NAME`, or a reference as a string."},
		{Name: "command", Type: cty.List(cty.String), Doc: "The command, in place of the image's."},
		{Name: "entrypoint", Type: cty.List(cty.String), Doc: "The entry point, in place of the image's."},
		{Name: "env", Type: cty.Map(cty.String), Check: CheckEnvNames, Doc: "Environment variables, in addition to the image's."},
		{Name: "files", Type: cty.Map(cty.String), Check: checkPaths, Doc: "Files to write before the start: absolute path in the node → content."},
		{Name: "mounts", Type: cty.Map(cty.String), Doc: "Path in the node → `volume.NAME`, or a path of the host, from `/` on, followed by `:ro` or `:rw`."},
		{Name: "ports", Type: cty.List(cty.Number), Check: checkPorts, Doc: "Container ports to publish on 127.0.0.1, each on a free host port."},
		{Name: "networks", Type: cty.List(cty.String), Doc: "The networks that it is on, `network.NAME` each; without one, the run's own."},
		{Name: "aliases", Type: cty.List(cty.String), Check: checkHostnames, Doc: "Further names on its networks."},
		{Name: "cpus", Type: cty.Number, Check: CheckCPUs, Doc: "How many CPUs the node may use, such as 0.5."},
		{Name: "memory", Type: cty.String, Format: Size, Check: CheckMemory, Doc: "How much memory the node may use."},
		{Name: "shm_size", Type: cty.String, Format: Size, Check: CheckMemoryDisk, Doc: "The size of /dev/shm."},
		{Name: "user", Type: cty.String, Check: CheckUser, Doc: "The user, or `user:group`, that the command runs as."},
		{Name: "hostname", Type: cty.String, Check: checkHostname, Doc: "The host name that the node sees; without it, its name on the network."},
		{Name: "privileged", Type: cty.Bool, Default: cty.False, Doc: "Whether the node gets all capabilities and devices of the host."},
		{Name: "cap_add", Type: cty.List(cty.String), Check: checkCapabilities, Doc: "Linux capabilities that the node gets in addition, such as `NET_ADMIN`."},
		{Name: "init", Type: cty.Bool, Default: cty.True, Doc: "Whether a small init process runs as process 1, which passes signals on and reaps orphans."},
		{Name: "restart", Type: cty.String, Default: cty.StringVal("no"), Enum: []string{"no", "on-failure", "always", "unless-stopped"}, Doc: "Whether the node starts again by itself after an exit."},
		{Name: "stop_signal", Type: cty.String, Format: Signal, Doc: "The signal that asks the node to stop; without it, the image's."},
		{Name: "grace", Type: cty.String, Format: Duration, Doc: "How long the node gets to exit after its stop signal before it is killed."},
		{Name: "stop_timeout", Type: cty.String, Format: Duration, Doc: "Stop it at teardown, with this grace, instead of killing it."},
		{Name: "depends_on", Ref: RefNodes, MayBeEmpty: true, Doc: "Nodes that must be ready first, among those that are started together."},
		{Name: "may_exit", Type: cty.Bool, Default: cty.False, Doc: "Whether the node may exit without an action having asked for it; otherwise such an exit fails the scenario, and so does a process of the node that is killed for want of memory while no fault limits that."},
	},
	Blocks: []Block{{
		Name: "ready",
		Doc:  "When the node counts as ready, asked anew after each start. All that is given must hold; without the block a node is ready when it runs.",
		Body: Object{Attrs: []Attr{
			{Name: "http", Type: cty.String, Check: checkPortPath, Doc: "`:port/path` that must answer with a status below 400."},
			{Name: "https", Type: cty.String, Check: checkPortPath, Doc: "`:port/path` that must answer over TLS with a status below 400. The certificate is not looked at: what is asked is whether the node answers."},
			{Name: "tcp", Type: cty.Number, Format: Port, Doc: "Port that must accept a connection."},
			{Name: "log", Type: cty.String, Format: Regexp, Doc: "Regular expression that a line printed since the start must match."},
			{Name: "exec", Type: cty.List(cty.String), Format: Command, Doc: "Command in the node that must exit 0."},
			{Name: "within", Type: cty.String, Default: cty.StringVal("60s"), Format: PositiveDuration, Doc: "How long the node may take, from its start."},
		}},
	}},
}

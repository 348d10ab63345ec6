package lang

import (
	"slices"

	"github.com/scenario-run/scenario/dsl/diag"
)

// calledOtherwise has what other tools call things, with what they are called
// here. Some have several names here, in different places.
var calledOtherwise = map[string][]string{
	"environment": {"env"}, "env_vars": {"env"}, "variables": {"env", "variable"},
	"volumes": {"mounts"}, "binds": {"mounts"}, "volume": {"mounts"},
	"healthcheck": {"ready"}, "health_check": {"ready"}, "readiness": {"ready"}, "liveness": {"ready"}, "wait_for": {"ready", "within"},
	"depends_on": {"after"}, "needs": {"after", "depends_on"}, "requires": {"after", "depends_on"}, "links": {"depends_on"},
	"expose": {"ports"}, "publish": {"ports"}, "mem_limit": {"memory"}, "cpu": {"cpus"}, "cpu_limit": {"cpus"},
	"container_name": {"hostname"}, "stop_grace_period": {"grace"}, "args": {"command"}, "run": {"command", "action"}, "network_mode": {"networks"},
	"replicas": {"count"}, "scale": {"count"}, "foreach": {"for_each"}, "if": {"when"}, "only_if": {"when"}, "parallel": {"background"}, "async": {"background"},
	"duration": {"for"}, "eventually": {"within"}, "interval": {"every", "backoff"}, "retries": {"retry"}, "ignore_errors": {"on_failure"}, "continue_on_error": {"on_failure"},
	"message": {"error_message"}, "labels": {"tags"},

	"resource": {"node"}, "service": {"node"}, "services": {"node"}, "container": {"node"}, "step": {"action"}, "task": {"action"}, "fault": {"action"},
	"test": {"scenario"}, "check": {"assert"}, "expect": {"assert"}, "loop": {"repeat"}, "finally": {"cleanup"}, "teardown": {"cleanup"},
	"load": {"workload"}, "traffic": {"workload"}, "function": {"define"}, "vars": {"variable"},

	"latency": {"delay"}, "packet_loss": {"loss"}, "drop": {"loss", "partition"}, "bandwidth": {"rate_limit"}, "network_partition": {"partition"}, "split": {"partition"},
	"crash": {"kill"}, "freeze": {"pause"}, "suspend": {"pause"}, "wait": {"sleep"}, "command": {"exec"}, "shell": {"exec"}, "request": {"http"}, "curl": {"http"},
	"recover": {"heal"}, "log": {"note"}, "print": {"note"}, "set": {"note"},
}

// doneOtherwise has the blocks of other tools that nothing is called here, with
// what one does instead.
var doneOtherwise = map[string]string{
	"dynamic":     "A block that may stand more than once is written as often as it is wanted.",
	"lifecycle":   "Nothing outlives a run, so that there is nothing to keep, to replace or to ignore. What must hold before or after a step is an assert; what it waits for is after.",
	"provisioner": "What is done in a node is an action of its own, such as exec.",
	"connection":  "Actions reach nodes by themselves; nodes = [node.NAME] says which.",
	"terraform":   "Nothing is configured here: types are built in, or defined with define.",
	"provider":    "Nothing is configured here: types are built in, or defined with define.",
	"module":      `What files share stands in a library: include = ["FILE.hcl"].`,
	"data":        "What is asked without changing anything is a probe.",
	"deploy":      "Nodes stand side by side by count or for_each.",
	"build":       "An image is built in an image block; a node names it: image = image.NAME.",
	"stages":      "Steps run in the order in which they stand; after and background change it.",
	"jobs":        "A file is one scenario; its steps run in the order in which they stand.",
	"steps":       "Steps stand as they are, as action, workload, assert and repeat blocks, in their order.",
}

// instead is what to do about a block that isn't there: what users of other tools
// may be told, or otherwise what there is.
func instead(name, otherwise string) string {
	if advice, ok := doneOtherwise[name]; ok {
		return advice
	}
	return otherwise
}

// didYouMean is diag.DidYouMean that knows what other tools call things.
func didYouMean(name string, candidates []string) diag.Option {
	if s := suggest(name, candidates); s != "" {
		return diag.Hint(`did you mean "` + s + `"?`)
	}
	return diag.DidYouMean(name, candidates)
}

// Suggest is diag.Suggest that knows what other tools call things.
func Suggest(name string, candidates []string) string { return suggest(name, candidates) }

// suggest is diag.Suggest that knows what other tools call things.
func suggest(name string, candidates []string) string {
	for _, s := range calledOtherwise[name] {
		if slices.Contains(candidates, s) {
			return s
		}
	}
	return diag.Suggest(name, candidates)
}

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

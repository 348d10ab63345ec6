package e2e

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/scenario-run/scenario/engine/event"
)

// hits are faults and actions on nodes, each on one of its own whose main process
// is killed while that happens to it. NODE stands for the node.
var hits = map[string]string{
	"partition":     "sides = [[NODE], [node.other]]",
	"block_port":    "from = [NODE]\n  to = [node.other]\n  port = 8080",
	"loss":          "from = [NODE]\n  to = [node.other]\n  percent = 100",
	"delay":         "from = [NODE]\n  to = [node.other]\n  latency = \"100ms\"",
	"rate_limit":    "from = [NODE]\n  to = [node.other]\n  rate = \"64kbit\"",
	"dns_failure":   "nodes = [NODE]",
	"pause_process": "node = NODE\n  command = \"sleep 600$\"",
	"kill_process":  "node = NODE\n  command = \"sleep 600$\"",
	"fill_disk":     "node = NODE\n  path = \"/small\"",
	"limit_cpu":     "nodes = [NODE]\n  cpus = 0.1",
	"limit_memory":  "nodes = [NODE]\n  memory = \"32m\"",
	"disconnect":    "node = NODE",
	"pause":         "nodes = [NODE]",
	"kill":          "nodes = [NODE]",
	"stop":          "nodes = [NODE]",
	"connect":       "node = NODE\n  network = network.back",
	"recreate":      "nodes = [NODE]",
}

// dying is a file with all hits.
func dying(t *testing.T) string {
	text := fmt.Sprintf(`scenario "dying" {}

network "back" {}

node "other" {
  image   = %[1]q
  command = ["sleep", "600"]
}

action "exec" "go" {
  node    = node.other
  command = ["sh", "-c", "until test -e /tmp/go; do sleep 0.05; done"]
}

`, baseImage(t))
	var all []string
	for _, kind := range slices.Sorted(maps.Keys(hits)) {
		mounts := ""
		if kind == "fill_disk" {
			text += "volume \"small\" { size = \"64m\" }\n\n"
			mounts = "mounts = { \"/small\" = volume.small }\n"
		}
		text += fmt.Sprintf("node %[1]q {\n  image = %[2]q\n  command = [\"sleep\", \"600\"]\n  may_exit = true\n%[3]s}\n\n", kind, baseImage(t), mounts)
		text += fmt.Sprintf("action %[1]q %[1]q {\n  after = [action.go]\n  on_failure = \"continue\"\n  %[2]s\n}\n\n", kind, strings.ReplaceAll(hits[kind], "NODE", "node."+kind))
		all = append(all, "action."+kind)
	}
	return write(t, "dying.hcl", text+"action \"sleep\" \"on\" {\n  after = ["+strings.Join(all, ", ")+"]\n  for = \"1s\"\n}\n")
}

// A node may be gone at any moment of a fault. That is the node's, and neither
// the lab's nor ours: the step passes or fails, the run goes on to its end, and
// takes back what was done as far as there is something. What failed names the exit.
func TestANodeThatDiesWhileSomethingIsDoneToItIsToldSo(t *testing.T) {
	needDocker(t)
	t.Parallel()
	if os.Geteuid() != 0 && os.Getenv("CI") == "" {
		t.Skip("killing the processes of nodes in the moment needs root")
	}
	cmd, out, printed := running(t, dying(t))
	defer func() {
		if t.Failed() {
			t.Log(printed)
		}
	}()
	waitFor(t, out, stepStarts("action.go"))
	mains := firstProcesses(t, started(out))
	docker(t, "exec", mains["node.other"].container, "touch", "/tmp/go")
	killEach(t, out, mains)
	_ = cmd.Wait() // the exit code is looked at
	if code := cmd.ProcessState.ExitCode(); code != 0 && code != 1 {
		t.Errorf("exit code %d", code)
	}
	for _, e := range events(out) {
		b, ok := e.Body.(event.StepFinished)
		if !ok {
			continue
		}
		said := b.Summary
		if b.Cause != nil {
			said = b.Cause.Message
		}
		t.Logf("%s: %s: %s", b.Step, b.State, said)
		if b.State != event.Passed && (b.State != event.Failed || !strings.Contains(said, "code 137")) {
			t.Errorf("%s is %s: %s", b.Step, b.State, said)
		}
		if b.Seconds > 15 { // on a machine with much else to do
			t.Errorf("%s waited for %.1f s for what can't come", b.Step, b.Seconds)
		}
	}
	if strings.Contains(printed.String(), "bug") {
		t.Error("it tells of a bug of ours")
	}
	for what := range strings.Lines(leftOf(t, started(out))) {
		// A daemon under load may lose an endpoint, for good, when nodes go.
		if !strings.HasPrefix(what, "network ") || !strings.Contains(printed.String(), "the daemon has lost sight of them") {
			t.Errorf("left behind: %s", what)
		}
	}
}

// killEach kills each node when its step says that it has begun.
func killEach(t *testing.T, out string, mains map[string]firstProcess) {
	t.Helper()
	done := map[string]bool{}
	for began := time.Now(); len(done) < len(hits); time.Sleep(time.Millisecond) { // between two looks
		if time.Since(began) > time.Minute {
			t.Fatalf("of the steps, only %v began within a minute", slices.Sorted(maps.Keys(done)))
		}
		for _, e := range events(out) {
			if phaseStarts("teardown")(e.Body) {
				t.Fatalf("the run ended though of its steps only %v had begun", slices.Sorted(maps.Keys(done)))
			}
			kind, yes := begins(e.Body)
			if !yes || done[kind] || hits[kind] == "" {
				continue
			}
			done[kind] = true
			// It may be down already, which is what some of the steps do.
			_ = syscall.Kill(mains["node."+kind].pid, syscall.SIGKILL)
		}
	}
}

// begins says of which step an event tells that something is done now.
func begins(b event.Body) (name string, yes bool) {
	switch b := b.(type) {
	case event.FaultChanged:
		name, yes = strings.CutPrefix(b.Step, "action.")
		return name, yes && b.State == "injecting"
	case event.StepStarted: // of one that is no fault
		name, yes = strings.CutPrefix(b.Step, "action.")
		return name, yes && (name == "connect" || name == "recreate")
	}
	return "", false
}

// firstProcess is the first process of a node, as this machine numbers it.
type firstProcess struct {
	container string
	pid       int
}

// firstProcesses are those of a run's nodes, by address.
func firstProcesses(t *testing.T, run string) map[string]firstProcess {
	t.Helper()
	ids := strings.Fields(docker(t, "ps", "--quiet", "--filter", "label=scenario.run="+run, "--filter", "label=scenario.role=node"))
	all := map[string]firstProcess{}
	for line := range strings.Lines(docker(t, append([]string{"inspect", "--format", `{{index .Config.Labels "scenario.node"}} {{.Id}} {{.State.Pid}}`}, ids...)...)) {
		var address string
		var p firstProcess
		if _, err := fmt.Sscan(line, &address, &p.container, &p.pid); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		all[address] = p
	}
	return all
}

// docker calls the client, and returns what it prints.
func docker(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command("docker", args...).CombinedOutput()
	if err != nil {
		t.Fatalf("docker %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

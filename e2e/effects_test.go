package e2e

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/scenario-run/scenario/actions"
	"github.com/scenario-run/scenario/dsl/schema"
)

// effect is how it shows that a fault has an effect: what must hold while it is
// in effect, and doesn't without it. Instead, of a fault that needs more than some
// servers, it is a test of its own: "FILE: TestName".
type effect struct {
	args  string // of the action
	shows string
	test  string
}

// effects are those of every fault. The node's own web server stands for a
// product; a page of 256 KiB, for what takes a while on a thin line.
func effects() map[string]effect {
	const (
		nodes   = "nodes = [node.a]\n"
		node    = "node = node.a\n"
		isolate = "isolate = [node.a]\n"
	)
	return map[string]effect{
		"kill":          {args: nodes, shows: `!probe.state.running && probe.state.exit_code == 137`},
		"stop":          {args: nodes + `grace = "0s"`, shows: `!probe.state.running`},
		"pause":         {args: nodes, shows: `probe.web.class == "timeout"`},
		"kill_process":  {args: node + `name = "sleep"`, shows: `probe.sleepers.count == 0`},
		"pause_process": {args: node + `command = "http.server"`, shows: `probe.web.class == "timeout" && probe.peer.ok`},
		"limit_cpu":     {args: nodes + "cpus = 0.1", shows: `tonumber(trimspace(probe.throttled.stdout)) > 0`},
		"limit_memory":  {args: nodes + `memory = "64m"`, shows: `probe.hungry.exit_code == 137`},
		"fill_disk":     {args: node + `path = "/small"`, shows: `strcontains(probe.writes.stderr, "No space left")`},
		"disconnect":    {args: node, shows: `!probe.web.ok && probe.state.running`},
		"partition":     {args: isolate, shows: `probe.web.class == "timeout" && probe.peer.ok`},
		"block_port":    {args: isolate + "port = 8080\nwith = \"reject\"", shows: `probe.web.class == "refused"`},
		"loss":          {args: isolate + "percent = 100", shows: `probe.web.class == "timeout"`},
		"delay":         {args: isolate + `latency = "900ms"`, shows: `probe.patient.ok && probe.patient.latency_seconds > 0.9`},
		"rate_limit":    {args: isolate + `rate = "200kbit"`, shows: `probe.page.class == "timeout"`},
		"dns_failure":   {args: nodes + `names = ["b"]`, shows: `probe.name.class == "dns"`},
		"chaos":         {args: "every = \"1m\"\nfault \"pause\" {\n" + nodes + "for = \"1m\"\n}", shows: `probe.web.class == "timeout"`},

		"kill_gcs":            {test: "../actions/ray/gcs_test.go: TestKillGCSIsActiveWhenTheHeadHasExited"},
		"kill_raylet":         {test: "../actions/ray/processes_test.go: TestARayletIsKilledByItsName"},
		"kill_replica":        {test: "../actions/ray/processes_test.go: TestReplicasAreKilledWhereServeSaysTheyAre"},
		"kill_worker_process": {test: "../actions/ray/processes_test.go: TestWorkerProcessesAreKilledAndTheRayletsAgentsSpared"},
	}
}

func TestEveryFaultHasAnEffectThatIsLookedAt(t *testing.T) {
	all := effects()
	for _, d := range actions.Definitions() {
		if d.Kind != schema.Fault {
			continue
		}
		e, ok := all[d.Name]
		if !ok {
			t.Errorf("nothing shows that the fault %s has an effect: add it to the table of this test", d.Name)
			continue
		}
		if e.test == "" {
			continue
		}
		file, name, _ := strings.Cut(e.test, ": ")
		src, err := os.ReadFile(file)
		if err != nil || !strings.Contains(string(src), "func "+name+"(t *testing.T)") {
			t.Errorf("%s: there is no test %s in %s: %v", d.Name, name, file, err)
		}
	}
}

// TestFaultsHaveTheirEffectsAndNothingElseHasThem runs one file for all faults,
// one after the other, once with each and once with a note in the place of each:
// what shows an effect must hold with its fault, and must not without.
func TestFaultsHaveTheirEffectsAndNothingElseHasThem(t *testing.T) {
	needDocker(t)
	for _, run := range []struct {
		name, state string
		code        int
		step        func(kind string, e effect) (inject, heal string)
	}{
		{"with the faults", "passed", 0, func(kind string, e effect) (string, string) {
			return fmt.Sprintf("action %q \"%s_it\" {\n%s\n}\n", kind, kind, e.args),
				fmt.Sprintf("action \"heal\" \"%s_over\" { faults = [action.%s_it] }\n", kind, kind)
		}},
		{"with notes in their place", "failed", 1, func(kind string, e effect) (string, string) {
			return fmt.Sprintf("action \"note\" \"%s_it\" {\nvalues = {}\n}\n", kind), ""
		}},
	} {
		t.Run(run.name, func(t *testing.T) {
			t.Parallel()
			r := scenarioRun(t, dockerLimit, nil, effectsFile(t, run.step))
			r.wantExit(t, run.code)
			for kind, e := range effects() {
				if e.test != "" {
					continue
				}
				if state, why := r.step("assert." + kind); state != run.state {
					t.Errorf("what shows the effect of %s is %s: %s", kind, state, why)
				}
			}
			wantNothingLeft(t, r.summary.RunID)
		})
	}
}

// effectsFile is a scenario of two servers in which one fault after the other is
// injected, looked at and healed.
func effectsFile(t *testing.T, step func(kind string, e effect) (inject, heal string)) string {
	var steps strings.Builder
	for _, d := range actions.Definitions() {
		e := effects()[d.Name]
		if d.Kind != schema.Fault || e.test != "" {
			continue
		}
		inject, heal := step(d.Name, e)
		fmt.Fprintf(&steps, "%sassert %q {\ncondition = %s\non_failure = \"continue\"\n}\n%s", inject, d.Name, e.shows, heal)
	}
	return write(t, "effects.hcl", fmt.Sprintf(`scenario "effects" {}

volume "small" { size = "4m" }

# A server, and a process beside it.
node "a" {
  image   = %[1]q
  command = ["sh", "-c", "mkdir -p /www && head -c 262144 /dev/zero >/www/page && sleep 1000 & exec python3 -m http.server 8080 --directory /www"]
  mounts  = { "/small" = volume.small }
  ready { http = ":8080/page" }
}

node "b" {
  image   = %[1]q
  command = ["python3", "-m", "http.server", "8080"]
  ready { tcp = 8080 }
}

probe "http" "web" {
  url     = "http://a:8080/"
  timeout = "1s"
}

probe "http" "peer" {
  url     = "http://b:8080/"
  timeout = "5s"
}

probe "http" "patient" {
  url     = "http://a:8080/"
  timeout = "10s"
}

probe "http" "page" {
  url     = "http://a:8080/page"
  timeout = "2s"
}

probe "dns" "name" {
  name = "b"
  from = node.a
}

probe "node" "state" { node = node.a }

probe "processes" "sleepers" {
  node = node.a
  name = "sleep"
}

# How often the node's processes were held up for having used up their share, in
# either version of control groups; none have a share without a fault.
probe "exec" "throttled" {
  node    = node.a
  command = ["sh", "-c", "python3 -c 'for i in range(10**6): pass'; cat /sys/fs/cgroup/cpu/cpu.stat /sys/fs/cgroup/cpu.stat 2>/dev/null | sed -n 's/nr_throttled //p'"]
}

probe "exec" "hungry" {
  node    = node.a
  command = ["python3", "-c", "len(b'x' * (256 << 20))"]
}

probe "exec" "writes" {
  node    = node.a
  command = ["sh", "-c", "head -c 100000 /dev/zero >/small/new; rm -f /small/new"]
}

%[2]s`, baseImage(t), steps.String()))
}

package e2e

import (
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/scenario-run/scenario/engine/event"
)

// TestPartition runs alone: what a bystander notices of other tests would be
// taken for an effect of the fault.
func TestPartition(t *testing.T) {
	needDocker(t)
	t.Run("cuts off, and is mended", func(t *testing.T) {
		r := scenarioRun(t, dockerLimit, nil, "../scenarios/partition.hcl")
		r.wantExit(t, 0)
		wantNothingLeft(t, r.summary.RunID)
	})
	t.Run("of another node leaves this one where it was", func(t *testing.T) {
		r := scenarioRun(t, dockerLimit, nil, edited(t, "partition.hcl", edit{"isolate = [node.web[0]]", "isolate = [node.web[2]]"}))
		r.wantExit(t, 1)
		if state, _ := r.step("assert.cut_off"); state != "failed" {
			t.Errorf("assert.cut_off is %s", state)
		}
		wantNothingLeft(t, r.summary.RunID)
	})
}

// knocker is a program that connects to a host again and again and counts how
// often it got through, beside a server of its own.
const knocker = `
import http.server, os, socket, sys, threading, time
def knock():
    hits = 0
    while True:
        try:
            socket.create_connection((sys.argv[1], 8080), timeout=0.05).close()
            hits += 1
        except OSError:
            time.sleep(0.002)
        with open("/tmp/hits.new", "w") as f:
            f.write(str(hits))
        os.rename("/tmp/hits.new", "/tmp/hits") # so that a reader sees all of it
threading.Thread(target=knock, daemon=True).start()
http.server.test(http.server.SimpleHTTPRequestHandler, port=8080)
`

// pair are two nodes that connect to each other all the time, and steps.
func pair(t *testing.T, steps string) string {
	return write(t, "pair.hcl", fmt.Sprintf(`scenario "pair" {}

locals {
  knock = <<-EOT
%s
  EOT
}

node "a" {
  image   = %q
  command = ["python3", "-c", local.knock, node.b.ip]
  ready { http = ":8080/" }
}

node "b" {
  image   = %q
  command = ["python3", "-c", local.knock, node.a.ip]
  ready { http = ":8080/" }
}

probe "exec" "hits" {
  node    = node.b
  command = ["cat", "/tmp/hits"]
}

assert "connected" {
  condition = tonumber(probe.hits.stdout) > 20
  within    = "20s"
}

%s
`, strings.ReplaceAll(knocker, "\n", "\n  "), baseImage(t), baseImage(t), steps))
}

func TestARestartOpensNothingBetweenTheSidesOfAPartition(t *testing.T) {
	needDocker(t)
	t.Parallel()
	r := scenarioRun(t, dockerLimit, nil, pair(t, `
action "partition" "split" { sides = [[node.a], [node.b]] }

action "sleep" "settled" { for = "300ms" }

action "exec" "before" {
  node    = node.b
  command = ["cat", "/tmp/hits"]
}

action "restart" "again" { nodes = [node.a] }

action "sleep" "on" { for = "1s" }

assert "nothing_got_through" {
  condition = probe.hits.stdout == action.before.stdout
  hold      = "1s"
}

action "heal" "mend" { faults = [action.split] }

assert "connected_again" {
  condition = tonumber(probe.hits.stdout) > tonumber(action.before.stdout) + 20
  within    = "20s"
}
`))
	r.wantExit(t, 0)
	wantNothingLeft(t, r.summary.RunID)
}

func TestOneWayFaultsCutOneWay(t *testing.T) {
	needDocker(t)
	t.Parallel()
	r := scenarioRun(t, dockerLimit, nil, pair(t, `
# What a sends to b's server is refused; b's own connections go on.
action "block_port" "refused" {
  from = [node.a]
  to   = [node.b]
  port = 8080
  with = "reject"
}

action "exec" "a_is_refused" {
  node      = node.a
  command   = ["python3", "-c", "import socket,sys; socket.create_connection((sys.argv[1], 8080), timeout=1)", node.b.ip]
  exit_code = 1
}

assert "says_so" {
  condition = strcontains(action.a_is_refused.stderr, "ConnectionRefusedError")
}

action "exec" "now" {
  node    = node.b
  command = ["cat", "/tmp/hits"]
}

assert "b_goes_on" {
  condition = tonumber(probe.hits.stdout) > tonumber(action.now.stdout) + 20
  within    = "10s"
}

action "loss" "bad_line" {
  from    = [node.b]
  to      = [node.a]
  percent = 100
}

action "sleep" "settled" { for = "300ms" }

action "exec" "then" {
  node    = node.b
  command = ["cat", "/tmp/hits"]
}

assert "b_lost_everything" {
  condition = probe.hits.stdout == action.then.stdout
  hold      = "1s"
}
`))
	r.wantExit(t, 0)
	wantNothingLeft(t, r.summary.RunID)
}

// An agent that is killed can take nothing back. The kernel does, where tables go
// with their maker: then a partition is not in force any more, and the run, which
// hears of the agent's end, says so at once. A failure of names goes with its agent
// anywhere, as does what was taken of a volume. Whichever is seen first ends the run,
// and what is seen of each is told.
func TestFaultsWhoseAgentsAreKilledAreInconclusiveAtOnce(t *testing.T) {
	needDocker(t)
	t.Parallel()
	cmd, out, printed := running(t, pair(t, fmt.Sprintf(`
volume "small" { size = "16m" }
node "c" {
  image   = %q
  command = ["sleep", "600"]
  mounts  = { "/small" = volume.small }
}
action "partition" "split" { sides = [[node.a], [node.b]] }
action "dns_failure" "lost" { nodes = [node.a] }
action "dns_failure" "lost_one" {
  nodes = [node.a]
  names = ["b"]
}
action "fill_disk" "full" {
  node = node.c
  path = "/small"
}
action "sleep" "settled" { for = "1ms" }
action "sleep" "wait" { for = "5m" }
`, baseImage(t))))
	waitForStep(t, out, "action.settled")
	run := started(out)
	killAgents(t, run)
	_ = cmd.Wait() // the exit code is looked at
	if got := cmd.ProcessState.ExitCode(); got != 6 {
		t.Errorf("exit code %d, want 6\n%s", got, printed)
	}
	told, atOnce := map[string]bool{}, map[string]bool{}
	for _, e := range events(out) {
		b, ok := e.Body.(event.FaultChanged)
		if !ok {
			continue
		}
		now := b.State == "invalid" && strings.Contains(b.Text, " was killed (SIGKILL): ")
		atOnce[b.Step] = atOnce[b.Step] || now
		told[b.Step] = told[b.Step] || now || b.State == "healed" && strings.Contains(b.Text, "it was not in force to its end")
	}
	for _, f := range []string{"action.split", "action.lost", "action.lost_one", "action.full"} {
		if !told[f] && (f != "action.split" || tablesGoWithTheirMaker(t)) {
			t.Errorf("%s was not in force to its end, which nobody tells\n%s", f, printed)
		}
	}
	if !slices.Contains(slices.Collect(maps.Values(atOnce)), true) {
		t.Errorf("it told of nothing before the heal\n%s", printed)
	}
	wantNothingLeft(t, run)
}

// tablesGoWithTheirMaker says that the kernel is 5.12 or later.
func tablesGoWithTheirMaker(t *testing.T) bool {
	t.Helper()
	text, err := exec.Command("docker", "info", "--format", "{{.KernelVersion}}").Output()
	if err != nil {
		t.Fatal(err)
	}
	var major, minor int
	if _, err := fmt.Sscanf(string(text), "%d.%d", &major, &minor); err != nil {
		t.Fatalf("the kernel's version %q: %v", text, err)
	}
	return major > 5 || major == 5 && minor >= 12
}

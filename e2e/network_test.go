package e2e

import (
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
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

// With guardian and engine killed at once nothing but the agents' leases is
// left to mend the network.
func TestAPartitionEndsWithItsLeaseWhenEngineAndGuardianAreKilled(t *testing.T) {
	needDocker(t)
	t.Parallel()
	cmd, out, printed := running(t, pair(t, `
action "partition" "split" { sides = [[node.a], [node.b]] }
action "sleep" "settled" { for = "300ms" }
action "sleep" "on" { for = "60s" }
`))
	waitForStep(t, out, "action.settled")
	run := started(out)
	node := container(t, run, "node.b")
	before := hits(t, node)
	children, err := exec.Command("pgrep", "-P", strconv.Itoa(cmd.Process.Pid)).Output()
	if err != nil {
		t.Fatalf("the engine has no guardian: %v\n%s", err, printed)
	}
	for _, pid := range append(strings.Fields(string(children)), strconv.Itoa(cmd.Process.Pid)) {
		n, err := strconv.Atoi(pid)
		if err != nil {
			t.Fatal(err)
		}
		if err := syscall.Kill(n, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
	}
	killed := time.Now()
	_ = cmd.Wait() // killed, as it says
	for hits(t, node) == before {
		if time.Since(killed) > 3*time.Second {
			t.Errorf("3 s after the engine was killed the nodes are still cut off")
			break
		}
	}
	t.Logf("mended %v after kill -9", time.Since(killed).Round(time.Millisecond))
	if r := program(t, dockerLimit, nil, "clean", run); r.code != 0 {
		t.Errorf("clean exits with %d:\n%s", r.code, r.stderr)
	}
	wantNothingLeft(t, run)
}

func container(t *testing.T, run, address string) string {
	t.Helper()
	out, err := exec.Command("docker", "ps", "--quiet", "--filter", "label=scenario.run="+run, "--filter", "label=scenario.node="+address).Output()
	if err != nil || len(strings.Fields(string(out))) != 1 {
		t.Fatalf("container of %s: %q %v", address, out, err)
	}
	return strings.TrimSpace(string(out))
}

func hits(t *testing.T, container string) string {
	t.Helper()
	out, err := exec.Command("docker", "exec", container, "cat", "/tmp/hits").Output()
	if err != nil {
		t.Fatalf("read the hits: %v", err)
	}
	return string(out)
}

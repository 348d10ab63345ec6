package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/scenario-run/scenario/engine/event"
)

func TestSlowLink(t *testing.T) {
	needDocker(t)
	t.Parallel()
	t.Run("costs its clients what it should", func(t *testing.T) {
		r := scenarioRun(t, dockerLimit, nil, "../scenarios/slow_link.hcl")
		r.wantExit(t, 0)
		wantNothingLeft(t, r.summary.RunID)
	})
	t.Run("of another node costs these nothing", func(t *testing.T) {
		r := scenarioRun(t, dockerLimit, nil, edited(t, "slow_link.hcl", edit{
			"isolate = [node.web[0]]\n  latency", "isolate = [node.web[1]]\n  latency",
		}))
		r.wantExit(t, 1)
		if state, _ := r.step("assert.clients_waited_and_lost_nothing"); state != "failed" {
			t.Errorf("the assertion is %s", state)
		}
		wantNothingLeft(t, r.summary.RunID)
	})
}

// slowPair are two nodes, probes that measure how long each takes to connect to
// the other, and steps.
func slowPair(t *testing.T, steps string) string {
	return write(t, "slow_pair.hcl", fmt.Sprintf(`scenario "slow_pair" {}

locals {
  connect = "import json,socket,sys,time; t=time.time(); socket.create_connection((sys.argv[1], 8080), timeout=5); print(json.dumps({'took': time.time()-t}))"
}

node "a" {
  image   = %[1]q
  command = ["python3", "-m", "http.server", "8080"]
  ready { tcp = 8080 }
}

node "b" {
  image   = %[1]q
  command = ["python3", "-m", "http.server", "8080"]
  ready { tcp = 8080 }
}

probe "exec" "from_a" {
  node    = node.a
  command = ["python3", "-c", local.connect, node.b.ip]
}

probe "exec" "from_b" {
  node    = node.b
  command = ["python3", "-c", local.connect, node.a.ip]
}

assert "quick" {
  condition = probe.from_a.json.took < 0.1 && probe.from_b.json.took < 0.1
  within    = "20s"
}

%[2]s
`, baseImage(t), steps))
}

func TestADelayOutlivesRestartsAndTheGapIsShown(t *testing.T) {
	needDocker(t)
	t.Parallel()
	r := scenarioRun(t, dockerLimit, nil, slowPair(t, `
action "delay" "slow" {
  from    = [node.a]
  to      = [node.b]
  latency = "200ms"
}

action "rate_limit" "thin" {
  sides = [[node.a], [node.b]]
  rate  = "10mbit"
}

action "loss" "now_and_then" {
  isolate = [node.b]
  percent = 1
}

action "block_port" "discard" {
  sides = [[node.a], [node.b]]
  port  = 9
}

action "delay" "a_little_more" {
  from    = [node.a]
  to      = [node.b]
  latency = "50ms"
}

# Whoever begins it, packets go there and back once.
assert "late_once" {
  condition = (
    probe.from_a.json.took >= 0.25 && probe.from_a.json.took < 0.45
    && probe.from_b.json.took >= 0.25 && probe.from_b.json.took < 0.45
  )
  within = "10s"
}

action "restart" "again" { nodes = [node.a, node.b] }

assert "late_as_before" {
  condition = (
    probe.from_a.json.took >= 0.25 && probe.from_a.json.took < 0.45
    && probe.from_b.json.took >= 0.25 && probe.from_b.json.took < 0.45
  )
  within = "10s"
}

action "heal" "less" { faults = [action.slow] }

assert "late_a_little" {
  condition = probe.from_a.json.took >= 0.05 && probe.from_a.json.took < 0.15
  within    = "10s"
}

action "heal" "mend" { faults = [action.a_little_more] }

assert "quick_again" {
  condition = probe.from_a.json.took < 0.05 && probe.from_b.json.took < 0.05
  within    = "10s"
}
`))
	r.wantExit(t, 0)
	wantNothingLeft(t, r.summary.RunID)
	var gaps []string
	for _, e := range events(r.dir) {
		if g, ok := e.Body.(event.FaultGap); ok {
			gaps = append(gaps, g.Step+" "+g.Node)
			if g.Seconds <= 0 || g.Seconds > 10 {
				t.Errorf("%s was off at %s for %v s", g.Step, g.Node, g.Seconds)
			}
		}
	}
	// The delay is at one of its ends, by what the kernel can do.
	delayed := slices.ContainsFunc(gaps, func(g string) bool { return strings.HasPrefix(g, "action.slow ") })
	if !delayed || !slices.Contains(gaps, "action.thin node.a") || !slices.Contains(gaps, "action.thin node.b") {
		t.Errorf("gaps: %v", gaps)
	}
	r.wantText(t, ", which began anew")
}

// An agent that is killed can take nothing back. What it held the kernel lets
// pass, and where tables go with their maker nothing is led through its netem any
// more, so that the fault is found not to have been in force to its end. Elsewhere
// what a netem delays goes on, and the next agent finds it and takes it back.
func TestADelayWhoseAgentsAreKilledIsNotTakenForOne(t *testing.T) {
	needDocker(t)
	t.Parallel()
	cmd, out, printed := running(t, slowPair(t, `
action "delay" "slow" {
  sides   = [[node.a], [node.b]]
  latency = "200ms"
}
action "sleep" "settled" { for = "300ms" }
action "sleep" "meanwhile" { for = "2s" }
action "heal" "mend" { faults = [action.slow] }
assert "quick_again" {
  condition = probe.from_a.json.took < 0.1
  within    = "20s"
}
`))
	waitForStep(t, out, "action.settled")
	killAgents(t, started(out))
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case <-ended:
	case <-time.After(dockerLimit):
		t.Fatalf("it goes on and on\n%s", printed)
	}
	want, why := 0, ""
	if strings.Contains(printed.String(), "this kernel has no netem") || tablesGoWithTheirMaker(t) {
		want, why = 6, "was not in force to its end"
	}
	if code := cmd.ProcessState.ExitCode(); code != want || !strings.Contains(printed.String(), why) {
		t.Errorf("exit code %d, want %d %s\n%s", code, want, why, printed)
	}
	wantNothingLeft(t, started(out))
}

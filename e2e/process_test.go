package e2e

import (
	"fmt"
	"testing"
)

// crew is a node whose main process has three workers of one name beside it,
// and a fourth that counts; none of them is started again.
func crew(t *testing.T, steps string) string {
	return write(t, "crew.hcl", fmt.Sprintf(`scenario "crew" {}

node "crew" {
  image   = %q
  command = ["python3", "-c", <<-EOT
    import os, shutil, signal, subprocess, time
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    shutil.copy(shutil.which("sleep"), "/tmp/worker")
    for i in range(3):
        subprocess.Popen(["/tmp/worker", str(1000 + i)])
    subprocess.Popen(["python3", "-c", """
    import os, time, threading
    n = 0
    while True:
        n += 1
        with open("/tmp/count.new", "w") as f:
            f.write(str(n))
        os.rename("/tmp/count.new", "/tmp/count")
        time.sleep(0.005)
    """, "counter"])
    signal.pause()
    while True:
        signal.pause()
  EOT
  ]
  ready { exec = ["cat", "/tmp/count"] }
}

probe "processes" "workers" {
  node = node.crew
  name = "worker"
}

probe "exec" "count" {
  node    = node.crew
  command = ["cat", "/tmp/count"]
}

%s
`, baseImage(t), steps))
}

func TestOneOfSeveralProcessesIsKilledByName(t *testing.T) {
	needDocker(t)
	t.Parallel()
	r := scenarioRun(t, dockerLimit, nil, crew(t, `
assert "three" {
  condition = probe.workers.count == 3
}

action "note" "before" {
  values = { pids = probe.workers.pids }
}

action "kill_process" "shot" {
  node  = node.crew
  name  = "worker"
  which = "random"
}

assert "the_others_live" {
  condition = probe.workers.count == 2 && toset(concat(probe.workers.pids, action.shot.pids)) == toset(action.before.values.pids)
}

action "kill_process" "by_command" {
  node    = node.crew
  command = "worker 100[0-9]$"
  signal  = "SIGTERM"
}

assert "all_gone" {
  condition = probe.workers.count == 0 && length(action.by_command.pids) == 2
}
`))
	r.wantExit(t, 0)
	wantNothingLeft(t, r.summary.RunID)
}

func TestAProcessThatIsPausedStandsStillUntilHealed(t *testing.T) {
	needDocker(t)
	t.Parallel()
	r := scenarioRun(t, dockerLimit, nil, crew(t, `
action "pause_process" "stuck" {
  node    = node.crew
  command = "counter$"
}

action "exec" "during" {
  node    = node.crew
  command = ["cat", "/tmp/count"]
}

assert "stands_still" {
  condition = probe.count.stdout == action.during.stdout
  hold      = "500ms"
}

action "heal" "on" { faults = [action.stuck] }

assert "goes_on" {
  condition = tonumber(probe.count.stdout) > tonumber(action.during.stdout)
  within    = "3s"
}
`))
	r.wantExit(t, 0)
	wantNothingLeft(t, r.summary.RunID)
}

// Negative control: what holds while a process is paused must not hold when
// another one is.
func TestAnotherProcessThatIsPausedLetsThisOneGoOn(t *testing.T) {
	needDocker(t)
	t.Parallel()
	r := scenarioRun(t, dockerLimit, nil, crew(t, `
action "pause_process" "stuck" {
  node = node.crew
  name = "worker"
}

action "exec" "during" {
  node    = node.crew
  command = ["cat", "/tmp/count"]
}

assert "stands_still" {
  condition = probe.count.stdout == action.during.stdout
  hold      = "500ms"
}
`))
	r.wantExit(t, 1)
	if state, _ := r.step("assert.stands_still"); state != "failed" {
		t.Errorf("assert.stands_still is %s", state)
	}
	wantNothingLeft(t, r.summary.RunID)
}

// The agent that stops processes is among them: root in the node can kill it.
// Then nobody lets them go on when the lease ends, but healing does.
func TestAProcessGoesOnThoughTheAgentThatPausedItWasKilled(t *testing.T) {
	needDocker(t)
	t.Parallel()
	r := scenarioRun(t, dockerLimit, nil, crew(t, `
action "pause_process" "stuck" {
  node    = node.crew
  command = "counter$"
}

action "exec" "agent_dies" {
  node    = node.crew
  command = ["python3", "-c", <<-EOT
    import os, signal
    killed = 0
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            argv = open(f"/proc/{pid}/cmdline").read().split("\0")
        except OSError:
            continue
        if argv[0] == "/scenario":
            os.kill(int(pid), signal.SIGKILL)
            killed += 1
    print(killed)
  EOT
  ]
}

action "exec" "during" {
  node    = node.crew
  command = ["cat", "/tmp/count"]
}

assert "stands_still" {
  condition = trimspace(action.agent_dies.stdout) != "0" && probe.count.stdout == action.during.stdout
  hold      = "500ms"
}

action "heal" "on" { faults = [action.stuck] }

assert "goes_on" {
  condition = tonumber(probe.count.stdout) > tonumber(action.during.stdout)
  within    = "3s"
}
`))
	r.wantExit(t, 0)
	wantNothingLeft(t, r.summary.RunID)
}

func TestAProcessThatIsNotThereCanNotBeKilled(t *testing.T) {
	needDocker(t)
	t.Parallel()
	r := scenarioRun(t, dockerLimit, nil, crew(t, `
action "kill_process" "shot" {
  node = node.crew
  name = "gcs_server"
}
`))
	r.wantExit(t, 1)
	r.wantText(t, "no process in node.crew is named gcs_server", "/tmp/worker 1000")
	wantNothingLeft(t, r.summary.RunID)
}

// The kernel shields a node's first process from what comes from inside; the
// small init that is the first by default is none of the node's own.
func TestTheMainProcessIsPausedAndKilledToo(t *testing.T) {
	needDocker(t)
	t.Parallel()
	for name, init := range map[string]string{"below the init": "true", "as the first": "false"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := mainProcess(t)
			patch(t, file, "  ready {", "  init = "+init+"\n\n  ready {")
			r := scenarioRun(t, dockerLimit, nil, file)
			r.wantExit(t, 0)
			wantNothingLeft(t, r.summary.RunID)
		})
	}
}

func mainProcess(t *testing.T) string {
	return crew(t, `
probe "processes" "main" {
  node    = node.crew
  command = "signal.pause"
}

probe "node" "crew" {
  node = node.crew
}

action "pause_process" "stuck" {
  node    = node.crew
  command = "signal.pause"
}

assert "stopped" {
  condition = one(probe.main.processes).state == "T" && one(action.stuck.pids) == one(probe.main.pids)
}

action "heal" "on" { faults = [action.stuck] }

assert "goes_on" {
  condition = one(probe.main.processes).state == "S"
}

action "kill_process" "shot" {
  node    = node.crew
  command = "signal.pause"
}

assert "exited" {
  condition = !probe.crew.running && probe.crew.exit_code == 137
  within    = "5s"
}

action "start" "again" { nodes = [node.crew] }

assert "back" {
  condition = probe.workers.count == 3
  within    = "5s"
}
`)
}

package e2e

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

var crashRounds = flag.Int("crash-rounds", 5, "how often TestCrashRounds kills an engine; every second time its guardian too, and every fourth its agents")

const (
	// effectLimit is how long a fault may outlast an engine that was killed;
	// containersLimit, how long what the run made may.
	effectLimit     = time.Second
	containersLimit = 10 * time.Second
)

// watcher is a program that does one thing again and again, and notes when that
// works again after it hasn't, or went on after it stood still. Its clock is
// that of its host.
const watcher = `
import http.server, signal, socket, subprocess, sys, time
what, name = sys.argv[1:3]
def connect():
    socket.create_connection((sys.argv[3], 8080), timeout=0.05).close()
    time.sleep(0.02)
def look():
    socket.gethostbyname(sys.argv[3])
    time.sleep(0.02)
def stand():
    time.sleep(0.01)
if what == "serve":
    http.server.test(http.server.SimpleHTTPRequestHandler, port=8080)
if what == "keep":
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    subprocess.Popen(["sleep", "1001"])
    subprocess.Popen(["python3", "-c", sys.argv[3], "stand", "process"])
    while True:
        signal.pause()
through, before = False, time.time()
while True:
    try:
        {"connect": connect, "look": look, "stand": stand}[what]()
        now = time.time()
        if not through or now - before > 0.2:
            with open("/notes/" + name, "a") as f:
                print(now, file=f)
        through, before = True, now
    except OSError:
        through = False
        time.sleep(0.01)
`

// watched are the faults whose end a watcher notes. The last is a node's, which
// only a guardian or the next run undoes.
var watched = []string{"partition", "block_port", "loss", "delay", "dns_failure", "process", "pause"}

// disaster is a file with ten kinds of faults in effect at once.
func disaster(t *testing.T) (file, notes string) {
	t.Helper()
	notes = t.TempDir()
	image := baseImage(t)
	node := func(name, what, to string) string {
		return fmt.Sprintf("node %[1]q {\n  image   = %[4]q\n  command = [\"python3\", \"-c\", local.watch, %[2]q, %[1]q%[3]s]\n  mounts  = { \"/notes\" = \"%[5]s:rw\" }\n  may_exit = true\n}\n\n",
			name, what, to, image, notes)
	}
	text := "scenario \"disaster\" {}\n\nlocals {\n  watch = <<-EOT\n" + watcher + "EOT\n}\n\n"
	for _, name := range []string{"partition", "block_port", "loss", "delay"} {
		text += node(name, "connect", ", node.server.ip")
	}
	text += node("dns_failure", "look", ", node.server.host") + node("pause", "stand", "") + node("process", "keep", ", local.watch") +
		node("server", "serve", "") + node("kill", "stand", "") + node("stop", "stand", "")
	text += `
probe "exec" "notes" {
  node    = node.server
  command = ["ls", "/notes"]
}

assert "all_watch" {
  condition = length(setintersection(split("\n", probe.notes.stdout), ["partition", "block_port", "loss", "delay", "dns_failure", "process", "pause"])) == 7
  within    = "60s"
}

action "sleep" "up" { for = "0s" }

action "partition" "a" { 
  after = [action.up]
  sides = [[node.partition], [node.server]]
}

action "block_port" "b" {
  after = [action.up]
  from  = [node.block_port]
  to    = [node.server]
  port  = 8080
  with  = "reject"
}

action "loss" "c" {
  after   = [action.up]
  from    = [node.loss]
  to      = [node.server]
  percent = 100
}

action "delay" "d" {
  after   = [action.up]
  from    = [node.delay]
  to      = [node.server]
  latency = "500ms"
}

action "dns_failure" "e" {
  after = [action.up]
  nodes = [node.dns_failure]
}

action "pause_process" "f" {
  after   = [action.up]
  node    = node.process
  command = "stand process$"
}

action "kill_process" "g" {
  after   = [action.up]
  node    = node.process
  command = "sleep 1001"
}

action "pause" "h" {
  after = [action.up]
  nodes = [node.pause]
}

action "kill" "i" {
  after = [action.up]
  nodes = [node.kill]
}

action "stop" "j" {
  after = [action.up]
  nodes = [node.stop]
  grace = "0s"
}

action "sleep" "settled" {
  after = [action.a, action.b, action.c, action.d, action.e, action.f, action.g, action.h, action.i, action.j]
  for   = "300ms"
}

action "sleep" "on" {
  after = [action.settled]
  for   = "2m"
}
`
	return write(t, "disaster.hcl", text), notes
}

// TestCrashRounds kills the engine while ten kinds of faults are in effect. It
// runs alone, so that the times are those of what it tests.
func TestCrashRounds(t *testing.T) {
	needDocker(t)
	for n := range *crashRounds {
		who := []victims{engineOnly, withGuardian, engineOnly, withAgents}[n%4]
		t.Run(fmt.Sprintf("%d %s", n, who), func(t *testing.T) { crash(t, who) })
	}
}

// victims are who is killed.
type victims string

const (
	engineOnly   victims = "engine"
	withGuardian victims = "engine and guardian"
	withAgents   victims = "engine, guardian and agents"
)

// ends are the faults that must end when they are killed. What a guardian undoes
// waits for the next run without one, and so do processes that stand still
// without the agent that let them. Of the rest the kernel takes care.
func (who victims) ends() []string {
	switch who {
	case withGuardian:
		return watched[:len(watched)-1]
	case withAgents:
		return watched[:len(watched)-2]
	}
	return watched
}

func crash(t *testing.T, who victims) {
	if who == withAgents && !tablesGoWithTheirMaker(t) {
		t.Skip("this kernel keeps the rules of agents that are killed")
	}
	file, notes := disaster(t)
	cmd, out, printed := running(t, file)
	defer func() {
		if t.Failed() {
			t.Log(printed)
		}
	}()
	waitForStep(t, out, "action.settled")
	run := started(out)
	killed := time.Now()
	limit := effectLimit
	switch who {
	case engineOnly:
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // killed, as it says
	case withGuardian:
		killed = killBoth(t, cmd)
	case withAgents: // first, or their lease would be over
		killAgents(t, run)
		limit += time.Since(killed)
		killBoth(t, cmd)
	}
	wantEnded(t, run, notes, who.ends(), killed, limit)
	if who != engineOnly {
		if r := program(t, dockerLimit, nil, "clean", run); r.code != 0 {
			t.Errorf("clean exits with %d:\n%s", r.code, r.stderr)
		}
		wantNothingLeft(t, run)
		return
	}
	for left := leftOf(t, run); left != ""; left = leftOf(t, run) {
		if time.Since(killed) > containersLimit {
			t.Fatalf("%s after the engine was killed there is still:\n%s", containersLimit, left)
		}
		time.Sleep(50 * time.Millisecond) // between two looks
	}
	t.Logf("nothing left after %v", time.Since(killed).Round(10*time.Millisecond))
	wantGuardianGone(t, run, killed)
}

// wantEnded waits until the effect of each fault is seen to be over: by what its
// watcher notes, or because the node is gone.
func wantEnded(t *testing.T, run, notes string, faults []string, killed time.Time, limit time.Duration) {
	t.Helper()
	after := map[string]time.Duration{}
	for len(after) < len(faults) && time.Since(killed) < containersLimit {
		present := nodesOf(t, run)
		looked := time.Since(killed)
		for _, f := range faults {
			if _, known := after[f]; known {
				continue
			}
			if at, ok := noted(t, filepath.Join(notes, f), killed); ok {
				after[f] = at.Sub(killed)
			} else if !strings.Contains(present, "node."+f+"\n") {
				after[f] = looked
			}
		}
	}
	for _, f := range faults {
		took, over := after[f]
		switch {
		case !over:
			t.Errorf("%s is in effect %s after the engine was killed", f, containersLimit)
		case took > limit:
			t.Errorf("%s was in effect for %v after the engine was killed", f, took.Round(time.Millisecond))
		}
		t.Logf("%s: %v", f, took.Round(time.Millisecond))
	}
}

// killAgents kills all agents of a run.
func killAgents(t *testing.T, run string) {
	t.Helper()
	agents, err := exec.Command("docker", "ps", "--quiet", "--filter", "label=scenario.run="+run, "--filter", "label=scenario.role=agent").Output()
	if err != nil || len(strings.Fields(string(agents))) == 0 {
		t.Fatalf("the agents: %q %v", agents, err)
	}
	if text, err := exec.Command("docker", append([]string{"kill"}, strings.Fields(string(agents))...)...).CombinedOutput(); err != nil {
		t.Fatalf("kill the agents: %v\n%s", err, text)
	}
}

// nodesOf lists the nodes of a run that are there, one on each line.
func nodesOf(t *testing.T, run string) string {
	t.Helper()
	out, err := exec.Command("docker", "ps", "--all", "--filter", "label=scenario.run="+run, "--format", `{{.Label "scenario.node"}}`).Output()
	if err != nil {
		t.Fatalf("docker ps: %v", err)
	}
	return string(out)
}

// noted is the first time after another that stands in a watcher's notes.
func noted(t *testing.T, path string, after time.Time) (time.Time, bool) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("the watcher has never noted anything: %v", err)
	}
	for line := range strings.Lines(string(text)) {
		seconds, err := strconv.ParseFloat(strings.TrimSpace(line), 64)
		if err != nil {
			continue // it is being written
		}
		if at := time.UnixMicro(int64(seconds * 1e6)); at.After(after) {
			return at, true
		}
	}
	return time.Time{}, false
}

// killBoth kills an engine and its guardian, and says when.
func killBoth(t *testing.T, engine *exec.Cmd) time.Time {
	t.Helper()
	children, err := exec.Command("pgrep", "-P", strconv.Itoa(engine.Process.Pid)).Output()
	if err != nil {
		t.Fatalf("the engine has no guardian: %v", err)
	}
	var all []int
	for _, pid := range append(strings.Fields(string(children)), strconv.Itoa(engine.Process.Pid)) {
		n, err := strconv.Atoi(pid)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, n)
	}
	killed := time.Now()
	for _, pid := range all {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
	}
	_ = engine.Wait() // killed, as it says
	return killed
}

package e2e

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// watcher is a program that does things again and again, each by a name, and
// notes when one works again after it hasn't, or went on after it stood still.
// Its clock is that of its host.
const watcher = `
import http.server, signal, socket, subprocess, sys, threading, time
def connect(to):
    socket.create_connection((to, 8080), timeout=0.05).close()
    time.sleep(0.02)
away = False
def rejoin(to):
    # What is sent in the moment that there is a way again can be lost before the
    # port of the bridge forwards, and the hardware address of the other is asked
    # for again only after a second.
    global away
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
            s.connect((to, 8080)) # sends nothing
    except OSError:
        away = True
        raise
    if away:
        time.sleep(0.05)
    away = False
    connect(to)
def send(to):
    with socket.create_connection((to, 8080), timeout=0.3) as s:
        s.sendall(b"GET / HTTP/1.0\r\nX: " + 20000 * b"x" + b"\r\n\r\n")
        s.recv(1)
    time.sleep(0.05)
def look(at):
    # By hand: a resolver waits for seconds for an answer that is lost.
    server = next(line.split()[1] for line in open("/etc/resolv.conf") if line.startswith("nameserver"))
    question = bytes([len(at)]) + at.encode() + b"\x00\x00\x01\x00\x01"
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.settimeout(0.1)
        s.sendto(b"\x01\x02\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00" + question, (server, 53))
        answer = s.recv(512)
    if answer[3] & 15 or answer[6:8] == b"\x00\x00":
        raise OSError("no such name")
    time.sleep(0.02)
def stand(_):
    time.sleep(0.01)
def write(to):
    with open(to, "ab") as f: # what was deleted would be room again
        f.write(bytes(4096))
    time.sleep(0.02)
def unlimited(by):
    first = {"cpu": "cpu/cpu.cfs_quota_us", "memory": "memory/memory.limit_in_bytes"}
    second = {"cpu": "cpu.max", "memory": "memory.max"}
    for below in (first[by], second[by]):
        try:
            limit = open("/sys/fs/cgroup/" + below).read().split()[0]
        except FileNotFoundError:
            continue
        if limit not in ("-1", "max") and int(limit) < 1 << 40:
            raise OSError("limited to " + limit)
        break
    time.sleep(0.02)
def watch(name, does, what):
    through, before = False, time.time()
    while True:
        try:
            does(what)
            now = time.time()
            if not through or now - before > 0.2:
                with open("/notes/" + name, "a") as f:
                    print(now, file=f)
            through, before = True, now
        except OSError:
            through = False
            time.sleep(0.01)
if sys.argv[1] == "serve":
    http.server.test(http.server.SimpleHTTPRequestHandler, port=8080)
if sys.argv[1] == "keep":
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    subprocess.Popen(["sleep", "1001"])
    subprocess.Popen(["python3", "-c", sys.argv[2], "process", "stand", "-"])
    while True:
        signal.pause()
for name, does, what in zip(*[iter(sys.argv[1:])] * 3):
    threading.Thread(target=watch, args=(name, globals()[does], what)).start()
`

// undoer is who undoes a fault when the engine is gone.
type undoer string

const (
	kernel   undoer = "kernel"   // with the last thing that the agent holds
	agent    undoer = "agent"    // at the end of its lease
	guardian undoer = "guardian" // or the next run
)

// watch is a fault whose end a watcher notes.
type watch struct {
	fault string
	node  string // that it is on
	by    undoer
}

var watched = []watch{
	{"partition", "partition", kernel}, {"block_port", "block_port", kernel}, {"loss", "loss", kernel}, {"delay", "delay", kernel},
	{"rate_limit", "rate_limit", kernel}, {"fill_disk", "limits", kernel},
	// Names are looked up as ever at once; but a question that an agent was about to
	// answer is lost with it, and the resolver waits five seconds until it asks again.
	{"dns_failure", "dns_failure", agent},
	{"process", "process", agent},
	{"limit_cpu", "limits", guardian}, {"limit_memory", "dns_failure", guardian}, {"disconnect", "disconnect", guardian}, {"pause", "pause", guardian},
}

// disaster is a file with fifteen kinds of faults in effect at once: those that
// are watched, and a node that was killed, one that was stopped, and a process
// that was killed.
func disaster(t *testing.T) (file, notes string) {
	t.Helper()
	notes = t.TempDir()
	image := baseImage(t)
	node := func(name, args, mounts string) string {
		return fmt.Sprintf("node %q {\n  image    = %q\n  command  = [\"python3\", \"-c\", local.watch, %s]\n  mounts   = { \"/notes\" = \"%s:rw\"%s }\n  may_exit = true\n}\n\n",
			name, image, args, notes, mounts)
	}
	text := "scenario \"disaster\" {}\n\nvolume \"small\" { size = \"32m\" }\n\nlocals {\n  watch = <<-EOT\n" + watcher + "EOT\n}\n\n"
	for _, name := range []string{"partition", "block_port", "loss", "delay"} {
		text += node(name, fmt.Sprintf(`"%s", "connect", node.server.ip`, name), "")
	}
	text += node("disconnect", `"disconnect", "rejoin", node.server.ip`, "") + node("rate_limit", `"rate_limit", "send", node.server.ip`, "") +
		node("dns_failure", `"dns_failure", "look", node.server.host, "limit_memory", "unlimited", "memory"`, "") +
		node("limits", `"limit_cpu", "unlimited", "cpu", "fill_disk", "write", "/small/file"`, `, "/small" = volume.small`) +
		node("pause", `"pause", "stand", "-"`, "") + node("process", `"keep", local.watch`, "") +
		node("server", `"serve"`, "") + node("kill", `"kill", "stand", "-"`, "") + node("stop", `"stop", "stand", "-"`, "")
	var names []string
	for _, w := range watched {
		names = append(names, strconv.Quote(w.fault))
	}
	text += fmt.Sprintf(`
probe "exec" "notes" {
  node    = node.server
  command = ["ls", "/notes"]
}

assert "all_watch" {
  condition = length(setsubtract([%s], split("\n", probe.notes.stdout))) == 0
  within    = "60s"
}
`, strings.Join(names, ", "))
	return write(t, "disaster.hcl", text+disasters), notes
}

const disasters = `
action "sleep" "up" { for = "1ms" }

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

action "rate_limit" "e" {
  after = [action.up]
  from  = [node.rate_limit]
  to    = [node.server]
  rate  = "64kbit"
}

action "dns_failure" "f" {
  after = [action.up]
  nodes = [node.dns_failure]
}

action "pause_process" "g" {
  after   = [action.up]
  node    = node.process
  command = "process stand -$"
}

action "kill_process" "h" {
  after   = [action.up]
  node    = node.process
  command = "sleep 1001"
}

action "fill_disk" "i" {
  after = [action.up]
  node  = node.limits
  path  = "/small"
}

action "limit_cpu" "j" {
  after = [action.up]
  nodes = [node.limits]
  cpus  = 0.2
}

action "limit_memory" "k" {
  after  = [action.up]
  nodes  = [node.dns_failure] # the daemon changes one thing at a time of a container
  memory = "48m"
}

action "disconnect" "l" {
  after = [action.up]
  node  = node.disconnect
}

action "pause" "m" {
  after = [action.up]
  nodes = [node.pause]
}

action "kill" "n" {
  after = [action.up]
  nodes = [node.kill]
}

action "stop" "o" {
  after = [action.up]
  nodes = [node.stop]
  grace = "0s"
}

action "sleep" "settled" {
  after = [
    action.a, action.b, action.c, action.d, action.e, action.f, action.g, action.h,
    action.i, action.j, action.k, action.l, action.m, action.n, action.o,
  ]
  for = "400ms"
}

action "sleep" "on" {
  after = [action.settled]
  for   = "2m"
}
`

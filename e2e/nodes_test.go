package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// TestWhatCanBeDoneToNodes shares one run between the faults and actions on
// nodes. What holds during a fault is seen not to hold before and after it.
func TestWhatCanBeDoneToNodes(t *testing.T) {
	needDocker(t)
	t.Parallel()
	path := write(t, "nodes.hcl", fmt.Sprintf(`scenario "nodes" {}

network "back" {}

volume "data" {}

volume "small" { size = "4m" }

node "web" {
  image   = %[1]q
  command = ["python3", "-m", "http.server", "8080", "--directory", "/data"]
  mounts  = { "/data" = volume.data, "/small" = volume.small }
  memory  = "128m"
  ready { tcp = 8080 }
}

# Takes memory until there is no more, once it finds a file.
node "hungry" {
  image   = %[1]q
  command = ["python3", "-c", <<-EOT
    import os, time
    print("waiting", flush=True)
    while not os.path.exists("/go"):
        time.sleep(0.02)
    all = []
    while True:
        all.append(b"x" * (1 << 20))
  EOT
  ]
  ready { log = "waiting" }
}

# As the node itself sees it, in either version of control groups.
probe "exec" "limits" {
  node    = node.web
  command = ["sh", "-c", "cat /sys/fs/cgroup/cpu/cpu.cfs_quota_us /sys/fs/cgroup/memory/memory.limit_in_bytes 2>/dev/null || cat /sys/fs/cgroup/cpu.max /sys/fs/cgroup/memory.max"]
}

# A file that stays, and one that is written anew.
probe "exec" "writes" {
  node    = node.web
  command = ["sh", "-c", "test -e /small/stays || echo stays >/small/stays; cat /small/stays; head -c 200000 /dev/zero >/small/new && echo written; rm /small/new; ls -A /small | wc -l"]
}

probe "http" "web" {
  url     = "http://web:8080/x"
  timeout = "300ms"
}

probe "file" "x" {
  node = node.web
  path = "/data/x"
}

probe "node" "hungry" { node = node.hungry }

probe "logs" "served" {
  node  = node.web
  match = "GET /x"
  since = action.upgrade
}

assert "unlimited" {
  condition = !startswith(probe.limits.stdout, "20000") && strcontains(probe.limits.stdout, "134217728") && !probe.x.exists
}

action "copy" "page" {
  node = node.web
  from = "page.txt"
  to   = "/data/x"
}

assert "serves" {
  condition = probe.web.body == "a page\n" && probe.x.content == "a page\n" && action.page.bytes == 7
}

action "limit_cpu" "slow" {
  nodes = [node.web]
  cpus  = 0.2
}

action "limit_memory" "tight" {
  nodes  = [node.web]
  memory = "64m"
}

assert "limited" {
  condition = startswith(probe.limits.stdout, "20000") && strcontains(probe.limits.stdout, "67108864")
}

assert "written" {
  condition = probe.writes.stdout == "stays\nwritten\n1\n"
}

action "fill_disk" "full" {
  node  = node.web
  path  = "/small/log"
  leave = "64k"
}

assert "not_written" {
  condition = probe.writes.stdout == "stays\n1\n" && strcontains(probe.writes.stderr, "No space left")
}

action "disconnect" "unplugged" {
  node = node.web
}

assert "gone" {
  condition = !probe.web.ok
}

action "heal" "plugged" { faults = [action.unplugged] }

assert "back" {
  condition = probe.web.ok
  within    = "5s"
}

# The limits hold for a node that is made anew, on a disk of which only the
# volumes are left, one of them still full.
action "recreate" "upgrade" {
  nodes   = [node.web]
  command = ["sh", "-c", "exec python3 -u -m http.server $PORT --directory /data"]
  env     = { PORT = "8080" }
}

assert "serves_again" {
  condition = probe.web.body == "a page\n"
}

assert "still_limited" {
  condition = startswith(probe.limits.stdout, "20000") && strcontains(probe.limits.stdout, "67108864")
}

assert "still_not_written" {
  condition = probe.writes.stdout == "stays\n1\n"
}

assert "logged" {
  condition = probe.served.count > 0 && strcontains(probe.served.last, "GET /x")
  within    = "3s"
}

action "heal" "free" { faults = [action.slow, action.tight, action.full] }

assert "written_again" {
  condition = probe.writes.stdout == "stays\nwritten\n1\n"
}

assert "unlimited_again" {
  condition = !startswith(probe.limits.stdout, "20000") && strcontains(probe.limits.stdout, "134217728")
}

action "connect" "joins" {
  node    = node.web
  network = network.back
}

assert "an_address_more" {
  condition = action.joins.ip != node.web.ip
}

action "limit_memory" "starve" {
  nodes  = [node.hungry]
  memory = "48m"
}

action "copy" "go" {
  node    = node.hungry
  to      = "/go"
  content = ""
}

# An exit that no step asked for would fail the scenario: the limit explains it.
assert "killed" {
  condition = !probe.hungry.running && probe.hungry.oom_killed && probe.hungry.exit_code == 137
  within    = "10s"
}

action "limit_cpu" "dead" {
  nodes = [node.hungry]
  cpus  = 0.1
  expect_error {
    match = "down already"
  }
}
`, baseImage(t)))
	if err := os.WriteFile(filepath.Join(filepath.Dir(path), "page.txt"), []byte("a page\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := scenarioRun(t, dockerLimit, nil, path)
	r.wantExit(t, 0)
	wantNothingLeft(t, r.summary.RunID)
}

// A node that lives on without one of its processes would pass for a whole one,
// and what inspect says of it knows nothing: the run fails at that moment.
func TestWantOfMemoryFailsTheRunAtThatMoment(t *testing.T) {
	needDocker(t)
	t.Parallel()
	for name, of := range map[string]struct{ hungry, says string }{
		"of the node":           {"hungry()", "node.hungry was killed for using too much memory (code 137)"},
		"of a process of it":    {"os.fork() or hungry()\n    while True:\n        time.sleep(1)", "a process of node.hungry was killed for using too much memory"},
		"of one that is beside": {"subprocess.Popen([sys.executable, '-c', 'b = bytes(1) * (1 << 28)'])\n    while True:\n        time.sleep(1)", "a process of node.hungry was killed for using too much memory"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := scenarioRun(t, dockerLimit, nil, write(t, "hungry.hcl", fmt.Sprintf(`scenario "hungry" {}

node "hungry" {
  image   = %q
  memory  = "48m"
  command = ["python3", "-c", <<-EOT
    import os, subprocess, sys, time
    def hungry():
        all = []
        while True:
            all.append(b"x" * (1 << 20))
    print("the last words", flush=True)
    while not os.path.exists("/go"):
        time.sleep(0.02)
    %s
  EOT
  ]
  ready { log = "words" }
}

action "copy" "go" {
  node    = node.hungry
  to      = "/go"
  content = ""
}

action "sleep" "on" { for = "1m" }
`, baseImage(t), of.hungry)))
			r.wantExit(t, 1)
			r.wantText(t, of.says, "the last words")
			if state, _ := r.step("action.on"); state != "cancelled" {
				t.Errorf("action.on is %s", state)
			}
			wantNothingLeft(t, r.summary.RunID)
		})
	}
}

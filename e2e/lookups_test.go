package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// TestLookUpsFailAsAskedUntilHealed has one node that looks up names in all the
// ways that programs do: by Docker's resolver, over UDP and TCP. Another has a
// resolver in itself, by a file that is mounted over the one that Docker gave it.
func TestLookUpsFailAsAskedUntilHealed(t *testing.T) {
	needDocker(t)
	t.Parallel()
	resolvers := filepath.Join(t.TempDir(), "resolv.conf")
	if err := os.WriteFile(resolvers, []byte("nameserver 127.0.0.53\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	r := scenarioRun(t, dockerLimit, nil, write(t, "names.hcl", fmt.Sprintf(`scenario "names" {}

locals {
  # An answer as its code, of b by UDP, of c by UDP and of b by TCP.
  ask = <<-EOT
import socket, struct
server = next(l.split()[1] for l in open("/etc/resolv.conf") if l.startswith("nameserver"))
def question(name):
    return struct.pack("!6H", 7, 0x100, 1, 0, 0, 0) + bytes([len(name)]) + name.encode() + b"\0" + struct.pack("!2H", 1, 1)
def udp(name):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.settimeout(1)
    s.sendto(question(name), (server, 53))
    try:
        return s.recv(512)[3] & 15
    except TimeoutError:
        return "none"
def tcp(name):
    s = socket.create_connection((server, 53), timeout=1)
    q = question(name)
    s.sendall(struct.pack("!H", len(q)) + q)
    try:
        return s.recv(514)[5] & 15
    except TimeoutError:
        return "none"
print(udp("b"), udp("c"), tcp("b"))
  EOT

  # A resolver that knows of b, without an address, and refuses all other questions (5).
  refuse = <<-EOT
import socket, threading
at = ("127.0.0.53", 53)
def answer(q):
    return q[:2] + bytes([q[2] | 128, 0 if q[12:14].lower() == b"\1b" else 5]) + q[4:]
def tcp():
    l = socket.create_server(at)
    while True:
        c, _ = l.accept()
        with c:
            q = c.recv(514)
            c.sendall(q[:2] + answer(q[2:]))
threading.Thread(target=tcp, daemon=True).start()
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(at)
while True:
    q, who = s.recvfrom(512)
    s.sendto(answer(q), who)
  EOT
}

node "own" {
  image   = %[1]q
  command = ["python3", "-c", local.refuse]
  mounts  = { "/etc/resolv.conf" = "%[2]s:ro" }
}

probe "exec" "own" {
  node    = node.own
  command = ["python3", "-c", local.ask]
}

assert "answers" {
  condition = probe.own.stdout == "0 5 0\n"
  within    = "10s"
}

node "a" {
  image   = %[1]q
  command = ["sleep", "1000"]
}

node "b" {
  image   = %[1]q
  command = ["sleep", "1000"]
}

node "c" {
  image   = %[1]q
  command = ["sleep", "1000"]
}

probe "exec" "ask" {
  node    = node.a
  command = ["python3", "-c", local.ask]
}

probe "exec" "other" {
  node    = node.c
  command = ["python3", "-c", local.ask]
}

assert "found" {
  condition = probe.ask.stdout == "0 0 0\n"
}

action "dns_failure" "lost" {
  nodes = [node.a, node.own]
  names = ["B"]
}

action "partition" "as_well" { sides = [[node.a], [node.b]] }

assert "one_name_is_lost_in_one_node" {
  condition = probe.ask.stdout == "3 0 3\n" && probe.other.stdout == "0 0 0\n"
}

assert "and_in_one_with_a_resolver_of_its_own" {
  condition = probe.own.stdout == "3 5 3\n"
}

action "restart" "again" { nodes = [node.a] }

assert "still_lost" {
  condition = probe.ask.stdout == "3 0 3\n"
}

action "heal" "back" { faults = [action.lost] }

assert "found_again" {
  condition = probe.ask.stdout == "0 0 0\n" && probe.own.stdout == "0 5 0\n"
}

action "dns_failure" "broken" {
  nodes = [node.a]
  with  = "servfail"
}

assert "broken" {
  condition = probe.ask.stdout == "2 2 2\n"
}

action "heal" "mended" { faults = [action.broken] }

action "dns_failure" "silent" {
  nodes = [node.a]
  names = ["b"]
  with  = "drop"
}

assert "silent" {
  condition = probe.ask.stdout == "none 0 none\n"
}

action "heal" "all" { faults = [action.silent, action.as_well] }

assert "found_at_last" {
  condition = probe.ask.stdout == "0 0 0\n"
}
`, baseImage(t), resolvers)))
	r.wantExit(t, 0)
	wantNothingLeft(t, r.summary.RunID)
}

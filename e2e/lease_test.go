package e2e

import (
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// leaseLimit is how long faults on links and processes may outlast an engine and
// a guardian that were killed.
const leaseLimit = time.Second

// TestLeases runs alone, so that the time that it measures is that of the
// leases. With guardian and engine killed at once nothing else is left to end
// what was done to links and processes.
func TestLeases(t *testing.T) {
	needDocker(t)
	for name, test := range map[string]struct{ file, node, count string }{
		"a partition": {pair(t, `
action "partition" "split" { sides = [[node.a], [node.b]] }
action "sleep" "settled" { for = "300ms" }
action "sleep" "on" { for = "60s" }
`), "node.b", "/tmp/hits"},
		// Who connects waits for 50 ms only.
		"a delay": {pair(t, `
action "delay" "slow" {
  from    = [node.a]
  to      = [node.b]
  latency = "200ms"
}
action "sleep" "settled" { for = "300ms" }
action "sleep" "on" { for = "60s" }
`), "node.b", "/tmp/hits"},
		"a stopped process": {crew(t, `
action "pause_process" "stuck" {
  node    = node.crew
  command = "counter$"
}
action "sleep" "settled" { for = "300ms" }
action "sleep" "on" { for = "60s" }
`), "node.crew", "/tmp/count"},
	} {
		t.Run(name, func(t *testing.T) {
			cmd, out, _ := running(t, test.file)
			waitForStep(t, out, "action.settled")
			run := started(out)
			node := container(t, run, test.node)
			before := inNode(t, node, test.count)
			if after := inNode(t, node, test.count); after != before {
				t.Fatalf("nothing is in effect: it counts from %s to %s", before, after)
			}
			killed := killBoth(t, cmd)
			for inNode(t, node, test.count) == before {
				if time.Since(killed) > 10*time.Second {
					t.Fatal("10 s after engine and guardian were killed it is still in effect")
				}
			}
			took := resumed(t, node, killed).Sub(killed)
			t.Logf("it went on %v after kill -9", took.Round(time.Millisecond))
			if took > leaseLimit {
				t.Errorf("it was in effect for longer than %s", leaseLimit)
			}
			if r := program(t, dockerLimit, nil, "clean", run); r.code != 0 {
				t.Errorf("clean exits with %d:\n%s", r.code, r.stderr)
			}
			wantNothingLeft(t, run)
		})
	}
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

// resumed is when something in a node went on after a time, as it noted itself:
// the node's clock is that of its host.
func resumed(t *testing.T, container string, after time.Time) time.Time {
	t.Helper()
	for line := range strings.Lines(inNode(t, container, "/tmp/resumed")) {
		seconds, err := strconv.ParseFloat(strings.TrimSpace(line), 64)
		if err != nil {
			t.Fatal(err)
		}
		if at := time.UnixMicro(int64(seconds * 1e6)); at.After(after) {
			return at
		}
	}
	t.Fatalf("nothing went on after %s", after)
	return after
}

func container(t *testing.T, run, address string) string {
	t.Helper()
	out, err := exec.Command("docker", "ps", "--quiet", "--filter", "label=scenario.run="+run, "--filter", "label=scenario.node="+address).Output()
	if err != nil || len(strings.Fields(string(out))) != 1 {
		t.Fatalf("container of %s: %q %v", address, out, err)
	}
	return strings.TrimSpace(string(out))
}

// inNode reads a file of a node.
func inNode(t *testing.T, container, path string) string {
	t.Helper()
	out, err := exec.Command("docker", "exec", container, "cat", path).Output()
	if err != nil {
		t.Fatalf("read %s: %v", path, err)
	}
	return string(out)
}

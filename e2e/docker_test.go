package e2e

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/scenario-run/scenario/engine/event"
)

const dockerLimit = 3 * time.Minute

// sleepers is a scenario of nodes that only sleep, and what else it is given.
func sleepers(t *testing.T, nodes int, rest string) string {
	return write(t, "sleepers.hcl", fmt.Sprintf(`scenario "sleepers" {}

node "sleeper" {
  count   = %d
  image   = %q
  command = ["sleep", "600"]
}

%s
`, nodes, baseImage(t), rest))
}

func TestNothingIsLeftOfARunThatPasses(t *testing.T) {
	needDocker(t)
	t.Parallel()
	r := scenarioRun(t, dockerLimit, nil, sleepers(t, 2, `
action "kill" "first" { nodes = [node.sleeper[0]] }
action "start" "again" { nodes = action.first.nodes }
`))
	r.wantExit(t, 0)
	wantNothingLeft(t, r.summary.RunID)
}

func TestTwoRunsSideBySideDoNotMeet(t *testing.T) {
	needDocker(t)
	t.Parallel()
	file := write(t, "server.hcl", fmt.Sprintf(`scenario "server" {}
node "web" {
  image   = %q
  command = ["python3", "-m", "http.server", "8080"]
  ports   = [8080]
  ready { http = ":8080/" }
}
workload "http" "clients" {
  url  = "http://${node.web.ip}:8080/"
  rate = 50
}
assert "answers" { 
  condition = workload.clients.failed == 0
  hold      = "3s"
}
output "ip" { value = node.web.ip }
output "port" { value = node.web.ports["8080"] }
`, baseImage(t)))
	results := make([]result, 3)
	var wg sync.WaitGroup
	for i := range results {
		wg.Go(func() { results[i] = scenarioRun(t, dockerLimit, nil, file) })
	}
	wg.Wait()
	seen := map[any]bool{}
	for _, r := range results {
		r.wantExit(t, 0)
		wantNothingLeft(t, r.summary.RunID)
		for _, name := range []string{"ip", "port"} {
			v := r.summary.Variants[0].Outputs[name]
			if v == nil || seen[v] {
				t.Errorf("output %s is %v, which another run had too", name, v)
			}
			seen[v] = true
		}
	}
}

func TestNodesThatCannotRunFailWithAReason(t *testing.T) {
	needDocker(t)
	t.Parallel()
	for _, c := range []struct {
		name, command string
		code          int
		texts         []string
	}{
		{"a command that is not there", `["no-such-command"]`, 1, []string{"no-such-command", "node.n"}},
		{"a node that exits at once", `["sh", "-c", "echo the reason; exit 3"]`, 1, []string{"node.n", "3", "the reason"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := scenarioRun(t, dockerLimit, nil, write(t, "node.hcl", fmt.Sprintf(`scenario "node" {}
node "n" {
  image   = %q
  command = %s
}
action "sleep" "on" { for = "20s" }
`, baseImage(t), c.command)))
			r.wantExit(t, c.code)
			r.wantText(t, c.texts...)
			wantNothingLeft(t, r.summary.RunID)
		})
	}
}

func TestABrokenLabIsAnError(t *testing.T) {
	needDocker(t)
	t.Parallel()
	t.Run("no daemon", func(t *testing.T) {
		r := scenarioRun(t, dockerLimit, []string{"DOCKER_HOST=unix:///nonexistent/docker.sock"}, sleepers(t, 1, ""))
		r.wantExit(t, 4)
		r.wantText(t, "/nonexistent/docker.sock")
	})
	t.Run("an image that does not build", func(t *testing.T) {
		file := write(t, "build.hcl", fmt.Sprintf(`scenario "build" {}
image "broken" {
  build {
    context = "."
    args    = { BASE = %q }
  }
}
node "n" { image = image.broken }
`, baseImage(t)))
		dockerfile := "ARG BASE\nFROM ${BASE}\nRUN echo building; echo 'the last words' >&2; exit 7\n"
		if err := os.WriteFile(filepath.Join(filepath.Dir(file), "Dockerfile"), []byte(dockerfile), 0o600); err != nil {
			t.Fatal(err)
		}
		r := scenarioRun(t, dockerLimit, nil, file)
		r.wantExit(t, 4)
		r.wantText(t, "image broken", "the last words")
		wantNothingLeft(t, r.summary.RunID)
	})
	t.Run("an image that is nowhere", func(t *testing.T) {
		r := scenarioRun(t, dockerLimit, nil, write(t, "nowhere.hcl", `scenario "nowhere" {}
node "n" { image = "localhost:1/no/such:image" }
`))
		r.wantExit(t, 4)
		r.wantText(t, "localhost:1/no/such:image")
		wantNothingLeft(t, r.summary.RunID)
	})
}

func TestAFullDiskIsAnErrorAndLeavesNothing(t *testing.T) {
	needDocker(t)
	if os.Geteuid() != 0 && os.Getenv("CI") == "" {
		t.Skip("mounting a small disk needs root")
	}
	small := t.TempDir()
	if err := syscall.Mount("tmpfs", small, "tmpfs", 0, "size=16k"); err != nil {
		t.Fatalf("mount: %v", err)
	}
	defer func() {
		if err := syscall.Unmount(small, 0); err != nil {
			t.Errorf("unmount: %v", err)
		}
	}()
	file := sleepers(t, 1, `
action "exec" "talk" {
  node    = node.sleeper[0]
  command = ["sh", "-c", "seq 1 20000"]
}
`)
	r := program(t, dockerLimit, nil, "run", "--progress", "plain", "--out", filepath.Join(small, "run"), file)
	r.wantExit(t, 4)
	r.wantText(t, "no space left on device")
	wantNothingLeft(t, runID(t, r))
}

// runID reads the id of a run from what it printed first.
func runID(t *testing.T, r result) string {
	t.Helper()
	for line := range strings.Lines(r.stdout + r.stderr) {
		if rest, ok := strings.CutPrefix(line, "run "); ok {
			return strings.Fields(rest)[0]
		}
	}
	t.Fatalf("no run id was printed\n%s%s", r.stdout, r.stderr)
	return ""
}

func TestANodeThatDiesWithTheLastStepFailsTheRun(t *testing.T) {
	needDocker(t)
	t.Parallel()
	file := write(t, "dies.hcl", fmt.Sprintf(`scenario "dies" {}
node "a" {
  image   = %q
  command = ["sh", "-c", "trap 'echo going; exit 3' TERM; echo up; while :; do sleep 0.1; done"]
  ready { log = "up" }
}
action "exec" "last" {
  node    = node.a
  command = ["sh", "-c", "kill -TERM 1; sleep 30"]
  expect_error { match = "node.a exited with code 3 while the command ran" }
}
`, baseImage(t)))
	r := scenarioRun(t, dockerLimit, nil, file)
	r.wantExit(t, 1)
	r.wantText(t, "node.a exited with code 3", "going")
	wantNothingLeft(t, r.summary.RunID)
}

func TestARunWhoseReaderWentAwayStillCleansUp(t *testing.T) {
	needDocker(t)
	t.Parallel()
	out := filepath.Join(t.TempDir(), "run")
	cmd := exec.Command(binary, "run", "--progress", "plain", "--out", out, sleepers(t, 1, `
action "sleep" "on" { for = "2s" }
cleanup {
  action "exec" "last" {
    node    = node.sleeper[0]
    command = ["true"]
  }
}
`))
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = writer, writer
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(writer.Close(), reader.Close()); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // the exit code is looked at
	if code := cmd.ProcessState.ExitCode(); code < 0 || code > 10 {
		t.Errorf("exit code %d, of %s", code, cmd.ProcessState)
	}
	cleaned := false
	for _, e := range events(out) {
		if b, ok := e.Body.(event.StepFinished); ok && b.Step == "cleanup/action.last" {
			cleaned = b.State == event.Passed
		}
	}
	if !cleaned {
		t.Error("the cleanup step was not carried out")
	}
	wantNothingLeft(t, started(out))
}

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/scenario-run/scenario/engine/event"
)

// laborious is a scenario with everything that takes the daemon a while, one
// after the other.
func laborious(t *testing.T) string {
	path := write(t, "laborious.hcl", fmt.Sprintf(`scenario "laborious" {}

volume "small" { size = "128m" }

node "a" {
  image   = %[1]q
  command = ["sleep", "600"]
  mounts  = { "/small" = volume.small }
}

node "many" {
  count   = 5
  image   = %[1]q
  command = ["sleep", "600"]
}

action "disconnect" "unplugged" { node = node.many[0] }

action "pause" "frozen" { nodes = [node.many[1], node.many[2]] }

action "limit_cpu" "slow" {
  nodes = [node.many[3], node.many[4]]
  cpus  = 0.1
}

action "copy" "big" {
  node = node.a
  from = "big"
  to   = "/big"
}

action "fill_disk" "full" {
  node = node.a
  path = "/small"
}

action "recreate" "anew" {
  nodes = [node.a, node.many[3]]
}

action "heal" "whole" { faults = [action.unplugged, action.frozen, action.slow, action.full] }
`, baseImage(t)))
	big, err := os.Create(filepath.Join(filepath.Dir(path), "big"))
	if err != nil {
		t.Fatal(err)
	}
	if err := big.Truncate(64 << 20); err != nil {
		t.Fatal(err)
	}
	if err := big.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// building is a scenario whose image is never done; lasts is how long it takes,
// by which its process can be told from others.
func building(t *testing.T, lasts string) string {
	path := write(t, "building.hcl", fmt.Sprintf(`scenario "building" {}

image "slow" {
  build {
    context = "."
    args    = { BASE = %q }
  }
}

node "n" { image = image.slow }
`, baseImage(t)))
	dockerfile := "ARG BASE\nFROM ${BASE}\nRUN sleep " + lasts + "\n"
	if err := os.WriteFile(filepath.Join(filepath.Dir(path), "Dockerfile"), []byte(dockerfile), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// stepStarts, and those below, are moments of a run.
func stepStarts(step string) func(event.Body) bool {
	return func(b event.Body) bool { s, ok := b.(event.StepStarted); return ok && s.Step == step }
}

func phaseStarts(phase string) func(event.Body) bool {
	return func(b event.Body) bool { p, ok := b.(event.PhaseStarted); return ok && p.Phase == phase }
}

func faultIs(step, state string) func(event.Body) bool {
	return func(b event.Body) bool {
		f, ok := b.(event.FaultChanged)
		return ok && f.Step == step && f.State == state
	}
}

func nodeIs(state string) func(event.Body) bool {
	return func(b event.Body) bool { n, ok := b.(event.NodeChanged); return ok && n.State == state }
}

func imageProgress(text string) func(event.Body) bool {
	return func(b event.Body) bool {
		p, ok := b.(event.ImageProgress)
		return ok && strings.Contains(p.Text, text)
	}
}

// waitFor waits until a run has come to a moment.
func waitFor(t *testing.T, out string, moment func(event.Body) bool) {
	t.Helper()
	for began := time.Now(); time.Since(began) < time.Minute; time.Sleep(2 * time.Millisecond) { // between two looks
		for _, e := range events(out) {
			if moment(e.Body) {
				return
			}
		}
	}
	t.Fatal("the run did not come to the moment within a minute")
}

// moments are what an engine is killed in the middle of, and whether its guardian
// lives on.
var moments = []struct {
	of      string
	is      func(event.Body) bool
	guarded bool
}{
	{"a build", imageProgress("sleep"), false},
	{"making nodes", nodeIs("created"), true},
	{"a copy", stepStarts("action.big"), false},
	{"filling a volume", faultIs("action.full", "injecting"), true},
	{"making nodes anew", stepStarts("action.anew"), false},
	{"a heal", faultIs("action.full", "healing"), true},
	{"the teardown", phaseStarts("teardown"), false},
}

// What the engine has asked for when it is killed, the daemon does all the
// same, and the guardian, or the next command, has to meet it. With many rounds
// of crashes each is tried with and without a guardian.
func TestNothingIsLeftOfAnEngineThatWasKilledInTheMiddle(t *testing.T) {
	needDocker(t)
	t.Parallel()
	for _, m := range moments {
		for _, guarded := range []bool{m.guarded, !m.guarded} {
			if guarded != m.guarded && *crashRounds <= defaultRounds {
				continue
			}
			t.Run(fmt.Sprintf("of %s, guarded=%t", m.of, guarded), func(t *testing.T) {
				t.Parallel()
				lasts := fmt.Sprintf("6%09d", time.Now().UnixNano()%1e9)
				file := laborious(t)
				if m.of == "a build" {
					file = building(t, lasts)
				}
				killedInTheMiddle(t, file, m.is, guarded)
				wantNoProcess(t, "sleep "+lasts)
			})
		}
	}
}

func killedInTheMiddle(t *testing.T, file string, moment func(event.Body) bool, guarded bool) {
	t.Helper()
	cmd, out, printed := running(t, file)
	defer func() {
		if t.Failed() {
			t.Log(printed)
		}
	}()
	waitFor(t, out, moment)
	run := started(out)
	killed := time.Now()
	if guarded {
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // killed, as it says
		wantNothingLeftWithin(t, run, killed, containersLimit)
		t.Logf("nothing left after %v", time.Since(killed).Round(10*time.Millisecond))
		wantGuardianGone(t, run, killed)
	} else {
		killBoth(t, cmd)
		cleaned(t, run)
	}
}

// nothingSelected is the exit code of clean where the run has nothing any more.
const nothingSelected = 5

// cleaned calls the program until nothing of a run is there any more, and
// nothing that was in flight comes.
func cleaned(t *testing.T, run string) {
	t.Helper()
	began := time.Now()
	for empty := 0; empty < 2; time.Sleep(500 * time.Millisecond) { // for what is in flight to come
		if r := program(t, dockerLimit, nil, "clean", run); r.code != 0 && r.code != nothingSelected {
			t.Fatalf("clean exits with %d:\n%s", r.code, r.stderr)
		}
		left := leftOf(t, run)
		switch {
		case left == "":
			empty++
		case time.Since(began) > containersLimit:
			t.Fatalf("though it was cleaned up, there is still:\n%s", left)
		default:
			empty = 0
		}
	}
}

// wantNoProcess fails the test if a process of that command line goes on.
func wantNoProcess(t *testing.T, command string) {
	t.Helper()
	var found []byte
	for began := time.Now(); time.Since(began) < containersLimit; time.Sleep(50 * time.Millisecond) { // between two looks
		var err error
		if found, err = exec.Command("pgrep", "--full", "--exact", "--list-full", command).Output(); err != nil {
			return
		}
	}
	t.Errorf("still running: %s", found)
}

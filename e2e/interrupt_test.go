package e2e

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/scenario-run/scenario/engine/event"
)

const busy = `
action "pause" "frozen" { nodes = [node.sleeper[0]] }
action "sleep" "meanwhile" { for = "1s" }
action "heal" "thawed" { faults = [action.frozen] }
action "exec" "talk" {
  node    = node.sleeper[1]
  command = ["sh", "-c", "sleep 2"]
}
action "kill" "dead" { nodes = [node.sleeper[2]] }
action "sleep" "on" { for = "60s" }
`

// running starts the program on a file and returns it with its run's directory.
func running(t *testing.T, file string) (*exec.Cmd, string, *bytes.Buffer) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "run")
	cmd := exec.Command(binary, "run", "--progress", "plain", "--out", out, file)
	var printed bytes.Buffer
	cmd.Stdout, cmd.Stderr = &printed, &printed
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, out, &printed
}

func TestNothingIsLeftTenSecondsAfterKill9(t *testing.T) {
	needDocker(t)
	file := sleepers(t, 3, busy)
	seed := time.Now().UnixNano()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(uint64(seed), 0))
	for range 10 {
		// From before the first call to the middle of the steps.
		moment := time.Duration(random.Int64N(int64(5 * time.Second)))
		cmd, out, _ := running(t, file)
		time.Sleep(moment) // the random moment is what is tested
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		killed := time.Now()
		_ = cmd.Wait() // killed, as it says
		run := started(out)
		if run == "" {
			continue // killed before it made anything
		}
		wantNothingLeftWithin(t, run, killed, containersLimit)
		t.Logf("killed after %v: nothing left %v later", moment.Round(time.Millisecond), time.Since(killed).Round(10*time.Millisecond))
		wantGuardianGone(t, run, killed)
	}
}

// wantGuardianGone waits for the end of the guardian, so that nothing that
// was in flight appears after the look.
func wantGuardianGone(t *testing.T, run string, killed time.Time) {
	t.Helper()
	for time.Since(killed) < 30*time.Second {
		if err := exec.Command("pgrep", "-f", "guardian.*"+run).Run(); err != nil {
			if left := leftOf(t, run); left != "" {
				t.Fatalf("after its guardian ended, of run %s there is:\n%s", run, left)
			}
			return
		}
		time.Sleep(100 * time.Millisecond) // between two looks
	}
	t.Errorf("the guardian of run %s still runs", run)
}

func TestAnInterruptedRunCleansUpAndReports(t *testing.T) {
	needDocker(t)
	t.Parallel()
	for signal, code := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143} {
		t.Run(signal.String(), func(t *testing.T) {
			t.Parallel()
			cmd, out, printed := running(t, sleepers(t, 3, busy+`
cleanup {
  action "exec" "last" {
    node    = node.sleeper[1]
    command = ["true"]
  }
}
`))
			waitForStep(t, out, "action.dead")
			if err := cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait() // the exit code is looked at
			if got := cmd.ProcessState.ExitCode(); got != code {
				t.Errorf("exit code %d, want %d\n%s", got, code, printed)
			}
			states := map[string]event.State{}
			for _, e := range events(out) {
				if b, ok := e.Body.(event.StepFinished); ok {
					states[b.Step] = b.State
				}
			}
			if states["action.on"] != event.Cancelled || states["cleanup/action.last"] != event.Passed {
				t.Errorf("states: %v\n%s", states, printed)
			}
			var report struct{ Result struct{ State string } }
			data, err := os.ReadFile(filepath.Join(out, "run.json"))
			if err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(data, &report); err != nil || report.Result.State != "cancelled" {
				t.Errorf("run.json: state %q, %v", report.Result.State, err)
			}
			wantNothingLeft(t, started(out))
		})
	}
}

// waitForStep waits until a step has ended.
func waitForStep(t *testing.T, out, step string) {
	t.Helper()
	for start := time.Now(); time.Since(start) < time.Minute; time.Sleep(20 * time.Millisecond) {
		for _, e := range events(out) {
			if b, ok := e.Body.(event.StepFinished); ok && b.Step == step {
				return
			}
		}
	}
	t.Fatalf("%s did not end within a minute", step)
}

// started returns the run's id, or "" if the run did not get that far.
func started(out string) string {
	for _, e := range events(out) {
		if b, ok := e.Body.(event.RunStarted); ok {
			return b.Run
		}
	}
	return ""
}

// events reads what a run has written so far.
func events(out string) []event.Event {
	var all []event.Event
	data, err := os.ReadFile(filepath.Join(out, "events.ndjson"))
	if err != nil {
		return nil // not yet
	}
	_ = event.Read(bytes.NewReader(data), func(e event.Event) error {
		all = append(all, e)
		return nil
	})
	return all
}

package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// binary is the program, built once for all tests.
var binary string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "scenario-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	binary = filepath.Join(dir, "scenario")
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", binary, "../cmd/scenario")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "building the program: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// needDocker skips a test where the fast ones run, or where no daemon answers;
// in CI the latter is a failure.
func needDocker(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("needs Docker; left out by -short")
	}
	if out, err := exec.Command("docker", "version", "--format", "{{.Server.Version}}").CombinedOutput(); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("no Docker daemon answers: %v\n%s", err, out)
		}
		t.Skipf("no Docker daemon answers (make setup starts one): %s", out)
	}
}

// result is what a call of the program came to.
type result struct {
	code           int
	stdout, stderr string
	dir            string // of the run
	took           time.Duration
	summary        summary
}

// summary is what --json writes.
type summary struct {
	RunID    string `json:"run_id"`
	ExitCode int    `json:"exit_code"`
	State    string `json:"state"`
	Variants []struct {
		Scenario string         `json:"scenario"`
		Variant  string         `json:"variant"`
		State    string         `json:"state"`
		Outputs  map[string]any `json:"outputs"`
		Steps    []struct {
			Address string `json:"address"`
			State   string `json:"state"`
			Error   string `json:"error"`
		} `json:"steps"`
	} `json:"variants"`
}

// step returns the state and the error of a step of the first variant.
func (r result) step(address string) (state, message string) {
	for _, v := range r.summary.Variants {
		for _, s := range v.Steps {
			if s.Address == address {
				return s.State, s.Error
			}
		}
	}
	return "", ""
}

// scenarioRun runs files with the program, and fails the test if that takes
// longer than limit.
func scenarioRun(t *testing.T, limit time.Duration, env []string, args ...string) result {
	t.Helper()
	out := filepath.Join(t.TempDir(), "run")
	r := program(t, limit, env, append([]string{"run", "--progress", "plain", "--out", out, "--json", out + ".json"}, args...)...)
	r.dir = out
	if data, err := os.ReadFile(out + ".json"); err == nil {
		if err := json.Unmarshal(data, &r.summary); err != nil {
			t.Fatalf("--json wrote what can't be read: %v\n%s", err, data)
		}
	}
	return r
}

func program(t *testing.T, limit time.Duration, env []string, args ...string) result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	var stdout, stderr strings.Builder
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // so that it cleans up
	cmd.WaitDelay = 30 * time.Second
	cmd.Env = append(append(os.Environ(), "NO_COLOR=1"), env...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	start := time.Now()
	err := cmd.Run()
	r := result{code: cmd.ProcessState.ExitCode(), stdout: stdout.String(), stderr: stderr.String(), took: time.Since(start)}
	if ctx.Err() != nil {
		t.Fatalf("scenario %s: not over after %v\n%s%s", strings.Join(args, " "), limit, r.stdout, r.stderr)
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("scenario %s: %v", strings.Join(args, " "), err)
	}
	return r
}

// wantExit fails the test, with all that was printed, for another exit code.
func (r result) wantExit(t *testing.T, code int) {
	t.Helper()
	if r.code != code {
		t.Fatalf("exit code %d, want %d\n%s%s", r.code, code, r.stdout, r.stderr)
	}
}

// wantText fails the test if something was not printed.
func (r result) wantText(t *testing.T, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(r.stdout+r.stderr, text) {
			t.Errorf("%q was not printed\n%s%s", text, r.stdout, r.stderr)
		}
	}
}

// wantNothingLeft fails the test if the daemon still has anything of the run.
func wantNothingLeft(t *testing.T, run string) {
	t.Helper()
	if run == "" {
		t.Fatal("the run has no id")
	}
	if left := leftOf(t, run); left != "" {
		t.Errorf("left behind by run %s:\n%s", run, left)
	}
}

// leftOf lists what the daemon has of a run.
func leftOf(t *testing.T, run string) string {
	t.Helper()
	var left strings.Builder
	for _, list := range [][]string{
		{"ps", "--all", "--format", "container {{.Names}} {{.Status}}"},
		{"network", "ls", "--format", "network {{.Name}}"},
		{"volume", "ls", "--format", "volume {{.Name}}"},
	} {
		out, err := exec.Command("docker", append(list, "--filter", "label=scenario.run="+run)...).Output()
		if err != nil {
			t.Fatalf("docker %s: %v", list[0], err)
		}
		left.Write(out)
	}
	return left.String()
}

// write writes a file below a new directory, beside the values that set-up
// made for this machine, and returns its path.
func write(t *testing.T, name, text string) string {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// baseImage is an image with a shell and a Python that this machine has.
func baseImage(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("../scripts/base-image").Output()
	if err != nil {
		t.Fatalf("scripts/base-image: %v", err)
	}
	return strings.TrimSpace(string(out))
}

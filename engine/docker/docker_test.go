package docker_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/scenario-run/scenario/engine/docker"
	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/runtime/conformance"
)

// agentBinary is the program that agents run in these tests.
var agentBinary string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "scenario-docker-test")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	agentBinary = filepath.Join(dir, "agent")
	build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w -buildid=", "-o", agentBinary, "./testdata/agent")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if output, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build the agent: %v\n%s", err, output)
		return 1
	}
	return m.Run()
}

// connect returns the daemon, and skips the test where none answers; in CI that
// is a failure.
func connect(t *testing.T) *docker.Runtime {
	t.Helper()
	r, err := docker.New(t.Context(), docker.Options{AgentBinary: agentBinary})
	switch {
	case err == nil:
		return r
	case runtime.KindOf(err) != runtime.Unreachable || os.Getenv("CI") != "":
		t.Fatal(err)
	}
	t.Skip("no Docker daemon answers: ", err)
	return nil
}

var baseImage = regexp.MustCompile(`(?m)^\s*base_image\s*=\s*"([^"]+)"`)

// image is one that has sh and python3: $SCENARIO_TEST_IMAGE, or the base image
// that the set-up has named to the scenarios.
func image(t *testing.T) string {
	t.Helper()
	if image := os.Getenv("SCENARIO_TEST_IMAGE"); image != "" {
		return image
	}
	file := filepath.FromSlash("../../scenarios/local.auto.vars.hcl")
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return "python:3.11-slim-bookworm"
	}
	if err != nil {
		t.Fatal(err)
	}
	m := baseImage.FindSubmatch(text)
	if m == nil {
		t.Fatalf("%s names no base_image", file)
	}
	return string(m[1])
}

func TestDockerConforms(t *testing.T) {
	r := connect(t)
	defer r.Close()
	found, err := r.EnsureImage(t.Context(), runtime.ImageSpec{Name: "base", Pull: image(t)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	another := func(t *testing.T) runtime.Runtime { return connect(t) }
	conformance.Run(t, conformance.Options{
		Image: found.Ref, New: another,
		Beside: func(t *testing.T, _ runtime.Runtime) runtime.Runtime { return another(t) },
	})
}

func TestADaemonThatDoesNotAnswerIsUnreachable(t *testing.T) {
	for _, host := range []string{"unix://" + filepath.Join(t.TempDir(), "no.sock"), "tcp://127.0.0.1:1"} {
		_, err := docker.New(context.Background(), docker.Options{Host: host, AgentBinary: agentBinary})
		var failed *runtime.Error
		if !errors.As(err, &failed) || failed.Kind != runtime.Unreachable || failed.Hint == "" {
			t.Errorf("%s: got %v (kind %s)", host, err, runtime.KindOf(err))
		}
	}
}

func TestASubnetThatIsTakenIsReportedWithWhoHasIt(t *testing.T) {
	r := connect(t)
	defer r.Close()
	scope := runtime.Scope{Run: "subnet-" + strings.ToLower(rand.Text()[:8]), Variant: "v"}
	t.Cleanup(func() {
		if _, err := r.Sweep(context.Background(), scope, nil); err != nil {
			t.Error(err)
		}
	})
	first, err := r.CreateNetwork(t.Context(), scope, runtime.NetworkSpec{Name: "first"})
	if err != nil {
		t.Fatal(err)
	}
	half := netip.PrefixFrom(first.Subnet.Addr(), first.Subnet.Bits()+1)
	_, err = r.CreateNetwork(t.Context(), scope, runtime.NetworkSpec{Name: "second", Subnet: half})
	var failed *runtime.Error
	if !errors.As(err, &failed) || failed.Kind != runtime.Conflict {
		t.Fatalf("got %v (kind %s)", err, runtime.KindOf(err))
	}
	for _, want := range []string{half.String(), first.Subnet.String(), scope.Run} {
		if !strings.Contains(failed.Error(), want) {
			t.Errorf("%q does not name %s", failed, want)
		}
	}
	if !strings.Contains(failed.Hint, "scenario clean "+scope.Run) {
		t.Errorf("hint %q", failed.Hint)
	}
}

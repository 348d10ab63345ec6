package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// daemon is a Docker daemon of a test's own, beside the machine's, that can be
// stopped. It leaves the machine's firewall alone and has a bridge of its own:
// without one it would take away the machine's docker0, whose name it shares.
// The one image that it has is sleeper.
type daemon struct {
	dir    string
	bridge string
	cmd    *exec.Cmd
}

const daemonLimit = time.Minute

func newDaemon(t *testing.T) *daemon {
	t.Helper()
	needDocker(t)
	if os.Geteuid() != 0 && os.Getenv("CI") == "" {
		t.Skip("a Docker daemon needs root")
	}
	dir, err := os.MkdirTemp("", "scenario-daemon-") // short: a socket's path has a limit
	if err != nil {
		t.Fatal(err)
	}
	d := &daemon{dir: dir, bridge: fmt.Sprintf("scn%d", os.Getpid())}
	t.Cleanup(func() {
		d.stop(t)
		d.remove(t)
	})
	ip(t, "link", "add", d.bridge, "type", "bridge")
	ip(t, "addr", "add", "10.214.0.1/24", "dev", d.bridge)
	d.start(t)
	d.importSleeper(t)
	return d
}

// remove removes what a daemon leaves when it ends: the mount that it makes of
// its data, and its bridge.
func (d *daemon) remove(t *testing.T) {
	t.Helper()
	_ = syscall.Unmount(filepath.Join(d.dir, "data"), 0) // it has unmounted it, as a rule
	if err := os.RemoveAll(d.dir); err != nil {
		t.Error(err)
	}
	ip(t, "link", "del", d.bridge)
}

func ip(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.Command("ip", args...).CombinedOutput(); err != nil {
		t.Fatalf("ip %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

func (d *daemon) host() string { return "unix://" + filepath.Join(d.dir, "d.sock") }

func (d *daemon) start(t *testing.T) {
	t.Helper()
	log, err := os.OpenFile(filepath.Join(d.dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close() // the daemon has it
	d.cmd = exec.Command("dockerd", "--host", d.host(), "--data-root", filepath.Join(d.dir, "data"),
		"--exec-root", filepath.Join(d.dir, "exec"), "--pidfile", filepath.Join(d.dir, "pid"),
		"--bridge", d.bridge, "--iptables=false", "--ip-forward=false", "--ip-masq=false")
	d.cmd.Stdout, d.cmd.Stderr = log, log
	d.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := d.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for began := time.Now(); ; time.Sleep(50 * time.Millisecond) { // between two looks
		if exec.Command("docker", "--host", d.host(), "version").Run() == nil {
			return
		}
		if time.Since(began) > daemonLimit {
			said, _ := os.ReadFile(log.Name()) // for the message only
			t.Fatalf("the daemon does not answer:\n%s", said)
		}
	}
}

// stop asks the daemon to end, as the machine's service manager does.
func (d *daemon) stop(t *testing.T) {
	t.Helper()
	if d.cmd.ProcessState != nil {
		return
	}
	if err := d.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	_ = d.cmd.Wait() // its exit code says nothing
}

func (d *daemon) docker(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command("docker", append([]string{"--host", d.host()}, args...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("docker %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

func (d *daemon) importSleeper(t *testing.T) {
	t.Helper()
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", filepath.Join(d.dir, "sleeper"), "./testdata/sleeper")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the sleeper: %v\n%s", err, out)
	}
	archive := filepath.Join(d.dir, "sleeper.tar")
	if out, err := exec.Command("tar", "--create", "--file", archive, "--directory", d.dir, "sleeper").CombinedOutput(); err != nil {
		t.Fatalf("pack the sleeper: %v\n%s", err, out)
	}
	d.docker(t, "import", "--change", `CMD ["/sleeper"]`, archive, "sleeper:1")
}

// left lists what the daemon has of runs.
func (d *daemon) left(t *testing.T) string {
	t.Helper()
	return d.docker(t, "ps", "--all", "--filter", "label=scenario.run", "--format", "container {{.Names}}") +
		d.docker(t, "network", "ls", "--filter", "label=scenario.run", "--format", "network {{.Name}}")
}

// begun starts a run on the daemon and returns once its nodes sleep.
func (d *daemon) begun(t *testing.T) (wait func() result) {
	t.Helper()
	file := write(t, "gone.hcl", `scenario "gone" {}
node "n" {
  count = 3
  image = "sleeper:1"
}
action "note" "up" { values = { up = true } }
action "sleep" "on" { for = "5m" }
`)
	out := filepath.Join(t.TempDir(), "run")
	done := make(chan result, 1)
	go func() {
		done <- program(t, dockerLimit, []string{"DOCKER_HOST=" + d.host()}, "run", "--progress", "plain", "--out", out, file)
	}()
	waitForStep(t, out, "action.up")
	return func() result {
		r := <-done
		r.dir = out
		return r
	}
}

func TestADaemonThatVanishesIsTheLabsFaultAndItsLeftoversAreNamedAndSwept(t *testing.T) {
	d := newDaemon(t)
	for _, sweep := range []struct {
		name string
		args func() []string
		want string
	}{
		{"by clean", func() []string { return []string{"clean"} }, "removed network"},
		{"by the next run", func() []string {
			return []string{"run", "--progress", "plain", "--out", filepath.Join(t.TempDir(), "next"), write(t, "next.hcl", `scenario "next" {}
node "n" { image = "sleeper:1" }
action "note" "up" { values = { up = true } }
`)}
		}, "of an earlier run whose process is gone"},
	} {
		t.Run(sweep.name, func(t *testing.T) {
			wait := d.begun(t)
			d.stop(t)
			r := wait()
			r.wantExit(t, 4)
			r.wantText(t, "lost sight of the nodes", d.host(), "left behind: node.n[0], node.n[1], node.n[2], network default", "scenario clean "+started(r.dir))
			d.start(t)
			if left := d.left(t); left == "" {
				t.Fatal("nothing was left, so that nothing could be swept")
			}
			swept := program(t, dockerLimit, []string{"DOCKER_HOST=" + d.host()}, sweep.args()...)
			swept.wantExit(t, 0)
			swept.wantText(t, sweep.want)
			if left := d.left(t); left != "" {
				t.Errorf("still there:\n%s", left)
			}
		})
	}
}

func TestARestartOfTheDaemonInTheMiddleIsTheLabsFault(t *testing.T) {
	d := newDaemon(t)
	wait := d.begun(t)
	d.stop(t)
	d.start(t)
	r := wait()
	r.wantExit(t, 4)
	r.wantText(t, "lost sight of the nodes")
	clean := program(t, dockerLimit, []string{"DOCKER_HOST=" + d.host()}, "clean")
	clean.wantExit(t, 0)
	if left := d.left(t); left != "" {
		t.Errorf("still there:\n%s", left)
	}
}

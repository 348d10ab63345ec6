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

	"github.com/scenario-run/scenario/engine/event"
)

// daemon is a Docker daemon of a test's own, beside the machine's, that can be
// stopped. It leaves the machine's firewall alone and has a bridge of its own:
// without one it would take away the machine's docker0, whose name it shares.
// The one image that it has is sleeper.
type daemon struct {
	dir    string
	more   []string // further arguments
	bridge string
	cmd    *exec.Cmd
}

const daemonLimit = time.Minute

func newDaemon(t *testing.T, more ...string) *daemon {
	t.Helper()
	needDocker(t)
	if os.Geteuid() != 0 && os.Getenv("CI") == "" {
		t.Skip("a Docker daemon needs root")
	}
	dir, err := os.MkdirTemp("", "scenario-daemon-") // short: a socket's path has a limit
	if err != nil {
		t.Fatal(err)
	}
	d := &daemon{dir: dir, more: more, bridge: fmt.Sprintf("scn%d", os.Getpid())}
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
	d.cmd = exec.Command("dockerd", append([]string{"--host", d.host(), "--data-root", filepath.Join(d.dir, "data"),
		"--exec-root", filepath.Join(d.dir, "exec"), "--pidfile", filepath.Join(d.dir, "pid"),
		"--bridge", d.bridge, "--iptables=false", "--ip-forward=false", "--ip-masq=false"}, d.more...)...)
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
		d.docker(t, "network", "ls", "--filter", "label=scenario.run", "--format", "network {{.Name}}") +
		d.docker(t, "volume", "ls", "--filter", "label=scenario.run", "--format", "volume {{.Name}}")
}

// gone is a scenario with faults that agents have in force, and such as the
// daemon has.
const gone = `scenario "gone" {}
volume "small" { size = "4m" }
node "n" {
  count = 3
  image = "sleeper:1"
  mounts = { "/small" = volume.small }
}
action "partition" "split" { sides = [[node.n[0]], [node.n[1]]] }
action "pause_process" "stuck" {
  node = node.n[0]
  name = "sleeper"
}
action "fill_disk" "full" {
  node = node.n[0]
  path = "/small"
}
action "limit_cpu" "slow" {
  nodes = [node.n[1]]
  cpus  = 0.1
}
action "disconnect" "unplugged" { node = node.n[1] }
action "pause" "frozen" { nodes = [node.n[2]] }
action "note" "up" { values = { up = true } }
action "sleep" "on" { for = "5m" }
`

// begun starts a run on the daemon and returns once its faults are active.
func (d *daemon) begun(t *testing.T) (wait func() result) {
	t.Helper()
	file := write(t, "gone.hcl", gone)
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
			r.wantText(t, "lost sight of the nodes", d.host(), "left behind: node.n[0], node.n[1], node.n[2], network default, volume small", "scenario clean "+started(r.dir))
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

// withoutNetfilter lets containers do everything but talk to the kernel's
// netfilter, as where it has none.
const withoutNetfilter = `{
  "defaultAction": "SCMP_ACT_ALLOW",
  "syscalls": [{
    "names": ["socket"],
    "action": "SCMP_ACT_ERRNO",
    "args": [{"index": 0, "value": 16, "op": "SCMP_CMP_EQ"}, {"index": 2, "value": 12, "op": "SCMP_CMP_EQ"}]
  }]
}`

func TestWhatAKernelHasNotGotIsSaidBeforeTheFirstStep(t *testing.T) {
	d := newDaemon(t, "--seccomp-profile", write(t, "seccomp.json", withoutNetfilter))
	at := []string{"DOCKER_HOST=" + d.host(), "SCENARIO_HOME=" + t.TempDir()}
	file := write(t, "split.hcl", `scenario "split" {}
node "n" {
  count = 2
  image = "sleeper:1"
}
action "kill" "first" { nodes = [node.n[0]] }
action "start" "again" { nodes = [node.n[0]] }
action "partition" "split" { sides = [[node.n[0]], [node.n[1]]] }
`)
	t.Run("by the doctor", func(t *testing.T) {
		r := program(t, dockerLimit, at, "doctor")
		r.wantExit(t, 0)
		r.wantText(t, "! partition", "can't be injected: nftables: an agent may not use it", "let containers use it")
	})
	t.Run("by the plan, as a need", func(t *testing.T) {
		r := program(t, dockerLimit, at, "plan", "--json", file)
		r.wantExit(t, 0)
		r.wantText(t, `"nftables"`)
	})
	t.Run("by the run, which refuses it", func(t *testing.T) {
		out := filepath.Join(t.TempDir(), "run")
		r := program(t, dockerLimit, at, "run", "--progress", "plain", "--out", out, file)
		r.wantExit(t, 4)
		r.wantText(t, "action.split needs nftables of this machine's kernel, which has not got it: nftables: an agent may not use it")
		for _, e := range events(out) {
			switch b := e.Body.(type) {
			case event.StepStarted, event.NodeChanged, event.NetworkReady:
				t.Errorf("it went on to %+v", b)
			}
		}
	})
	t.Run("and what needs nothing of it runs", func(t *testing.T) {
		patch(t, file, `action "partition" "split" { sides = [[node.n[0]], [node.n[1]]] }`, `action "pause" "frozen" { nodes = [node.n[1]] }`)
		r := program(t, dockerLimit, at, "run", "--progress", "plain", "--out", filepath.Join(t.TempDir(), "run"), file)
		r.wantExit(t, 0)
	})
	if left := d.left(t); left != "" {
		t.Errorf("still there:\n%s", left)
	}
}

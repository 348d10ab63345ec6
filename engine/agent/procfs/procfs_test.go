//go:build linux

package procfs

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/scenario-run/scenario/engine/process"
)

const insideVariable = "SCENARIO_TEST_INSIDE"

// inside runs the test that calls it once more, as the first process of a pid
// namespace with a /proc of its own, and says whether that is where it is. The
// outer one passes if the inner one does.
func inside(t *testing.T) bool {
	t.Helper()
	if os.Getenv(insideVariable) == t.Name() {
		must(t, unix.Mount("proc", proc, "proc", 0, ""))
		return true
	}
	if os.Geteuid() != 0 {
		if os.Getenv("CI") != "" {
			t.Fatal("needs root, to make pid namespaces")
		}
		t.Skip("needs root, to make pid namespaces")
	}
	self, err := os.Executable()
	must(t, err)
	cmd := exec.Command(self, "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), insideVariable+"="+t.Name())
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWPID, Unshareflags: syscall.CLONE_NEWNS}
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Errorf("inside: %v\n%s", err, out)
	}
	return false
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// sleeper starts a process with that title and returns it as List shows it.
func sleeper(t *testing.T, title string) (process.Process, *exec.Cmd) {
	t.Helper()
	path, err := exec.LookPath("sleep")
	must(t, err)
	cmd := &exec.Cmd{Path: path, Args: []string{title, "600"}}
	must(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()
	})
	becomes(t, cmd.Process.Pid, "S") // before, it may still be becoming what it is to be
	p, ok := find(t, cmd.Process.Pid)
	if !ok {
		t.Fatalf("process %d is not listed", cmd.Process.Pid)
	}
	return p, cmd
}

func find(t *testing.T, pid int) (process.Process, bool) {
	t.Helper()
	var all []process.Process
	var k Keeper
	must(t, k.List(context.Background(), nil, func(line []byte) error { return json.Unmarshal(line, &all) }))
	i := slices.IndexFunc(all, func(p process.Process) bool { return p.PID == pid })
	if i < 0 {
		return process.Process{}, false
	}
	return all[i], true
}

// signal runs the job.
func signal(t *testing.T, k *Keeper, name string, to ...process.ID) (outcomes []process.Outcome) {
	t.Helper()
	spec, err := json.Marshal(process.Signal{Signal: name, To: to})
	must(t, err)
	must(t, k.Signal(context.Background(), spec, func(line []byte) error { return json.Unmarshal(line, &outcomes) }))
	return outcomes
}

// becomes waits until the kernel shows a process in a state.
func becomes(t *testing.T, pid int, want process.State) {
	t.Helper()
	var p process.Process
	for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if p, _ = find(t, pid); p.State == want {
			return
		}
	}
	t.Fatalf("process %d is in state %q, not %q", pid, p.State, want)
}

func TestProcessesOfTheNamespaceAreListed(t *testing.T) {
	if !inside(t) {
		return
	}
	p, _ := sleeper(t, "ray::ServeReplica:a:b")
	if p.Name != "sleep" || !slices.Equal(p.Command, []string{"ray::ServeReplica:a:b", "600"}) || p.Parent != 1 {
		t.Errorf("%+v", p)
	}
	if p.Memory <= 0 || p.Age < 0 || p.Age > time.Minute || p.Started == 0 {
		t.Errorf("%+v", p)
	}
	if self, listed := find(t, os.Getpid()); listed {
		t.Errorf("the agent lists itself: %+v", self)
	}
}

func TestASignalHitsItsProcessAndNoOther(t *testing.T) {
	if !inside(t) {
		return
	}
	var k Keeper
	hit, _ := sleeper(t, "hit")
	spared, _ := sleeper(t, "spared")
	other := hit.ID
	other.Started++ // its number, at another time
	if got := signal(t, &k, "SIGKILL", other); got[0] != process.Gone {
		t.Errorf("another start: %v", got)
	}
	if p, _ := find(t, hit.PID); p.Ended() {
		t.Fatal("the number was enough to be hit")
	}
	got := signal(t, &k, "SIGKILL", hit.ID, process.ID{PID: 99999, Started: 1}, process.ID{PID: process.Main, Started: 1})
	if !slices.Equal(got, []process.Outcome{process.Sent, process.Gone, process.Shielded}) {
		t.Errorf("outcomes %v", got)
	}
	becomes(t, hit.PID, process.Zombie)
	if got := signal(t, &k, "SIGKILL", hit.ID); got[0] != process.Gone {
		t.Errorf("one that has ended: %v", got)
	}
	if p, there := find(t, spared.PID); !there || p.Ended() {
		t.Errorf("the other one: %+v", p)
	}
	// Without the call by descriptor, the same.
	if got, err := sendByNumber(other, unix.SIGKILL); got != process.Gone || err != nil {
		t.Errorf("by number: %v %v", got, err)
	}
	if got, err := sendByNumber(spared.ID, unix.SIGKILL); got != process.Sent || err != nil {
		t.Errorf("by number: %v %v", got, err)
	}
	becomes(t, spared.PID, process.Zombie)
}

func TestWhatIsStoppedGoesOnWhenToldToOrWhenTheLeaseEnds(t *testing.T) {
	if !inside(t) {
		return
	}
	var k Keeper
	must(t, k.Close()) // nothing was asked of it
	told, _ := sleeper(t, "told")
	left, _ := sleeper(t, "left")
	dead, cmd := sleeper(t, "dead")
	signal(t, &k, "SIGSTOP", told.ID, left.ID, dead.ID)
	for _, p := range []process.Process{told, left, dead} {
		becomes(t, p.PID, process.Stopped)
	}
	signal(t, &k, "SIGCONT", told.ID)
	becomes(t, told.PID, "S")
	signal(t, &k, "SIGKILL", dead.ID)
	_ = cmd.Wait() // killed, as it says
	if p, _ := find(t, left.PID); p.State != process.Stopped {
		t.Errorf("it goes on by itself: %+v", p)
	}
	must(t, k.Close())
	becomes(t, left.PID, "S")
}

func TestASignalThatIsNoneIsAnError(t *testing.T) {
	var k Keeper
	spec, err := json.Marshal(process.Signal{Signal: "SIGNONE"})
	must(t, err)
	if err := k.Signal(context.Background(), spec, nil); err == nil || !strings.Contains(err.Error(), "SIGNONE") {
		t.Errorf("%v", err)
	}
}

func TestANameMayHoldAnything(t *testing.T) {
	p, err := parseStat("12 (a) S (b) T 3 12 12 0 -1 4194304 1 0 0 0 5 6 0 0 20 0 1 0 777 9000 100 18446744073709551615")
	if err != nil || p.Name != "a) S (b" || p.State != "T" || p.Parent != 3 || p.PID != 12 || p.Started != 777 || p.Memory != int64(100*os.Getpagesize()) {
		t.Errorf("%+v %v", p, err)
	}
	for _, bad := range []string{"", "12 (a", "12 (a) S 1", "x (a) S 3 12 12 0 -1 4194304 1 0 0 0 5 6 0 0 20 0 1 0 777 9000 100 1"} {
		if _, err := parseStat(bad); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}

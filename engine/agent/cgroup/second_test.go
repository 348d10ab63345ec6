//go:build linux

package cgroup

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	goruntime "runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/scenario-run/scenario/engine/agent/umltest"
	"github.com/scenario-run/scenario/engine/runtime"
)

func TestMain(m *testing.M) { umltest.Main(m) }

// A machine has either version of control groups; the other kernel has the
// second for sure.
func TestUnderAKernelWithVersion2(t *testing.T) { umltest.Run(t, "^TestVersion2") }

// version2Mount mounts the groups of version 2, as systemd does.
func version2Mount(t *testing.T) string {
	t.Helper()
	if os.Getpid() != 1 {
		t.Skip("runs under TestUnderAKernelWithVersion2")
	}
	mount := t.TempDir()
	if err := unix.Mount("cgroup2", mount, "cgroup2", 0, ""); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(mount, 0); err != nil {
			t.Error(err)
		}
	})
	return mount
}

// within makes a group and a process in it that waits for its input to end, and
// returns the file that tells the process's groups, the group's directory and
// the process's input.
func within(t *testing.T, mount, group string) (file, dir string, end func()) {
	t.Helper()
	dir = mount
	for part := range strings.SplitSeq(group, "/") {
		write(t, dir, "cgroup.subtree_control", "+cpu +memory")
		dir = filepath.Join(dir, part)
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		made := dir
		t.Cleanup(func() {
			if err := os.Remove(made); err != nil {
				t.Error(err)
			}
		})
	}
	cmd := exec.CommandContext(t.Context(), "/proc/self/exe", "-test.run=^TestTheProcessInAGroup$")
	cmd.Env = append(os.Environ(), inGroup+"=yes")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	at, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer at.Close()
	cmd.SysProcAttr = &unix.SysProcAttr{UseCgroupFD: true, CgroupFD: int(at.Fd())}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	end = func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	var ready [1]byte
	if _, err := out.Read(ready[:]); err != nil {
		end()
		t.Fatal(err)
	}
	return fmt.Sprintf("/proc/%d/cgroup", cmd.Process.Pid), dir, end
}

const inGroup = "IN_GROUP"

const (
	held = 32 << 20               // bytes of memory
	busy = 300 * time.Millisecond // of CPU
)

// The other process of these tests.
func TestTheProcessInAGroup(t *testing.T) {
	if os.Getenv(inGroup) == "" {
		t.Skip("is the process that within starts")
	}
	memory := make([]byte, held)
	for i := range memory {
		memory[i] = 1
	}
	for used := time.Duration(0); used < busy; {
		var u unix.Rusage
		if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
			t.Fatal(err)
		}
		used = time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	fmt.Print("!")
	if n, err := os.Stdin.Read(make([]byte, 1)); n != 0 {
		t.Fatal(n, err)
	}
	goruntime.KeepAlive(memory)
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestVersion2SaysLimits(t *testing.T) {
	mount := version2Mount(t)
	file, dir, end := within(t, mount, "system.slice/docker-"+id+".scope")
	defer end()
	if got, err := Limits(file, mount); err != nil || got != (runtime.Limits{}) {
		t.Errorf("no limits: %+v, %v", got, err)
	}
	for _, want := range []runtime.Limits{{CPUs: 0.2, Memory: 64 << 20}, {CPUs: 1.5, Memory: 128 << 20}, {}} {
		cpu, memory := "max", "max"
		if want != (runtime.Limits{}) {
			cpu, memory = strconv.Itoa(int(want.CPUs*100_000)), strconv.FormatInt(want.Memory, 10)
		}
		write(t, dir, "cpu.max", cpu+" 100000")
		write(t, dir, "memory.max", memory)
		if got, err := Limits(file, mount); err != nil || got != want {
			t.Errorf("%+v, %v; want %+v", got, err, want)
		}
	}
}

func TestVersion2SaysUsage(t *testing.T) {
	mount := version2Mount(t)
	file, _, end := within(t, mount, "docker/"+id)
	defer end()
	got, err := Usage(file, mount)
	if err != nil || got.Memory < held || got.Memory > 3*held || got.CPU < busy/2 || got.CPU > 10*busy {
		t.Errorf("%+v, %v; want %d bytes or some more, and %s or more", got, err, held, busy)
	}
}

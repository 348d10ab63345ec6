//go:build linux

package fill

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/scenario-run/scenario/engine/disk"
)

// volume is a file system of its own, of 1 MiB.
func volume(t *testing.T) *Keeper {
	t.Helper()
	dir := t.TempDir()
	if os.Geteuid() != 0 && os.Getenv("CI") == "" {
		t.Skip("needs root, to mount a small disk")
	}
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=1m"); err != nil {
		t.Fatal(err)
	}
	k := &Keeper{Volume: dir}
	t.Cleanup(func() {
		if err := k.Close(); err != nil {
			t.Error(err)
		}
		if err := unix.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	return k
}

type job = func(context.Context, []byte, func([]byte) error) error

func run(t *testing.T, j job, spec string) (s disk.Space) {
	t.Helper()
	if err := j(t.Context(), []byte(spec), func(line []byte) error { return json.Unmarshal(line, &s) }); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestRoomIsTakenWithoutAFileToSeeAndGivenBack(t *testing.T) {
	k := volume(t)
	if got := run(t, k.Fill, `{"leave": 10000}`); got != (disk.Space{Size: 1 << 20, Free: 8192, Held: 1<<20 - 8192}) {
		t.Errorf("filled: %+v", got)
	}
	if left, err := os.ReadDir(k.Volume); err != nil || len(left) > 0 {
		t.Errorf("to be seen: %v, %v", left, err)
	}
	err := os.WriteFile(filepath.Join(k.Volume, "x"), make([]byte, 10000), 0o600)
	if err == nil || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("more was written than is free: %v", err)
	}
	if got := run(t, k.Fill, `{"leave": 0}`); got.Free != 0 {
		t.Errorf("filled again, to nothing: %+v", got)
	}
	if err := os.Remove(filepath.Join(k.Volume, "x")); err != nil {
		t.Fatal(err)
	}
	if got := run(t, k.Look, ``); got.Free != 8192 {
		t.Errorf("what others free is theirs: %+v", got)
	}
	if got := run(t, k.Release, ``); got != (disk.Space{Size: 1 << 20, Free: 1 << 20}) {
		t.Errorf("released: %+v", got)
	}
	if got := run(t, k.Release, ``); got.Held != 0 {
		t.Errorf("released again: %+v", got)
	}
}

func TestTheEndOfAnAgentGivesRoomBack(t *testing.T) {
	k := volume(t)
	run(t, k.Fill, `{}`)
	if err := k.Close(); err != nil {
		t.Fatal(err)
	}
	if got := run(t, k.Look, ``); got.Free != 1<<20 || got.Held != 0 {
		t.Errorf("%+v", got)
	}
}

func TestWhatIsNoVolumeIsAnError(t *testing.T) {
	k := &Keeper{Volume: filepath.Join(t.TempDir(), "none")}
	for name, j := range map[string]job{"fill": k.Fill, "look": k.Look, "release": k.Release} {
		if err := j(t.Context(), []byte(`{}`), func([]byte) error { return nil }); err == nil {
			t.Errorf("%s passes", name)
		}
	}
}

func TestTheDiskOfTheHostIsNotFilled(t *testing.T) {
	k := &Keeper{Volume: "/proc"}
	err := k.Fill(t.Context(), []byte(`{}`), func([]byte) error { return nil })
	if err == nil || !strings.Contains(err.Error(), "no file system of its own") {
		t.Errorf("got %v", err)
	}
}

func TestAVolumeIsNotFilledWithMemoryThatTheMachineLacks(t *testing.T) {
	if err := hasMemory(1 << 50); err == nil || !strings.Contains(err.Error(), "it is in memory") {
		t.Errorf("got %v", err)
	}
	if err := hasMemory(4096); err != nil {
		t.Errorf("a page: %v", err)
	}
	got, err := availableOf("MemTotal:  5 kB\nMemAvailable:    2048 kB\n")
	if err != nil || got != 2<<20 {
		t.Errorf("got %d, %v", got, err)
	}
	for _, bad := range []string{"", "MemAvailable: much kB\n"} {
		if _, err := availableOf(bad); err == nil {
			t.Errorf("%q is read", bad)
		}
	}
}

package cgroup

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/scenario-run/scenario/engine/runtime"
)

// lay writes files below a new directory.
func lay(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestLimitsAreReadOfBothVersions(t *testing.T) {
	const first = "9:name=systemd:/docker/x\n4:memory:/docker/x\n2:cpu,cpuacct:/docker/x\n"
	const second = "0::/system.slice/docker-x.scope\n"
	v1 := func(below, memory, quota string) map[string]string {
		return map[string]string{
			"proc": first, "memory" + below + "/docker/x/memory.limit_in_bytes": memory,
			"cpu" + below + "/docker/x/cpu.cfs_quota_us": quota, "cpu" + below + "/docker/x/cpu.cfs_period_us": "100000\n",
			"memory/memory.limit_in_bytes": "4096\n", "cpu/cpu.cfs_quota_us": "1\n", // of the root: nobody's
		}
	}
	v2 := func(memory, cpu string) map[string]string {
		return map[string]string{
			"proc": second, "system.slice/docker-x.scope/memory.max": memory, "system.slice/docker-x.scope/cpu.max": cpu,
		}
	}
	nested := v1("", "67108864\n", "-1\n")
	nested["proc"] = "4:memory:/docker/outer/docker/x\n2:cpu:/docker/outer/docker/x\n"
	tests := []struct {
		name  string
		files map[string]string
		want  runtime.Limits
	}{
		{"version 1", v1("", "67108864\n", "20000\n"), runtime.Limits{CPUs: 0.2, Memory: 64 << 20}},
		{"version 1, without", v1("", "9223372036854771712\n", "-1\n"), runtime.Limits{}},
		{"version 1, as the daemon lifts it", v1("", "4611686018427387904\n", "-1\n"), runtime.Limits{}},
		{"a daemon in a group", nested, runtime.Limits{Memory: 64 << 20}},
		{"version 2", v2("67108864\n", "20000 100000\n"), runtime.Limits{CPUs: 0.2, Memory: 64 << 20}},
		{"version 2, without", v2("max\n", "max 100000\n"), runtime.Limits{}},
	}
	for _, tt := range tests {
		dir := lay(t, tt.files)
		got, err := Limits(filepath.Join(dir, "proc"), dir)
		if err != nil || got != tt.want {
			t.Errorf("%s: %+v, %v; want %+v", tt.name, got, err, tt.want)
		}
	}
}

func TestLimitsThatCanNotBeReadAreAnError(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"no group":  {"proc": "0::/a\n", "memory.max": "max\n", "cpu.max": "max 100000\n"},
		"nonsense":  {"proc": "0::/a\n", "a/memory.max": "much\n", "a/cpu.max": "max 100000\n"},
		"no period": {"proc": "0::/a\n", "a/memory.max": "max\n", "a/cpu.max": "max\n"},
	} {
		dir := lay(t, files)
		if got, err := Limits(filepath.Join(dir, "proc"), dir); err == nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

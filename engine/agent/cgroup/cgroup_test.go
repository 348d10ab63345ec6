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

// id is that of a container.
const id = "3f4c1e6b9a"

// Where Docker puts a container's group: with a driver of its own below /docker,
// with systemd's in a scope. The agent is in the machine's namespace of groups,
// whichever the node is in, so that both see the whole path.
func TestLimitsAreReadWhereverDockerPutsTheGroup(t *testing.T) {
	const scope = "docker-" + id + ".scope"
	limited := runtime.Limits{CPUs: 0.2, Memory: 64 << 20}
	tests := []struct {
		name   string
		groups string // what /proc/1/cgroup says
		second string // the group's directory with version 2
		first  string // and with version 1, below each controller's
	}{
		{"version 1, Docker's driver", "9:name=systemd:/docker/" + id + "\n4:memory:/docker/" + id + "\n2:cpu,cpuacct:/docker/" + id + "\n", "", "docker/" + id},
		{"version 1, controllers the other way round", "4:memory:/docker/" + id + "\n2:cpuacct,cpu:/docker/" + id + "\n", "", "docker/" + id},
		{"version 1, systemd", "4:memory:/system.slice/" + scope + "\n2:cpu,cpuacct:/system.slice/" + scope + "\n", "", "system.slice/" + scope},
		{"version 1 beside version 2 for systemd only", "4:memory:/docker/" + id + "\n2:cpu,cpuacct:/docker/" + id + "\n0::/docker/" + id + "\n", "", "docker/" + id},
		{"version 1, a daemon in a group", "4:memory:/docker/outer/docker/" + id + "\n2:cpu,cpuacct:/docker/outer/docker/" + id + "\n", "", "docker/" + id},
		{"version 2, Docker's driver", "0::/docker/" + id + "\n", "docker/" + id, ""},
		{"version 2, systemd", "0::/system.slice/" + scope + "\n", "system.slice/" + scope, ""},
		{"version 2, with what systemd still names", "1:name=systemd:/system.slice/" + scope + "\n0::/system.slice/" + scope + "\n", "system.slice/" + scope, ""},
		{"version 2, a parent of the daemon's", "0::/my.slice/my-nodes.slice/" + scope + "\n", "my.slice/my-nodes.slice/" + scope, ""},
		{"version 2, a daemon of a user's", "0::/user.slice/user-1000.slice/user@1000.service/user.slice/" + scope + "\n",
			"user.slice/user-1000.slice/user@1000.service/user.slice/" + scope, ""},
		{"version 2, a daemon in a container with the machine's groups", "0::/docker/outer/docker/" + id + "\n", "docker/outer/docker/" + id, ""},
	}
	for _, tt := range tests {
		// Of the root there are files too, which are nobody's.
		files := map[string]string{
			"proc": tt.groups, "memory/memory.limit_in_bytes": "4096\n", "cpu/cpu.cfs_quota_us": "1\n", "cpu/cpu.cfs_period_us": "100000\n",
			"memory.max": "4096\n", "cpu.max": "1 100000\n",
		}
		if tt.second != "" {
			files[tt.second+"/memory.max"], files[tt.second+"/cpu.max"] = "67108864\n", "20000 100000\n"
		} else {
			files["memory/"+tt.first+"/memory.limit_in_bytes"] = "67108864\n"
			files["cpu/"+tt.first+"/cpu.cfs_quota_us"], files["cpu/"+tt.first+"/cpu.cfs_period_us"] = "20000\n", "100000\n"
		}
		dir := lay(t, files)
		got, err := Limits(filepath.Join(dir, "proc"), dir)
		if err != nil || got != limited {
			t.Errorf("%s: %+v, %v; want %+v", tt.name, got, err, limited)
		}
	}
}

func TestALimitThatIsNoneIsNone(t *testing.T) {
	first := func(memory, quota string) map[string]string {
		return map[string]string{
			"proc": "4:memory:/a\n2:cpu,cpuacct:/a\n", "memory/a/memory.limit_in_bytes": memory,
			"cpu/a/cpu.cfs_quota_us": quota, "cpu/a/cpu.cfs_period_us": "100000\n",
		}
	}
	second := func(memory, cpu string) map[string]string {
		return map[string]string{"proc": "0::/a\n", "a/memory.max": memory, "a/cpu.max": cpu}
	}
	for name, files := range map[string]map[string]string{
		"version 1, pages of 4 KiB":                    first("9223372036854771712\n", "-1\n"),
		"version 1, pages of 64 KiB":                   first("9223372036854710272\n", "-1\n"),
		"version 1, as the daemon lifts it":            first("4611686018427387904\n", "-1\n"),
		"version 2":                                    second("max\n", "max 100000\n"),
		"version 2, as the daemon lifts it":            second("4611686018427387904\n", "max 100000\n"),
		"version 2, a period that is not the kernel's": second("max\n", "max 50000\n"),
	} {
		dir := lay(t, files)
		if got, err := Limits(filepath.Join(dir, "proc"), dir); err != nil || got != (runtime.Limits{}) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestLimitsThatCanNotBeReadAreAnError(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"no group":      {"proc": "0::/a\n", "memory.max": "max\n", "cpu.max": "max 100000\n"},
		"none is named": {"proc": "1:name=systemd:/a\n", "memory.max": "max\n", "cpu.max": "max 100000\n"},
		"nonsense":      {"proc": "0::/a\n", "a/memory.max": "much\n", "a/cpu.max": "max 100000\n"},
		"no period":     {"proc": "0::/a\n", "a/memory.max": "max\n", "a/cpu.max": "max\n"},
		// The controller is not passed on, as to a daemon of a user's by default.
		"no limits of CPU": {"proc": "0::/a\n", "a/memory.max": "max\n"},
		// The root of another namespace would be the machine's below the mount.
		"the root of a namespace, version 2": {"proc": "0::/\n", "memory.max": "max\n", "cpu.max": "max 100000\n"},
		"the root of a namespace, version 1": {
			"proc": "4:memory:/\n2:cpu,cpuacct:/\n", "memory/memory.limit_in_bytes": "4096\n", "cpu/cpu.cfs_quota_us": "-1\n", "cpu/cpu.cfs_period_us": "100000\n",
		},
		"beside the root of a namespace": {"proc": "0::/../docker-x.scope\n", "docker-x.scope/memory.max": "max\n", "docker-x.scope/cpu.max": "max 100000\n"},
	} {
		dir := lay(t, files)
		if got, err := Limits(filepath.Join(dir, "proc"), dir); err == nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

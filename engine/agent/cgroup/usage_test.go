package cgroup

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/scenario-run/scenario/engine/runtime"
)

func TestUsageIsReadOfBothVersions(t *testing.T) {
	want := runtime.Usage{CPU: 1500 * time.Millisecond, Memory: 60 << 20}
	for name, files := range map[string]map[string]string{
		"version 1": {
			"proc":                                  "4:memory:/docker/x\n2:cpu,cpuacct:/docker/x\n",
			"cpuacct/docker/x/cpuacct.usage":        "1500000000\n",
			"memory/docker/x/memory.usage_in_bytes": "67108864\n",
			"memory/docker/x/memory.stat":           "cache 1\ninactive_file 7\ntotal_inactive_file 4194304\n",
		},
		"version 2": {
			"proc":                          "0::/docker-x.scope\n",
			"docker-x.scope/cpu.stat":       "usage_usec 1500000\nuser_usec 7\n",
			"docker-x.scope/memory.current": "67108864\n",
			"docker-x.scope/memory.stat":    "anon 1\ninactive_file 4194304\n",
		},
		"more cached than there was before": {
			"proc":       "0::/a\n",
			"a/cpu.stat": "usage_usec 1500000\n", "a/memory.current": "62914560\n", "a/memory.stat": "inactive_file 67108864\n",
		},
	} {
		dir := lay(t, files)
		got, err := Usage(filepath.Join(dir, "proc"), dir)
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v; want %+v", name, got, err, want)
		}
	}
}

func TestUsageThatCanNotBeReadIsAnError(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"no group":       {"proc": "0::/a\n"},
		"no CPU":         {"proc": "0::/a\n", "a/cpu.stat": "user_usec 1\n", "a/memory.current": "1\n", "a/memory.stat": "inactive_file 1\n"},
		"nothing cached": {"proc": "0::/a\n", "a/cpu.stat": "usage_usec 1\n", "a/memory.current": "1\n", "a/memory.stat": "anon 1\n"},
		"nonsense":       {"proc": "0::/a\n", "a/cpu.stat": "usage_usec much\n", "a/memory.current": "1\n", "a/memory.stat": "inactive_file 1\n"},
		"of version 1":   {"proc": "4:memory:/a\n2:cpuacct:/a\n", "memory/a/memory.usage_in_bytes": "1\n"},
	} {
		dir := lay(t, files)
		if got, err := Usage(filepath.Join(dir, "proc"), dir); err == nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

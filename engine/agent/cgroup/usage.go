package cgroup

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/scenario-run/scenario/engine/runtime"
)

// UsageJob writes one line, the runtime.Usage of the main process of the agent's
// process namespace and all that is in its group.
const UsageJob = "usage"

// AskUsage is UsageJob.
func AskUsage(_ context.Context, _ []byte, out func([]byte) error) error {
	used, err := Usage("/proc/1/cgroup", Host)
	if err != nil {
		return err
	}
	used.At = time.Now()
	line, err := json.Marshal(used)
	if err != nil {
		return err
	}
	return out(line)
}

// Usage reads what the group of a process uses, as Limits does its limits. It
// does not say when.
func Usage(file, mount string) (used runtime.Usage, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return used, fmt.Errorf("read usage: %w", err)
	}
	groups := groupsOf(string(text))
	if _, first := groups["memory"]; first {
		return usage1(groups, mount)
	}
	return usage2(groups[""], mount)
}

func usage1(groups map[string]string, mount string) (used runtime.Usage, err error) {
	cpu, err := number(filepath.Join(mount, "cpuacct"), groups["cpuacct"], "cpuacct.usage")
	if err != nil {
		return used, err
	}
	at, group := filepath.Join(mount, "memory"), groups["memory"]
	memory, err := number(at, group, "memory.usage_in_bytes")
	if err != nil {
		return used, err
	}
	cached, err := field(at, group, "memory.stat", "total_inactive_file")
	return usageOf(time.Duration(cpu), memory, cached), err
}

func usage2(group, mount string) (used runtime.Usage, err error) {
	cpu, err := field(mount, group, "cpu.stat", "usage_usec")
	if err != nil {
		return used, err
	}
	memory, err := number(mount, group, "memory.current")
	if err != nil {
		return used, err
	}
	cached, err := field(mount, group, "memory.stat", "inactive_file")
	return usageOf(time.Duration(cpu)*time.Microsecond, memory, cached), err
}

// usageOf leaves out files that are cached and not in use, as "docker stats"
// does. They are counted a moment after all of the memory.
func usageOf(cpu time.Duration, memory, cached int64) runtime.Usage {
	if cached < memory {
		memory -= cached
	}
	return runtime.Usage{CPU: cpu, Memory: memory}
}

// field is a number of a file of names and numbers.
func field(mount, group, file, name string) (int64, error) {
	text, err := read(mount, group, file)
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(text) {
		if f := strings.Fields(line); len(f) == 2 && f[0] == name {
			return strconv.ParseInt(f[1], 10, 64)
		}
	}
	return 0, fmt.Errorf("%s of group %s has no %s", file, group, name)
}

// Package cgroup reads, as an agent beside a node, which limits the kernel holds
// the node to, and what the node uses: what a place says of itself is what it was
// told, or takes a second to find out.
package cgroup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/scenario-run/scenario/engine/runtime"
)

const (
	// LimitsJob writes one line, the runtime.Limits of the main process of the
	// agent's process namespace.
	LimitsJob = "limits"
	// Host is where the host's control groups must be mounted, as they are at
	// HostMount there.
	Host      = "/cgroup"
	HostMount = "/sys/fs/cgroup"
)

// Job is LimitsJob.
func Job(_ context.Context, _ []byte, out func([]byte) error) error {
	limits, err := Limits("/proc/1/cgroup", Host)
	if err != nil {
		return err
	}
	line, err := json.Marshal(limits)
	if err != nil {
		return err
	}
	return out(line)
}

// unlimited is more than any machine has. The kernel shows a limit that is none
// as a number, in version 1, that hangs on the size of its pages.
const unlimited = 1 << 60

// Limits reads the limits of the process whose groups are told in a file, below
// where groups are mounted.
func Limits(file, mount string) (limits runtime.Limits, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return limits, fmt.Errorf("read limits: %w", err)
	}
	groups := groupsOf(string(text))
	if _, first := groups["memory"]; first {
		return version1(groups, mount)
	}
	group, second := groups[""]
	if !second {
		return limits, fmt.Errorf("read limits: %s names no group for memory", file)
	}
	return version2(group, mount)
}

// groupsOf reads the lines of /proc/PID/cgroup: number, controllers, path. That
// of version 2 has no controllers.
func groupsOf(text string) map[string]string {
	groups := map[string]string{}
	for line := range strings.Lines(text) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			continue
		}
		for _, controller := range strings.Split(parts[1], ",") {
			groups[controller] = parts[2]
		}
	}
	return groups
}

func version1(groups map[string]string, mount string) (limits runtime.Limits, err error) {
	memory, err := number(filepath.Join(mount, "memory"), groups["memory"], "memory.limit_in_bytes")
	if err != nil {
		return limits, err
	}
	quota, err := number(filepath.Join(mount, "cpu"), groups["cpu"], "cpu.cfs_quota_us")
	if err != nil {
		return limits, err
	}
	period, err := number(filepath.Join(mount, "cpu"), groups["cpu"], "cpu.cfs_period_us")
	if err != nil {
		return limits, err
	}
	return limitsOf(memory, quota, period), nil
}

func version2(group, mount string) (limits runtime.Limits, err error) {
	memory, err := number(mount, group, "memory.max")
	if err != nil {
		return limits, err
	}
	text, err := read(mount, group, "cpu.max")
	if err != nil {
		return limits, err
	}
	quota, period, ok := strings.Cut(text, " ")
	if !ok {
		return limits, fmt.Errorf("cpu.max says %q", text)
	}
	q, err := parse(quota)
	p, periodErr := parse(period)
	return limitsOf(memory, q, p), errors.Join(err, periodErr)
}

func limitsOf(memory, quota, period int64) (limits runtime.Limits) {
	if memory < unlimited {
		limits.Memory = memory
	}
	if quota > 0 && quota < unlimited && period > 0 {
		limits.CPUs = float64(quota) / float64(period)
	}
	return limits
}

func number(mount, group, name string) (int64, error) {
	text, err := read(mount, group, name)
	if err != nil {
		return 0, err
	}
	return parse(text)
}

func parse(text string) (int64, error) {
	if text == "max" {
		return unlimited, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, fmt.Errorf("a number is %q: %w", text, err)
	}
	return n, nil
}

// read reads a file of a group. Where the daemon is itself in a group, what it
// has mounted begins below that: then the group's path does too.
//
// A path that is the root, or leads up, is one as another namespace of groups
// shows it: "/" is then the reader's own group, and below the mount it would be
// that of the whole machine.
func read(mount, group, name string) (string, error) {
	parts := strings.Split(strings.Trim(group, "/"), "/")
	if parts[0] == "" || parts[0] == ".." {
		return "", fmt.Errorf("read limits: the node's group is told as %q, from within another namespace of control groups", group)
	}
	for i := range parts {
		text, err := os.ReadFile(filepath.Join(slices.Concat([]string{mount}, parts[i:], []string{name})...))
		if err == nil {
			return strings.TrimSpace(string(text)), nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("read control groups: %w", err)
		}
	}
	return "", fmt.Errorf("read control groups: no group %s below %s has %s", group, mount, name)
}

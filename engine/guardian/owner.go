package guardian

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/scenario-run/scenario/engine/runtime"
)

// Owner names this process as host/boot-id/pid/start-time. Where the system
// does not tell boot and start, they are empty, and the process id has to do.
func Owner() string {
	host, err := os.Hostname()
	if err != nil {
		host = ""
	}
	return strings.Join([]string{host, bootID(), strconv.Itoa(os.Getpid()), startTime(os.Getpid())}, "/")
}

// Gone says that the process that a scope belongs to does not run any more. Of
// a process on another machine that can't be seen; its scope is given up when
// it expires.
func Gone(s runtime.Scope, now time.Time) bool {
	host, boot, pid, started, err := parseOwner(s.Owner)
	here, hostErr := os.Hostname()
	if err != nil || hostErr != nil || host != here {
		return !s.Expires.IsZero() && now.After(s.Expires)
	}
	if boot != bootID() {
		return true
	}
	if err := syscall.Kill(pid, 0); err == syscall.ESRCH {
		return true
	}
	return started != startTime(pid)
}

// Process describes the process that an owner names, for a person: its id, and
// when it started where this machine can tell.
func Process(owner string) string {
	host, _, pid, started, err := parseOwner(owner)
	if err != nil {
		return owner
	}
	text := fmt.Sprintf("process %d", pid)
	if here, err := os.Hostname(); err != nil || here != host {
		return text + " on " + host
	}
	if at, ok := startedAt(started); ok {
		text += ", started " + at.Format(time.DateTime)
	}
	return text
}

// ticksPerSecond is the unit of start times: USER_HZ, which Linux shows to
// programs as 100 on every architecture that it runs on today.
const ticksPerSecond = 100

// startedAt turns ticks since boot into a time.
func startedAt(ticks string) (time.Time, bool) {
	n, err := strconv.ParseInt(ticks, 10, 64)
	if err != nil {
		return time.Time{}, false
	}
	stat, err := os.ReadFile("/proc/stat")
	if err != nil {
		return time.Time{}, false
	}
	for line := range strings.Lines(string(stat)) {
		text, ok := strings.CutPrefix(line, "btime ")
		if boot, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64); ok && err == nil {
			return time.Unix(boot, 0).Add(time.Duration(n) * time.Second / ticksPerSecond), true
		}
	}
	return time.Time{}, false
}

func parseOwner(owner string) (host, boot string, pid int, started string, err error) {
	parts := strings.Split(owner, "/")
	if len(parts) != 4 {
		return "", "", 0, "", fmt.Errorf("%q is not the name of a process", owner)
	}
	pid, err = strconv.Atoi(parts[2])
	return parts[0], parts[1], pid, parts[3], err
}

func bootID() string {
	b, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

// startTime is when a process started, in ticks since boot: field 22 of
// /proc/PID/stat, counted after the name, which may hold spaces.
func startTime(pid int) string {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	_, rest, ok := strings.Cut(string(b), ") ")
	if i := strings.LastIndex(string(b), ") "); i >= 0 {
		rest = string(b)[i+2:]
	}
	fields := strings.Fields(rest)
	if !ok || len(fields) < 20 {
		return ""
	}
	return fields[19]
}

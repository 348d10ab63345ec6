//go:build linux

package procfs

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/scenario-run/scenario/engine/process"
)

// proc is where the kernel shows the processes of this namespace.
const proc = "/proc"

// ticks is how many there are in a second, in times that the kernel shows. It
// is the same on every machine that Go runs on (USER_HZ).
const ticks = 100

// List returns all processes of this namespace but this one, by their numbers.
func List() ([]process.Process, error) {
	entries, err := os.ReadDir(proc)
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	now, err := sinceBoot()
	if err != nil {
		return nil, err
	}
	all := []process.Process{}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		p, err := read(pid, now)
		if gone(err) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("look at process %d: %w", pid, err)
		}
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b process.Process) int { return a.PID - b.PID })
	return all, nil
}

// gone says that a process ended while it was looked at.
func gone(err error) bool { return errors.Is(err, os.ErrNotExist) || errors.Is(err, unix.ESRCH) }

func sinceBoot() (time.Duration, error) {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &ts); err != nil {
		return 0, fmt.Errorf("read the clock: %w", err)
	}
	return time.Duration(ts.Nano()), nil
}

func read(pid int, now time.Duration) (process.Process, error) {
	dir := filepath.Join(proc, strconv.Itoa(pid))
	stat, err := os.ReadFile(filepath.Join(dir, "stat"))
	if err != nil {
		return process.Process{}, err
	}
	p, err := parseStat(string(stat))
	if err != nil {
		return p, err
	}
	p.Age = max(0, now-time.Duration(p.Started)*(time.Second/ticks))
	line, err := os.ReadFile(filepath.Join(dir, "cmdline"))
	if err != nil {
		return p, err
	}
	p.Command = arguments(line)
	return p, nil
}

// Where fields stand in /proc/PID/stat, counted from what follows the name
// (proc_pid_stat(5), from its field 3 on).
const (
	statState   = 0
	statParent  = 1
	statStarted = 19
	statRSS     = 21
)

// parseStat reads /proc/PID/stat. The name is in brackets and may hold any
// character, brackets too.
func parseStat(text string) (p process.Process, err error) {
	open, end := strings.IndexByte(text, '('), strings.LastIndexByte(text, ')')
	if open < 0 || end < open {
		return p, fmt.Errorf("stat has no name: %q", text)
	}
	fields := strings.Fields(text[end+1:])
	if len(fields) <= statRSS {
		return p, fmt.Errorf("stat has only %d fields: %q", len(fields), text)
	}
	p.Name, p.State = text[open+1:end], process.State(fields[statState])
	var errs [4]error
	p.PID, errs[0] = strconv.Atoi(strings.TrimSpace(text[:open]))
	p.Parent, errs[1] = strconv.Atoi(fields[statParent])
	p.Started, errs[2] = strconv.ParseUint(fields[statStarted], 10, 64)
	p.Memory, errs[3] = strconv.ParseInt(fields[statRSS], 10, 64)
	p.Memory *= int64(os.Getpagesize())
	return p, errors.Join(errs[:]...)
}

// arguments splits a command line. A title that a process gave itself is
// followed by what is left of its arguments' room, as zeros.
func arguments(line []byte) []string {
	line = bytes.TrimRight(line, "\x00")
	if len(line) == 0 {
		return nil
	}
	return strings.Split(string(line), "\x00")
}

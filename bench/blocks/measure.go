package main

import (
	"bytes"
	"cmp"
	"fmt"
	"os/exec"
	"slices"
	"syscall"
	"time"
)

// usage is what a process took.
type usage struct {
	wall time.Duration
	peak int64 // bytes resident at most
}

func (u usage) String() string {
	return fmt.Sprintf("%6.2fs %6d MB", u.wall.Seconds(), u.peak>>20)
}

// against says how many times another usage this one is.
func (u usage) against(base usage) string {
	time, memory := u.times(base)
	return fmt.Sprintf("×%.2f ×%.2f", time, memory)
}

func (u usage) times(base usage) (time, memory float64) {
	return float64(u.wall) / float64(base.wall), float64(u.peak) / float64(base.peak)
}

// over counts which of time and memory is more than so many times another's.
func (u usage) over(base usage, limit float64) int {
	n := 0
	time, memory := u.times(base)
	if time > limit {
		n++
	}
	if memory > limit {
		n++
	}
	return n
}

// series are the usages of one command.
type series []usage

// median is the median of the times and that of the peaks, which may be of
// different runs.
func (s series) median() usage {
	wall, peak := make([]time.Duration, 0, len(s)), make([]int64, 0, len(s))
	for _, u := range s {
		wall, peak = append(wall, u.wall), append(peak, u.peak)
	}
	return usage{middle(wall), middle(peak)}
}

func middle[T cmp.Ordered](all []T) T {
	slices.Sort(all)
	return all[len(all)/2]
}

// inTurn runs each of the commands once in every round.
func inTurn(rounds int, commands ...[]string) ([]series, error) {
	got := make([]series, len(commands))
	for range rounds {
		for i, c := range commands {
			u, err := run(c)
			if err != nil {
				return nil, err
			}
			got[i] = append(got[i], u)
		}
	}
	return got, nil
}

// run carries out a command and measures it. What it prints is dropped, unless
// it fails.
func run(command []string) (usage, error) {
	cmd := exec.Command(command[0], command[1:]...)
	var said bytes.Buffer
	cmd.Stderr = &said
	start := time.Now()
	if err := cmd.Run(); err != nil {
		return usage{}, fmt.Errorf("%v: %w\n%s", command, err, said.Bytes())
	}
	wall := time.Since(start)
	r, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return usage{}, fmt.Errorf("%v: no resource usage", command)
	}
	return usage{wall, r.Maxrss << 10}, nil // Linux counts in KiB
}

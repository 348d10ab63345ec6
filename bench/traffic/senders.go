package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/scenario-run/scenario/engine/agent"
	"github.com/scenario-run/scenario/engine/traffic"
	"github.com/scenario-run/scenario/engine/workload"
)

// timeout is that of a request, and inFlight how many may wait for an answer.
const (
	timeout  = 2 * time.Second
	inFlight = 1000
)

// runVegeta sends an attack and returns the CPU time that each request took. By
// request, since on a busy machine vegeta sends fewer than it was told to.
func runVegeta(ctx context.Context, binary string, a attack, dir string) (time.Duration, error) {
	results := filepath.Join(dir, "vegeta.bin")
	cmd := exec.CommandContext(ctx, binary, "attack",
		fmt.Sprintf("-rate=%g", a.rate), "-duration="+a.duration.String(), "-timeout="+timeout.String(),
		fmt.Sprintf("-max-workers=%d", inFlight), fmt.Sprintf("-keepalive=%t", a.keepalive), "-output="+results)
	cmd.Stdin = strings.NewReader("GET " + a.url + "\n")
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return 0, fmt.Errorf("vegeta: %w", err)
	}
	report, err := exec.CommandContext(ctx, binary, "report", "-type=json", results).Output()
	if err != nil {
		return 0, fmt.Errorf("vegeta report: %w", err)
	}
	var said struct {
		Requests int     `json:"requests"`
		Success  float64 `json:"success"`
	}
	if err := json.Unmarshal(report, &said); err != nil {
		return 0, fmt.Errorf("vegeta report: %w", err)
	}
	if said.Requests == 0 || said.Success < 0.9 {
		return 0, fmt.Errorf("%.2f %% of vegeta's %d requests were a success: the machine is too busy to compare anything", said.Success*100, said.Requests)
	}
	return cpuOf(cmd.ProcessState) / time.Duration(said.Requests), nil
}

func cpuOf(p *os.ProcessState) time.Duration { return p.UserTime() + p.SystemTime() }

// result is what sending from an agent took and yielded.
type result struct {
	agent, engine      time.Duration // CPU
	sent, late, failed int
	behind             time.Duration // the 99th percentile of how long after it was due a request was sent
}

// runAgent sends an attack as a run does: from an agent, which is a process,
// with the samples to a file and to what statistics are made from.
func runAgent(ctx context.Context, binary string, a attack, dir string) (r result, err error) {
	cmd := exec.CommandContext(ctx, binary, "agent")
	cmd.Stderr = os.Stderr
	link, err := pipes(cmd)
	if err != nil {
		return r, err
	}
	if err := cmd.Start(); err != nil {
		return r, fmt.Errorf("agent: %w", err)
	}
	client, err := agent.NewClient(ctx, link)
	if err != nil {
		return r, fmt.Errorf("agent: %w", err)
	}
	store, lines := workload.NewStore(nil, 0), []byte(nil)
	file, err := os.Create(filepath.Join(dir, "samples.ndjson"))
	if err != nil {
		return r, err
	}
	out := bufio.NewWriter(file)

	before := ownCPU()
	sending, stop := context.WithTimeout(ctx, a.duration)
	defer stop()
	spec, err := json.Marshal(traffic.HTTPSpec{
		URLs: []string{a.url}, Rate: a.rate, Method: "GET", Timeout: timeout, Keepalive: a.keepalive, MaxInFlight: inFlight,
	})
	if err != nil {
		return r, err
	}
	err = client.Run(sending, "http", spec, func(line []byte) error {
		lines = append(append(lines[:0], line...), '\n')
		if _, err := out.Write(lines); err != nil {
			return err
		}
		return store.Feed(line)
	})
	r.engine = ownCPU() - before
	err = errors.Join(err, out.Flush(), file.Close(), client.Close())
	if waitErr := cmd.Wait(); err == nil && waitErr != nil {
		err = fmt.Errorf("agent: %w", waitErr)
	}
	if err != nil {
		return r, err
	}
	r.agent = cpuOf(cmd.ProcessState)
	return r, r.read(file.Name())
}

// read counts the samples of a file.
func (r *result) read(name string) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	var behind []time.Duration
	for d := json.NewDecoder(bufio.NewReader(file)); ; {
		var l traffic.Line
		if err := d.Decode(&l); err == io.EOF {
			break
		} else if err != nil {
			return err
		}
		if l.Sample == nil {
			continue
		}
		r.sent++
		if l.Outcome != traffic.OK {
			r.failed++
		}
		if l.SentLate() > 0 {
			r.late++
		}
		behind = append(behind, time.Duration(l.Start-l.Due))
	}
	if len(behind) == 0 {
		return errors.New("nothing was sent")
	}
	slices.Sort(behind)
	r.behind = behind[len(behind)*99/100]
	return nil
}

func ownCPU() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // it has no way to fail but a wrong argument
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// stdio is a process's standard input and output as one connection.
type stdio struct {
	io.Reader
	io.WriteCloser
}

func pipes(cmd *exec.Cmd) (stdio, error) {
	in, err := cmd.StdinPipe()
	if err != nil {
		return stdio{}, err
	}
	out, err := cmd.StdoutPipe()
	return stdio{out, in}, err
}

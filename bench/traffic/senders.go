//go:build linux

package main

import (
	"bufio"
	"bytes"
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

// theirs is what sending from vegeta took and yielded.
type theirs struct {
	cpu                time.Duration // for each request
	sent, late, failed int
}

// runVegeta sends an attack. CPU is by request, since on a busy machine vegeta
// sends fewer than it was told to.
func runVegeta(ctx context.Context, binary string, a attack, dir string) (t theirs, err error) {
	results := filepath.Join(dir, "vegeta.bin")
	cmd := exec.CommandContext(ctx, binary, "attack",
		fmt.Sprintf("-rate=%g", a.rate), "-duration="+a.duration.String(), "-timeout="+timeout.String(),
		fmt.Sprintf("-max-workers=%d", inFlight), fmt.Sprintf("-keepalive=%t", a.keepalive), "-output="+results)
	cmd.Stdin = strings.NewReader("GET " + a.url + "\n")
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return t, fmt.Errorf("vegeta: %w", err)
	}
	list, err := exec.CommandContext(ctx, binary, "encode", "-to=json", results).Output()
	if err != nil {
		return t, fmt.Errorf("vegeta encode: %w", err)
	}
	if err := t.read(list, a.rate); err != nil {
		return t, fmt.Errorf("vegeta encode: %w", err)
	}
	if t.sent == 0 || float64(t.failed) > 0.1*float64(t.sent) {
		return t, fmt.Errorf("%d of vegeta's %d requests failed: the machine is too busy to compare anything", t.failed, t.sent)
	}
	t.cpu = cpuOf(cmd.ProcessState) / time.Duration(t.sent)
	return t, nil
}

// read counts vegeta's results. When one was due follows from the first, as it
// does for our own.
func (t *theirs) read(list []byte, rate float64) error {
	type hit struct {
		Seq       int64     `json:"seq"`
		Code      int       `json:"code"`
		Timestamp time.Time `json:"timestamp"`
	}
	var all []hit
	var begin time.Time
	for d := json.NewDecoder(bytes.NewReader(list)); ; {
		var h hit
		if err := d.Decode(&h); err == io.EOF {
			break
		} else if err != nil {
			return err
		}
		if h.Seq == 0 {
			begin = h.Timestamp
		}
		all = append(all, h)
	}
	for _, h := range all {
		t.sent++
		if h.Code != 200 {
			t.failed++
		}
		due := begin.Add(time.Duration(float64(h.Seq) / rate * float64(time.Second)))
		if h.Timestamp.Sub(due) > traffic.LateAfter {
			t.late++
		}
	}
	return nil
}

func cpuOf(p *os.ProcessState) time.Duration { return p.UserTime() + p.SystemTime() }

// result is what sending from an agent took and yielded.
type result struct {
	agent, engine      time.Duration // CPU
	server             time.Duration
	sent, late, failed int
	classes            map[traffic.Class]int // of those that failed
	behind             time.Duration         // the 99th percentile of how long after it was due a request was sent
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
	r.classes = map[traffic.Class]int{}
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
			r.classes[l.Class]++
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

// Command faults measures how long it takes from the start of a step until its
// fault on links is active, that is until a packet was seen to meet its rules,
// as the run's own events say. The agents are there already, as they are in
// every run whose plan has such a fault.
//
//	go run ./bench/faults -scenario bin/scenario -image IMAGE
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/scenario-run/scenario/engine/event"
)

// file has, in each round, one rule on one link, and a partition of all nodes.
const file = `scenario "cuts" {
  description = "Links that are cut again and again"
}

node "n" {
  count   = %d
  image   = %q
  command = ["sleep", "600"]
}

action "sleep" "quiet" { for = "2s" }

repeat "rounds" {
  times = %d

  action "block_port" "one" {
    from = [node.n[0]]
    to   = [node.n[1]]
    port = 8080
  }

  action "heal" "one_over" { faults = [action.one] }

  action "partition" "all" {
    sides = [slice(node.n, 0, %d), slice(node.n, %d, %d)]
  }

  action "heal" "all_over" { faults = [action.all] }
}
`

// limits are what is to be reached, by the name of the step.
var limits = []struct {
	step, what string
	limit      time.Duration
}{
	{"action.one", "a rule on one link", 10 * time.Millisecond},
	{"action.all", "a partition of %d nodes", 50 * time.Millisecond},
}

func main() {
	binary := flag.String("scenario", "bin/scenario", "the program to measure")
	image := flag.String("image", "", "an image with sleep (required)")
	nodes := flag.Int("nodes", 20, "how many nodes")
	rounds := flag.Int("rounds", 15, "how often each fault is injected")
	flag.Parse()
	if *image == "" {
		fmt.Fprintln(os.Stderr, "faults: -image is missing; make bench-faults takes the one that make setup made")
		os.Exit(2)
	}
	times, err := measure(context.Background(), *binary, *image, *nodes, *rounds)
	if err != nil {
		fmt.Fprintln(os.Stderr, "faults:", err)
		os.Exit(1)
	}
	fmt.Printf("%-28s  %8s %8s %8s  %8s\n", "from its step's start", "least", "median", "most", "limit")
	for _, l := range limits {
		all := times[l.step]
		slices.Sort(all)
		what := l.what
		if strings.Contains(what, "%d") {
			what = fmt.Sprintf(what, *nodes)
		}
		fmt.Printf("%-28s  %8s %8s %8s  %8s\n", what, short(all[0]), short(all[len(all)/2]), short(all[len(all)-1]), short(l.limit))
	}
}

func short(d time.Duration) string {
	return fmt.Sprintf("%.1fms", float64(d)/float64(time.Millisecond))
}

// measure runs the scenario once, and returns the times by the name of the step.
func measure(ctx context.Context, binary, image string, nodes, rounds int) (map[string][]time.Duration, error) {
	dir, err := os.MkdirTemp("", "scenario-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "cuts.hcl")
	if err := os.WriteFile(path, fmt.Appendf(nil, file, nodes, image, rounds, nodes/2, nodes/2, nodes), 0o600); err != nil {
		return nil, err
	}
	out := filepath.Join(dir, "run")
	if text, err := exec.CommandContext(ctx, binary, "run", "--out", out, path).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("scenario run: %w\n%s", err, text)
	}
	return activeAfter(filepath.Join(out, "events.ndjson"), rounds)
}

// activeAfter reads how long after its step's start each fault was active.
func activeAfter(path string, rounds int) (map[string][]time.Duration, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	began, times := map[string]time.Duration{}, map[string][]time.Duration{}
	err = event.Read(f, func(e event.Event) error {
		switch b := e.Body.(type) {
		case event.StepStarted:
			began[b.Step] = e.Mono
		case event.FaultChanged:
			if b.State == "active" {
				name := b.Step[strings.LastIndex(b.Step, "/")+1:]
				times[name] = append(times[name], e.Mono-began[b.Step])
			}
		}
		return nil
	})
	for _, l := range limits {
		if len(times[l.step]) != rounds && err == nil {
			err = fmt.Errorf("%s was active %d times, not %d", l.step, len(times[l.step]), rounds)
		}
	}
	return times, err
}

// Command nodes measures the engine's own part: how long a scenario takes to
// bring sleeping nodes up and down and to kill one, against the bare API calls
// for the same. Both run in turn, so that what else the machine does hits both.
//
//	go run ./bench/nodes -scenario bin/scenario -image IMAGE
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/moby/moby/client"

	"github.com/scenario-run/scenario/engine/event"
)

const file = `scenario "sleepers" {
  description = "Nodes that only sleep"
}

node "sleeper" {
  count   = %d
  image   = %q
  command = ["sleep", "600"]
}

action "note" "up" {
  values = { nodes = %d }
}
`

func main() {
	binary := flag.String("scenario", "bin/scenario", "the program to measure")
	image := flag.String("image", "", "an image with sleep (required)")
	rounds := flag.Int("rounds", 5, "interleaved pairs for each number of nodes")
	flag.Parse()
	if *image == "" {
		fmt.Fprintln(os.Stderr, "nodes: -image is missing; make bench takes the one that make setup made")
		os.Exit(2)
	}
	if err := measure(context.Background(), *binary, *image, *rounds); err != nil {
		fmt.Fprintln(os.Stderr, "nodes:", err)
		os.Exit(1)
	}
}

// series collects the seconds of one thing over the rounds.
type series []float64

func (s *series) add(d time.Duration) { *s = append(*s, d.Seconds()) }

func (s series) median() float64 {
	sorted := slices.Sorted(slices.Values(s))
	return sorted[len(sorted)/2]
}

func measure(ctx context.Context, binary, image string, rounds int) error {
	api, err := client.New(client.FromEnv)
	if err != nil {
		return err
	}
	defer api.Close()
	fmt.Printf("%5s  %28s  %28s\n%5s  %8s %10s %8s  %8s %10s %8s\n", "", "up", "down",
		"nodes", "bare", "scenario", "ratio", "bare", "scenario", "ratio")
	for _, n := range []int{1, 3, 10, 20} {
		var bareUp, bareDown, up, down series
		for range rounds {
			bu, bd, err := bare(ctx, api, image, n)
			if err != nil {
				return err
			}
			u, d, err := scenario(ctx, binary, image, n)
			if err != nil {
				return err
			}
			bareUp.add(bu)
			bareDown.add(bd)
			up.add(u)
			down.add(d)
		}
		fmt.Printf("%5d  %7.2fs %9.2fs %8.2f  %7.2fs %9.2fs %8.2f\n", n,
			bareUp.median(), up.median(), up.median()/bareUp.median(),
			bareDown.median(), down.median(), down.median()/bareDown.median())
	}
	return measureKills(ctx, api, binary, image, rounds)
}

// scenario runs n sleeping nodes through the whole program. Up is from the
// start of provisioning to the first step, down from the start of teardown to
// the verdict, both as the events say.
func scenario(ctx context.Context, binary, image string, n int) (up, down time.Duration, err error) {
	dir, err := os.MkdirTemp("", "scenario-bench-")
	if err != nil {
		return 0, 0, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "sleepers.hcl")
	if err := os.WriteFile(path, fmt.Appendf(nil, file, n, image, n), 0o600); err != nil {
		return 0, 0, err
	}
	out := filepath.Join(dir, "run")
	if text, err := exec.CommandContext(ctx, binary, "run", "--out", out, path).CombinedOutput(); err != nil {
		return 0, 0, fmt.Errorf("scenario run: %w\n%s", err, text)
	}
	return phases(filepath.Join(out, "events.ndjson"))
}

func phases(path string) (up, down time.Duration, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, 0, err
	}
	defer f.Close()
	at := map[string]time.Duration{}
	err = event.Read(f, func(e event.Event) error {
		switch b := e.Body.(type) {
		case event.PhaseStarted:
			at[b.Phase] = e.Mono
		case event.StepStarted:
			at["step"] = e.Mono
		case event.VariantFinished:
			at["finished"] = e.Mono
		}
		return nil
	})
	for _, mark := range []string{"provision", "step", "teardown", "finished"} {
		if _, ok := at[mark]; !ok && err == nil {
			err = fmt.Errorf("%s has no mark %q", path, mark)
		}
	}
	return at["step"] - at["provision"], at["finished"] - at["teardown"], err
}

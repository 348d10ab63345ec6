package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/moby/moby/client"

	"github.com/scenario-run/scenario/engine/event"
)

// kills is how many nodes are killed, one after the other, in each round.
const kills = 5

// measureKills compares a kill step, from its start to the moment at which the
// node was seen to have exited, with the API call that kills a container and
// returns when it has.
func measureKills(ctx context.Context, api *client.Client, binary, image string, rounds int) error {
	var bare, steps series
	for range rounds {
		times, err := bareKills(ctx, api, image)
		if err != nil {
			return err
		}
		for _, d := range times {
			bare.add(d)
		}
		if times, err = killSteps(ctx, binary, image); err != nil {
			return err
		}
		for _, d := range times {
			steps.add(d)
		}
	}
	fmt.Printf("\n one kill: bare %.0fms, scenario %.0fms, ratio %.2f (medians of %d each)\n",
		1000*bare.median(), 1000*steps.median(), steps.median()/bare.median(), len(bare))
	return nil
}

// bareKills starts containers on a network, and kills one after the other.
func bareKills(ctx context.Context, api *client.Client, image string) (times []time.Duration, err error) {
	name := fmt.Sprintf("scenario-bench-%d", time.Now().UnixNano())
	nw, err := api.NetworkCreate(ctx, name, client.NetworkCreateOptions{Driver: "bridge"})
	if err != nil {
		return nil, fmt.Errorf("create network: %w", err)
	}
	ids := make([]string, kills)
	for i := range ids {
		if ids[i], err = bareNode(ctx, api, fmt.Sprintf("%s-%d", name, i), image, nw.ID); err != nil {
			break
		}
	}
	for _, id := range ids {
		if err != nil {
			break
		}
		start := time.Now()
		if _, err = api.ContainerKill(ctx, id, client.ContainerKillOptions{Signal: "SIGKILL"}); err != nil {
			err = fmt.Errorf("kill container: %w", err)
		}
		times = append(times, time.Since(start))
	}
	if cleanErr := bareDown(ctx, api, ids, nw.ID); err == nil {
		err = cleanErr
	}
	return times, err
}

// killSteps runs a scenario that does the same.
func killSteps(ctx context.Context, binary, image string) ([]time.Duration, error) {
	dir, err := os.MkdirTemp("", "scenario-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	var text strings.Builder
	fmt.Fprintf(&text, "scenario \"kills\" {}\n\nnode \"sleeper\" {\n  count   = %d\n  image   = %q\n  command = [\"sleep\", \"600\"]\n}\n", kills, image)
	for i := range kills {
		fmt.Fprintf(&text, "\naction \"kill\" \"k%d\" {\n  nodes = [node.sleeper[%d]]\n}\n", i, i)
	}
	path, out := filepath.Join(dir, "kills.hcl"), filepath.Join(dir, "run")
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		return nil, err
	}
	if said, err := exec.CommandContext(ctx, binary, "run", "--out", out, path).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("scenario run: %w\n%s", err, said)
	}
	return killTimes(filepath.Join(out, "events.ndjson"))
}

// killTimes are how long each step took until its fault was active.
func killTimes(path string) (times []time.Duration, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	began := map[string]time.Duration{}
	err = event.Read(f, func(e event.Event) error {
		switch b := e.Body.(type) {
		case event.StepStarted:
			began[b.Step] = e.Mono
		case event.FaultChanged:
			if b.State == "active" {
				times = append(times, e.Mono-began[b.Step])
			}
		}
		return nil
	})
	if err == nil && len(times) != kills {
		err = fmt.Errorf("%s tells of %d kills, not of %d", path, len(times), kills)
	}
	return times, err
}

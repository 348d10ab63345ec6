package engine

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/scenario-run/scenario/engine/event"
)

// manifestFile is the file of a run's directory that says what the run is.
const manifestFile = "run.json"

// Manifest is what run.json says of a run.
type Manifest struct {
	Run     string    `json:"run"`
	Began   time.Time `json:"began"`
	Owner   string    `json:"owner"`
	Runtime string    `json:"runtime,omitempty"` // none if no file could be run
	About
	Result *Outcome `json:"result,omitempty"` // none while the run goes on, or if it was killed
}

// Outcome is what a run came to.
type Outcome struct {
	State    event.State      `json:"state"`
	ExitCode int              `json:"exit_code"`
	Seconds  float64          `json:"elapsed_seconds"`
	Variants []VariantOutcome `json:"variants,omitempty"`
}

// VariantOutcome is what a variant came to.
type VariantOutcome struct {
	Scenario string      `json:"scenario"`
	Variant  string      `json:"variant,omitempty"`
	State    event.State `json:"state"`
	Seconds  float64     `json:"elapsed_seconds"`
}

// record writes run.json: at the beginning without a result, at the end with it.
func (r *run) record(result *Outcome) error {
	manifest := marshal(Manifest{r.RunID, r.began, r.Owner, r.place, r.About, result})
	var text bytes.Buffer
	if err := json.Indent(&text, r.secrets.json(manifest), "", "  "); err != nil {
		return fmt.Errorf("write %s: %w", manifestFile, err)
	}
	text.WriteByte('\n')
	return r.dir.write(manifestFile, text.Bytes())
}

func (r *run) outcome(res Result) *Outcome {
	o := &Outcome{State: res.State, ExitCode: res.ExitCode, Seconds: r.elapsed()}
	for _, v := range res.Variants {
		o.Variants = append(o.Variants, VariantOutcome{v.Scenario, v.Variant, v.State, v.Seconds})
	}
	return o
}

// Manifests returns what is recorded of the runs in a directory, the newest
// first. A directory that isn't there holds no runs; what is not a run's
// directory, or not yet, is passed over. The error is about those that can't be
// read; the others are there in spite of it.
func Manifests(runs string) ([]Manifest, error) {
	entries, err := os.ReadDir(runs)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look for earlier runs: %w", err)
	}
	var all []Manifest
	var unreadable []error
	for _, e := range entries {
		if !e.IsDir() {
			continue // "latest" leads to one of the others
		}
		m, err := readManifest(filepath.Join(runs, e.Name(), manifestFile))
		switch {
		case err == nil:
			all = append(all, m)
		case !errors.Is(err, fs.ErrNotExist):
			unreadable = append(unreadable, err)
		}
	}
	slices.SortStableFunc(all, func(a, b Manifest) int {
		if c := b.Began.Compare(a.Began); c != 0 {
			return c
		}
		return strings.Compare(b.Run, a.Run)
	})
	return all, errors.Join(unreadable...)
}

func readManifest(path string) (m Manifest, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return m, fmt.Errorf("read what a run came to: %w", err)
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return m, fmt.Errorf("read what a run came to: %s: %w", path, err)
	}
	return m, nil
}

package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"github.com/scenario-run/scenario/engine/guardian"
	"github.com/scenario-run/scenario/engine/runtime"
)

// How many directories of runs are kept: the last ones, and of those before
// them the ones that did not pass, which somebody may still want to look into.
const (
	keptRuns       = 50
	keptFailedRuns = 200
)

// strayAge is how old a directory without a manifest must be before it is taken
// for one that nobody will finish.
const strayAge = 24 * time.Hour

var runID = regexp.MustCompile(`^[0-9]{6}-[0-9]{6}-[0-9a-z]{4}$`)

// PruneRuns removes the oldest directories of runs below home. Those of runs
// that go on stay, whatever their age, and so does the one that the link
// "latest" leads to. What is not named as a run is not looked at.
func PruneRuns(home string, now time.Time) error {
	entries, err := os.ReadDir(home)
	if err != nil {
		return fmt.Errorf("prune old runs: %w", err)
	}
	latest, err := os.Readlink(filepath.Join(home, "latest"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("prune old runs: %w", err)
	}
	runs := onlyRuns(entries)
	var errs []error
	for i, e := range slices.Backward(runs) {
		age := len(runs) - i
		if age <= keptRuns || e.Name() == filepath.Base(latest) {
			continue
		}
		if err := prune(filepath.Join(home, e.Name()), age <= keptFailedRuns, now); err != nil {
			errs = append(errs, fmt.Errorf("prune an old run: %w", err))
		}
	}
	return errors.Join(errs...)
}

// onlyRuns are the directories of runs, the oldest first: ids begin with the
// time.
func onlyRuns(entries []os.DirEntry) []os.DirEntry {
	return slices.DeleteFunc(entries, func(e os.DirEntry) bool { return !e.IsDir() || !runID.MatchString(e.Name()) })
}

// prune removes a run's directory, unless it goes on, or did not pass and those
// stay. It goes in one step, so that nobody sees half of it.
func prune(dir string, failedStay bool, now time.Time) error {
	stays, err := worthKeeping(dir, failedStay, now)
	if stays || err != nil {
		return err
	}
	aside := dir + ".pruned"
	if err := os.Rename(dir, aside); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // another run was faster
		}
		return err
	}
	return os.RemoveAll(aside)
}

func worthKeeping(dir string, failedStay bool, now time.Time) (bool, error) {
	text, err := os.ReadFile(filepath.Join(dir, manifestFile))
	if errors.Is(err, fs.ErrNotExist) {
		info, err := os.Stat(dir)
		if errors.Is(err, fs.ErrNotExist) {
			return true, nil // gone meanwhile
		}
		return err != nil || failedStay || now.Sub(info.ModTime()) < strayAge, err
	}
	if err != nil {
		return true, err
	}
	var m Manifest
	if err := json.Unmarshal(text, &m); err != nil {
		return true, fmt.Errorf("%s: %w", filepath.Join(dir, manifestFile), err)
	}
	if m.Result == nil {
		return failedStay || !guardian.Gone(runtime.Scope{Owner: m.Owner}, now), nil
	}
	return failedStay && m.Result.ExitCode != codePassed, nil
}

package engine

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/scenario-run/scenario/dsl/lang"
)

// NewRunID returns the id of a run: short, sortable by time, and unique by
// four characters of random.
func NewRunID(now time.Time, random io.Reader) (string, error) {
	const alphabet = "0123456789abcdefghjkmnpqrstvwxyz" // without i, l, o and u
	b := make([]byte, 4)
	if _, err := io.ReadFull(random, b); err != nil {
		return "", fmt.Errorf("make a run's id: %w", err)
	}
	for i := range b {
		b[i] = alphabet[b[i]%32]
	}
	return now.UTC().Format("060102-150405-") + string(b), nil
}

// runDir is the directory of a run. Whole files appear in it under their name
// only when they are complete.
type runDir struct {
	path   string
	events *os.File
}

// openDir makes the directory and its event log, and points latest to it.
func openDir(path, latest string) (*runDir, error) {
	if err := os.MkdirAll(path, 0o755); err != nil {
		return nil, fmt.Errorf("make the run's directory: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(path, "events.ndjson"), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, fmt.Errorf("start the event log: %w", err)
	}
	d := &runDir{path: path, events: f}
	if latest != "" {
		if err := pointAt(path, latest); err != nil {
			return nil, errors.Join(err, f.Close())
		}
	}
	return d, nil
}

// pointAt points the symbolic link at to path, in one step.
func pointAt(path, at string) error {
	target, err := filepath.Rel(filepath.Dir(at), path)
	if err != nil {
		target = path
	}
	tmp := fmt.Sprintf("%s.%d", at, os.Getpid())
	if err := os.Symlink(target, tmp); err != nil {
		return fmt.Errorf("point at the latest run: %w", err)
	}
	if err := os.Rename(tmp, at); err != nil {
		return fmt.Errorf("point at the latest run: %w", errors.Join(err, os.Remove(tmp)))
	}
	return nil
}

// write writes a whole file, by way of a temporary name.
func (d *runDir) write(name string, content []byte) error {
	path := filepath.Join(d.path, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	tmp := path + ".tmp"
	err := os.WriteFile(tmp, content, 0o644)
	if err == nil {
		err = os.Rename(tmp, path)
	}
	if err != nil {
		os.Remove(tmp) // the first error is the one that matters
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

// create opens a file that grows while the run goes on.
func (d *runDir) create(name string) (*os.File, error) {
	path := filepath.Join(d.path, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, fmt.Errorf("create %s: %w", name, err)
	}
	f, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("create %s: %w", name, err)
	}
	return f, nil
}

// variantKey is how events name a variant.
func variantKey(v *lang.Variant) string {
	if v.Key == "" {
		return v.Scenario.Name
	}
	return v.Scenario.Name + "[" + v.Key + "]"
}

// variantDir is a variant's directory below the run's. A scenario without a
// matrix has one variant, "default".
func variantDir(v *lang.Variant) string {
	key := v.Key
	if key == "" {
		key = "default"
	}
	return filepath.Join(fileName(v.Scenario.Name), fileName(key))
}

// maxFileName leaves room for suffixes below the usual limit of 255.
const maxFileName = 150

// fileName makes a name that every file system takes; names that had to be
// changed stay distinct by a hash.
func fileName(name string) string {
	safe := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', strings.ContainsRune("._=,-[]", r):
			return r
		default:
			return '_'
		}
	}, name)
	if safe == name && len(name) <= maxFileName && strings.Trim(name, ".") != "" {
		return name
	}
	h := fnv.New32a()
	h.Write([]byte(name))
	return fmt.Sprintf("%s-%08x", safe[:min(len(safe), maxFileName)], h.Sum32())
}

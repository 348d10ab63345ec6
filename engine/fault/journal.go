package fault

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/scenario-run/scenario/engine/runtime"
	"github.com/scenario-run/scenario/engine/step"
)

// journalName is the file, in the directory of a run.
const journalName = "faults.ndjson"

// Record is a line of the journal: a fault that is about to be injected, or,
// with Healed, one that is no more.
type Record struct {
	Variant string           `json:"variant,omitempty"`
	Step    string           `json:"step"`
	Type    string           `json:"type,omitempty"`
	Intent  step.Intent      `json:"intent,omitzero"`
	Nodes   []runtime.NodeID `json:"nodes,omitempty"` // as the runtime names them
	Healed  bool             `json:"healed,omitempty"`
}

// Journal is where intents are on disk before anything is injected.
type Journal struct {
	dir string

	mu sync.Mutex
	f  *os.File // nil until the first record
}

// NewJournal returns the journal of a run's directory. The file is made with
// the first record.
func NewJournal(dir string) *Journal { return &Journal{dir: dir} }

// Write appends a record and returns when it will outlive this process. A machine
// that goes down may take it along.
func (j *Journal) Write(r Record) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.write(r)
}

// WriteThrough appends a record and returns when it is on the disk.
func (j *Journal) WriteThrough(r Record) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.write(r); err != nil {
		return err
	}
	if err := j.f.Sync(); err != nil {
		return fmt.Errorf("write the intent of %s: %w", r.Step, err)
	}
	return nil
}

// write appends a record. Under the lock.
func (j *Journal) write(r Record) error {
	line, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("write the intent of %s: %w", r.Step, err)
	}
	if j.f == nil {
		j.f, err = os.OpenFile(filepath.Join(j.dir, journalName), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
		if err != nil {
			return fmt.Errorf("write the intent of %s: %w", r.Step, err)
		}
	}
	if _, err := j.f.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("write the intent of %s: %w", r.Step, err)
	}
	return nil
}

// Close closes the file.
func (j *Journal) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.f == nil {
		return nil
	}
	return j.f.Close()
}

// Outstanding reads the journal of a run's directory and returns the faults
// that were not healed, the last one first. A line that a crash cut off was
// never acted upon, so it ends the journal.
func Outstanding(dir string) ([]Record, error) {
	f, err := os.Open(filepath.Join(dir, journalName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the journal of faults: %w", err)
	}
	defer f.Close()
	type key struct{ variant, step string }
	open := map[key]int{}
	var all []Record
	in := bufio.NewReader(f)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			break
		}
		var r Record
		if err := json.Unmarshal(line, &r); err != nil {
			return nil, fmt.Errorf("read the journal of faults: %w", err)
		}
		k := key{r.Variant, r.Step}
		if r.Healed {
			delete(open, k)
			continue
		}
		open[k] = len(all)
		all = append(all, r)
	}
	var left []Record
	for i := len(all) - 1; i >= 0; i-- {
		if at, ok := open[key{all[i].Variant, all[i].Step}]; ok && at == i {
			left = append(left, all[i])
		}
	}
	return left, nil
}

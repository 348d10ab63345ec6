//go:build linux

package rules

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/scenario-run/scenario/engine/link"
)

// Keeper is what an agent has in force. Its jobs change that, and Close ends
// it: no agent leaves rules behind when its lease is over.
type Keeper struct {
	mu    sync.Mutex
	table *Table // nil until it is needed
}

// Apply is link.RulesJob.
func (k *Keeper) Apply(_ context.Context, spec []byte, _ func([]byte) error) error {
	var rules []link.Rule
	if err := json.Unmarshal(spec, &rules); err != nil {
		return fmt.Errorf("read the rules: %w", err)
	}
	table, err := k.open()
	if err != nil {
		return err
	}
	return table.Apply(rules)
}

// Knock is link.KnockJob. What is dropped on its way out is seen to be by what
// its rule has met.
func (k *Keeper) Knock(_ context.Context, spec []byte, out func([]byte) error) error {
	var at []link.Knock
	if err := json.Unmarshal(spec, &at); err != nil {
		return fmt.Errorf("read the destinations: %w", err)
	}
	table, err := k.open()
	if err != nil {
		return err
	}
	if err := knock(at); err != nil {
		return err
	}
	return tell(table, out)
}

func tell(table *Table, out func([]byte) error) error {
	counts, err := table.Read()
	if err != nil {
		return err
	}
	line, err := json.Marshal(counts)
	return errors.Join(err, out(line))
}

// Close takes back what was put in force.
func (k *Keeper) Close() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.table == nil {
		return nil
	}
	return errors.Join(k.table.Apply(nil), k.table.Close())
}

func (k *Keeper) open() (_ *Table, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.table == nil {
		k.table, err = Open()
	}
	return k.table, err
}

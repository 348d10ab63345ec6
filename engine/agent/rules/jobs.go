//go:build linux

package rules

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/scenario-run/scenario/engine/link"
)

// Keeper is what an agent has in force. Its jobs change that, and Close ends
// it: no agent leaves rules behind when its lease is over.
type Keeper struct {
	mu    sync.Mutex
	table *Table // nil until it is needed
}

// Apply is a job: its spec are all the rules that are to be in force; it writes
// one line, those that are.
func (k *Keeper) Apply(_ context.Context, spec []byte, out func([]byte) error) error {
	var rules []link.Rule
	if err := json.Unmarshal(spec, &rules); err != nil {
		return fmt.Errorf("read the rules: %w", err)
	}
	table, err := k.open()
	if err != nil {
		return err
	}
	if err := table.Apply(rules); err != nil {
		return err
	}
	return tell(table, out)
}

// Knock is a job: its spec are the destinations that it sends a packet each. It
// writes one line: the rules in force, with what they have met. So what is
// dropped on its way out is seen to be.
func (k *Keeper) Knock(ctx context.Context, spec []byte, out func([]byte) error) error {
	var at []link.Knock
	if err := json.Unmarshal(spec, &at); err != nil {
		return fmt.Errorf("read the destinations: %w", err)
	}
	table, err := k.open()
	if err != nil {
		return err
	}
	var all sync.WaitGroup
	for _, to := range at {
		all.Go(func() { knock(ctx, to) })
	}
	all.Wait()
	return tell(table, out)
}

// knockTime is how long a connection is tried: its first packet leaves at once.
const knockTime = 5 * time.Millisecond

// knock sends a packet. That it doesn't get through is what is to be shown, so
// what becomes of it is not looked at.
func knock(ctx context.Context, to link.Knock) {
	ctx, cancel := context.WithTimeout(ctx, knockTime)
	defer cancel()
	conn, err := (&net.Dialer{}).DialContext(ctx, string(to.Protocol), to.At.String())
	if err != nil {
		return
	}
	_, _ = conn.Write([]byte{0})
	_ = conn.Close()
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

//go:build linux

package hold

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/scenario-run/scenario/engine/agent/nft"
	"github.com/scenario-run/scenario/engine/link"
)

// Keeper is what an agent holds back. Its jobs change that, and Close ends it:
// no agent leaves anything behind when its lease is over.
type Keeper struct {
	mu    sync.Mutex
	conn  *nft.Conn // nil until it is needed
	lines map[pace]*line
	last  uint16 // the last queue that was taken
}

// Apply is the job link.HoldJob.
func (k *Keeper) Apply(_ context.Context, spec []byte, out func([]byte) error) error {
	var shapes []link.Shape
	if err := json.Unmarshal(spec, &shapes); err != nil {
		return fmt.Errorf("read what is to be held: %w", err)
	}
	if err := k.Hold(shapes); err != nil {
		return err
	}
	return k.tell(out)
}

// Look is the job link.HeldJob.
func (k *Keeper) Look(_ context.Context, _ []byte, out func([]byte) error) error { return k.tell(out) }

func (k *Keeper) tell(out func([]byte) error) error {
	held, err := k.Held()
	if err != nil {
		return err
	}
	line, err := json.Marshal(held)
	return errors.Join(err, out(line))
}

// Hold puts shapes in force in place of those that were. What is being held for
// a shape that goes on stays; what is held for one that ends goes on at once.
func (k *Keeper) Hold(shapes []link.Shape) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.conn == nil && len(shapes) == 0 {
		return nil
	}
	if err := k.open(); err != nil {
		return err
	}
	entries := make([]entry, len(shapes))
	wanted := map[pace]bool{}
	for i, s := range shapes {
		entries[i] = entry{shape: s, pass: s.Latency == 0}
		if entries[i].pass {
			continue
		}
		p := paceOf(s)
		l, err := k.line(p)
		if err != nil {
			return err
		}
		entries[i].queue, wanted[p] = l.number, true
	}
	if err := apply(k.conn, entries); err != nil {
		return err
	}
	if err := k.closeLines(wanted); err != nil || len(entries) > 0 {
		return err
	}
	return k.conn.Remove(ours()...)
}

func paceOf(s link.Shape) pace { return pace{s.Latency, s.Jitter, s.Correlation} }

// line is the one that holds at a pace, opened if there is none that works.
func (k *Keeper) line(p pace) (*line, error) {
	if l := k.lines[p]; l != nil && l.works() == nil {
		return l, nil
	}
	k.last++
	l, err := openLine(k.last, p)
	if err != nil {
		return nil, err
	}
	if k.lines == nil {
		k.lines = map[pace]*line{}
	}
	if broken := k.lines[p]; broken != nil {
		err = broken.close()
	}
	k.lines[p] = l
	return l, err
}

// closeLines closes all lines but those that are wanted.
func (k *Keeper) closeLines(wanted map[pace]bool) error {
	var errs []error
	for p, l := range k.lines {
		if !wanted[p] {
			errs = append(errs, l.close())
			delete(k.lines, p)
		}
	}
	return errors.Join(errs...)
}

// Held are the shapes that are in force, by what the kernel says and the lines
// that still work, with the packets that each has met.
func (k *Keeper) Held() ([]link.Shaped, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.open(); err != nil {
		return nil, err
	}
	all, err := read(k.conn)
	if err != nil {
		return nil, err
	}
	held := []link.Shaped{}
	for _, s := range all {
		if s.Latency == 0 {
			held = append(held, s)
			continue
		}
		if l := k.lines[paceOf(s.Shape)]; l != nil && l.works() == nil {
			held = append(held, s)
		}
	}
	return held, nil
}

// open opens the way to the kernel's tables, once. Under the lock.
func (k *Keeper) open() error {
	if k.conn != nil {
		return nil
	}
	conn, err := nft.Open()
	if err == nil {
		k.conn = conn
	}
	return err
}

// Close lets everything go.
func (k *Keeper) Close() error {
	err := k.Hold(nil)
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.conn == nil {
		return err
	}
	return errors.Join(err, k.conn.Close())
}

// Try holds a packet for nobody, and takes that back. It is for a namespace
// that nobody else uses.
func Try() error {
	var k Keeper
	if err := k.Hold([]link.Shape{{Latency: 1}}); err != nil {
		return errors.Join(err, k.Close())
	}
	return k.Close()
}

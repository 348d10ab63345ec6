//go:build linux

package shape

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/scenario-run/scenario/engine/link"
)

// Keeper is what an agent slows down. Its jobs change that, and Close ends it:
// no agent leaves anything behind when its lease is over.
type Keeper struct {
	mu    sync.Mutex
	table classifier // nil until it is needed
}

// Apply is the job link.ShapeJob.
func (k *Keeper) Apply(_ context.Context, spec []byte, out func([]byte) error) error {
	var shapes []link.Shape
	if err := json.Unmarshal(spec, &shapes); err != nil {
		return fmt.Errorf("read the shapes: %w", err)
	}
	if err := k.Shape(shapes); err != nil {
		return err
	}
	return k.tell(out)
}

// Look is the job link.ShapedJob.
func (k *Keeper) Look(_ context.Context, _ []byte, out func([]byte) error) error { return k.tell(out) }

func (k *Keeper) tell(out func([]byte) error) error {
	shaped, err := k.Shaped()
	if err != nil {
		return err
	}
	line, err := json.Marshal(shaped)
	return errors.Join(err, out(line))
}

// Shape puts shapes in force in place of those that were. What is on its way to
// a peer whose shape stays is not touched; what waits for one whose shape goes
// is lost, as on a line that is pulled out.
func (k *Keeper) Shape(shapes []link.Shape) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.open(); err != nil {
		return err
	}
	on, err := devices()
	if err != nil {
		return err
	}
	if len(shapes) == 0 {
		errs := []error{k.table.classify(nil)}
		for _, d := range on {
			errs = append(errs, d.clear())
		}
		return errors.Join(errs...)
	}
	classes, err := k.classes(shapes)
	if err != nil {
		return err
	}
	for _, d := range on {
		if err := d.prepare(classes); err != nil {
			return err
		}
	}
	if err := k.table.classify(classes); err != nil {
		return err
	}
	for _, d := range on {
		if err := d.prune(classes); err != nil {
			return err
		}
	}
	return nil
}

// classes gives each shape a class: to a peer that has one, the same.
func (k *Keeper) classes(shapes []link.Shape) ([]class, error) {
	entries, err := k.table.classified()
	if err != nil {
		return nil, err
	}
	taken := map[uint16]bool{}
	for _, e := range entries {
		taken[e.Minor] = true
	}
	minor := uint16(firstPeer)
	shared := class{minor: sharedClass}
	var all []class
	for _, s := range withOthers(shapes) {
		if s.Shared {
			shared.shape = s
			continue
		}
		if i := slices.IndexFunc(entries, func(e entry) bool { return e.Shape.Peer == s.Peer }); i >= 0 {
			all = append(all, class{entries[i].Minor, s})
			continue
		}
		for taken[minor] {
			minor++
		}
		if minor > lastPeer {
			return nil, fmt.Errorf("there are more than %d peers", lastPeer-firstPeer+1)
		}
		taken[minor] = true
		all = append(all, class{minor, s})
	}
	return append([]class{shared}, all...), nil
}

// withOthers adds a shape for all others where there is one that all share, so
// that no packet is left out of it.
func withOthers(shapes []link.Shape) []link.Shape {
	shared := slices.ContainsFunc(shapes, func(s link.Shape) bool { return s.Shared })
	others := slices.ContainsFunc(shapes, func(s link.Shape) bool { return !s.Shared && !s.Peer.IsValid() })
	if shared && !others {
		return append(slices.Clone(shapes), link.Shape{})
	}
	return shapes
}

// Shaped are the shapes that are in force on every device, with the packets that
// each has met.
func (k *Keeper) Shaped() ([]link.Shaped, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.open(); err != nil {
		return nil, err
	}
	entries, err := k.table.classified()
	if err != nil {
		return nil, err
	}
	on, err := devices()
	if err != nil {
		return nil, err
	}
	all := []link.Shaped{}
	packets := uint64(0)
	state := map[string]found{}
	for _, d := range on {
		if state[d.name()], err = d.look(); err != nil {
			return nil, err
		}
	}
	for _, e := range entries {
		packets += e.packets
		everywhere := !slices.ContainsFunc(on, func(d device) bool { return !d.has(class{e.Minor, e.Shape}, state[d.name()]) })
		if everywhere && e.Shape != (link.Shape{}) {
			all = append(all, link.Shaped{Shape: e.Shape, Packets: e.packets})
		}
	}
	if rate := sharedRate(on, state); rate > 0 {
		all = append(all, link.Shaped{Shape: link.Shape{Rate: rate, Shared: true}, Packets: packets})
	}
	return all, nil
}

// sharedRate is what all peers share, if that is the same on every device.
func sharedRate(on []device, state map[string]found) int64 {
	rate := int64(0)
	for _, d := range on {
		c := state[d.name()].classes[sharedClass]
		if c == nil || c.Ceil*8 >= unlimited || rate > 0 && rate != int64(c.Ceil)*8 {
			return 0
		}
		rate = int64(c.Ceil) * 8
	}
	return rate
}

// Close takes back what was put in force.
func (k *Keeper) Close() error {
	k.mu.Lock()
	used := k.table != nil
	k.mu.Unlock()
	if !used {
		return nil
	}
	err := k.Shape(nil)
	k.mu.Lock()
	defer k.mu.Unlock()
	return errors.Join(err, k.table.Close())
}

func (k *Keeper) open() error {
	if k.table != nil {
		return nil
	}
	table, err := openTable()
	if err == nil {
		k.table = table
	}
	return err
}

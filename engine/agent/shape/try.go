//go:build linux

package shape

import (
	"errors"
	"fmt"
	"time"

	"github.com/vishvananda/netlink"

	"github.com/scenario-run/scenario/engine/link"
)

// TryRate and TryDelay shape what leaves a device, and take that back. They are
// for a device that nobody uses.
func TryRate(on netlink.Link) error  { return try(on, link.Shape{Rate: 1_000_000}) }
func TryDelay(on netlink.Link) error { return try(on, link.Shape{Latency: time.Millisecond}) }

func try(on netlink.Link, s link.Shape) error {
	d := device{on}
	err := d.prepare([]class{{minor: sharedClass}, {minor: firstPeer, shape: s}})
	if undo := d.clear(); undo != nil {
		err = errors.Join(err, fmt.Errorf("take it back: %w", undo))
	}
	return err
}

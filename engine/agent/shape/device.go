//go:build linux

package shape

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/scenario-run/scenario/engine/link"
)

// The handles of the queueing disciplines and classes that are ours.
const (
	major     = 0x5CE              // of the htb: "sce"
	allClass  = 1                  // of what all peers share
	firstPeer = 2                  // the classes of peers begin here
	lastPeer  = 0x7FFF             // and end here: a netem has the number of its class as its own
	unlimited = 8 * math.MaxUint32 // bits per second: the most that an htb can be told in 32 bits of bytes
	borrowing = 8_000              // bits per second that a class has for itself, below one that all share
	packets   = 1_000_000          // that a netem holds: more than a second of a fast link
)

// class is what one peer's packets go through.
type class struct {
	minor uint16
	below bool // the class that all share
	shape link.Shape
}

// device is one that packets leave by.
type device struct{ netlink.Link }

func (d device) attrs(parent, handle uint32) netlink.QdiscAttrs {
	return netlink.QdiscAttrs{LinkIndex: d.Attrs().Index, Parent: parent, Handle: handle}
}

// root puts the htb in force. What no class is named for passes it by.
func (d device) root() error {
	q := netlink.NewHtb(d.attrs(netlink.HANDLE_ROOT, netlink.MakeHandle(major, 0)))
	if err := netlink.QdiscAdd(q); err != nil {
		return fmt.Errorf("add an htb to %s: %w", d.Attrs().Name, explained(err))
	}
	return nil
}

// clear takes all that is ours away.
func (d device) clear() error {
	q := netlink.NewHtb(d.attrs(netlink.HANDLE_ROOT, netlink.MakeHandle(major, 0)))
	return netlink.QdiscDel(q)
}

// add puts a class in force, or changes it.
func (d device) add(c class) error {
	if err := netlink.ClassReplace(d.htb(c)); err != nil {
		return fmt.Errorf("add a class to %s: %w", d.Attrs().Name, explained(err))
	}
	if c.shape.Latency == 0 {
		return nil
	}
	if err := netlink.QdiscReplace(d.netem(c)); err != nil {
		return fmt.Errorf("add a netem to %s: %w", d.Attrs().Name, explained(err))
	}
	return nil
}

func (d device) htb(c class) *netlink.HtbClass {
	parent := netlink.MakeHandle(major, 0)
	rate, ceil := uint64(unlimited), uint64(unlimited)
	if c.shape.Rate > 0 {
		rate, ceil = uint64(c.shape.Rate), uint64(c.shape.Rate)
	}
	if c.below {
		parent, rate = netlink.MakeHandle(major, allClass), min(rate, borrowing)
	}
	return netlink.NewHtbClass(
		netlink.ClassAttrs{LinkIndex: d.Attrs().Index, Parent: parent, Handle: netlink.MakeHandle(major, c.minor)},
		netlink.HtbClassAttrs{Rate: rate, Ceil: ceil},
	)
}

func (d device) netem(c class) *netlink.Netem {
	return netlink.NewNetem(
		d.attrs(netlink.MakeHandle(major, c.minor), netlink.MakeHandle(c.minor, 0)),
		netlink.NetemQdiscAttrs{
			Latency: micros(c.shape.Latency), Jitter: micros(c.shape.Jitter), DelayCorr: float32(c.shape.Correlation), Limit: packets,
		},
	)
}

func micros(d time.Duration) uint32 { return uint32(min(d.Microseconds(), math.MaxUint32)) }

// explained says what the kernel means when it doesn't know a discipline.
func explained(err error) error {
	if errors.Is(err, unix.ENOENT) {
		return errors.New("this kernel does not have it")
	}
	return err
}

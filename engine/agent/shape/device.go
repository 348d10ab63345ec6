//go:build linux

package shape

import (
	"fmt"
	"math"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/scenario-run/scenario/engine/link"
)

// The handles of the queueing disciplines and classes that are ours.
const (
	major       = 0x5CE // of the htb: "sce"
	sharedClass = 1     // what all peers share; each has a class below it
	firstPeer   = 2
	lastPeer    = 0x7FFF // a netem has the number of its class for its own
)

const (
	// unlimited, in bits per second, is the most that an htb can be told in 32
	// bits of bytes.
	unlimited = 8 * math.MaxUint32
	// assured is what a class may send whatever others do. It is little, so
	// that many of them don't come to more than they share.
	assured = 8_000
	// quantum is how much a class may send before another has its turn: as much
	// as the kernel hands over at once.
	quantum = 64 << 10
	// room is how many packets a netem holds: more than a second of a fast link.
	room = 1_000_000
)

// class is what packets to one peer go through, or the one that all share.
type class struct {
	minor uint16
	shape link.Shape
}

// device is one that packets leave by.
type device struct{ netlink.Link }

// devices are all that lead out of the namespace.
func devices() ([]device, error) {
	links, err := netlink.LinkList()
	if err != nil {
		return nil, fmt.Errorf("list the network devices: %w", err)
	}
	var all []device
	for _, l := range links {
		if flags := l.Attrs().RawFlags; flags&unix.IFF_LOOPBACK == 0 && flags&unix.IFF_UP != 0 {
			all = append(all, device{l})
		}
	}
	return all, nil
}

func (d device) name() string { return d.Attrs().Name }

func (d device) attrs(parent, handle uint32) netlink.QdiscAttrs {
	return netlink.QdiscAttrs{LinkIndex: d.Attrs().Index, Parent: parent, Handle: handle}
}

func (d device) root() netlink.Qdisc {
	return netlink.NewHtb(d.attrs(netlink.HANDLE_ROOT, netlink.MakeHandle(major, 0)))
}

// found is what a device has of ours, by the numbers of classes.
type found struct {
	root    bool
	classes map[uint16]*netlink.HtbClass
	netems  map[uint16]*netlink.Netem
}

// look finds what is ours. A discipline of someone else's is an error: it can't
// be put aside without a loss.
func (d device) look() (found, error) {
	f := found{classes: map[uint16]*netlink.HtbClass{}, netems: map[uint16]*netlink.Netem{}}
	qdiscs, err := netlink.QdiscList(d.Link)
	if err != nil {
		return f, fmt.Errorf("list the queueing disciplines of %s: %w", d.name(), err)
	}
	for _, q := range qdiscs {
		a := q.Attrs()
		over, minor := netlink.MajorMinor(a.Parent)
		netem, isNetem := q.(*netlink.Netem)
		switch {
		case a.Handle == netlink.MakeHandle(major, 0):
			f.root = true
		case isNetem && over == major:
			f.netems[minor] = netem
		case a.Parent == netlink.HANDLE_ROOT && a.Handle != 0:
			return f, fmt.Errorf("%s has a queueing discipline already, a %s that is not ours", d.name(), q.Type())
		}
	}
	if !f.root {
		return f, nil
	}
	classes, err := netlink.ClassList(d.Link, netlink.MakeHandle(major, 0))
	if err != nil {
		return f, fmt.Errorf("list the classes of %s: %w", d.name(), err)
	}
	for _, c := range classes {
		if c, ok := c.(*netlink.HtbClass); ok {
			_, minor := netlink.MajorMinor(c.Handle)
			f.classes[minor] = c
		}
	}
	return f, nil
}

// prepare makes classes be there as they are asked for, beside those that are.
func (d device) prepare(classes []class) error {
	now, err := d.look()
	if err != nil {
		return err
	}
	if !now.root {
		if err := netlink.QdiscAdd(d.root()); err != nil {
			return fmt.Errorf("add an htb to %s: %w", d.name(), err)
		}
	}
	for _, c := range classes {
		if err := d.add(c, now); err != nil {
			return err
		}
	}
	return nil
}

// add makes one class be there.
func (d device) add(c class, now found) error {
	if err := netlink.ClassReplace(d.htb(c)); err != nil {
		return fmt.Errorf("add a class to %s: %w", d.name(), err)
	}
	if c.shape.Latency > 0 {
		if err := netlink.QdiscReplace(d.netem(c)); err != nil {
			return fmt.Errorf("add a netem to %s: %w", d.name(), err)
		}
		return nil
	}
	if old := now.netems[c.minor]; old != nil {
		if err := netlink.QdiscDel(old); err != nil {
			return fmt.Errorf("remove a netem from %s: %w", d.name(), err)
		}
	}
	return nil
}

// prune removes the classes that are asked for no more.
func (d device) prune(classes []class) error {
	now, err := d.look()
	if err != nil {
		return err
	}
	for _, c := range classes {
		delete(now.classes, c.minor)
	}
	for _, c := range now.classes {
		if err := netlink.ClassDel(c); err != nil {
			return fmt.Errorf("remove a class from %s: %w", d.name(), err)
		}
	}
	return nil
}

// clear takes all that is ours away.
func (d device) clear() error {
	now, err := d.look()
	if err != nil || !now.root {
		return err
	}
	if err := netlink.QdiscDel(d.root()); err != nil {
		return fmt.Errorf("remove the htb from %s: %w", d.name(), err)
	}
	return nil
}

// has says that a class is there just as it is asked for.
func (d device) has(c class, now found) bool {
	want, have := d.htb(c), now.classes[c.minor]
	if have == nil || have.Rate != want.Rate || have.Ceil != want.Ceil {
		return false
	}
	netem := now.netems[c.minor]
	if c.shape.Latency == 0 {
		return netem == nil
	}
	w := d.netem(c)
	return netem != nil && netem.Latency == w.Latency && netem.Jitter == w.Jitter && netem.DelayCorr == w.DelayCorr
}

func (d device) htb(c class) *netlink.HtbClass {
	parent, rate, ceil := netlink.MakeHandle(major, sharedClass), uint64(assured), uint64(unlimited)
	if c.shape.Rate > 0 {
		ceil = uint64(c.shape.Rate)
	}
	if c.minor == sharedClass {
		parent, rate = netlink.MakeHandle(major, 0), ceil
	}
	return netlink.NewHtbClass(
		netlink.ClassAttrs{LinkIndex: d.Attrs().Index, Parent: parent, Handle: netlink.MakeHandle(major, c.minor)},
		netlink.HtbClassAttrs{Rate: min(rate, ceil), Ceil: ceil, Quantum: quantum},
	)
}

func (d device) netem(c class) *netlink.Netem {
	return netlink.NewNetem(
		d.attrs(netlink.MakeHandle(major, c.minor), netlink.MakeHandle(c.minor, 0)),
		netlink.NetemQdiscAttrs{
			Latency: micros(c.shape.Latency), Jitter: micros(c.shape.Jitter), DelayCorr: float32(c.shape.Correlation), Limit: room,
		},
	)
}

func micros(d time.Duration) uint32 { return uint32(min(d.Microseconds(), math.MaxUint32)) }

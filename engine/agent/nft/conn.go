//go:build linux

package nft

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/google/nftables/expr"
	"golang.org/x/sys/unix"
)

// Table is a table as it is to be, without its rules.
type Table struct {
	Name   string
	Family byte // unix.NFPROTO_…
	Chains []Chain
}

// Chain is one of a table's, at a hook of the kernel.
type Chain struct {
	Name     string
	Type     string // "filter" or "nat"
	Hook     uint32 // unix.NF_INET_…
	Priority int32  // those with lower ones come first
}

// Rule is one in the kernel's terms.
type Rule struct {
	Chain string
	Exprs []expr.Any
	Note  []byte // what is kept beside it, for whoever reads it
}

// Content is a table with all of its rules, in their order.
type Content struct {
	Table
	Rules []Rule
}

// Found is a rule that is in force, with the packets that its counter has met.
type Found struct {
	Chain   string
	Note    []byte
	Packets uint64
}

// Conn is a way to the kernel. The tables that are made through it go when it is
// closed, or when its process ends.
type Conn struct {
	mu   sync.Mutex // one exchange at a time
	fd   int
	last uint32 // number of the last message
	// owns says that tables are made to be this Conn's own: until the kernel
	// says that it has no such thing.
	owns   bool
	answer []byte
}

// Open opens a way to the kernel. It is meant to stay open as long as there may
// be changes: the kernel closes one only when nobody looks any more at what was
// taken out through it, which takes ten times as long as a change.
func Open() (*Conn, error) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_NETFILTER)
	if err != nil {
		return nil, fmt.Errorf("reach nftables: %w", err)
	}
	timeout := unix.Timeval{Sec: patience}
	err = errors.Join(
		unix.Bind(fd, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}),
		unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &timeout),
	)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("reach nftables: %w", err), unix.Close(fd))
	}
	// Without this the kernel takes a batch of some 200 kB at most.
	_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_SNDBUFFORCE, sendRoom)
	return &Conn{fd: fd, owns: true, answer: make([]byte, answerRoom)}, nil
}

const (
	// patience is for answers, in seconds. They are there when a message was
	// sent, unless the kernel has none.
	patience   = 5
	sendRoom   = 8 << 20
	answerRoom = 64 << 10 // more than the kernel puts in one
)

// Close closes the way, and the tables that it owns go.
func (c *Conn) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return unix.Close(c.fd)
}

// Owns says whether tables go with this Conn, as far as is known: until one was
// made, the kernel has not been asked.
func (c *Conn) Owns() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.owns
}

// Replace makes tables have the rules given in place of all that were there, in
// one transaction: there is no moment at which half of it holds. Chains stay.
func (c *Conn) Replace(contents ...Content) error {
	return c.change(contents, func(b *batch, content Content) error {
		b.flush(content.Table)
		for _, chain := range content.Chains {
			b.chain(content.Table, chain)
		}
		for _, r := range content.Rules {
			if err := b.rule(content.Table, r); err != nil {
				return err
			}
		}
		return nil
	})
}

// Remove removes tables, in one transaction, whether they are there or not.
func (c *Conn) Remove(tables ...Table) error {
	contents := make([]Content, len(tables))
	for i, t := range tables {
		contents[i].Table = t
	}
	return c.change(contents, func(b *batch, content Content) error {
		b.delete(content.Table)
		return nil
	})
}

// change does something to tables, which are made if they aren't there.
func (c *Conn) change(contents []Content, do func(*batch, Content) error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	err := c.try(contents, do)
	var r *refusal
	if c.owns && errors.As(err, &r) && r.ofTable && (r.number == unix.EOPNOTSUPP || r.number == unix.EINVAL) {
		c.owns = false // a kernel before 5.12
		err = c.try(contents, do)
	}
	if err != nil {
		names := make([]string, len(contents))
		for i, content := range contents {
			names[i] = content.Name
		}
		return fmt.Errorf("change the table %s: %w", strings.Join(slices.Compact(names), ", "), err)
	}
	return nil
}

func (c *Conn) try(contents []Content, do func(*batch, Content) error) error {
	b := c.begin()
	for _, content := range contents {
		b.table(content.Table, c.owns)
		if err := do(b, content); err != nil {
			return err
		}
	}
	return c.commit(b)
}

// commit sends a batch, and returns when it is in force. The kernel answers the
// last message, and each that it refuses.
func (c *Conn) commit(b *batch) error {
	last := b.end()
	c.last = b.number
	if err := c.send(b.text); err != nil {
		return err
	}
	var refused error
	for {
		answers, err := c.receive()
		if err != nil {
			return err
		}
		for _, a := range answers {
			if a.kind != unix.NLMSG_ERROR || a.number < b.first {
				continue // of an exchange that was given up
			}
			if err := a.refusal(); err != nil && refused == nil {
				err.ofTable = slices.Contains(b.tables, a.number)
				refused = err
			}
			// A refusal of the batch as a whole has the number of its first message.
			if a.number == last || a.number == b.first {
				return refused
			}
		}
	}
}

// Rules are those of a table, in the order of its chains; none if it isn't
// there.
func (c *Conn) Rules(of Table) ([]Found, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for range mostReads {
		found, whole, err := c.read(of)
		if errors.Is(err, unix.ENOENT) {
			return nil, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read the table %s: %w", of.Name, err)
		}
		if whole {
			slices.SortStableFunc(found, func(a, b Found) int { return of.place(a.Chain) - of.place(b.Chain) })
			return found, nil
		}
	}
	return nil, fmt.Errorf("read the table %s: it changes all the time", of.Name)
}

// mostReads is how often a table is read that others change meanwhile.
const mostReads = 20

func (t Table) place(chain string) int {
	return slices.IndexFunc(t.Chains, func(c Chain) bool { return c.Name == chain })
}

// read reads a table once. It is not whole if something was changed meanwhile.
func (c *Conn) read(of Table) (found []Found, whole bool, err error) {
	c.last++
	first := c.last
	if err := c.send(dump(of, first)); err != nil {
		return nil, false, err
	}
	whole = true
	for {
		answers, err := c.receive()
		if err != nil {
			return nil, false, err
		}
		for _, a := range answers {
			if a.number != first {
				continue
			}
			whole = whole && a.flags&unix.NLM_F_DUMP_INTR == 0
			switch a.kind {
			case unix.NLMSG_DONE:
				return found, whole, nil
			case unix.NLMSG_ERROR:
				if err := a.refusal(); err != nil {
					return nil, false, err
				}
			default:
				if f, ok := a.rule(of.Name); ok {
					found = append(found, f)
				}
			}
		}
	}
}

func (c *Conn) send(text []byte) error {
	for {
		err := unix.Sendto(c.fd, text, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK})
		if err != unix.EINTR {
			return err
		}
	}
}

func (c *Conn) receive() ([]message, error) {
	for {
		n, _, err := unix.Recvfrom(c.fd, c.answer, 0)
		switch err {
		case nil:
			return messages(c.answer[:n])
		case unix.EINTR:
		case unix.EAGAIN:
			return nil, errors.New("the kernel does not answer")
		default:
			return nil, err
		}
	}
}

//go:build linux

package rules

import (
	"errors"
	"net/netip"

	"golang.org/x/sys/unix"

	"github.com/scenario-run/scenario/engine/link"
)

// TryTable, TryReject and TryLoss put a rule of each kind in force, for packets
// that nobody sends, and take it back. They are for a namespace that nobody
// else uses.
func TryTable() error  { return try(link.Rule{Verdict: link.Drop}) }
func TryReject() error { return try(link.Rule{Verdict: link.Reject}) }
func TryLoss() error   { return try(link.Rule{Verdict: link.Lose, Percent: 50}) }

func try(r link.Rule) error {
	r.Way, r.Peer = link.Out, nobody()
	table, err := Open()
	if err != nil {
		return err
	}
	return errors.Join(table.Apply([]link.Rule{r}), table.Apply(nil), table.Close())
}

// TryOwner makes a table that goes with its maker. It is for a namespace that
// nobody else uses.
func TryOwner() error {
	table, err := Open()
	if err != nil {
		return err
	}
	err = table.Apply([]link.Rule{{Way: link.Out, Peer: nobody(), Verdict: link.Drop}})
	if err == nil && !table.conn.Owns() {
		err = unix.EOPNOTSUPP
	}
	return errors.Join(err, table.Apply(nil), table.Close())
}

// nobody is an address that is kept for documentation (RFC 5737).
func nobody() netip.Addr { return netip.AddrFrom4([4]byte{192, 0, 2, 1}) }

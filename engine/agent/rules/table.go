//go:build linux

package rules

import (
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/scenario-run/scenario/engine/agent/nft"
	"github.com/scenario-run/scenario/engine/link"
)

// Mangle is the priority of chains that come before those of others which filter
// (NF_IP_PRI_MANGLE).
const Mangle = -150

// ours is the table that is ours: a chain for each way, by its name.
func ours() nft.Table {
	return nft.Table{Name: "scenario", Family: unix.NFPROTO_INET, Chains: []nft.Chain{
		{Name: string(link.In), Type: "filter", Hook: unix.NF_INET_LOCAL_IN, Priority: Mangle},
		{Name: string(link.Out), Type: "filter", Hook: unix.NF_INET_LOCAL_OUT, Priority: Mangle},
	}}
}

// Table is the table that is ours, in the network namespace that it was opened
// in. It need not be there.
type Table struct{ conn *nft.Conn }

// Open opens a way to the table, which stays open until Close.
func Open() (*Table, error) {
	conn, err := nft.Open()
	if err != nil {
		return nil, err
	}
	return &Table{conn}, nil
}

// Close closes the way, and the table goes with it where the kernel has that.
func (t *Table) Close() error { return t.conn.Close() }

// Apply puts rules in force in place of those that were, in one transaction.
// Without rules nothing of ours is left.
func (t *Table) Apply(rules []link.Rule) error {
	if len(rules) == 0 {
		return t.conn.Remove(ours())
	}
	// The chains stay: with one that goes the kernel drops the packets that
	// processes hold back (engine/agent/hold).
	made := nft.Content{Table: ours(), Rules: make([]nft.Rule, len(rules))}
	for i, r := range rules {
		var err error
		if made.Rules[i], err = ruleOf(r); err != nil {
			return err
		}
	}
	return t.conn.Replace(made)
}

// ruleOf is a rule in the kernel's terms, in a chain that has its way's name.
func ruleOf(r link.Rule) (nft.Rule, error) {
	if r.Way != link.In && r.Way != link.Out {
		return nft.Rule{}, fmt.Errorf("a rule goes no way: %q", r.Way)
	}
	exprs, err := expressions(r)
	if err != nil {
		return nft.Rule{}, err
	}
	// The rule as it was asked for is kept beside it in the kernel, so that
	// reading it back needs no second bookkeeping.
	asked, err := r.MarshalText()
	return nft.Rule{Chain: string(r.Way), Exprs: exprs, Note: asked}, err
}

// Read returns the rules that are in force, with the packets that each has met.
func (t *Table) Read() ([]link.Count, error) {
	found, err := t.conn.Rules(ours())
	if err != nil {
		return nil, err
	}
	all := make([]link.Count, len(found))
	for i, f := range found {
		all[i].Packets = f.Packets
		if err := all[i].Rule.UnmarshalText(f.Note); err != nil {
			return nil, fmt.Errorf("the table %s has a rule that is not ours: %w", ours().Name, err)
		}
	}
	return all, nil
}

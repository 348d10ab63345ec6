//go:build linux

package rules

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/google/nftables"
	"golang.org/x/sys/unix"

	"github.com/scenario-run/scenario/engine/link"
)

// tableName is the table that is ours.
const tableName = "scenario"

// Table is the table that is ours, in the network namespace that it was opened
// in. It need not be there.
type Table struct {
	mu   sync.Mutex // one exchange at a time
	conn *nftables.Conn
}

// Open opens a way to the table, which stays open until Close: the kernel closes
// one only when nobody looks any more at what was taken out through it, which
// takes ten times as long as a change of rules.
func Open() (*Table, error) {
	conn, err := nftables.New(nftables.AsLasting())
	if err != nil {
		return nil, fmt.Errorf("reach nftables: %w", err)
	}
	return &Table{conn: conn}, nil
}

// Close closes the way; the table stays.
func (t *Table) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.conn.CloseLasting()
}

// Apply puts rules in force in place of those that were, in one transaction.
// Without rules nothing of ours is left.
func (t *Table) Apply(rules []link.Rule) error {
	made := make([]*nftables.Rule, len(rules))
	for i, r := range rules {
		var err error
		if made[i], err = ruleOf(r); err != nil {
			return err
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	table := &nftables.Table{Name: tableName, Family: nftables.TableFamilyINet}
	t.conn.AddTable(table)
	if len(made) == 0 {
		t.conn.DelTable(table) // which can't be deleted where it isn't, so it is added first
	} else {
		// The chains stay: with one that goes the kernel drops the packets that
		// processes hold back (engine/agent/hold).
		t.conn.FlushTable(table)
		fill(t.conn, table, made)
	}
	if err := t.conn.Flush(); err != nil {
		return errors.Join(fmt.Errorf("change the table %s: %w", tableName, err), t.reopen())
	}
	return nil
}

// reopen takes another way: on one that an error came by more may be under way.
func (t *Table) reopen() error {
	conn, err := nftables.New(nftables.AsLasting())
	if err != nil {
		return fmt.Errorf("reach nftables again: %w", err)
	}
	old := t.conn
	t.conn = conn
	return old.CloseLasting()
}

// ruleOf is a rule in the kernel's terms, in a chain that has its way's name.
func ruleOf(r link.Rule) (*nftables.Rule, error) {
	if r.Way != link.In && r.Way != link.Out {
		return nil, fmt.Errorf("a rule goes no way: %q", r.Way)
	}
	exprs, err := expressions(r)
	if err != nil {
		return nil, err
	}
	// The rule as it was asked for is kept beside it in the kernel, so that
	// reading it back needs no second bookkeeping.
	asked, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	return &nftables.Rule{Chain: &nftables.Chain{Name: string(r.Way)}, Exprs: exprs, UserData: asked}, nil
}

// fill adds the chains, before those of others, and the rules.
func fill(conn *nftables.Conn, table *nftables.Table, rules []*nftables.Rule) {
	for way, hook := range map[link.Way]*nftables.ChainHook{link.In: nftables.ChainHookInput, link.Out: nftables.ChainHookOutput} {
		conn.AddChain(&nftables.Chain{
			Name: string(way), Table: table, Type: nftables.ChainTypeFilter,
			Hooknum: hook, Priority: nftables.ChainPriorityMangle,
		})
	}
	for _, r := range rules {
		r.Table, r.Chain.Table = table, table
		conn.AddRule(r)
	}
}

// Read returns the rules that are in force, with the packets that each has met.
func (t *Table) Read() ([]link.Count, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	table := &nftables.Table{Name: tableName, Family: nftables.TableFamilyINet}
	all := []link.Count{}
	for _, way := range []link.Way{link.In, link.Out} {
		rules, err := t.conn.GetRules(table, &nftables.Chain{Name: string(way), Table: table})
		if errors.Is(err, unix.ENOENT) {
			continue
		}
		if err != nil {
			return nil, errors.Join(fmt.Errorf("read the table %s: %w", tableName, err), t.reopen())
		}
		for _, r := range rules {
			c := link.Count{Packets: Packets(r.Exprs)}
			if err := json.Unmarshal(r.UserData, &c.Rule); err != nil {
				return nil, fmt.Errorf("the table %s has a rule that is not ours: %w", tableName, err)
			}
			all = append(all, c)
		}
	}
	return all, nil
}

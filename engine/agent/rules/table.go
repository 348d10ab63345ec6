//go:build linux

package rules

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/nftables"
	"golang.org/x/sys/unix"

	"github.com/scenario-run/scenario/engine/link"
)

// tableName is the table that is ours.
const tableName = "scenario"

// Apply puts rules in force in place of those that were, in one transaction.
// Without rules nothing of ours is left.
func Apply(rules []link.Rule) error {
	conn, err := nftables.New()
	if err != nil {
		return fmt.Errorf("reach nftables: %w", err)
	}
	// A table can't be deleted that isn't there: so it is added first.
	table := &nftables.Table{Name: tableName, Family: nftables.TableFamilyINet}
	conn.AddTable(table)
	conn.DelTable(table)
	if len(rules) > 0 {
		conn.AddTable(table)
		if err := fill(conn, table, rules); err != nil {
			return err
		}
	}
	if err := conn.Flush(); err != nil {
		return fmt.Errorf("change the table %s: %w", tableName, err)
	}
	return nil
}

// fill adds the chains, before those of others, and the rules.
func fill(conn *nftables.Conn, table *nftables.Table, rules []link.Rule) error {
	chains := map[link.Way]*nftables.Chain{}
	for way, hook := range map[link.Way]*nftables.ChainHook{link.In: nftables.ChainHookInput, link.Out: nftables.ChainHookOutput} {
		chains[way] = conn.AddChain(&nftables.Chain{
			Name: string(way), Table: table, Type: nftables.ChainTypeFilter,
			Hooknum: hook, Priority: nftables.ChainPriorityMangle,
		})
	}
	for _, r := range rules {
		// The rule as it was asked for is kept beside it in the kernel, so that
		// reading it back needs no second bookkeeping.
		asked, err := json.Marshal(r)
		if err != nil {
			return err
		}
		exprs, err := expressions(r)
		if err != nil {
			return err
		}
		chain, ok := chains[r.Way]
		if !ok {
			return fmt.Errorf("a rule goes no way: %q", r.Way)
		}
		conn.AddRule(&nftables.Rule{Table: table, Chain: chain, Exprs: exprs, UserData: asked})
	}
	return nil
}

// Read returns the rules that are in force, with the packets that each has met.
func Read() ([]link.Count, error) {
	conn, err := nftables.New()
	if err != nil {
		return nil, fmt.Errorf("reach nftables: %w", err)
	}
	table := &nftables.Table{Name: tableName, Family: nftables.TableFamilyINet}
	all := []link.Count{}
	for _, way := range []link.Way{link.In, link.Out} {
		rules, err := conn.GetRules(table, &nftables.Chain{Name: string(way), Table: table})
		if errors.Is(err, unix.ENOENT) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read the table %s: %w", tableName, err)
		}
		for _, r := range rules {
			c := link.Count{Packets: packets(r.Exprs)}
			if err := json.Unmarshal(r.UserData, &c.Rule); err != nil {
				return nil, fmt.Errorf("the table %s has a rule that is not ours: %w", tableName, err)
			}
			all = append(all, c)
		}
	}
	return all, nil
}

//go:build linux

package hold

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/google/nftables"
	"github.com/google/nftables/expr"
	"github.com/google/nftables/xt"
	"golang.org/x/sys/unix"

	"github.com/scenario-run/scenario/engine/agent/rules"
	"github.com/scenario-run/scenario/engine/link"
)

// tableName is the table that is ours, one for each family: what iptables has
// for queues, which some kernels have in place of nftables' own, knows no table
// for both.
const tableName = "scenario-hold"

func families() []nftables.TableFamily {
	return []nftables.TableFamily{nftables.TableFamilyIPv4, nftables.TableFamilyIPv6}
}

// entry is a rule of the table.
type entry struct {
	shape link.Shape
	queue uint16 // where its packets are held
	pass  bool   // they are not: a peer that is slower to none
}

// naming is how rules name a queue.
type naming func(queue uint16) expr.Any

func native(queue uint16) expr.Any { return &expr.Queue{Num: queue, Flag: expr.QueueFlagBypass} }

// borrowed is the same by a target of iptables: struct xt_NFQ_info_v3, with the
// flag by which packets pass when nobody listens.
func borrowed(queue uint16) expr.Any {
	var info xt.Unknown
	for _, field := range []uint16{queue, 1, 1} {
		info = binary.NativeEndian.AppendUint16(info, field)
	}
	return &expr.Target{Name: "NFQUEUE", Rev: 3, Info: &info}
}

// apply puts entries in force in place of those that were, in one transaction.
// The tables stay where they are, if there are any: with a chain that goes the
// kernel drops all packets that are held.
func apply(entries []entry) error {
	err := applyBy(native, entries)
	if errors.Is(err, unix.ENOENT) && len(entries) > 0 {
		return applyBy(borrowed, entries)
	}
	return err
}

// remove takes the tables away.
func remove() error {
	conn, err := nftables.New()
	if err != nil {
		return fmt.Errorf("reach nftables: %w", err)
	}
	for _, family := range families() {
		table := &nftables.Table{Name: tableName, Family: family}
		// A table can't be deleted that isn't there: so it is added first.
		conn.AddTable(table)
		conn.DelTable(table)
	}
	if err := conn.Flush(); err != nil {
		return fmt.Errorf("remove the tables %s: %w", tableName, err)
	}
	return nil
}

func applyBy(name naming, entries []entry) error {
	conn, err := nftables.New()
	if err != nil {
		return fmt.Errorf("reach nftables: %w", err)
	}
	for _, family := range families() {
		table := &nftables.Table{Name: tableName, Family: family}
		conn.AddTable(table)
		conn.FlushTable(table)
		if err := fill(conn, table, name, entries); err != nil {
			return err
		}
	}
	if err := conn.Flush(); err != nil {
		return fmt.Errorf("change the tables %s: %w", tableName, err)
	}
	return nil
}

// of says that a shape is about packets of a family.
func of(f nftables.TableFamily, s link.Shape) bool {
	return !s.Peer.IsValid() || s.Peer.Is6() == (f == nftables.TableFamilyIPv6)
}

// chain is the one of a table. It comes after the rules that drop: what is
// dropped isn't held.
func chain(table *nftables.Table) *nftables.Chain {
	return &nftables.Chain{
		Name: "in", Table: table, Type: nftables.ChainTypeFilter,
		Hooknum: nftables.ChainHookInput, Priority: nftables.ChainPriorityRef(*nftables.ChainPriorityMangle + 10),
	}
}

func fill(conn *nftables.Conn, table *nftables.Table, name naming, entries []entry) error {
	in := conn.AddChain(chain(table))
	for _, e := range entries {
		if !of(table.Family, e.shape) {
			continue
		}
		// The shape is kept beside the rule in the kernel, so that reading it
		// back needs no second bookkeeping.
		asked, err := json.Marshal(e.shape)
		if err != nil {
			return err
		}
		exprs := append(rules.Match(link.Rule{Way: link.In, Peer: e.shape.Peer}), &expr.Counter{})
		if e.pass {
			exprs = append(exprs, &expr.Verdict{Kind: expr.VerdictAccept})
		} else {
			exprs = append(exprs, name(e.queue))
		}
		conn.AddRule(&nftables.Rule{Table: table, Chain: in, Exprs: exprs, UserData: asked})
	}
	return nil
}

// read returns the shapes that the kernel has rules for, each once: that for
// everyone stands in both tables.
func read() ([]link.Shaped, error) {
	conn, err := nftables.New()
	if err != nil {
		return nil, fmt.Errorf("reach nftables: %w", err)
	}
	var all []link.Shaped
	for _, family := range families() {
		table := &nftables.Table{Name: tableName, Family: family}
		entries, err := conn.GetRules(table, chain(table))
		if errors.Is(err, unix.ENOENT) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read the table %s: %w", tableName, err)
		}
		for _, e := range entries {
			s := link.Shaped{Packets: rules.Packets(e.Exprs)}
			if err := json.Unmarshal(e.UserData, &s.Shape); err != nil {
				return nil, fmt.Errorf("the table %s has a rule that is not ours: %w", tableName, err)
			}
			if i := slices.IndexFunc(all, func(o link.Shaped) bool { return o.Shape == s.Shape }); i >= 0 {
				all[i].Packets += s.Packets
				continue
			}
			all = append(all, s)
		}
	}
	return all, nil
}

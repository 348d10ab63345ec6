//go:build linux

package shape

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/nftables"
	"github.com/google/nftables/expr"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/scenario-run/scenario/engine/agent/rules"
	"github.com/scenario-run/scenario/engine/link"
)

// tableName is the table that is ours. It says which class packets belong to.
const tableName = "scenario-shape"

func table() *nftables.Table {
	return &nftables.Table{Name: tableName, Family: nftables.TableFamilyINet}
}

// chain comes after the rules that drop: what is dropped belongs to no class.
func chain() *nftables.Chain {
	return &nftables.Chain{
		Name: "out", Table: table(), Type: nftables.ChainTypeFilter,
		Hooknum: nftables.ChainHookOutput, Priority: nftables.ChainPriorityRef(*nftables.ChainPriorityMangle + 10),
	}
}

// entry is a rule of the table, as it is kept beside the rule in the kernel: so
// a later agent finds what an earlier one has left.
type entry struct {
	Minor   uint16     `json:"minor"`
	Shape   link.Shape `json:"shape"`
	packets uint64
}

// classifier says which class packets belong to.
type classifier interface {
	// classify makes packets belong to the classes given and to no others, at
	// one moment. Without any, nothing is left.
	classify(classes []class) error
	// classified returns the entries that are in force.
	classified() ([]entry, error)
	Close() error
}

// rulesTable is the classifier of real use.
type rulesTable struct{ conn *nftables.Conn }

var _ classifier = rulesTable{}

// openTable opens a way to the table; see rules.Open for why it stays open.
func openTable() (rulesTable, error) {
	conn, err := nftables.New(nftables.AsLasting())
	if err != nil {
		return rulesTable{}, fmt.Errorf("reach nftables: %w", err)
	}
	return rulesTable{conn}, nil
}

func (t rulesTable) Close() error { return t.conn.CloseLasting() }

func (t rulesTable) classify(classes []class) error {
	conn := t.conn
	conn.AddTable(table())
	if len(classes) == 0 {
		conn.DelTable(table()) // which can't be deleted where it isn't, so it is added first
	} else {
		// The chain stays: with one that goes the kernel drops the packets that
		// processes hold back (engine/agent/hold).
		conn.FlushTable(table())
		conn.AddChain(chain())
	}
	for _, c := range classes {
		if c.minor == sharedClass {
			continue // by way of the others
		}
		kept, err := json.Marshal(entry{Minor: c.minor, Shape: c.shape})
		if err != nil {
			return err
		}
		conn.AddRule(&nftables.Rule{Table: table(), Chain: chain(), Exprs: expressions(c), UserData: kept})
	}
	if err := conn.Flush(); err != nil {
		return fmt.Errorf("change the table %s: %w", tableName, err)
	}
	return nil
}

// expressions give a packet its class, which an htb takes from its priority. The
// first rule that matches is the last that is looked at.
func expressions(c class) []expr.Any {
	const register = 1
	return append(
		rules.Match(link.Rule{Way: link.Out, Peer: c.shape.Peer}),
		&expr.Counter{},
		&expr.Immediate{Register: register, Data: binary.NativeEndian.AppendUint32(nil, netlink.MakeHandle(major, c.minor))},
		&expr.Meta{Key: expr.MetaKeyPRIORITY, SourceRegister: true, Register: register},
		&expr.Verdict{Kind: expr.VerdictAccept},
	)
}

func (t rulesTable) classified() ([]entry, error) {
	all, err := t.conn.GetRules(table(), chain())
	if errors.Is(err, unix.ENOENT) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the table %s: %w", tableName, err)
	}
	var entries []entry
	for _, r := range all {
		e := entry{packets: rules.Packets(r.Exprs)}
		if err := json.Unmarshal(r.UserData, &e); err != nil {
			return nil, fmt.Errorf("the table %s has a rule that is not ours: %w", tableName, err)
		}
		entries = append(entries, e)
	}
	return entries, nil
}

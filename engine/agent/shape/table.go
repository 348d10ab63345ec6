//go:build linux

package shape

import (
	"encoding/binary"
	"encoding/json"
	"fmt"

	"github.com/google/nftables/expr"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/scenario-run/scenario/engine/agent/nft"
	"github.com/scenario-run/scenario/engine/agent/rules"
	"github.com/scenario-run/scenario/engine/link"
)

// ours is the table that is ours. It says which class packets belong to. Its
// chain comes after the rules that drop: what is dropped belongs to no class.
func ours() nft.Table {
	return nft.Table{Name: "scenario-shape", Family: unix.NFPROTO_INET, Chains: []nft.Chain{
		{Name: "out", Type: "filter", Hook: unix.NF_INET_LOCAL_OUT, Priority: rules.Mangle + 10},
	}}
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

// rulesTable is the classifier of real use. Where the table goes with its maker,
// what an agent slows down ends with the agent, whatever is left of queueing
// disciplines: packets of no class pass.
type rulesTable struct{ conn *nft.Conn }

var _ classifier = rulesTable{}

// openTable opens a way to the table; see nft.Open for why it stays open.
func openTable() (rulesTable, error) {
	conn, err := nft.Open()
	return rulesTable{conn}, err
}

func (t rulesTable) Close() error { return t.conn.Close() }

func (t rulesTable) classify(classes []class) error {
	if len(classes) == 0 {
		return t.conn.Remove(ours())
	}
	// The chain stays: with one that goes the kernel drops the packets that
	// processes hold back (engine/agent/hold).
	made := nft.Content{Table: ours()}
	for _, c := range classes {
		if c.minor == sharedClass {
			continue // by way of the others
		}
		kept, err := json.Marshal(entry{Minor: c.minor, Shape: c.shape})
		if err != nil {
			return err
		}
		made.Rules = append(made.Rules, nft.Rule{Chain: "out", Exprs: expressions(c), Note: kept})
	}
	return t.conn.Replace(made)
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
	found, err := t.conn.Rules(ours())
	if err != nil {
		return nil, err
	}
	entries := make([]entry, len(found))
	for i, f := range found {
		entries[i].packets = f.Packets
		if err := json.Unmarshal(f.Note, &entries[i]); err != nil {
			return nil, fmt.Errorf("the table %s has a rule that is not ours: %w", ours().Name, err)
		}
	}
	return entries, nil
}

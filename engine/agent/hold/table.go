//go:build linux

package hold

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/google/nftables/expr"
	"github.com/google/nftables/xt"
	"golang.org/x/sys/unix"

	"github.com/scenario-run/scenario/engine/agent/nft"
	"github.com/scenario-run/scenario/engine/agent/rules"
	"github.com/scenario-run/scenario/engine/link"
)

// ours are the tables that are ours, one for each family: what iptables has for
// queues, which some kernels have in place of nftables' own, knows no table for
// both. Their chains come after the rules that drop: what is dropped isn't held.
func ours() (tables []nft.Table) {
	for _, family := range []byte{unix.NFPROTO_IPV4, unix.NFPROTO_IPV6} {
		tables = append(tables, nft.Table{Name: "scenario-hold", Family: family, Chains: []nft.Chain{
			{Name: "in", Type: "filter", Hook: unix.NF_INET_LOCAL_IN, Priority: rules.Mangle + 10},
		}})
	}
	return tables
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
func apply(conn *nft.Conn, entries []entry) error {
	err := applyBy(conn, native, entries)
	if errors.Is(err, unix.ENOENT) && len(entries) > 0 {
		return applyBy(conn, borrowed, entries)
	}
	return err
}

func applyBy(conn *nft.Conn, name naming, entries []entry) error {
	var all []nft.Content
	for _, table := range ours() {
		made, err := rulesOf(table.Family, name, entries)
		if err != nil {
			return err
		}
		all = append(all, nft.Content{Table: table, Rules: made})
	}
	return conn.Replace(all...)
}

// of says that a shape is about packets of a family.
func of(family byte, s link.Shape) bool {
	return !s.Peer.IsValid() || s.Peer.Is6() == (family == unix.NFPROTO_IPV6)
}

func rulesOf(family byte, name naming, entries []entry) (all []nft.Rule, err error) {
	for _, e := range entries {
		if !of(family, e.shape) {
			continue
		}
		// The shape is kept beside the rule in the kernel, so that reading it
		// back needs no second bookkeeping.
		asked, err := json.Marshal(e.shape)
		if err != nil {
			return nil, err
		}
		exprs := append(rules.Match(link.Rule{Way: link.In, Peer: e.shape.Peer}), &expr.Counter{})
		if e.pass {
			exprs = append(exprs, &expr.Verdict{Kind: expr.VerdictAccept})
		} else {
			exprs = append(exprs, name(e.queue))
		}
		all = append(all, nft.Rule{Chain: "in", Exprs: exprs, Note: asked})
	}
	return all, nil
}

// read returns the shapes that the kernel has rules for, each once: that for
// everyone stands in both tables.
func read(conn *nft.Conn) (all []link.Shaped, err error) {
	for _, table := range ours() {
		found, err := conn.Rules(table)
		if err != nil {
			return nil, err
		}
		for _, f := range found {
			s := link.Shaped{Packets: f.Packets}
			if err := json.Unmarshal(f.Note, &s.Shape); err != nil {
				return nil, fmt.Errorf("the table %s has a rule that is not ours: %w", table.Name, err)
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

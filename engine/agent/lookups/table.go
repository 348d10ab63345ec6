//go:build linux

package lookups

import (
	"encoding/binary"

	"github.com/google/nftables/expr"
	"golang.org/x/sys/unix"

	"github.com/scenario-run/scenario/engine/agent/nft"
)

const (
	// before comes before the priority of destination NAT (-100), at which
	// Docker leads 127.0.0.11 to its resolver: the first that translates counts.
	before = -150
	// ownMark is on what the server asks itself, so that it is not led back.
	ownMark = 0x5c3e
	dnsPort = 53
)

// ours is the table that is ours.
func ours() nft.Table {
	return nft.Table{Name: "scenario-lookups", Family: unix.NFPROTO_INET, Chains: []nft.Chain{
		{Name: "out", Type: "nat", Hook: unix.NF_INET_LOCAL_OUT, Priority: before},
	}}
}

// redirect leads questions that leave the namespace, or stay in it, to a port
// of it.
func redirect(conn *nft.Conn, port int) error {
	made := nft.Content{Table: ours()}
	for _, protocol := range []byte{unix.IPPROTO_UDP, unix.IPPROTO_TCP} {
		made.Rules = append(made.Rules, nft.Rule{Chain: "out", Exprs: []expr.Any{
			&expr.Meta{Key: expr.MetaKeyMARK, Register: 1},
			&expr.Cmp{Op: expr.CmpOpNeq, Register: 1, Data: binary.NativeEndian.AppendUint32(nil, ownMark)},
			&expr.Meta{Key: expr.MetaKeyL4PROTO, Register: 1},
			&expr.Cmp{Op: expr.CmpOpEq, Register: 1, Data: []byte{protocol}},
			&expr.Payload{DestRegister: 1, Base: expr.PayloadBaseTransportHeader, Offset: 2, Len: 2},
			&expr.Cmp{Op: expr.CmpOpEq, Register: 1, Data: binary.BigEndian.AppendUint16(nil, dnsPort)},
			&expr.Immediate{Register: 1, Data: binary.BigEndian.AppendUint16(nil, uint16(port))},
			&expr.Redir{RegisterProtoMin: 1},
		}})
	}
	return conn.Replace(made)
}

// letGo leaves nothing of ours.
func letGo(conn *nft.Conn) error { return conn.Remove(ours()) }

// led says that questions are led away, as the kernel has it.
func led(conn *nft.Conn) (bool, error) {
	found, err := conn.Rules(ours())
	return len(found) > 0, err
}

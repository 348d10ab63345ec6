//go:build linux

package lookups

import (
	"errors"
	"fmt"

	"github.com/google/nftables"
	"github.com/google/nftables/binaryutil"
	"github.com/google/nftables/expr"
	"golang.org/x/sys/unix"
)

const (
	tableName = "scenario-lookups"
	// before comes before the priority of destination NAT (-100), at which
	// Docker leads 127.0.0.11 to its resolver: the first that translates counts.
	before = -150
	// ownMark is on what the server asks itself, so that it is not led back.
	ownMark = 0x5c3e
	dnsPort = 53
)

// redirect leads questions that leave the namespace, or stay in it, to a port
// of it.
func redirect(port int) error {
	conn, err := nftables.New()
	if err != nil {
		return fmt.Errorf("reach nftables: %w", err)
	}
	table := emptied(conn)
	conn.AddTable(table)
	priority := nftables.ChainPriority(before)
	chain := conn.AddChain(&nftables.Chain{
		Name: "out", Table: table, Type: nftables.ChainTypeNAT, Hooknum: nftables.ChainHookOutput, Priority: &priority,
	})
	for _, protocol := range []byte{unix.IPPROTO_UDP, unix.IPPROTO_TCP} {
		conn.AddRule(&nftables.Rule{Table: table, Chain: chain, Exprs: []expr.Any{
			&expr.Meta{Key: expr.MetaKeyMARK, Register: 1},
			&expr.Cmp{Op: expr.CmpOpNeq, Register: 1, Data: binaryutil.NativeEndian.PutUint32(ownMark)},
			&expr.Meta{Key: expr.MetaKeyL4PROTO, Register: 1},
			&expr.Cmp{Op: expr.CmpOpEq, Register: 1, Data: []byte{protocol}},
			&expr.Payload{DestRegister: 1, Base: expr.PayloadBaseTransportHeader, Offset: 2, Len: 2},
			&expr.Cmp{Op: expr.CmpOpEq, Register: 1, Data: binaryutil.BigEndian.PutUint16(dnsPort)},
			&expr.Immediate{Register: 1, Data: binaryutil.BigEndian.PutUint16(uint16(port))},
			&expr.Redir{RegisterProtoMin: 1},
		}})
	}
	if err := conn.Flush(); err != nil {
		return fmt.Errorf("lead questions to port %d: %w", port, err)
	}
	return nil
}

// letGo leaves nothing of ours.
func letGo() error {
	conn, err := nftables.New()
	if err != nil {
		return fmt.Errorf("reach nftables: %w", err)
	}
	emptied(conn)
	if err := conn.Flush(); err != nil {
		return fmt.Errorf("remove the table %s: %w", tableName, err)
	}
	return nil
}

// emptied removes the table; it can't be deleted if it isn't there, so it is
// added first.
func emptied(conn *nftables.Conn) *nftables.Table {
	table := &nftables.Table{Name: tableName, Family: nftables.TableFamilyINet}
	conn.AddTable(table)
	conn.DelTable(table)
	return table
}

// led says that questions are led away, as the kernel has it.
func led() (bool, error) {
	conn, err := nftables.New()
	if err != nil {
		return false, fmt.Errorf("reach nftables: %w", err)
	}
	table := &nftables.Table{Name: tableName, Family: nftables.TableFamilyINet}
	rules, err := conn.GetRules(table, &nftables.Chain{Name: "out", Table: table})
	if errors.Is(err, unix.ENOENT) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read the table %s: %w", tableName, err)
	}
	return len(rules) > 0, nil
}

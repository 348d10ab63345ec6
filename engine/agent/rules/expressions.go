//go:build linux

package rules

import (
	"fmt"
	"math"

	"github.com/google/nftables/binaryutil"
	"github.com/google/nftables/expr"
	"golang.org/x/sys/unix"

	"github.com/scenario-run/scenario/engine/link"
)

// register is the one that expressions hand values on in.
const register = 1

// expressions are a rule in the kernel's terms: what it matches, a counter of
// that, and the verdict.
func expressions(r link.Rule) ([]expr.Any, error) {
	all := Match(r)
	if r.Port != 0 {
		port, err := destination(r)
		if err != nil {
			return nil, err
		}
		all = append(all, port...)
	}
	all = append(all, &expr.Counter{})
	verdict, err := verdict(r)
	return append(all, verdict...), err
}

// Match matches what goes a rule's way between this end and its peer, whatever
// the port.
func Match(r link.Rule) []expr.Any {
	all := notLoopback(r.Way)
	if r.Peer.IsValid() {
		all = append(all, peer(r)...)
	}
	return all
}

// notLoopback keeps what a node says to itself out of it: Docker's DNS too.
func notLoopback(way link.Way) []expr.Any {
	key := expr.MetaKeyIIFNAME
	if way == link.Out {
		key = expr.MetaKeyOIFNAME
	}
	lo := make([]byte, unix.IFNAMSIZ)
	copy(lo, "lo")
	return []expr.Any{
		&expr.Meta{Key: key, Register: register},
		&expr.Cmp{Op: expr.CmpOpNeq, Register: register, Data: lo},
	}
}

// peer matches packets from the other end, or to it.
func peer(r link.Rule) []expr.Any {
	// Where the addresses stand in the headers of IPv4 (RFC 791, 3.1) and IPv6
	// (RFC 8200, 3).
	family, source, length := byte(unix.NFPROTO_IPV4), uint32(12), uint32(4)
	if r.Peer.Is6() {
		family, source, length = unix.NFPROTO_IPV6, 8, 16
	}
	offset := source
	if r.Way == link.Out {
		offset += length
	}
	return []expr.Any{
		&expr.Meta{Key: expr.MetaKeyNFPROTO, Register: register},
		&expr.Cmp{Op: expr.CmpOpEq, Register: register, Data: []byte{family}},
		&expr.Payload{DestRegister: register, Base: expr.PayloadBaseNetworkHeader, Offset: offset, Len: length},
		&expr.Cmp{Op: expr.CmpOpEq, Register: register, Data: r.Peer.AsSlice()},
	}
}

// destination matches the protocol and the port that packets go to, which
// stands at the same place in the headers of TCP and UDP.
func destination(r link.Rule) ([]expr.Any, error) {
	number, ok := map[link.Protocol]byte{link.TCP: unix.IPPROTO_TCP, link.UDP: unix.IPPROTO_UDP}[r.Protocol]
	if !ok {
		return nil, fmt.Errorf("a port of the protocol %q can't be matched", r.Protocol)
	}
	return []expr.Any{
		&expr.Meta{Key: expr.MetaKeyL4PROTO, Register: register},
		&expr.Cmp{Op: expr.CmpOpEq, Register: register, Data: []byte{number}},
		&expr.Payload{DestRegister: register, Base: expr.PayloadBaseTransportHeader, Offset: 2, Len: 2},
		&expr.Cmp{Op: expr.CmpOpEq, Register: register, Data: binaryutil.BigEndian.PutUint16(uint16(r.Port))},
	}, nil
}

func verdict(r link.Rule) ([]expr.Any, error) {
	drop := &expr.Verdict{Kind: expr.VerdictDrop}
	switch r.Verdict {
	case link.Drop:
		return []expr.Any{drop}, nil
	case link.Reject:
		return []expr.Any{reject(r)}, nil
	case link.Lose:
		below := uint32(math.Round(r.Percent / 100 * link.LossSteps))
		return []expr.Any{
			&expr.Numgen{Register: register, Modulus: link.LossSteps, Type: unix.NFT_NG_RANDOM},
			// Numbers compare by their bytes, the highest first.
			&expr.Byteorder{SourceRegister: register, DestRegister: register, Op: expr.ByteorderHton, Len: 4, Size: 4},
			&expr.Cmp{Op: expr.CmpOpLt, Register: register, Data: binaryutil.BigEndian.PutUint32(below)},
			drop,
		}, nil
	}
	return nil, fmt.Errorf("there is no verdict %q", r.Verdict)
}

func reject(r link.Rule) expr.Any {
	if r.Protocol == link.TCP {
		return &expr.Reject{Type: unix.NFT_REJECT_TCP_RST}
	}
	return &expr.Reject{Type: unix.NFT_REJECT_ICMPX_UNREACH, Code: unix.NFT_REJECT_ICMPX_PORT_UNREACH}
}

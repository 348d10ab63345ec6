//go:build linux

package lookups

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"

	"github.com/mdlayher/netlink"
	"golang.org/x/sys/unix"
)

// What of the kernel's messages about flows is used
// (linux/netfilter/nfnetlink_conntrack.h).
const (
	getFlow = unix.NFNL_SUBSYS_CTNETLINK<<8 | 1 // IPCTNL_MSG_CT_GET

	tupleOfQuestion = 1 // CTA_TUPLE_ORIG
	tupleOfAnswer   = 2 // CTA_TUPLE_REPLY

	tupleIP       = 1 // CTA_TUPLE_IP
	tupleProtocol = 2 // CTA_TUPLE_PROTO

	ipv4Source, ipv4Target = 1, 2 // CTA_IP_V4_SRC, CTA_IP_V4_DST
	ipv6Source, ipv6Target = 3, 4 // CTA_IP_V6_SRC, CTA_IP_V6_DST

	protocolNumber, sourcePort, targetPort = 1, 2, 3 // CTA_PROTO_NUM, CTA_PROTO_SRC_PORT, CTA_PROTO_DST_PORT
)

// originOf returns where something was sent that came from an address to one of
// ours, before it was led here: the kernel has it with each flow that it
// translates. A flow is asked for by its answers, which go the other way.
func originOf(protocol byte, from, to netip.AddrPort) (netip.AddrPort, error) {
	from, to = plain(from), plain(to)
	family, source, target := byte(unix.AF_INET), uint16(ipv4Source), uint16(ipv4Target)
	if to.Addr().Is6() {
		family, source, target = unix.AF_INET6, ipv6Source, ipv6Target
	}
	e := netlink.NewAttributeEncoder()
	e.Nested(tupleOfAnswer, func(e *netlink.AttributeEncoder) error {
		e.Nested(tupleIP, func(e *netlink.AttributeEncoder) error {
			e.Bytes(source, to.Addr().AsSlice())
			e.Bytes(target, from.Addr().AsSlice())
			return nil
		})
		e.Nested(tupleProtocol, func(e *netlink.AttributeEncoder) error {
			e.ByteOrder = binary.BigEndian
			e.Uint8(protocolNumber, protocol)
			e.Uint16(sourcePort, to.Port())
			e.Uint16(targetPort, from.Port())
			return nil
		})
		return nil
	})
	attributes, err := e.Encode()
	if err != nil {
		return netip.AddrPort{}, err
	}
	flow, err := askKernel(append([]byte{family, unix.NFNETLINK_V0, 0, 0}, attributes...))
	if err != nil {
		return netip.AddrPort{}, fmt.Errorf("ask for the flow from %s: %w", from, err)
	}
	return targetOf(flow, target)
}

// askKernel asks for a flow. The kernel says of its one answer that more will
// come, so that only the acknowledgement ends it.
func askKernel(flow []byte) ([]byte, error) {
	conn, err := netlink.Dial(unix.NETLINK_NETFILTER, nil)
	if err != nil {
		return nil, err
	}
	defer conn.Close() // nothing is left to read or write
	answers, err := conn.Execute(netlink.Message{
		Header: netlink.Header{Type: getFlow, Flags: netlink.Request | netlink.Acknowledge}, Data: flow,
	})
	if err != nil {
		return nil, err
	}
	const header = 4 // family, version and resource
	if len(answers) == 0 || len(answers[0].Data) < header {
		return nil, errors.New("the kernel has no answer")
	}
	return answers[0].Data[header:], nil
}

func plain(a netip.AddrPort) netip.AddrPort { return netip.AddrPortFrom(a.Addr().Unmap(), a.Port()) }

// targetOf reads from a flow where its questions were sent.
func targetOf(flow []byte, address uint16) (netip.AddrPort, error) {
	var ip netip.Addr
	var port uint16
	err := within(flow, tupleOfQuestion, func(tuple []byte) error {
		return errors.Join(
			within(tuple, tupleIP, func(addresses []byte) error {
				return within(addresses, address, func(b []byte) error {
					ip, _ = netip.AddrFromSlice(b)
					return nil
				})
			}),
			within(tuple, tupleProtocol, func(protocol []byte) error {
				return within(protocol, targetPort, func(b []byte) error {
					if len(b) == 2 {
						port = binary.BigEndian.Uint16(b)
					}
					return nil
				})
			}),
		)
	})
	if err == nil && (!ip.IsValid() || port == 0) {
		err = errors.New("a flow does not say where it was sent")
	}
	return netip.AddrPortFrom(ip, port), err
}

// within hands out the attribute of that type.
func within(attributes []byte, kind uint16, do func([]byte) error) error {
	d, err := netlink.NewAttributeDecoder(attributes)
	if err != nil {
		return err
	}
	for d.Next() {
		if d.Type() == kind {
			d.Do(do)
		}
	}
	return d.Err()
}

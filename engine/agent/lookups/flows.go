//go:build linux

package lookups

import (
	"errors"
	"fmt"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// mostDumps is how often flows are listed whose number changes meanwhile.
const mostDumps = 10

// forgetFlows makes the kernel forget which way questions went until now. It
// translates the first packet of a flow only: a resolver that keeps its socket
// open, or gets the port of an earlier one, would go on the old way for as long as
// the flow is known, which is half a minute or more after its last packet.
//
// Connections over TCP are left as they are: they would be broken, not led away.
func forgetFlows() error {
	questions := &netlink.ConntrackFilter{}
	err := errors.Join(questions.AddProtocol(unix.IPPROTO_UDP), questions.AddPort(netlink.ConntrackOrigDstPort, dnsPort))
	for _, family := range []netlink.InetFamily{unix.AF_INET, unix.AF_INET6} {
		err = errors.Join(err, forgetOf(family, questions))
	}
	if err != nil {
		return fmt.Errorf("make the kernel forget which way questions went: %w", err)
	}
	return nil
}

func forgetOf(family netlink.InetFamily, those *netlink.ConntrackFilter) (err error) {
	for range mostDumps {
		_, err = netlink.ConntrackDeleteFilters(netlink.ConntrackTable, family, those)
		if !errors.Is(err, netlink.ErrDumpInterrupted) {
			break
		}
	}
	return err
}

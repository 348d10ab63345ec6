//go:build linux

package rules

import (
	"fmt"
	"net/netip"

	"golang.org/x/sys/unix"

	"github.com/scenario-run/scenario/engine/link"
)

// knock sends a packet, and waits for nothing: it has met the rules for the way
// out when the call returns. That it doesn't get through is what is to be
// shown, so what becomes of it is not looked at. A connection that has begun so
// is given up at once.
func knock(to link.Knock) error {
	kind := unix.SOCK_DGRAM
	if to.Protocol == link.TCP {
		kind = unix.SOCK_STREAM
	}
	family, at := address(to.At)
	fd, err := unix.Socket(family, kind|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("make a socket: %w", err)
	}
	if err := unix.Connect(fd, at); err == nil && kind == unix.SOCK_DGRAM {
		_, _ = unix.Write(fd, []byte{0})
	}
	return unix.Close(fd)
}

func address(at netip.AddrPort) (family int, _ unix.Sockaddr) {
	if to := at.Addr().Unmap(); to.Is4() {
		return unix.AF_INET, &unix.SockaddrInet4{Port: int(at.Port()), Addr: to.As4()}
	}
	return unix.AF_INET6, &unix.SockaddrInet6{Port: int(at.Port()), Addr: at.Addr().As16()}
}

//go:build linux

package rules

import (
	"fmt"
	"net/netip"

	"golang.org/x/sys/unix"

	"github.com/scenario-run/scenario/engine/link"
)

// knock sends a packet to each, and waits for nothing: they have met the rules for
// the way out when the call returns. That they don't get through is what is to be
// shown, so what becomes of them is not looked at.
func knock(at []link.Knock) error {
	datagrams := map[int]int{} // a socket for each family
	defer func() {
		for _, fd := range datagrams {
			_ = unix.Close(fd)
		}
	}()
	for _, to := range at {
		family, address := addressOf(to.At)
		if to.Protocol == link.TCP {
			if err := connect(family, address); err != nil {
				return fmt.Errorf("send a packet to %s: %w", to.At, err)
			}
			continue
		}
		fd, ok := datagrams[family]
		if !ok {
			var err error
			if fd, err = open(family, unix.SOCK_DGRAM); err != nil {
				return fmt.Errorf("send a packet to %s: %w", to.At, err)
			}
			datagrams[family] = fd
		}
		_ = unix.Sendto(fd, []byte{0}, unix.MSG_DONTWAIT, address)
	}
	return nil
}

// connect begins a connection, and gives it up at once.
func connect(family int, to unix.Sockaddr) error {
	fd, err := open(family, unix.SOCK_STREAM)
	if err != nil {
		return err
	}
	_ = unix.Connect(fd, to)
	return unix.Close(fd)
}

func open(family, kind int) (int, error) {
	fd, err := unix.Socket(family, kind|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0, fmt.Errorf("make a socket: %w", err)
	}
	return fd, nil
}

func addressOf(at netip.AddrPort) (family int, _ unix.Sockaddr) {
	if to := at.Addr().Unmap(); to.Is4() {
		return unix.AF_INET, &unix.SockaddrInet4{Port: int(at.Port()), Addr: to.As4()}
	}
	return unix.AF_INET6, &unix.SockaddrInet6{Port: int(at.Port()), Addr: at.Addr().As16()}
}

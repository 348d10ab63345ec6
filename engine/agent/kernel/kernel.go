//go:build linux

package kernel

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/scenario-run/scenario/engine/agent/hold"
	"github.com/scenario-run/scenario/engine/agent/procfs"
	"github.com/scenario-run/scenario/engine/agent/rules"
	"github.com/scenario-run/scenario/engine/agent/shape"
	"github.com/scenario-run/scenario/engine/link"
)

// Can is the job link.CanJob.
func Can(_ context.Context, _ []byte, out func([]byte) error) error {
	found, err := Try()
	if err != nil {
		return err
	}
	line, err := json.Marshal(found)
	if err != nil {
		return err
	}
	return out(line)
}

// reason is why something can't be done, in a line.
func reason(err error) string {
	switch {
	case errors.Is(err, unix.ENOENT), errors.Is(err, unix.EOPNOTSUPP), errors.Is(err, unix.EPROTONOSUPPORT), errors.Is(err, unix.ENOSYS):
		return "this kernel does not have it"
	case errors.Is(err, unix.EPERM):
		return link.Forbidden
	}
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// Try uses each ability once, on the loopback device, and takes it back. An
// error says that it could not be tried.
func Try() (link.Kernel, error) {
	lo, err := netlink.LinkByName("lo")
	if err != nil {
		return nil, fmt.Errorf("find the loopback device: %w", err)
	}
	found := link.Kernel{}
	for ability, try := range map[link.Ability]func() error{
		link.NFTables: rules.TryTable,
		link.Rejects:  rules.TryReject,
		link.Numgen:   rules.TryLoss,
		link.HTB:      func() error { return shape.TryRate(lo) },
		link.Netem:    func() error { return shape.TryDelay(lo) },
		link.NFQueue:  hold.Try,
		link.Owner:    rules.TryOwner,
		link.PidFD:    procfs.Try,
	} {
		found[ability] = ""
		if err := try(); err != nil {
			found[ability] = reason(err)
		}
	}
	return found, nil
}

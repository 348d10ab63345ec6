//go:build linux

package kernel

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/vishvananda/netlink"

	"github.com/scenario-run/scenario/engine/agent/hold"
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
	} {
		found[ability] = ""
		if err := try(); err != nil {
			found[ability] = err.Error()
		}
	}
	return found, nil
}

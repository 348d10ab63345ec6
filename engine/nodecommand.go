package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/scenario-run/scenario/engine/event"
	"github.com/scenario-run/scenario/engine/runtime"
)

func (c nodesOf) Exec(ctx context.Context, address string, spec runtime.ExecSpec) (runtime.ExecResult, error) {
	paused := false
	id, err := c.up(address, func(n *node) { paused = n.state == nodePaused })
	if err != nil {
		return runtime.ExecResult{}, err
	}
	if paused {
		return runtime.ExecResult{}, notRunning("%s is paused: nothing can be run in it", address)
	}
	start := c.x.presentStart(address)
	r, err := c.x.Runtime.Exec(ctx, id, spec)
	if err == nil && r.ExitCode == killedCode {
		err = c.diedMeanwhile(ctx, start)
	}
	err = c.x.unlessEnded(ctx, start, err)
	var left *runtime.GoesOn
	if errors.As(err, &left) {
		c.x.emit(event.Warning{Text: leftRunning(spec.Command, address, left.PID)})
	}
	return r, err
}

// leftRunning tells of a command that nobody waits for any more.
func leftRunning(command []string, address string, pid int) string {
	text := fmt.Sprintf("the command %q goes on in %s", strings.Join(command, " "), address)
	if pid != 0 {
		text += fmt.Sprintf(" (process %d of its host)", pid)
	}
	return firstLine(text) + ": it ends with its node, or by itself"
}

const (
	// killedCode is the exit code of a command that SIGKILL ended, as it ends
	// all that runs in a node whose main process exits.
	killedCode = 128 + 9
	// deathLimit is how long the exit of a node is waited for whose command was
	// killed: the command's end is told first.
	deathLimit = 500 * time.Millisecond
)

// diedMeanwhile tells a command that was killed from one whose node exited.
func (c nodesOf) diedMeanwhile(ctx context.Context, start nodeStart) error {
	if start.down == nil {
		return nil
	}
	code, ended := c.x.awaitEnd(ctx, start, deathLimit)
	if !ended {
		return nil // it goes on, as far as can be seen
	}
	return notRunning("%s exited with code %d while the command ran", start.address, code)
}

func (c nodesOf) LogTail(ctx context.Context, address string, lines int) ([]string, error) {
	var follow *follower
	up := false
	if err := c.with(address, func(n *node) { follow, up = n.follow, n.running() }); err != nil {
		return nil, err
	}
	if up {
		return follow.tail(lines), nil
	}
	return follow.lastWords(ctx, c.x.Clock, lines), nil
}

// detailOf is the text of log lines as a detail.
func detailOf(tail []string) string {
	if len(tail) == 0 {
		return "it has printed nothing"
	}
	return strings.Join(tail, "\n")
}

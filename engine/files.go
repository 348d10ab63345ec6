package engine

import (
	"bufio"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/scenario-run/scenario/engine/runtime"
)

// WriteFile asks the runtime.
func (c nodesOf) WriteFile(ctx context.Context, address, path string, f runtime.NewFile) error {
	id, err := c.created(address, func(*node) {})
	if err != nil {
		return err
	}
	return c.x.onNode(ctx, address, func() error { return c.x.Runtime.WriteFile(ctx, id, path, f) })
}

// ReadFile asks the runtime.
func (c nodesOf) ReadFile(ctx context.Context, address, path string, limit int64) (f runtime.File, err error) {
	id, err := c.created(address, func(*node) {})
	if err != nil {
		return f, err
	}
	err = c.x.onNode(ctx, address, func() error {
		f, err = c.x.Runtime.ReadFile(ctx, id, path, limit)
		return err
	})
	return f, err
}

// Log reads the node's log in the run's directory. What a node that runs has
// printed just now may not have arrived yet.
func (c nodesOf) Log(ctx context.Context, address string, since time.Time, line func(text string)) error {
	var name string
	var follow *follower
	up := false
	if err := c.with(address, func(n *node) { name, follow, up = c.x.logFile(n), n.follow, n.running() }); err != nil {
		return err
	}
	if follow != nil && !up {
		follow.wait(ctx, c.x.Clock)
	}
	file, err := os.Open(filepath.Join(c.x.dir.path, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it has printed nothing
	}
	if err != nil {
		return err
	}
	defer file.Close() // read only
	return eachLine(ctx, file, since, line)
}

// eachLine hands out the whole lines of a log from a time on, without their
// times.
func eachLine(ctx context.Context, log io.Reader, since time.Time, line func(text string)) error {
	in := bufio.NewReader(log)
	for ctx.Err() == nil {
		text, err := in.ReadString('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		text = strings.TrimSuffix(text, "\n")
		stamp, rest, ok := strings.Cut(text, " ")
		at, bad := time.Parse(time.RFC3339Nano, stamp)
		switch {
		case !ok || bad != nil:
			line(text)
		case !at.Before(since):
			line(rest)
		}
	}
	return context.Cause(ctx)
}

// startedAt is when a step of that address was started last.
func (x *executor) startedAt(address string) (at time.Time) {
	x.ask(func() {
		for _, v := range x.vertices {
			if v.Step != nil && v.Step.Address == address && v.record.started.After(at) {
				at = v.record.started
			}
		}
	})
	return at
}

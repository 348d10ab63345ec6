//go:build linux

package fill

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/scenario-run/scenario/engine/disk"
)

// Root is where an agent has its volume.
const Root = "/volume"

// Keeper is the room that an agent has taken. Its jobs change and show that, and
// Close gives it back: no agent keeps anything when its lease is over. The zero
// Keeper has the volume at Root.
type Keeper struct {
	Volume string // where it is, if not at Root

	mu   sync.Mutex
	file *os.File // nil while nothing is taken
}

// Fill is disk.FillJob.
func (k *Keeper) Fill(ctx context.Context, spec []byte, out func([]byte) error) error {
	var want disk.Fill
	if err := json.Unmarshal(spec, &want); err != nil {
		return fmt.Errorf("read how much to leave: %w", err)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.mustBeOwn(); err != nil {
		return err
	}
	if k.file == nil {
		file, err := os.OpenFile(k.root(), unix.O_TMPFILE|os.O_WRONLY, 0o600)
		if err != nil {
			return fmt.Errorf("fill the volume: %w", err)
		}
		k.file = file
	}
	if err := k.take(ctx, want.Leave); err != nil {
		return errors.Join(fmt.Errorf("fill the volume: %w", err), k.end())
	}
	return k.tell(out)
}

// Look is disk.LookJob.
func (k *Keeper) Look(_ context.Context, _ []byte, out func([]byte) error) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.tell(out)
}

// Release is disk.ReleaseJob. That the room is back is seen here: a moment later
// others may have taken it.
func (k *Keeper) Release(_ context.Context, _ []byte, out func([]byte) error) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	before, err := k.space()
	if err != nil {
		return err
	}
	if err := k.end(); err != nil {
		return err
	}
	after, err := k.space()
	if err != nil {
		return err
	}
	if before.Held > 0 && after.Free <= before.Free {
		return fmt.Errorf("%d bytes were given back, and %d are free where %d were", before.Held, after.Free, before.Free)
	}
	return write(after, out)
}

// Close gives back what was taken.
func (k *Keeper) Close() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.end()
}

func (k *Keeper) end() error {
	if k.file == nil {
		return nil
	}
	file := k.file
	k.file = nil
	return file.Close()
}

func (k *Keeper) root() string {
	if k.Volume != "" {
		return k.Volume
	}
	return Root
}

// mustBeOwn refuses to fill what isn't a file system in memory, made for a
// volume: it would be the host's.
func (k *Keeper) mustBeOwn() error {
	var s unix.Statfs_t
	if err := unix.Statfs(k.root(), &s); err != nil {
		return fmt.Errorf("look at the volume: %w", err)
	}
	if s.Type != unix.TMPFS_MAGIC {
		return fmt.Errorf("fill the volume: it is no file system of its own (type %#x)", s.Type)
	}
	return nil
}

// portion is how much is taken at a time: a call that a signal interrupts takes
// nothing.
const portion = 16 << 20

// take makes the file larger until no more than leave is free. What others free
// until then is taken as well.
func (k *Keeper) take(ctx context.Context, leave int64) error {
	most := int64(portion)
	for {
		now, err := k.space()
		if err != nil || now.Free <= leave {
			return err
		}
		if err := hasMemory(now.Free - leave); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		switch err := unix.Fallocate(int(k.file.Fd()), 0, now.Held, min(now.Free-leave, most)); {
		case err == nil || errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.ENOSPC) && most > 1: // others were faster
			most /= 2
		default:
			return fmt.Errorf("take room while %d bytes are free: %w", now.Free, err)
		}
	}
}

func (k *Keeper) space() (disk.Space, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(k.root(), &s); err != nil {
		return disk.Space{}, fmt.Errorf("look at the volume: %w", err)
	}
	space := disk.Space{Size: int64(s.Blocks) * s.Bsize, Free: int64(s.Bavail) * s.Bsize}
	if k.file == nil {
		return space, nil
	}
	var f unix.Stat_t
	if err := unix.Fstat(int(k.file.Fd()), &f); err != nil {
		return space, fmt.Errorf("look at what was taken: %w", err)
	}
	space.Held = f.Blocks * 512 // whatever the size of the file system's own
	return space, nil
}

func (k *Keeper) tell(out func([]byte) error) error {
	s, err := k.space()
	if err != nil {
		return err
	}
	return write(s, out)
}

func write(s disk.Space, out func([]byte) error) error {
	line, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return out(line)
}

package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// littleDisk is less than logs and samples of a long run can take.
const littleDisk = 1 << 30

// recording looks at where runs are recorded.
func recording(dir string) Finding {
	const check = "disk"
	there, err := nearest(dir)
	if err == nil {
		err = tryToWrite(there)
	}
	if err != nil {
		return Finding{check, Broken, fmt.Sprintf("runs can't be recorded in %s: %v", dir, err), "SCENARIO_HOME=DIR scenario run …"}
	}
	var s unix.Statfs_t
	if err := unix.Statfs(there, &s); err != nil {
		return broken(check, fmt.Errorf("ask how much of %s is free: %w", there, err))
	}
	free := int64(s.Bavail) * s.Bsize
	f := Finding{Check: check, State: Good, Text: fmt.Sprintf("%s free for runs in %s", bytes(free), dir)}
	if free < littleDisk {
		f.State, f.Mend = Limited, "docker system df; docker system prune"
	}
	return f
}

// nearest is the directory itself or, if it isn't there yet, what it will be
// made in.
func nearest(dir string) (string, error) {
	for {
		info, err := os.Stat(dir)
		switch {
		case err == nil && !info.IsDir():
			return "", fmt.Errorf("%s is not a directory", dir)
		case err == nil:
			return dir, nil
		case !errors.Is(err, fs.ErrNotExist) || filepath.Dir(dir) == dir:
			return "", err
		}
		dir = filepath.Dir(dir)
	}
}

func tryToWrite(dir string) error {
	f, err := os.CreateTemp(dir, ".scenario-*")
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("write to %s: %w", dir, p.Err) // the file's name would only be looked for
	}
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// bytes is a size as people say it.
func bytes(n int64) string {
	const gib = 1 << 30
	if n < gib {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%.1f GiB", float64(n)/gib)
}

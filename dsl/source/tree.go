package source

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// Tree is the directory that the paths in a scenario's files may not leave.
type Tree struct {
	Root         string // the scenario's directory
	AllowOutside bool
}

// outsideError is a path that leaves the tree.
type outsideError struct{ Path, Root, How string }

func (e *outsideError) Error() string {
	return fmt.Sprintf("%s leaves the scenario's directory %s %s; --allow-outside permits it", e.Path, e.Root, e.How)
}

// IsOutside says that an error of Resolve is about a path that leaves the tree.
func IsOutside(err error) bool {
	var outside *outsideError
	return errors.As(err, &outside)
}

// Resolve returns the path to open for one that a file in dir says. Whether
// there is something at the path is for the caller to find out.
func (t Tree) Resolve(dir, path string) (string, error) {
	if path == "" {
		return "", errors.New("the path is empty")
	}
	joined := path
	if !filepath.IsAbs(path) {
		joined = filepath.Join(dir, path)
	}
	if t.AllowOutside {
		return joined, nil
	}
	if filepath.IsAbs(path) {
		return "", &outsideError{path, t.Root, "by an absolute path"}
	}
	in, err := within(t.Root, joined)
	if err != nil {
		return "", err
	}
	if !in {
		return "", &outsideError{path, t.Root, "by .."}
	}
	in, err = t.withinReally(joined)
	if err != nil {
		return "", err
	}
	if !in {
		return "", &outsideError{path, t.Root, "by a symbolic link"}
	}
	return joined, nil
}

// withinReally says whether a path is in the tree once symbolic links are
// followed. Of a path that isn't there, the part that is there counts.
func (t Tree) withinReally(path string) (bool, error) {
	root, err := filepath.EvalSymlinks(t.Root)
	if err != nil {
		return false, err
	}
	for {
		real, err := filepath.EvalSymlinks(path)
		if err == nil {
			return within(root, real)
		}
		up := filepath.Dir(path)
		if !errors.Is(err, fs.ErrNotExist) || up == path {
			return false, unresolved(path, err)
		}
		path = up
	}
}

// unresolved is why the links of a path can't be followed. The path says of a
// circle what filepath keeps to itself.
func unresolved(path string, err error) error {
	if _, failed := os.Stat(path); errors.Is(failed, syscall.ELOOP) {
		return fmt.Errorf("the symbolic links of %s lead in a circle", filepath.ToSlash(path))
	}
	return err
}

func within(root, path string) (bool, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return false, err
	}
	path, err = filepath.Abs(path)
	if err != nil {
		return false, err
	}
	rel, err := filepath.Rel(root, path)
	if err != nil {
		return false, nil // on another volume
	}
	return rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)), nil
}

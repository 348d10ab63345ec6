package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// replaceFile gives a file new content in one step: whoever reads it meanwhile
// sees the old or the new. Its mode and its owner stay, and a symbolic link
// goes on leading to it.
func replaceFile(path string, content []byte) error {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	info, err := os.Stat(real)
	if err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(real), "."+filepath.Base(real)+".*")
	if err != nil {
		return fmt.Errorf("change %s: %w", path, err)
	}
	_, err = tmp.Write(content)
	err = errors.Join(err, tmp.Chmod(info.Mode().Perm()), sameOwner(tmp, info), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), real)
	}
	if err != nil {
		return fmt.Errorf("change %s: %w", path, errors.Join(err, os.Remove(tmp.Name())))
	}
	return nil
}

// sameOwner gives a new file the owner and group of the one that it replaces.
func sameOwner(f *os.File, old os.FileInfo) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	was, ok := old.Sys().(*syscall.Stat_t)
	is, alike := info.Sys().(*syscall.Stat_t)
	if !ok || !alike || was.Uid == is.Uid && was.Gid == is.Gid {
		return nil
	}
	return f.Chown(int(was.Uid), int(was.Gid))
}

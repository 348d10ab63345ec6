package docker

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/patternmatcher"
	"github.com/moby/patternmatcher/ignorefile"

	"github.com/scenario-run/scenario/engine/runtime"
)

// buildContext is what a build sees: its files, by their paths below root, in
// order.
type buildContext struct {
	root       string
	dockerfile string // below root, with slashes
	entries    []entry
}

type entry struct {
	name string // with slashes
	info fs.FileInfo
	link string // of a symbolic link
}

// readContext lists the files of a build's directory that .dockerignore does
// not leave out.
func readContext(spec runtime.BuildSpec) (*buildContext, error) {
	in := &buildContext{root: spec.Context, dockerfile: "Dockerfile"}
	if spec.Dockerfile != "" {
		in.dockerfile = path.Clean(filepath.ToSlash(spec.Dockerfile))
	}
	if !filepath.IsLocal(filepath.FromSlash(in.dockerfile)) {
		return nil, fmt.Errorf("the Dockerfile %s is not below %s", in.dockerfile, in.root)
	}
	if _, err := os.Stat(filepath.Join(in.root, filepath.FromSlash(in.dockerfile))); err != nil {
		return nil, err
	}
	ignored, err := in.ignored()
	if err != nil {
		return nil, err
	}
	err = filepath.WalkDir(in.root, func(file string, d fs.DirEntry, err error) error {
		if err != nil || file == in.root {
			return err
		}
		return in.visit(file, d, ignored)
	})
	return in, err
}

// ignored reads .dockerignore.
func (in *buildContext) ignored() (*patternmatcher.PatternMatcher, error) {
	file, err := os.Open(filepath.Join(in.root, ".dockerignore"))
	if errors.Is(err, fs.ErrNotExist) {
		return patternmatcher.New(nil)
	}
	if err != nil {
		return nil, err
	}
	defer file.Close() // read only
	patterns, err := ignorefile.ReadAll(file)
	if err != nil {
		return nil, err
	}
	ignored, err := patternmatcher.New(patterns)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file.Name(), err)
	}
	return ignored, nil
}

// visit adds one file, unless it is left out; the Dockerfile never is.
func (in *buildContext) visit(file string, d fs.DirEntry, ignored *patternmatcher.PatternMatcher) error {
	below, err := filepath.Rel(in.root, file)
	if err != nil {
		return err
	}
	name := filepath.ToSlash(below)
	out, err := ignored.MatchesOrParentMatches(below)
	if err != nil {
		return err
	}
	if out && name != in.dockerfile {
		if d.IsDir() && !ignored.Exclusions() && !isAbove(name, in.dockerfile) {
			return filepath.SkipDir
		}
		return nil
	}
	e := entry{name: name}
	if e.info, err = d.Info(); err != nil {
		return err
	}
	switch {
	case e.info.Mode()&fs.ModeSymlink != 0:
		if e.link, err = os.Readlink(file); err != nil {
			return err
		}
	case !e.info.IsDir() && !e.info.Mode().IsRegular():
		return nil // a socket, a device: no build can copy it
	}
	in.entries = append(in.entries, e)
	return nil
}

// isAbove says that a directory holds a file, at any depth.
func isAbove(dir, file string) bool {
	for d := path.Dir(file); d != "."; d = path.Dir(d) {
		if d == dir {
			return true
		}
	}
	return false
}

// header describes an entry without what differs from one checkout to the next:
// owner and time.
func (e entry) header() (*tar.Header, error) {
	h, err := tar.FileInfoHeader(e.info, e.link)
	if err != nil {
		return nil, err
	}
	h.Name = e.name
	if e.info.IsDir() {
		h.Name += "/"
	}
	h.Mode &= 0o777
	h.Uid, h.Gid, h.Uname, h.Gname = 0, 0, "", ""
	h.ModTime, h.AccessTime, h.ChangeTime = time.Unix(0, 0), time.Time{}, time.Time{}
	h.Format, h.PAXRecords = tar.FormatPAX, nil
	return h, nil
}

// pack writes the context as a tar archive, the same for the same content.
func (in *buildContext) pack(to io.Writer) error {
	w := tar.NewWriter(to)
	for _, e := range in.entries {
		h, err := e.header()
		if err != nil {
			return err
		}
		if err := w.WriteHeader(h); err != nil {
			return fmt.Errorf("%s: %w", e.name, err)
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		if err := copyFile(w, filepath.Join(in.root, filepath.FromSlash(e.name))); err != nil {
			return err
		}
	}
	return w.Close()
}

func copyFile(to io.Writer, name string) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close() // read only
	_, err = io.Copy(to, file)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// hashOf is the hash of all that the image depends on: the context, how it is
// built, and the images that it is built on, as they are here now.
func (r *Runtime) hashOf(ctx context.Context, in *buildContext, spec runtime.BuildSpec) (string, error) {
	hash := sha256.New()
	if err := in.pack(hash); err != nil {
		return "", err
	}
	fmt.Fprintf(hash, "dockerfile %q target %q\n", in.dockerfile, spec.Target)
	for _, name := range slices.Sorted(maps.Keys(spec.Args)) {
		fmt.Fprintf(hash, "arg %q %q\n", name, spec.Args[name])
	}
	content, err := os.ReadFile(filepath.Join(in.root, filepath.FromSlash(in.dockerfile)))
	if err != nil {
		return "", err
	}
	for _, ref := range baseImages(string(content), spec.Args) {
		digest := "not here"
		base, err := r.local(ctx, ref, "")
		if err == nil {
			digest = base.Digest
		} else if !errdefs.IsNotFound(err) && !errdefs.IsInvalidArgument(err) {
			return "", err
		}
		fmt.Fprintf(hash, "base %q %s\n", ref, digest)
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

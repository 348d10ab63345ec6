package source

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/scenario-run/scenario/dsl/diag"
)

// NotThereError is a path that was given and isn't there: a mistake in the
// command.
type NotThereError struct {
	Path  string
	Given string // the path that was given: Path, or a directory or pattern that led to it
	Err   error
}

func (e *NotThereError) Error() string { return fmt.Sprintf("%s: %v", e.Path, e.Err) }

// Unwrap returns why.
func (e *NotThereError) Unwrap() error { return e.Err }

// NothingError is a directory without scenarios, or a pattern that matches
// nothing.
type NothingError struct{ Path, Reason string }

func (e *NothingError) Error() string { return e.Path + ": " + e.Reason }

// Find returns the scenario files that the paths given to a command stand for,
// each once, in their order. A file stands for itself, whatever is in it, so
// that Load can say what is wrong with it; a directory for the scenarios below
// it, by name; a pattern for what it matches; "-" for standard input. The error
// is a *NotThereError or a *NothingError where the paths are to blame.
func Find(paths []string) ([]string, error) {
	return finder{
		wants:   func(path string) bool { return isCandidate(path) && !isLibrary(path) },
		nothing: "no scenario in this directory (a scenario is a .hcl file with a scenario block)",
		matches: "matches no scenario",
	}.all(paths)
}

// FindFiles is like Find, but for any file of the language: a directory stands
// for libraries and files of variables too.
func FindFiles(paths []string) ([]string, error) {
	return finder{wants: isHCL, nothing: "no .hcl file in this directory", matches: "matches no .hcl file"}.all(paths)
}

// finder finds files of one kind.
type finder struct {
	wants            func(path string) bool // of a regular file that was not named itself
	nothing, matches string                 // what is said where there is none
}

func (f finder) all(paths []string) ([]string, error) {
	var all []string
	var wrong []error
	var nothing error
	seen := map[string]bool{}
	for _, p := range paths {
		found, err := f.find(p)
		var missing *NotThereError
		if errors.As(err, &missing) {
			missing.Given = p
			wrong = append(wrong, missing)
			continue
		}
		nothing = cmp.Or(nothing, err)
		for _, path := range found {
			if real := realPath(path); !seen[real] {
				seen[real] = true
				all = append(all, path)
			}
		}
	}
	if len(wrong) > 0 {
		return nil, errors.Join(wrong...)
	}
	if nothing != nil {
		return nil, nothing
	}
	return all, nil
}

func (f finder) find(path string) ([]string, error) {
	if path == Stdin {
		return []string{path}, nil
	}
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return f.below(path)
	case err == nil:
		return []string{path}, nil
	case !strings.ContainsAny(path, "*?["):
		return nil, notThere(path, err)
	}
	return f.matching(path)
}

func notThere(path string, err error) error {
	if pathErr, ok := err.(*fs.PathError); ok {
		err = pathErr.Err
	}
	return &NotThereError{Path: path, Err: err}
}

// matching expands a pattern. Directories that it matches stand for the
// files below them; of files, those that aren't wanted are passed over.
func (f finder) matching(pattern string) ([]string, error) {
	matches, err := filepath.Glob(pattern)
	if err != nil {
		return nil, &NotThereError{Path: pattern, Err: err}
	}
	var all []string
	for _, m := range matches {
		if isHidden(m) && !isHidden(pattern) {
			continue
		}
		info, err := os.Stat(m)
		if err != nil {
			return nil, notThere(m, err)
		}
		if !info.IsDir() {
			if f.wants(m) {
				all = append(all, m)
			}
			continue
		}
		below, err := f.walk(m)
		if err != nil {
			return nil, err
		}
		all = append(all, below...)
	}
	if len(all) == 0 {
		return nil, &NothingError{pattern, f.matches}
	}
	return all, nil
}

func (f finder) below(dir string) ([]string, error) {
	all, err := f.walk(dir)
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, &NothingError{dir, f.nothing}
	}
	return all, nil
}

func (f finder) walk(dir string) ([]string, error) {
	var all []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return notThere(path, err)
		}
		if d.IsDir() {
			if path != dir && isHidden(path) {
				return fs.SkipDir
			}
			return nil
		}
		if isHCL(path) && isRegular(path) && f.wants(path) {
			all = append(all, path)
		}
		return nil
	})
	return all, err
}

func isHCL(path string) bool {
	return strings.HasSuffix(filepath.Base(path), ".hcl") && !isHidden(path)
}

func isCandidate(path string) bool {
	return isHCL(path) && !strings.HasSuffix(path, varsSuffix)
}

// isRegular says that opening a file can't hang, as that of a pipe does. What
// can't be looked at is left to whoever reads it to report.
func isRegular(path string) bool {
	info, err := os.Stat(path)
	return err != nil || info.Mode().IsRegular()
}

func isPipe(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode()&fs.ModeNamedPipe != 0
}

func isHidden(path string) bool { return strings.HasPrefix(filepath.Base(path), ".") }

// isLibrary says that a file is sound and has no scenario block. One that
// can't be read counts as a scenario: Load says what is wrong with it.
func isLibrary(path string) bool {
	f := &File{Name: path, Path: path}
	diags := f.read(nil, start(path))
	if f.Body == nil {
		return false
	}
	for _, b := range f.Body.Blocks {
		if b.Type == "scenario" {
			return false
		}
	}
	empty := len(diags) == 1 && diag.CodeOf(diags[0]) == diag.EmptyFile
	return empty || !diags.HasErrors()
}

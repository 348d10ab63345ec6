package main

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/scenario-run/scenario/dsl/diag"
	"github.com/scenario-run/scenario/dsl/source"
)

// pathArguments is the file name of ranges that point at a path on the command
// line. Its text has one path a line.
const pathArguments = "arguments"

// pathsError is that paths on the command line can't be read. They are told of
// as what is wrong in files is: with a code and a place, and all at once.
type pathsError struct {
	color string
	texts map[string][]byte
	diags hcl.Diagnostics
}

func (e *pathsError) Error() string {
	var all []string
	for _, d := range e.diags {
		all = append(all, d.Summary)
	}
	return strings.Join(all, "; ")
}

// found gives what looking for files came to its exit code.
func found(color string, paths, files []string, err error) ([]string, error) {
	var nothing *source.NothingError
	if wrong := newPathsError(paths, err); wrong != nil {
		wrong.color = color
		return nil, &exitError{code: exitUsage, err: wrong}
	}
	if errors.As(err, &nothing) {
		return nil, &exitError{code: exitNothing, err: err}
	}
	return files, err
}

// newPathsError returns the diagnostics of the paths that an error of
// source.Find is about; nil if there are none.
func newPathsError(paths []string, err error) *pathsError {
	missing := notThere(err)
	if len(missing) == 0 {
		return nil
	}
	text := oneLineEach(paths)
	e := &pathsError{texts: map[string][]byte{pathArguments: text}}
	for _, m := range missing {
		i := slices.Index(paths, m.Given)
		if i < 0 {
			// Where no path was given, nobody wrote the one that is missing.
			e.diags = append(e.diags, unreadable(m, hcl.Range{Filename: m.Path}))
			continue
		}
		start := len(oneLineEach(paths[:i]))
		e.diags = append(e.diags, unreadable(m, lineRange(pathArguments, i+1, start, 1, m.Given)))
	}
	return e
}

// notThere are the paths that an error is about.
func notThere(err error) []*source.NotThereError {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var all []*source.NotThereError
		for _, e := range joined.Unwrap() {
			all = append(all, notThere(e)...)
		}
		return all
	}
	var one *source.NotThereError
	if errors.As(err, &one) {
		return []*source.NotThereError{one}
	}
	return nil
}

func unreadable(m *source.NotThereError, place hcl.Range) *hcl.Diagnostic {
	summary, detail := m.Path+" can't be read: "+m.Err.Error(), ""
	switch {
	case errors.Is(m, fs.ErrNotExist):
		return diag.New(diag.Unreadable, place, m.Path+": there is no such file or directory", "", nearestPath(m.Path))
	case errors.Is(m, fs.ErrPermission):
		detail = "Check who may read it: ls -ld " + shellQuote(m.Path)
	}
	return diag.New(diag.Unreadable, place, summary, detail)
}

const extension = ".hcl"

// nearestPath suggests what is beside a path that isn't there and is called
// nearly the same, but for the extension that all have.
func nearestPath(path string) diag.Option {
	dir, name := filepath.Split(path)
	entries, _ := os.ReadDir(filepath.Clean(dir + ".")) // where nothing can be listed, nothing can be suggested
	called := map[string]string{}
	for _, e := range entries {
		if base, is := strings.CutSuffix(e.Name(), extension); is || e.IsDir() {
			called[base] = e.Name()
		}
	}
	near := diag.Suggest(strings.TrimSuffix(name, extension), slices.Sorted(maps.Keys(called)))
	if near == "" {
		return diag.Hint("")
	}
	return diag.Hint(`did you mean "` + dir + called[near] + `"?`)
}

func oneLineEach(texts []string) []byte {
	var all []byte
	for _, t := range texts {
		all = append(append(all, oneLine(t)...), '\n')
	}
	return all
}

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
	"github.com/scenario-run/scenario/engine/event"
)

// pathArguments is the file name of ranges that point at a path on the command
// line. Its text has one path a line.
const pathArguments = "arguments"

// problemsError is what keeps a command from beginning at all, such as paths that
// can't be read. It is told as what is wrong in files is: with a code and a
// place, and all at once.
type problemsError struct {
	color string
	paths []string // of each diagnostic, if it is about one
	texts map[string][]byte
	diags hcl.Diagnostics
}

func (e *problemsError) Error() string {
	var all []string
	for _, d := range e.diags {
		all = append(all, d.Summary)
	}
	return strings.Join(all, "; ")
}

// asJSON answers with what is wrong in the form of validate --json.
func (e *problemsError) asJSON(w *world, code int) error {
	if err := diag.JSON(w.stdout, e.texts, e.diags); err != nil {
		return err
	}
	return &exitError{code: code}
}

// told is what is wrong with the paths as a run tells of files that are invalid.
func (e *problemsError) told() ([]event.FileInvalid, error) {
	var all []event.FileInvalid
	for i, d := range e.diags {
		one, err := tellOf(e.paths[i], e.texts, hcl.Diagnostics{d})
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
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
func newPathsError(paths []string, err error) *problemsError {
	missing := notThere(err)
	if len(missing) == 0 {
		return nil
	}
	text := oneLineEach(paths)
	e := &problemsError{texts: map[string][]byte{pathArguments: text}}
	for _, m := range missing {
		e.paths = append(e.paths, m.Path)
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

// pathMeant is what is beside a path that isn't there and is called nearly the
// same, but for the extension that all have; empty if nothing is.
func pathMeant(path string) string {
	dir, name := filepath.Split(path)
	entries, _ := os.ReadDir(filepath.Clean(dir + ".")) // where nothing can be listed, nothing can be suggested
	called := map[string]string{}
	for _, e := range entries {
		if base, is := strings.CutSuffix(e.Name(), extension); is || e.IsDir() {
			called[base] = e.Name()
		}
	}
	base := strings.TrimSuffix(name, extension)
	if full, is := called[base]; is {
		return dir + full // only the extension lacks
	}
	near := diag.Suggest(base, slices.Sorted(maps.Keys(called)))
	if near == "" {
		return ""
	}
	return dir + called[near]
}

func nearestPath(path string) diag.Option {
	near := pathMeant(path)
	if near == "" {
		return diag.Hint("")
	}
	return diag.Hint(`did you mean "` + near + `"?`)
}

func oneLineEach(texts []string) []byte {
	var all []byte
	for _, t := range texts {
		all = append(append(all, oneLine(t)...), '\n')
	}
	return all
}

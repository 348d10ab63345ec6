package main

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/scenario-run/scenario/scenarios"
)

// templates are what new scenarios are made of, each with NAME for its name.
//
//go:embed templates/*.hcl
var templates embed.FS

func newNew(w *world) *cobra.Command {
	template := oneOf("http", "fault", "ray-ha")
	cmd := &cobra.Command{
		Use:   "new NAME",
		Short: "Write a scenario that runs, with comments, to start from",
		Long: `new writes NAME.hcl, into ./scenarios if there is one, or else into the working
directory; NAME may be a path. The file says what each part of it is for, and
runs as it is.

  http     a web server that crashes under traffic and comes back
  fault    one of two servers hangs and is healed
  ray-ha   Ray Serve while the head's GCS is dead; also writes apps/ and images/

Nothing is overwritten.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage("scenario new takes one name, not %d", len(args)).with("Such as: scenario new my_first")
			}
			return newScenario(w, args[0], template.value)
		},
	}
	cmd.Flags().Var(template, "template", "what to start from")
	return cmd
}

var scenarioName = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

func newScenario(w *world, path, template string) error {
	path = strings.TrimSuffix(path, ".hcl")
	name := filepath.Base(path)
	if !scenarioName.MatchString(name) {
		e := usage("%q can't be the name of a scenario: a name begins with a lower case letter; lower case letters, digits and underscores follow", name)
		if meant := strings.ToLower(strings.NewReplacer("-", "_", " ", "_", ".", "_").Replace(name)); scenarioName.MatchString(meant) {
			return e.with(fmt.Sprintf("Did you mean %q?", meant))
		}
		return e
	}
	if path == name {
		path = filepath.Join(orHere(nil)[0], name)
	}
	path += ".hcl"
	files, err := newFiles(path, name, template)
	if err != nil {
		return err
	}
	for _, f := range files {
		if _, err := os.Stat(f.path); errors.Is(err, syscall.ENOTDIR) {
			return usage("%s can't be written: %s is no directory", f.path, filepath.Dir(f.path))
		}
	}
	missing, err := notThereYet(files)
	if err != nil {
		return err
	}
	for _, f := range missing {
		if err := create(f); err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w.stdout, "created %s\n", f.path); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(w.stdout, "Run it: scenario run %s\n", shellQuote(path))
	return err
}

// newFile is a file that is to be written.
type newFile struct {
	path    string
	content []byte
	// shared says that other scenarios may use it too, so that one that is
	// there already, and is the same, is as good.
	shared bool
}

// newFiles are what a new scenario consists of; its own file is the last, so
// that it is there only if all that it needs is.
func newFiles(path, name, template string) ([]newFile, error) {
	text, err := templates.ReadFile("templates/" + template + ".hcl")
	if err != nil {
		return nil, err
	}
	var files []newFile
	if template == "ray-ha" {
		if files, err = filesOf(scenarios.Ray, filepath.Dir(path)); err != nil {
			return nil, err
		}
	}
	text = bytes.Replace(text, []byte(`"NAME"`), []byte(`"`+name+`"`), 1)
	return append(files, newFile{path: path, content: text}), nil
}

func filesOf(from fs.FS, dir string) (all []newFile, err error) {
	err = fs.WalkDir(from, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := fs.ReadFile(from, path)
		all = append(all, newFile{filepath.Join(dir, filepath.FromSlash(path)), content, true})
		return err
	})
	return all, err
}

// notThereYet leaves out files that are there and as they should be. One that is
// there and is another is a mistake in the command, found before anything is
// written.
func notThereYet(files []newFile) ([]newFile, error) {
	var taken []string
	missing := slices.DeleteFunc(slices.Clone(files), func(f newFile) bool {
		old, err := os.ReadFile(f.path)
		if err == nil && f.shared && bytes.Equal(old, f.content) {
			return true
		}
		if !errors.Is(err, fs.ErrNotExist) {
			taken = append(taken, f.path)
		}
		return false
	})
	if len(taken) > 0 {
		return nil, usage("%s is there already; nothing was written", strings.Join(taken, ", ")).
			with("Choose another name or directory, or remove it first.")
	}
	return missing, nil
}

// create writes a file that must not be there.
func create(f newFile) error {
	if err := os.MkdirAll(filepath.Dir(f.path), 0o755); err != nil {
		return fmt.Errorf("create %s: %w", f.path, err)
	}
	out, err := os.OpenFile(f.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return fmt.Errorf("create %s: %w", f.path, err)
	}
	_, err = out.Write(f.content)
	if err := errors.Join(err, out.Close()); err != nil {
		// A part of it would be in the way of the next attempt.
		return errors.Join(fmt.Errorf("create %s: %w", f.path, err), os.Remove(f.path))
	}
	return nil
}

package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/hashicorp/hcl/v2"
	"github.com/spf13/cobra"

	"github.com/scenario-run/scenario/dsl/diag"
	"github.com/scenario-run/scenario/dsl/lang"
	"github.com/scenario-run/scenario/engine/report/outcome"
)

func newValidate(w *world) *cobra.Command {
	var s selection
	var rep reports
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "validate [PATH|GLOB|FILE:LINE|-]...",
		Short: "Say all that is wrong with scenarios",
		Long: `validate reads scenarios and checks everything that can be checked without
running them: syntax, names, types, references, order. It touches no Docker.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			s.seeded = cmd.Flags().Changed("seed")
			if err := rep.check(); err != nil {
				return err
			}
			if rep.junit == "" && cmd.Flags().Changed("junit-level") { // a run has a report of its own at that level
				return usage("--junit-level %s: no report is asked for", rep.level.value).with("Say where to write it: --junit FILE")
			}
			sizes := map[*file]size{}
			s.take = func(f *file, p planned) { sizes[f] = sizes[f].with(p) }
			l, err := load(w, w.registry(), &s, args, lang.Options{})
			if err != nil && asJSON {
				return answered(w, err)
			}
			if err != nil {
				return err
			}
			stream := w.stdout
			if asJSON {
				stream = w.stderr
			}
			err = errors.Join(l.printValidity(w, s.color.value, asJSON, sizes), l.report(w, &rep, sizes, stream))
			if err != nil {
				return err
			}
			return l.verdict()
		},
	}
	s.addFlags(cmd)
	rep.addFlags(cmd.Flags())
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the problems as JSON")
	return cmd
}

// printValidity says what is wrong, and of files that are valid how much there
// is in them.
func (l *loaded) printValidity(w *world, color string, asJSON bool, sizes map[*file]size) error {
	if asJSON {
		return diag.JSON(w.stdout, l.texts, l.diags())
	}
	if err := l.print(w, color, everything); err != nil {
		return err
	}
	for _, f := range l.files {
		if !f.invalid() {
			if _, err := fmt.Fprintf(w.stdout, "%s: %s\n", f.source(), sizes[f]); err != nil {
				return err
			}
		}
	}
	return nil
}

// report writes the reports on files that were only checked.
func (l *loaded) report(w *world, rep *reports, sizes map[*file]size, stream io.Writer) error {
	if rep.junit == "" && !rep.annotates(w) {
		return nil
	}
	out := outcome.New()
	if err := l.tell(w, sizes, out); err != nil {
		return err
	}
	return rep.write(w, out, stream, "")
}

// size is what there is in a file that is valid.
type size struct {
	keys  []string // of the variants
	steps int
}

func (s size) with(p planned) size {
	s.keys = append(s.keys, p.key)
	for _, v := range p.Vertices {
		if v.Step != nil {
			s.steps++
		}
	}
	return s
}

func (s size) String() string {
	switch {
	case len(s.keys) != 1:
		return fmt.Sprintf("valid, %d variants", len(s.keys))
	case s.steps == 1:
		return "valid, 1 step"
	}
	return fmt.Sprintf("valid, %d steps", s.steps)
}

// verdict is the error for files that are invalid; what is wrong with them has
// been printed.
func (l *loaded) verdict() error {
	if l.invalid() {
		return &exitError{code: exitInvalid}
	}
	return nil
}

// what says which diagnostics are printed.
type what int

const (
	everything what = iota
	errorsOnly      // and warnings, but no notes
)

// print writes the diagnostics of all files to standard error.
func (l *loaded) print(w *world, color string, which what) error {
	all := l.diags()
	if which == errorsOnly {
		all = withoutNotes(all)
	}
	return w.printDiagnostics(color, l.texts, all)
}

// printDiagnostics writes diagnostics to standard error.
func (w *world) printDiagnostics(color string, texts map[string][]byte, all hcl.Diagnostics) error {
	if len(all) == 0 {
		return nil
	}
	width, _, _ := w.terminal(w.stderr)
	return diag.Print(w.stderr, texts, all, diag.Style{Color: w.colored(color, w.stderr), Width: width})
}

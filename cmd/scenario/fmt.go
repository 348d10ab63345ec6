package main

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/cobra"

	"github.com/scenario-run/scenario/dsl/diag"
	"github.com/scenario-run/scenario/dsl/format"
	"github.com/scenario-run/scenario/dsl/source"
)

// formatter is one call of fmt.
type formatter struct {
	w     *world
	check bool
	diff  bool
	color *choice

	texts map[string][]byte
	diags hcl.Diagnostics
	names []string // of the files, in order
	other int      // how many files aren't in canonical form
}

func newFmt(w *world) *cobra.Command {
	f := &formatter{w: w, color: oneOf("auto", "always", "never"), texts: map[string][]byte{}}
	cmd := &cobra.Command{
		Use:   "fmt [PATH|GLOB|-]...",
		Short: "Put files into their canonical form",
		Long: `fmt lays files out in their one canonical form, and prints the names of those
that it changed. A directory stands for all .hcl files below it, libraries and
files of variables included. A file that doesn't parse is reported and left as
it is; what it means never changes. With - it formats standard input to
standard output.

Exit codes: 0 all is in canonical form now, 1 with --check: something wasn't,
3 a file doesn't parse, 4 a file or standard output can't be written.

Every line ends with LF then. In a heredoc that is so even where a file came
with CRLF: there the CR is part of the text, and stays.`,
		RunE: func(_ *cobra.Command, args []string) error { return f.run(args) },
	}
	fl := cmd.Flags()
	fl.BoolVar(&f.check, "check", false, "change nothing; name the files that aren't in canonical form, exit code 1 if there are any")
	fl.BoolVar(&f.diff, "diff", false, "change nothing; print what would be changed")
	fl.Var(f.color, "color", "colour output")
	return cmd
}

func (f *formatter) run(args []string) error {
	if slices.Contains(args, source.Stdin) && len(args) > 1 {
		return usage("standard input (-) is formatted by itself")
	}
	args = orHere(args)
	paths, err := source.FindFiles(args)
	if paths, err = found(f.color.value, args, paths, err); err != nil {
		return err
	}
	for _, path := range paths {
		if err := f.file(path); err != nil {
			return err
		}
	}
	if len(f.diags) > 0 {
		if err := f.w.printDiagnostics(f.color.value, f.texts, diag.Sort(f.diags, f.names...)); err != nil {
			return err
		}
		return &exitError{code: exitInvalid}
	}
	if f.check && f.other > 0 {
		return &exitError{code: exitFailed}
	}
	return nil
}

// file formats one file, or says what would be changed.
func (f *formatter) file(path string) error {
	in, diags := source.Read(path, f.w.stdin)
	f.names = append(f.names, in.Name)
	diags = slices.DeleteFunc(diags, func(d *hcl.Diagnostic) bool { return diag.CodeOf(d) == diag.EmptyFile })
	if len(diags) > 0 {
		f.texts[in.Name] = in.Src
		f.diags = append(f.diags, diags...)
		return nil
	}
	out, err := format.File(in)
	if err != nil {
		return &exitError{code: exitInternal, err: fmt.Errorf("%s: %w", in.Name, err)}
	}
	changed := !bytes.Equal(in.Src, out)
	if changed {
		f.other++
	}
	switch {
	case f.check || f.diff:
		return f.report(in, out, changed)
	case path == source.Stdin:
		_, err = f.w.stdout.Write(out)
		return err
	case !changed:
		return nil
	}
	if err := replaceFile(path, out); err != nil {
		return err
	}
	_, err = fmt.Fprintln(f.w.stdout, path)
	return err
}

// report says what would be changed of a file.
func (f *formatter) report(in *source.File, out []byte, changed bool) error {
	if !changed {
		return nil
	}
	if !f.diff {
		_, err := fmt.Fprintln(f.w.stdout, in.Name)
		return err
	}
	_, err := f.w.stdout.Write(diff.Diff(in.Name, in.Src, in.Name+" (canonical)", out))
	return err
}

package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/scenario-run/scenario/dsl/lang"
	"github.com/scenario-run/scenario/dsl/source"
)

const (
	varPrefix = "SCENARIO_VAR_"
	// argument is the file name of ranges that point at a --var. Its text has
	// one argument a line.
	argument = "--var"
)

// values are the variables' values from outside the scenarios' files.
type values struct {
	env, files, args []lang.Value // weakest first
	read             []lang.Value // all that files say, those beside scenarios included
	diags            hcl.Diagnostics
	texts            map[string][]byte // of what the ranges point at
}

// readValues reads what the environment and the flags say.
func readValues(w *world, assignments, files []string) (*values, error) {
	v := &values{texts: map[string][]byte{}}
	v.fromEnvironment(w.environ)
	for _, path := range files {
		if err := isFile("--var-file", path); err != nil {
			return nil, err
		}
		list, diags := v.fromFile(path, source.LoadVars)
		v.files = append(v.files, list...)
		v.diags = append(v.diags, diags...)
	}
	return v, v.fromArguments(assignments)
}

// isFile refuses what a flag names if it isn't a file that can be read.
func isFile(flag, path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		e := usage("%s %s: there is no such file", flag, shellQuote(path))
		if near := pathMeant(path); near != "" {
			return e.with(fmt.Sprintf("Did you mean %q?", near))
		}
		return e
	case err != nil:
		return usage("%s %s: %w", flag, shellQuote(path), rootCause(err))
	case info.IsDir():
		return usage("%s %s: it is a directory", flag, shellQuote(path)).with("Name a file in it.")
	}
	return nil
}

func (v *values) fromEnvironment(environ []string) {
	for _, entry := range environ {
		name, text, ok := strings.Cut(entry, "=")
		variable, ours := strings.CutPrefix(name, varPrefix)
		if !ok || !ours || variable == "" {
			continue
		}
		v.texts[name] = oneLine(text)
		v.env = append(v.env, lang.Value{
			Name: variable, Text: text, From: name,
			// The environment is there for every scenario, whether or not it
			// declares the variable.
			Lenient: true,
			Range:   lineRange(name, 1, 0, 1, text),
		})
	}
	slices.SortStableFunc(v.env, func(a, b lang.Value) int { return cmp.Compare(a.Name, b.Name) })
}

func (v *values) fromFile(path string, load func(path string) (*source.Vars, hcl.Diagnostics)) ([]lang.Value, hcl.Diagnostics) {
	vars, diags := load(path)
	if vars.File.Src != nil {
		v.texts[vars.File.Name] = vars.File.Src
	}
	var list []lang.Value
	for _, x := range vars.Values {
		list = append(list, lang.Value{Name: x.Name, From: vars.File.Name, Range: x.Expr.Range(), NameRange: x.Range, Expr: x.Expr})
	}
	v.read = append(v.read, list...)
	return list, diags
}

func (v *values) fromArguments(assignments []string) error {
	var text bytes.Buffer
	for i, a := range assignments {
		name, value, ok := strings.Cut(a, "=")
		if !ok || name == "" {
			return usage("--var %s: it has the form NAME=VALUE", shellQuote(a))
		}
		v.args = append(v.args, lang.Value{
			Name: name, Text: value, From: argument,
			Range:     lineRange(argument, i+1, text.Len()+len(name)+1, len([]rune(name))+2, value),
			NameRange: lineRange(argument, i+1, text.Len(), 1, name),
		})
		text.Write(oneLine(a))
		text.WriteByte('\n')
	}
	if text.Len() > 0 {
		v.texts[argument] = text.Bytes()
	}
	return nil
}

// oneLine is a text as a line of a source that diagnostics point into: of the
// same length, so that offsets stay right.
func oneLine(s string) []byte {
	return bytes.Map(func(r rune) rune {
		if r == '\n' || r == '\r' {
			return ' '
		}
		return r
	}, []byte(s))
}

// lineRange is the range of a text in a line.
func lineRange(file string, line, byteOffset, column int, text string) hcl.Range {
	return hcl.Range{
		Filename: file,
		Start:    hcl.Pos{Line: line, Column: column, Byte: byteOffset},
		End:      hcl.Pos{Line: line, Column: column + len([]rune(text)), Byte: byteOffset + len(text)},
	}
}

// forScenario returns the values that one scenario gets, weakest first: those
// of the files beside it, the environment, --var-file, --var. A name that only
// other scenarios of this run declare is passed over.
func (v *values) forScenario(path string, declared map[string]bool) ([]lang.Value, hcl.Diagnostics, error) {
	beside, err := source.AutoVars(path)
	if err != nil {
		return nil, nil, err
	}
	var all []lang.Value
	var diags hcl.Diagnostics
	for _, file := range beside {
		list, fileDiags := v.fromFile(file, source.LoadAutoVars)
		for _, x := range list {
			x.Lenient = true
			all = append(all, x)
		}
		diags = append(diags, fileDiags...)
	}
	all = append(all, v.env...)
	for _, x := range slices.Concat(v.files, v.args) {
		x.Lenient = declared[x.Name]
		all = append(all, x)
	}
	return all, diags, nil
}

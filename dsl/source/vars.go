package source

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/scenario-run/scenario/dsl/diag"
)

// varsSuffix is how the names of files end whose variables every scenario
// beside them gets.
const varsSuffix = ".auto.vars.hcl"

// Vars is a file of variables' values.
type Vars struct {
	File   *File
	Values []Var // in source order
}

// Var is the value of a variable.
type Var struct {
	Name  string
	Range hcl.Range // of the name
	Expr  hcl.Expression
}

// AutoVars returns the files beside a scenario whose values it gets, by name.
func AutoVars(scenario string) ([]string, error) {
	dir := filepath.Dir(scenario)
	if scenario == Stdin {
		dir = "."
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("looking for *%s beside %s: %w", varsSuffix, scenario, err)
	}
	var all []string
	for _, e := range entries {
		if !e.IsDir() && strings.HasSuffix(e.Name(), varsSuffix) {
			all = append(all, filepath.Join(dir, e.Name()))
		}
	}
	return all, nil
}

// LoadAutoVars reads a file of AutoVars.
func LoadAutoVars(path string) (*Vars, hcl.Diagnostics) {
	name := filepath.ToSlash(path)
	if isPipe(path) {
		return &Vars{File: &File{Name: name, Path: path, Dir: filepath.Dir(path)}}, hcl.Diagnostics{pipe(name, start(name))}
	}
	return LoadVars(path)
}

// LoadVars reads a file of NAME = VALUE lines. It is there in spite of errors,
// with what could be parsed. An empty file is one without values.
func LoadVars(path string) (*Vars, hcl.Diagnostics) {
	f := &File{Name: filepath.ToSlash(path), Path: path, Dir: filepath.Dir(path)}
	v := &Vars{File: f}
	diags := f.read(nil, start(f.Name))
	if f.Body == nil {
		return v, diags
	}
	if f.Other != "" {
		diags[0].Summary, diags[0].Detail = "this is "+f.Other+", and values of variables are written in HCL", `Such a file holds lines of the form NAME = VALUE, as in replicas = 3 or names = ["a", "b"].`
	}
	diags = slices.DeleteFunc(diags, func(d *hcl.Diagnostic) bool { return diag.CodeOf(d) == diag.EmptyFile })
	for _, b := range f.Body.Blocks {
		diags = append(diags, diag.New(diag.BadVariablesFile, b.DefRange(), fmt.Sprintf("a block %q in a file of variables", b.Type),
			"Such a file holds lines of the form NAME = VALUE."))
	}
	for name, a := range f.Body.Attributes {
		v.Values = append(v.Values, Var{Name: name, Range: a.NameRange, Expr: a.Expr})
	}
	slices.SortFunc(v.Values, func(a, b Var) int { return a.Range.Start.Byte - b.Range.Start.Byte })
	return v, diags
}

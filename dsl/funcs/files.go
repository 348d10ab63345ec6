package funcs

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	"github.com/zclconf/go-cty/cty/function"

	"github.com/scenario-run/scenario/dsl/diag"
	"github.com/scenario-run/scenario/dsl/syntax"
)

// maxFile is how much a file that an expression reads may hold.
const maxFile = 4 << 20

// FileError is a file that an expression names and that can't be read. It is
// what hclsyntax.FunctionCallDiagExtra yields.
type FileError struct {
	Path string // as the expression says it
	Err  error
}

func (e *FileError) Error() string { return fmt.Sprintf("%s: %v", e.Path, e.Err) }

// Unwrap returns why.
func (e *FileError) Unwrap() error { return e.Err }

type resolver = func(path string) (string, error)

// read returns a file's bytes, or a *FileError.
func read(resolve resolver, path string) ([]byte, error) {
	fail := func(err error) ([]byte, error) {
		var pathErr *fs.PathError
		if errors.As(err, &pathErr) {
			err = pathErr.Err
		}
		return nil, &FileError{path, err}
	}
	open, err := resolve(path)
	if err != nil {
		return fail(err)
	}
	// Opening a pipe might never end.
	if info, err := os.Stat(open); err == nil && info.Mode()&fs.ModeNamedPipe != 0 {
		return fail(errors.New("it's a pipe, not a file"))
	}
	f, err := os.Open(open)
	if err != nil {
		return fail(err)
	}
	defer f.Close()
	src, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return fail(err)
	}
	if len(src) > maxFile {
		return fail(errors.New("larger than 4 MiB; put it into an image or a volume"))
	}
	return src, nil
}

func readText(resolve resolver, path string) (string, error) {
	src, err := read(resolve, path)
	if err != nil {
		return "", err
	}
	if !utf8.Valid(src) {
		return "", &FileError{path, errors.New("not UTF-8 text; read it with filebase64")}
	}
	return string(src), nil
}

func fileFunc(resolve resolver) function.Function {
	return stringFunc("The text of a file, whose path is relative to the file that says it.", cty.String,
		func(a []string) (cty.Value, error) {
			text, err := readText(resolve, a[0])
			if err != nil {
				return cty.NilVal, err
			}
			return cty.StringVal(text), nil
		}, "path")
}

func fileBase64Func(resolve resolver) function.Function {
	return stringFunc("The bytes of a file as base64.", cty.String, func(a []string) (cty.Value, error) {
		src, err := read(resolve, a[0])
		if err != nil {
			return cty.NilVal, err
		}
		return cty.StringVal(base64.StdEncoding.EncodeToString(src)), nil
	}, "path")
}

func fileExistsFunc(resolve resolver) function.Function {
	return stringFunc("Whether there is a file at a path.", cty.Bool, func(a []string) (cty.Value, error) {
		open, err := resolve(a[0])
		if err != nil {
			return cty.NilVal, &FileError{a[0], err}
		}
		info, err := os.Stat(open)
		if errors.Is(err, fs.ErrNotExist) {
			return cty.False, nil
		}
		if err != nil {
			return cty.NilVal, &FileError{a[0], err}
		}
		return cty.BoolVal(info.Mode().IsRegular()), nil
	}, "path")
}

// TemplateFile renders a file as a template, which may call the functions given.
// That the template can be parsed and uses nothing that it isn't given shows as
// soon as its path is known, values or no values. What its loops and calls take
// is told to take, in elements and pieces of text, and it ends where that says no.
func TemplateFile(resolve func(path string) (string, error), functions map[string]function.Function, take func(n int) bool, work WorkOf) function.Function {
	return function.New(&function.Spec{
		Description: "The text of a file in which ${…} is replaced; the second argument holds what it may use.",
		Params: []function.Parameter{
			{Name: "path", Type: cty.String},
			{Name: "vars", Type: cty.DynamicPseudoType},
		},
		Type: func(args []cty.Value) (cty.Type, error) {
			t := args[1].Type()
			if t != cty.DynamicPseudoType && !t.IsObjectType() && !t.IsMapType() {
				return cty.NilType, function.NewArgErrorf(1, "an object or map is wanted, not a %s", t.FriendlyName())
			}
			if args[0].IsKnown() && t.IsObjectType() {
				_, err := template(resolve, args[0].AsString(), t)
				return cty.String, err
			}
			return cty.String, nil
		},
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			path := args[0].AsString()
			vars := args[1].AsValueMap()
			given := cty.EmptyObject
			if len(vars) > 0 {
				given = cty.ObjectVal(vars).Type()
			}
			expr, err := template(resolve, path, given)
			if err != nil {
				return cty.NilVal, err
			}
			m := meter{take, work}
			m.measure(expr)
			v, diags := expr.Value(&hcl.EvalContext{Variables: vars, Functions: m.functions(functions)})
			if diags.HasErrors() {
				return cty.NilVal, inTemplate(path, diags)
			}
			text, err := convert.Convert(v, cty.String)
			if err != nil {
				return cty.NilVal, &FileError{path, err}
			}
			return text, nil
		},
	})
}

// template reads and parses a template that may use the attributes given.
func template(resolve resolver, path string, given cty.Type) (hclsyntax.Expression, error) {
	src, err := readText(resolve, path)
	if err != nil {
		return nil, err
	}
	expr, diags := syntax.ParseTemplate([]byte(src), path, hcl.InitialPos)
	if diags.HasErrors() {
		return nil, inTemplate(path, diags)
	}
	for _, v := range expr.Variables() {
		name := v.RootName()
		if given.HasAttribute(name) {
			continue
		}
		at := v.SourceRange().Start
		message := fmt.Sprintf("line %d, column %d: %q is not among the values given", at.Line, at.Column, name)
		var names []string
		for n := range given.AttributeTypes() {
			names = append(names, n)
		}
		slices.Sort(names)
		if s := diag.Suggest(name, names); s != "" {
			message += fmt.Sprintf("; did you mean %q?", s)
		}
		return nil, &FileError{path, errors.New(message)}
	}
	return expr, nil
}

// inTemplate puts the first problem with a template into one line.
func inTemplate(path string, diags hcl.Diagnostics) error {
	d := diags[0]
	at := hcl.InitialPos
	if d.Subject != nil {
		at = d.Subject.Start
	}
	return &FileError{path, fmt.Errorf("line %d, column %d: %s: %s", at.Line, at.Column, d.Summary, d.Detail)}
}
